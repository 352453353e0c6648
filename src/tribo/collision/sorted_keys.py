"""Binary search in a sorted list of keys."""

from tribo.compiler.jit import kernel


@kernel
def first_from(keys, count, key):
    """Return the index of the first of `count` ascending keys that is ≥ key; `count` if there is none."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def place_of(keys, count, key):
    """Return the index of a key among `count` ascending ones; −1 if it is none of them."""
    k = first_from(keys, count, key)
    return k if k < count and keys[k] == key else -1
