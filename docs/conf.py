"""Sphinx configuration; `docs/build` builds the pages."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

from scrapy_robots1994 import __version__  # noqa: E402 - needs the path added above

project = "scrapy_robots1994"
author = "scrapy_robots1994 developers"
copyright = f"2026, {author}"  # noqa: A001 - Sphinx reads this name
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "myst_parser",
    "robots1994_links",
]
exclude_patterns = ["_build", "_generated", "development"]
# Readers copy values, and curly quotes would break them.
smartquotes = False
default_role = "code"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 70

# An offline build cannot download the inventories for links to Python and Scrapy.
if os.environ.get("READTHEDOCS") or os.environ.get("ROBOTS1994_DOCS_ONLINE"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "scrapy": ("https://docs.scrapy.org/en/latest", None),
    }

html_theme = "furo"
html_title = f"scrapy_robots1994 {release}"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["robots1994.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_copy_source = False
