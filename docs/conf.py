"""How Sphinx builds these pages: `make docs`."""

import pathlib
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]

project = "tribo"
author = "The tribo developers"
copyright = author  # noqa: A001 - Sphinx's name
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
extensions.append("sphinx-mathjax-offline")  # MathJax is copied beside the pages, not fetched
exclude_patterns = ["_build"]
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 4  # as `tests/house/test_docs_text.py` counts

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"tribo {release}"
html_static_path = ["_static"]

suppress_warnings = ["ref.python"]  # objects and robots both have `dof`
