"""A program that crawls with a changed Scrapy: `python -m tests.support.changed_scrapy JOB`.

JOB is a JSON file with a list of changes. Each change has a pattern, a replacement, and a prefix
of the names of the modules whose source is changed before it is compiled. Scrapy itself still
works, because a name is changed everywhere in Scrapy; only other packages miss the old name.
`result.json` next to JOB has the result of the crawl.
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
    """Compile modules from changed source from now on. Return the numbers of replacements of
    each change, which grow as modules are imported.
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
    """Crawl as the job says."""
    file = Path(sys.argv[1])
    job = json.loads(file.read_text("utf-8"))
    numbers = change(job["changes"])
    # Import this module, too, so that it is changed: a crawl without a cache does not import it.
    import_module("scrapy.extensions.httpcache")
    # Import late: this module imports Scrapy, which must be changed first.
    from tests.support.child import run  # noqa: PLC0415 - after the changes

    result = run(job) | {"changed": numbers}
    text = json.dumps(result, default=str)
    file.with_name("result.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
