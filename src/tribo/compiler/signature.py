"""Types of what compiled code takes and returns, named without loading the compiler."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A whole number or a number in a register; called with types it makes a signature, as Numba's do."""

    name: str

    def __call__(self, *arguments: Scalar) -> Signature:
        """Return the signature of a function that takes these and returns this."""
        return Signature(self, arguments)


@dataclass(frozen=True, slots=True)
class Signature:
    """Result and arguments of a function that is called by address."""

    result: Scalar
    arguments: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An array in C order."""

    item: Scalar
    dimensions: int


@dataclass(frozen=True, slots=True)
class Field(Array):
    """An array that is the field of a record, as kernels pass it to one another."""


int64, float64, boolean = Scalar("int64"), Scalar("float64"), Scalar("boolean")
