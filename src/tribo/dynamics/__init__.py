"""Motion of trees of joints without contact: where, how heavy, which forces."""
