"""``python -m tribo``: the command `tribo`."""

import sys

from tribo.cli import main

sys.exit(main())
