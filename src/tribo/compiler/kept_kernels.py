"""Kernels that an earlier process typed and lowered: found again, checked, and put in the place of new ones.

The dependences of a kernel's code are found in three ways. Its own text and constants are in the name of its
file (`identity`), with where the fields lie of which it speaks: two layouts of a record have two files. The
fields that it reads are noted while it is compiled, too, and compared when it is found again. And of the
kernels that it calls it knows a name and types only: they are found, or compiled, first, and if one returns
another type now, the caller is compiled again. So an edit in one kernel compiles that kernel.
"""

from __future__ import annotations

import io
import itertools
import os
import pathlib
import pickle
import secrets
import sys
import time
import weakref
from typing import Any

from numba.core import sigutils
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import NullCache
from numba.core.compiler import compile_result
from numba.core.funcdesc import FunctionDescriptor
from numba.core.typing import signature

from tribo.compiler import kernel_store, linking, progress, record_types
from tribo.compiler.identity import name_of
from tribo.compiler.linking import Foreign, Kept, Linked, Whole
from tribo.compiler.switches import CLAIMS

# Functions of Numba's own are named by number: no two processes may give the same number to different ones.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))  # noqa: SLF001


class _Pickler(pickle.Pickler):
    """Writes the compiled type of a record as the name of its class."""

    def persistent_id(self, thing: Any) -> Any:
        """Return what stands for a type, None: it is written as it is."""
        return thing.origin if isinstance(thing, record_types.RecordType) else None


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` wrote."""

    def persistent_load(self, origin: Any) -> Any:
        """Return the compiled type of a record as it is now."""
        return record_types.find(origin)


def _dumps(thing: Any) -> bytes:
    stream = io.BytesIO()
    _Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(thing)
    return stream.getvalue()


def _loads(content: bytes) -> Any:
    return _Unpickler(io.BytesIO(content)).load()


_foreign: Any = weakref.WeakKeyDictionary()


_by_content: dict[bytes, Foreign] = {}


def _same(codegen: Any, name: str, bitcode: bytes) -> Foreign:
    """Return code of Numba's own functions, one object for one content."""
    if bitcode not in _by_content:
        _by_content[bitcode] = Foreign(codegen, name, bitcode, [])
    return _by_content[bitcode]


def without_foreign(library: Linked) -> None:
    """Let code of Numba's own functions be linked as it is, not by way of Numba's libraries."""
    for k, other in enumerate(library._linking_libraries):  # noqa: SLF001
        if isinstance(other, Linked | Whole) or other._reload_init:  # noqa: SLF001
            continue
        if other not in _foreign:
            bitcode = bytes(other._get_module_for_linking().as_bitcode())  # noqa: SLF001
            _foreign[other] = _same(other.codegen, other.name, bitcode)
        library._linking_libraries[k] = _foreign[other]  # noqa: SLF001


_claimed: dict[str, pathlib.Path] = {}  # what this process said that it compiles


def give_up() -> None:
    """Say that this process does not compile what it said: others need not wait."""
    while _claimed:
        _claimed.popitem()[1].with_suffix(".done").touch()


class KernelCache(NullCache):  # type: ignore[misc]
    """The cache that Numba asks before it compiles a kernel, and informs afterwards."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a kernel that was kept, None: it is to be compiled."""
        made_of = self._inner.made_of
        if made_of is None:
            return None
        arguments, _ = sigutils.normalize_signature(sig)
        found = self._find(arguments, target_context)
        if found is None and CLAIMS in os.environ:
            if self._claim(self._key(arguments)):
                return None
            found = self._find(arguments, target_context)
        return found

    def is_taken(self, arguments: tuple[Any, ...]) -> bool:
        """Tell whether a process that compiles beside this one has a kernel, or had it."""
        if self._inner.made_of is None or CLAIMS not in os.environ:
            return False
        return pathlib.Path(os.environ[CLAIMS], self._key(arguments)).exists()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel that was compiled."""
        made_of = self._inner.made_of
        progress.tell(f"kernel {name_of(self._inner.py_func).removeprefix('tribo.')}")
        if made_of is None:
            return
        arguments, _ = sigutils.normalize_signature(sig)
        key = self._key(arguments)
        row = self._row(data)
        if row is not None:
            kernel_store.write(key, _dumps(row))
        if key in _claimed:
            _claimed.pop(key).with_suffix(".done").touch()

    def _key(self, arguments: tuple[Any, ...]) -> str:
        made_of = self._inner.made_of
        said = tuple(map(str, arguments))
        fields = record_types.rows(arguments, made_of.spoken)
        return kernel_store.key("kernel", linking.facts(), made_of.name, made_of.content, said, fields)

    def _row(self, data: Any) -> dict[str, Any] | None:
        """Return what is kept of a kernel, None: it cannot be."""
        library, made_of = data.library, self._inner.made_of
        callees, foreign = [], []
        for other in library.callees:
            if isinstance(other, Foreign):
                foreign.append((other.name, other.bitcode))
            elif not isinstance(other, Linked) or other.called[0] not in made_of.callees:
                return None
            else:
                callees.append(other.called)
        if library.has_dynamic_globals or data.lifted or data.environment.consts:
            return None
        if library._reload_init:  # noqa: SLF001
            return None
        return {
            "result": data.signature.return_type,
            "symbol": data.fndesc.mangled_name,
            "environment": data.fndesc.env_name,
            "bitcode": library.bitcode,
            "foreign": foreign,
            "callees": callees,
            "reads": sorted(self._inner.reads[tuple(data.signature.args)], key=repr),
        }

    def _find(self, arguments: tuple[Any, ...], target_context: Any) -> Any:
        content = kernel_store.read(self._key(arguments))
        if content is None:
            return None
        row = _loads(content)
        libraries: list[Any] = []
        for name, kinds, result in row["callees"]:
            inner = self._inner.made_of.callees[name].dispatcher
            if kinds not in inner.overloads:
                inner.compile(kinds)
            made = inner.overloads[kinds]
            if made.signature.return_type != result:
                return None
            libraries.append(made.library)
        if not all(map(record_types.is_as_before, row["reads"])):
            return None
        codegen = target_context.codegen()
        libraries += [_same(codegen, name, bitcode) for name, bitcode in row["foreign"]]
        function = self._inner.py_func
        library = Kept(codegen, function.__qualname__, row["bitcode"], libraries)
        code = function.__code__
        descriptor = FunctionDescriptor(
            True, function.__module__, function.__qualname__, function.__qualname__, "",
            None, row["result"], None, code.co_varnames[: code.co_argcount], (),
            mangler=lambda *_, **__: row["symbol"], argtypes=arguments, env_name=row["environment"],
        )  # fmt: skip
        return compile_result(
            typing_context=self._inner.typingctx, target_context=target_context,
            signature=signature(row["result"], *arguments), library=library, fndesc=descriptor,
            objectmode=False, lifted=(), entry_point=object(),
        )  # fmt: skip

    def _claim(self, key: str) -> bool:
        """Say that this process compiles something; if another one does, wait for it and return False.

        There is no way to wait in a circle: who waits holds callers only of what it waits for.
        """
        place = pathlib.Path(os.environ[CLAIMS], key)
        try:
            os.close(os.open(place, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            while not place.with_suffix(".done").exists():
                time.sleep(0.005)
                if not place.parent.exists():  # who started all this is gone
                    sys.exit(1)
            return False
        _claimed[key] = place
        return True
