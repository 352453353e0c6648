"""Files made to harm: each is refused by name, at once, within bounded memory, and changes nothing."""

import base64
import contextlib
import io
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from tribo import HeightField, World
from tribo.formats import mesh_reading, workers

trimesh = pytest.importorskip("trimesh")
MOST = 400e6  # [bytes] at the worst; a file of 64 MiB is allowed, these are of some kB
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()


def gltf(**changes):
    """Return the text of a glTF file with one triangle."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(TRIANGLE).decode()
    content = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": len(TRIANGLE)}],
        "buffers": [{"byteLength": len(TRIANGLE), "uri": uri}],
    }
    return json.dumps(content | changes)


def glb(text):
    """Return a GLB file without a binary part."""
    body = text.encode()
    body += b" " * (-len(body) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(body), len(body), 0x4E4F534A) + body


def png(width, height, data):
    """Return a grey PNG with any size in its head."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(data, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(c)) + name + c + struct.pack(">I", zlib.crc32(name + c)) for name, c in chunks
    )


def dae(library="", placed='<instance_geometry url="#geometry0"/>', doctype=""):
    """Return a COLLADA document with a crate of 1 × 1 × 1."""
    pytest.importorskip("collada", reason="DAE files need pycollada")
    text = trimesh.creation.box((1, 1, 1)).export(file_type="dae").decode()
    text = text[text.index("<COLLADA") :]
    head, scene = text.split("<library_visual_scenes>")
    own = '<visual_scene id="scene"><node id="top">' + placed + "</node></visual_scene>"
    tail = scene[scene.index("</library_visual_scenes>") :]
    head = head.replace(head[head.index('<geometry id="') :].split('"')[1], "geometry0")
    return f"{doctype}{head}{library}<library_visual_scenes>{own}{tail}"


def doubling(levels):
    """Return nodes each of which places the one before it twice."""
    nodes = ['<node id="n0"><instance_geometry url="#geometry0"/></node>']
    nodes += [
        f'<node id="n{k}">' + f'<instance_node url="#n{k - 1}"/>' * 2 + "</node>" for k in range(1, levels)
    ]
    return "<library_nodes>" + "".join(nodes) + "</library_nodes>"


ZEROS = {"componentType": 5126, "count": 10**9, "type": "VEC3"}  # no data: glTF means zeros
BOMBS = {
    "zeros.gltf": gltf(accessors=[ZEROS]).encode(),
    "zeros.glb": glb(gltf(accessors=[ZEROS])),
    "negative.gltf": gltf(accessors=[ZEROS | {"count": -5}]).encode(),
    "text.gltf": gltf(accessors=[ZEROS | {"count": "9" * 40}]).encode(),
    "head.glb": struct.pack("<4sIIII", b"glTF", 2, 2**32 - 1, 2**32 - 1, 0x4E4F534A) + b"{}",
    "head.stl": b" " * 80 + struct.pack("<I", 2**32 - 1) + b"\0" * 50,
    "head.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
    b"property float x\nproperty float y\nproperty float z\nend_header\n" + b"\0" * 36,
    "bare.ply": b"ply\nformat ascii 1.0\nelement vertex 4000000000\nend_header\n",
    "list.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n"
    b"property float y\nproperty float z\nelement face 1\n"
    b"property list uint int vertex_indices\nend_header\n" + TRIANGLE + b"\xff" * 4 + b"\0" * 12,
    "head.off": b"OFF\n4000000000 4000000000 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    "index.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4000000000\n",
    "infinite.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 inf\nv 0 0 1\nf 1 2 3\nf 1 2 4\n",
    "far.obj": b"v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nv 0 0 1e300\nf 1 2 3\nf 1 2 4\n",
    "point.obj": b"v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n",
    "laugh.dae": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b">]><COLLADA>&b;</COLLADA>',
    "archive.glb": b"PK\x03\x04" + zlib.compress(b"\0" * 10_000_000),
}


@pytest.mark.parametrize("mode", ["hull", "exact"])
@pytest.mark.parametrize("name", BOMBS)
def test_a_harmful_mesh_is_refused(tmp_path, name, mode):
    (tmp_path / name).write_bytes(BOMBS[name])
    world = World()
    world.add_sphere(0.1, 1.0)
    before = world.hash()
    options = {"mass": 1.0} if mode == "hull" else {}
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=name):
            world.add_mesh(tmp_path / name, mode=mode, **options)
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()
    assert len(world.objects) == 1
    assert world.hash() == before


def zipped(text):
    """Return an archive with a document in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("crate.dae", text)
    return made.getvalue()


DTD = '<!DOCTYPE a [<!ENTITY b "bbbb">]>'
COLLADA = {
    "archive": (lambda: zipped(dae()), "archives"),
    "text before an archive": (lambda: b"<!-- " + zipped(dae()) + b"-->", "no XML"),
    "type in UTF-16": (lambda: dae(doctype=DTD).encode("utf-16"), "document type"),
    "type in UTF-32": (lambda: dae(doctype=DTD).encode("utf-32"), "document type"),
    "UTF-16 without a mark": (lambda: dae(doctype=DTD).encode("utf-16-le"), "no XML"),
    "UTF-7": (lambda: b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE a>', "not well-formed"),
    "latin": (lambda: dae().replace("crate", "").encode() + "<!--é-->".encode("latin-1"), "UTF-8"),
    "doubling": (lambda: dae(doubling(40), '<instance_node url="#n39"/>').encode(), "places its meshes"),
    "a circle": (
        lambda: dae('<library_nodes><node id="n"><instance_node url="#n"/></node></library_nodes>',
                    '<instance_node url="#n"/>').encode(), "in themselves",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COLLADA)
def test_only_plain_collada_is_read(tmp_path, name):
    """Archives and documents in UTF-16 went past the check for document types; nodes doubled for ever."""
    made, says = COLLADA[name]
    (tmp_path / "crate.dae").write_bytes(made())
    with pytest.raises(ValueError, match=says):
        World().add_mesh(tmp_path / "crate.dae", density=1.0)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_collada_in_other_encodings_is_read(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>\n<!-- é -->' + dae(
        doubling(2), '<instance_node url="#n0"/>'
    )
    (tmp_path / "crate.dae").write_bytes(text.encode(encoding))
    assert World().add_mesh(tmp_path / "crate.dae", density=2.0).mass == pytest.approx(2.0)


def test_arrays_that_many_parts_share_are_counted_as_often(tmp_path):
    """Each part got its own copy: 2.9 MB of text took 6.6 GB."""
    part = {"attributes": {"POSITION": 0}}
    big = {"componentType": 5126, "count": 1_000_000, "type": "VEC3"}
    text = gltf(meshes=[{"primitives": [part] * 50_000}], accessors=[big])
    (tmp_path / "shared.gltf").write_text(text)
    with pytest.raises(ValueError, match=r"shared\.gltf.*its parts use \d{12} entries"):
        World().add_mesh(tmp_path / "shared.gltf", mode="exact")


def test_nodes_of_gltf_are_a_tree(tmp_path):
    nodes = [{"children": [k + 1, k + 1]} for k in range(40)] + [{"mesh": 0}]
    (tmp_path / "doubling.gltf").write_text(gltf(nodes=nodes))
    with pytest.raises(ValueError, match="one stands below two others"):
        World().add_mesh(tmp_path / "doubling.gltf", mode="exact")


@pytest.mark.parametrize("beside", [False, True])
def test_pictures_of_a_mesh_are_bounded_together(tmp_path, beside):
    picture = png(8000, 8000, b"\0" * 64)
    uri = "data:image/png;base64," + base64.b64encode(picture).decode()
    if beside:
        found = mesh_reading._Beside(tmp_path / "part.obj")
        (tmp_path / "a.png").write_bytes(picture)
        found.get("a.png")
        with pytest.raises(FileNotFoundError, match="too many pixels"):
            found.get("a.png")
        return
    (tmp_path / "part.gltf").write_text(gltf(images=[{"uri": uri}] * 2))
    with pytest.raises(ValueError, match="64 million pixels together"):
        World().add_mesh(tmp_path / "part.gltf", mode="exact")


def test_a_mesh_placed_too_often_is_refused_before_it_is_copied(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_reading, "MAX_FACES", 50)
    nodes = [{"mesh": 0, "translation": [k, 0, 0]} for k in range(60)]
    text = gltf(nodes=nodes, scenes=[{"nodes": list(range(60))}])
    (tmp_path / "copies.gltf").write_text(text)
    with pytest.raises(ValueError, match=r"copies\.gltf.*60 triangles are more than 50"):
        World().add_mesh(tmp_path / "copies.gltf", mass=1.0)


def test_files_beside_a_mesh_are_bounded_together(tmp_path, monkeypatch):
    """One file may be named by many buffers."""
    monkeypatch.setattr(mesh_reading, "MAX_BYTES", 10_000)
    (tmp_path / "part.bin").write_bytes(TRIANGLE + b"\0" * 9000)
    buffers = [{"byteLength": 9036, "uri": "part.bin"}] * 40
    (tmp_path / "parts.gltf").write_text(gltf(buffers=buffers))
    with pytest.raises(ValueError, match=r"parts\.gltf"):
        World().add_mesh(tmp_path / "parts.gltf", mass=1.0)
    (tmp_path / "parts.gltf").write_text(gltf(buffers=buffers[:1]))
    with pytest.raises(ValueError, match=r"parts\.gltf.*a solid needs 4 different points"):
        World().add_mesh(tmp_path / "parts.gltf", mass=1.0)  # read, but one triangle has no inside


@pytest.mark.parametrize("uri", ["../secret.bin", "/etc/hostname", "file:///etc/hostname"])
def test_a_mesh_reads_nothing_elsewhere(tmp_path, uri):
    (tmp_path / "secret.bin").write_bytes(TRIANGLE)
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "nosy.gltf").write_text(gltf(buffers=[{"byteLength": 36, "uri": uri}]))
    with pytest.raises(ValueError, match=r"nosy\.gltf"):
        World().add_mesh(folder / "nosy.gltf", mode="exact")


@pytest.mark.parametrize("scale", [0.0, (1.0, 0.0, 1.0), np.nan, np.inf, (1.0, 1.0), "large", 1e-200, 1e200])
def test_a_bad_scale_is_refused(tmp_path, scale):
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "crate.stl")
    world = World()
    with pytest.raises((ValueError, TypeError), match=r"scale|crate\.stl"):
        world.add_mesh(tmp_path / "crate.stl", mass=1.0, scale=scale)
    assert world.objects == ()


@pytest.mark.parametrize(
    "content",
    [
        png(60_000, 60_000, b""),
        png(2_000_000_000, 2, b""),
        png(4, 4, b"\0" * 50_000_000),  # more than was announced is not unpacked
        png(4, 4, b""),
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a",
        b"",
    ],
)
def test_a_harmful_picture_is_refused_or_bounded(tmp_path, content):
    pytest.importorskip("PIL")
    (tmp_path / "map.png").write_bytes(content)
    tracemalloc.start()
    try:
        if len(content) > 10_000:
            field = HeightField.from_image(tmp_path / "map.png", (1.0, 1.0), scale=1.0)
            assert field.heights.shape == (4, 4)
        else:
            with pytest.raises(ValueError, match=r"map\.png"):
                HeightField.from_image(tmp_path / "map.png", (1.0, 1.0), scale=1.0)
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()


def test_a_missing_picture_or_text_is_named(tmp_path):
    pytest.importorskip("PIL")
    with pytest.raises(FileNotFoundError, match=r"none\.png"):
        HeightField.from_image(tmp_path / "none.png", (1.0, 1.0), scale=1.0)
    with pytest.raises(FileNotFoundError, match=r"none\.txt"):
        HeightField.from_text(tmp_path / "none.txt")


@pytest.mark.parametrize(
    "text", ["inf 2 1 1 0 0", "nan 2 1 1 0 0", "1e9 1e9 1 1 0", "-2 -2 1 1 0 0 0 0", "2 2 1 1 0 0 0 inf",
             "2 2 0 1 0 0 0 0", "2.5 2 1 1 0 0 0 0 0", "", "\0\0"],
)  # fmt: skip
def test_a_broken_height_file_is_named(tmp_path, text):
    (tmp_path / "map.txt").write_text(text)
    with pytest.raises(ValueError, match=r"map\.txt|heights|size"):
        HeightField.from_text(tmp_path / "map.txt")


def test_a_height_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / "map.txt").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(ValueError, match=r"map\.txt"):
        HeightField.from_text(tmp_path / "map.txt")


def test_a_picture_that_announces_gigabytes_costs_no_memory(tmp_path):
    """As much was reserved as the length of its last chunk said, 2 GB; `make fuzz` found it."""
    Image = pytest.importorskip("PIL.Image")
    path = tmp_path / "map.png"
    Image.new("L", (40, 40)).save(path)
    data = bytearray(path.read_bytes())
    at = data.index(b"IDAT") - 4
    data[at : at + 4] = (0x7FFFFFF0).to_bytes(4, "big")
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with contextlib.suppress(ValueError):
            HeightField.from_image(path, (1.0, 1.0), scale=1.0)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_reading_a_large_file_hears_an_interrupt(tmp_path, monkeypatch):
    """Before, a signal waited for each call of trimesh: 3 s for 1.3 million triangles as STL."""
    go, began = threading.Event(), []

    def slow(*_):
        began.append(threading.current_thread())
        os.kill(os.getpid(), signal.SIGINT)
        go.wait(60.0)

    monkeypatch.setattr(mesh_reading, "_parse", slow)
    path = tmp_path / "large.stl"
    path.write_bytes(bytes(mesh_reading.LASTING + 1))
    with pytest.raises(KeyboardInterrupt):
        mesh_reading.read(path, (1.0, 1.0, 1.0))
    go.set()
    assert began[0] is not threading.main_thread()


@pytest.mark.parametrize("kind", ["plain", "painted", "broken", "empty"])
def test_a_large_obj_is_read_in_a_process_as_in_this_one(tmp_path, monkeypatch, kind):
    """One call of the parser of OBJ takes 0.6 s for 64 MiB, and no thread hears signals meanwhile."""
    path = tmp_path / "part.obj"
    if kind == "painted":
        pytest.importorskip("PIL")
        (tmp_path / "red.png").write_bytes(png(2, 2, b"\0\xff\0\0\xff\0"))
        (tmp_path / "part.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd red.png\n")
        path.write_text(
            "mtllib part.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl red\n"
            "f 1/1 3/3 2/2\nf 1/1 2/2 4/3\nf 1/1 4/2 3/3\nf 2/1 3/2 4/3\n"
        )
    else:
        box = trimesh.creation.box((1, 1, 1)).export(file_type="obj")
        path.write_text({"plain": box, "broken": box + "f 1 2 99\n", "empty": "v 0 0 0\n"}[kind])
    found, functions = [], []
    work = mesh_reading.work
    monkeypatch.setattr(mesh_reading, "work", lambda *args: functions.append(args[0]) or work(*args))
    for largest in (mesh_reading.DEAFENING, 0):
        monkeypatch.setattr(mesh_reading, "DEAFENING", largest)
        mesh_reading._read.cache_clear()
        try:
            made = mesh_reading.read(path, (1.0, 2.0, 1.0))
        except mesh_reading.MeshError as error:
            found.append(str(error))
        else:
            picture = getattr(getattr(made.visual, "material", None), "image", None)
            assert (picture is None) == (kind == "plain")
            found.append((made.vertices.tolist(), made.faces.tolist(), picture and picture.tobytes()))
    assert found[0] == found[1]
    assert functions == [mesh_reading.parsed]
    assert isinstance(found[0], str) == (kind in {"broken", "empty"})


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_the_process_that_reads_an_obj(tmp_path, monkeypatch):
    started, popen = [], subprocess.Popen

    def start(_, **options):
        started.append(popen([sys.executable, "-c", "import time; time.sleep(600)"], **options))
        return started[-1]

    monkeypatch.setattr(workers.subprocess, "Popen", start)
    monkeypatch.setattr(workers.time, "sleep", lambda _: os.kill(os.getpid(), signal.SIGINT))
    monkeypatch.setattr(mesh_reading, "DEAFENING", 0)
    (tmp_path / "part.obj").write_text(trimesh.creation.box((1, 1, 1)).export(file_type="obj"))
    with pytest.raises(KeyboardInterrupt):
        mesh_reading.read(tmp_path / "part.obj", (1.0, 1.0, 1.0))
    assert [process.poll() for process in started] == [-signal.SIGKILL]
