"""Read-outs of a world: contacts, energies, rays, distances, its state as a whole."""
