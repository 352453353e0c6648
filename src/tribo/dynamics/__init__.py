"""Motion of trees of joints without contact: poses, inertias, forces, integration."""
