"""``python -m tribo``: the command `tribo`."""

import sys

from tribo.tools.cli import main

sys.exit(main())
