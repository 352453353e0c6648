"""What keeps positions right and bounds the energy of a step."""
