"""Arrays of others: damaged, lying and huge files are refused in words, before memory is taken for them."""

import contextlib
import io
import random
import tracemalloc
import zipfile

import numpy as np
import pytest
from fuzz.mutate import damaged

from tribo.checks.array_files import of_json, read_arrays, read_limited, to_json
from tribo.learn.policy import Policy

MOST = 1 << 20


def saved(folder, **arrays):
    np.savez(folder / "a.npz", **arrays)
    return folder / "a.npz"


def archive(folder, content, kind=zipfile.ZIP_STORED):
    with zipfile.ZipFile(folder / "a.npz", "w", kind) as made:
        made.writestr("x.npy", content)
    return folder / "a.npz"


def header(text):
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array("text"),
     np.array(["a", "bcd"]), np.zeros((0, 4)), np.array(3.0), np.ones(2, bool), np.ones(2, ">f4"),
     np.arange(300, dtype=np.uint8).reshape(1, 2, 3, 50), np.array("")],
)  # fmt: skip
def test_what_numpy_writes_is_read(tmp_path, array):
    found = read_arrays(saved(tmp_path, x=array), MOST)["x"]
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.flags.writeable


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{'descr': '<f8', 'fortran_order': False, 'shape': (50000000000,), }\n", "has not the size"),
        (b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", "has not the size"),
        (b"{'descr': '<U999999', 'fortran_order': False, 'shape': (999999999,), }\n", "has not the size"),
        (b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "no array of numbers or text"),
        (b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (), }\n", "no array of numbers"),
        (b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"(" * 5000 + b"\n", "no array of"),
        (b"__import__('os').system('true')\n", "no array of numbers or text"),
    ],
)  # fmt: skip
def test_headers_that_lie_cost_nothing(tmp_path, text, said):
    path = archive(tmp_path, header(text) + bytes(8))
    tracemalloc.start()
    with pytest.raises(ValueError, match=said):
        read_arrays(path, MOST)
    assert tracemalloc.get_traced_memory()[1] < 4 * MOST  # claims are of up to 400 GB
    tracemalloc.stop()


def test_archives_that_unpack_to_more_than_is_allowed(tmp_path):
    path = archive(tmp_path, bytes(20 * MOST), zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=f"{20 * MOST} bytes of arrays, at most {MOST}"):
        read_arrays(path, MOST)
    lying = bytearray(path.read_bytes())
    claimed = (20 * MOST).to_bytes(4, "little")
    for _ in range(2):  # in the local header and in the table
        lying[lying.index(claimed) : lying.index(claimed) + 4] = (500).to_bytes(4, "little")
    path.write_bytes(lying)
    with pytest.raises(ValueError, match=r"."):
        read_arrays(path, MOST)


def test_a_text_of_no_letters_is_refused(tmp_path):
    text = b"{'descr': '<U1', 'fortran_order': False, 'shape': (), }\n"
    with pytest.raises(ValueError, match="no text"):
        read_arrays(archive(tmp_path, header(text) + b"\xff\xff\xff\xff"), MOST)


def test_changed_policies_are_read_or_refused_in_words(tmp_path):
    """Before, one in eight raised OSError, AttributeError, MemoryError or TokenError."""
    layers = [(np.ones((2, 3), np.float32), np.zeros(2, np.float32))]
    policy, path = (
        Policy("any", np.zeros(3), np.ones(3), layers, -np.ones(2), np.ones(2)),
        tmp_path / "p.npz",
    )
    policy.save(path)
    good, taken = path.read_bytes(), 0
    for seed in range(600):
        path.write_bytes(damaged(random.Random(seed), good))
        with contextlib.suppress(ValueError):  # nothing else may be raised
            Policy.load(path)
            taken += 1
    assert 0 < taken < 600


def test_a_device_is_no_policy():
    with pytest.raises(ValueError, match="it is a device"):
        Policy.load("/dev/zero")


def test_bytes_in_memory_are_not_kept(tmp_path):
    """Arrays are copies: they can be written, and do not hold the file's bytes."""
    stream = io.BytesIO()
    np.savez(stream, x=np.zeros(3))
    (tmp_path / "a.npz").write_bytes(stream.getvalue())
    assert read_arrays(tmp_path / "a.npz", MOST)["x"].base is None


def test_a_file_takes_as_much_memory_as_it_has_bytes(tmp_path):
    """Before, the limit was asked of the system at once: 4 GiB for a checkpoint of a few bytes."""
    path = tmp_path / "small"
    path.write_bytes(b"small")
    tracemalloc.start()
    assert read_limited(path, 1 << 32) == b"small"
    assert tracemalloc.get_traced_memory()[1] < MOST
    tracemalloc.stop()
    with pytest.raises(ValueError, match="it has 5 bytes, at most 4 are read"):
        read_limited(path, 4)


def test_json_keeps_arrays_bit_for_bit():
    given = [
        np.array([0.1, -0.0, np.inf, np.nan]),
        np.zeros((0, 3)),
        np.arange(4, dtype=np.int32),
        np.float64(2),
    ]
    number, flag, *arrays = of_json(to_json([1.5, True, *given[:3], np.array(7.0)]))
    assert (number, flag) == (1.5, True)
    for read, array in zip(arrays, [*given[:3], np.array(7.0)], strict=True):
        assert (read.dtype, read.shape, read.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert not read.flags.writeable


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[", b"[" * 100_000, b"{}", b"\xff", b'{"array": "|O8", "shape": [1], "bytes": "00"}',
        b'{"array": "<f8", "shape": [2], "bytes": "00"}', b'{"array": "<f8", "shape": 3, "bytes": "00"}',
        b'{"array": "<f8", "shape": [true], "bytes": "0000000000000000"}',
        b'{"array": "<f8", "shape": [1], "bytes": 7}', b'{"array": ["<f8"], "shape": [1], "bytes": ""}',
    ],
)  # fmt: skip
def test_json_of_others_is_refused(text):
    with pytest.raises(ValueError, match="cannot be read"):
        of_json(text)
