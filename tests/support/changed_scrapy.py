"""Crawl with a changed Scrapy: `python -m tests.support.changed_scrapy JOB`.

JOB is a JSON file with a job and its `changes`. A change consists of a regular expression, its
replacement, and a prefix: only modules whose names begin with the prefix are changed. If a change
renames an attribute everywhere in Scrapy, Scrapy still works, but other packages no longer find the
attribute. The result is written to `result.json` next to JOB.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType


def change(changes: list[list[str]]) -> list[int]:
    """Apply *changes* to the modules that are imported from now on.

    Return a list with the number of replacements that each change has made so far. Later imports
    update the list.
    """
    numbers = [0] * len(changes)
    unchanged = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if not any(name.startswith(where) for _, _, where in changes):
            return unchanged(loader, name)
        source = Path(loader.path).read_text("utf-8")
        for place, (pattern, replacement, where) in enumerate(changes):
            if name.startswith(where):
                source, number = re.subn(pattern, replacement, source)
                numbers[place] += number
        return compile(source, loader.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]
    return numbers


def main() -> None:
    file = Path(sys.argv[1])
    job = json.loads(file.read_text("utf-8"))
    numbers = change(job["changes"])
    # Import Scrapy's HTTP cache even if no crawl uses it, so that changes to it are counted.
    import_module("scrapy.extensions.httpcache")
    from tests.support.child import run  # noqa: PLC0415 - imports the changed Scrapy

    result = run(job) | {"changed": numbers}
    text = json.dumps(result, default=str)
    file.with_name("result.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
