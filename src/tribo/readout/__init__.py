"""What can be read from a world: contacts, energies, rays, distances, its state as a whole."""
