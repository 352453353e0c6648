"""Constraints between bodies: pins, hinges, welds, motors, locks, wires, rods and winches."""
