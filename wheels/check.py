"""Check a built wheel: does it run wherever its name says? `auditwheel` reads which C library it needs.

python wheels/check.py dist/tribo-….whl
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def least(text: str) -> tuple[int, int]:
    """Return the C library of a manylinux tag in a text: (2, 31)."""
    found = re.search(r"manylinux_(\d+)_(\d+)_x86_64", text)
    if found is None:
        raise SystemExit(f"no manylinux tag in {text.strip()!r}")
    return int(found[1]), int(found[2])


def main(path: Path) -> None:
    """Compare what the wheel needs with what its name says; exit with an error if that is less."""
    command = [sys.executable, "-m", "auditwheel", "show", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = re.search(r'platform tag:\s*"([^"]+)"', done.stdout)
    if said is None or "_abi3.so" in done.stdout:
        raise SystemExit(done.stdout)
    needed, promised = least(said[1]), least(path.name)
    if needed > promised:
        raise SystemExit(f"{path.name} needs glibc {needed}: correct TAG in wheels/hatch_build.py")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, needs {said[1]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
