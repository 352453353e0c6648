"""Contact laws of pairs of materials, as the user sees them."""

from tribo.materials.contact_material import ContactMaterial
from tribo.materials.diagnosis import complaints
from tribo.materials.library import EffectivePair, MaterialLibrary
from tribo.materials.material import Material
from tribo.materials.pair_properties import PairProperties
from tribo.materials.table import MaterialTable

__all__ = [
    "ContactMaterial", "EffectivePair", "Material", "MaterialLibrary", "MaterialTable",
    "PairProperties", "complaints",
]  # fmt: skip
