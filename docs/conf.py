"""How Sphinx builds these pages: `make docs`."""

import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

project = "tribo"
author = "The tribo developers"
copyright = author  # noqa: A001 - Sphinx's name
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

extensions = ["myst_nb", "api_pages", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
extensions.append("sphinx-mathjax-offline")  # MathJax is copied beside the pages, not fetched
exclude_patterns = ["_build"]

nb_execution_mode = "cache"  # lessons run when they change
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # [s] a cold cache compiles first
nb_execution_in_temp = True
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 4  # as `tests/house/test_docs_text.py` counts

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

default_role = "literal"  # `name` in a docstring is code, as in these pages
html_theme = "furo"
html_title = f"tribo {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]

suppress_warnings = ["ref.python"]  # objects and robots both have `dof`
