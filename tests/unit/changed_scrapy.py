"""A program that crawls with a changed Scrapy: `python -m tests.unit.changed_scrapy JOB`.

JOB is a JSON file with a list of changes, each a pattern, its replacement and a prefix of
the modules whose source is changed before it is compiled. Scrapy itself goes on working,
for it is changed everywhere; only what others know of it is gone. `result.json` next to
JOB has the result of the crawl.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType


class ChangedFinder(MetaPathFinder):
    """Finds the modules that are changed."""

    def __init__(self, changes: list[list[str]]) -> None:
        self._changes = changes
        self.changed = 0

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the spec of *name* with a loader that changes its source."""
        wanted = [it for it in self._changes if name.startswith(it[2])]
        spec = PathFinder.find_spec(name, path, target) if wanted else None
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        spec.loader = ChangingLoader(name, spec.loader.path, wanted, self)
        return spec


class ChangingLoader(SourceFileLoader):
    """Compiles the changed source of one module."""

    def __init__(
        self, name: str, path: str, changes: list[list[str]], finder: ChangedFinder
    ) -> None:
        super().__init__(name, path)
        self._changes = changes
        self._finder = finder

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the changed source; none is stored."""
        source = Path(self.path).read_text("utf-8")
        for pattern, replacement, _ in self._changes:
            source, number = re.subn(pattern, replacement, source)
            self._finder.changed += number
        return compile(source, self.path, "exec", dont_inherit=True)


def main() -> None:
    """Crawl as the job says."""
    file = Path(sys.argv[1])
    job = json.loads(file.read_text("utf-8"))
    finder = ChangedFinder(job["changes"])
    sys.meta_path.insert(0, finder)
    # Changed, too, and not imported by a crawl without a cache.
    import_module("scrapy.extensions.httpcache")
    # Only now: it imports Scrapy.
    from tests.support.child import run  # noqa: PLC0415 - as above

    result = run(job) | {"changed": finder.changed}
    text = json.dumps(result, default=str)
    file.with_name("result.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
