"""Pins, hinges, welds, motors and wires between bodies."""
