"""Compliant contacts: forces by depth and velocity."""
