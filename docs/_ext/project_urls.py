"""A hatchling metadata hook for the project's URLs and the README on PyPI.

The repository's address comes from this hook's option `repository` in pyproject.toml. PyPI does not
resolve relative links, so those in README.md are made absolute, and point to this version's tag.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)")


class ProjectUrls(MetadataHookInterface):
    """Fills in `urls` and `readme`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = self.config["repository"].rstrip("/")
        version = metadata["version"]
        metadata["urls"] = {
            "Homepage": repository,
            "Documentation": f"{repository}/blob/{version}/docs/index.rst",
            "Changelog": f"{repository}/blob/{version}/CHANGELOG.md",
            "Issues": f"{repository}/issues",
            "The standard of 1994": "https://www.robotstxt.org/orig.html",
        }

        def absolute(link: re.Match[str]) -> str:
            # Images need the raw file, other links the page that shows it.
            view = "raw" if link[1] else "blob"
            return f"{link[1]}{link[2]}({repository}/{view}/{version}/{link[3]})"

        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": RELATIVE_LINK.sub(absolute, text),
        }
