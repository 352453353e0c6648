"""Members of enumerations in compiled code: they are the whole numbers that Python has."""

from enum import IntEnum, IntFlag

import numpy as np
import pytest

from tribo.compiler.jit import DISABLED, kernel, script

pytestmark = pytest.mark.skipif(DISABLED, reason="members become numbers where something is compiled")


class Place(IntEnum):
    FIRST = 0
    LAST = 2


class Bit(IntFlag):
    LOW = 1
    HIGH = 8


def use_members(which, numbers):
    """Compare a member, index by one, count from one, set and clear bits, and choose one."""
    total = numbers[Place.LAST] + Place.LAST if which == Place.LAST else numbers[Place.FIRST]
    for k in range(Place.FIRST, Place.LAST):
        total += numbers[k]
    bits = which | Bit.LOW | Bit.HIGH
    bits &= ~Bit.LOW
    return total, bits, int(Place.LAST if which > 0 else Bit.HIGH)


def use_closure(place):
    def read(numbers):
        return numbers[place.LAST]

    return read


of_kernel = kernel(use_members)


def call_kernel(which, numbers):
    return of_kernel(which, numbers)


@pytest.mark.parametrize("function", [use_members, call_kernel])
@pytest.mark.parametrize("which", [0, 2])
def test_members_are_numbers(function, which):
    numbers = np.array([0.5, 3.0, 7.0])
    assert script(function)(which, numbers) == use_members(which, numbers)


def test_an_enumeration_of_a_closure():
    assert script(use_closure(Place))(np.array([1.0, 2.0, 4.0])) == 4.0


def test_a_member_that_is_not_there_is_an_error():
    def read():
        return Place.MIDDLE

    with pytest.raises(KeyError, match="MIDDLE"):
        script(read)()
