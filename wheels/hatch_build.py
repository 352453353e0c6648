"""What hatchling does besides when it builds a wheel: compile the kernels and put the library in.

`TRIBO_PREBUILD=0` leaves the library out: such a wheel is for every platform and needs `tribo[jit]`. That is
also what is built where no library can be: anywhere but on x86-64 Linux.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "tribo/_prebuilt"  # in the wheel
# The oldest interpreter (stable ABI) and the oldest C library that it runs with; `wheels/check.py` looks.
TAG = "cp311-abi3-manylinux_2_31_x86_64"


class PrebuiltKernels(BuildHookInterface):
    """Adds the library of prebuilt machine code."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library, or take it from the cache, and say which machines the wheel is for."""
        if version != "standard" or os.environ.get("TRIBO_PREBUILD") == "0":
            return
        if (sys.platform, platform.machine()) != ("linux", "x86_64"):
            self.app.display_warning("tribo: no prebuilt kernels for this platform; they need Numba")
            return
        output = Path(self.directory) / "prebuilt"
        # pip's environment for builds takes all that its own environment can import from the path, also
        # these sources where they are installed in editable form: they are put there once Python runs.
        code = (
            "import sys; sys.path.insert(0, sys.argv.pop(1)); "
            "from tribo.tools.prebuild import main; sys.exit(main())"
        )
        sources = str(Path(self.root) / "src")
        command = [sys.executable, "-c", code, sources, "--output", str(output)]
        environment = {**os.environ, "TRIBO_KERNELS": "compiled"}
        done = subprocess.run(command, env=environment, check=False)
        if done.returncode:
            raise RuntimeError(
                "tribo's kernels were not compiled, see above. TRIBO_PREBUILD=0 builds a wheel without them, "
                "which compiles at its first step and needs Numba: pip install '.[jit]'"
            )
        for path in output.iterdir():
            build_data["force_include"][str(path)] = f"{PLACE}/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = TAG
