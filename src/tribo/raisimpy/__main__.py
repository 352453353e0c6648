"""``python -m tribo.raisimpy script.py …``: run a script that imports raisimpy, as it is."""

import runpy
import sys
from pathlib import Path

from tribo.raisimpy import install

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m tribo.raisimpy script.py [arguments of the script]")
    install(replace=True)
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
    runpy.run_path(sys.argv[0], run_name="__main__")
