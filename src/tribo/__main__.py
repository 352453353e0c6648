"""The command `tribo`, also as ``python -m tribo``."""

import sys


def main() -> int:
    """Run the command; 2 if there are no kernels for it: a damaged library, an unknown `TRIBO_KERNELS`."""
    try:
        from tribo.compiler import prebuilt  # noqa: F401
    except (ImportError, ValueError) as error:
        sys.stderr.write(f"tribo: {error}\n")
        return 2
    from tribo.tools.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
