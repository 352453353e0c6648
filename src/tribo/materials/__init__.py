"""What happens where two materials meet, as the user sees it."""

from tribo.materials.table import MaterialTable, PairProperties

__all__ = ["MaterialTable", "PairProperties"]
