"""Find the constants of the package that bound something, and give the constants small
values.

A constant is named by its path in the package, such as `crawl.refusals.MAX_ROWS`.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy_robots1994
from tests.support.crawl import ROOT, CrawlResult, crawl
from tests.support.forked import run_to_its_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PACKAGE = "scrapy_robots1994"
SETTING = "TEST_BOUNDS"
"""The name of a setting, and of an environment variable. The setting contains a dict of
bounds, and the environment variable contains the dict as JSON.
"""

BOUNDED: set[str] = set()
"""The paths of the constants that have a test. The function `bound` adds the paths."""

_NAME = re.compile("_?(MAX|LONGEST)(_[A-Z_]+)?|_?[A-Z_]+_LIMIT")


def bound(*paths: str) -> Callable[[Any], Any]:
    """Return a decorator that marks a test as the test of the constants at *paths*."""
    BOUNDED.update(paths)
    return lambda test: test


def constants() -> Iterator[str]:
    """Yield the path of each constant in the package whose name says that the constant is a
    bound.
    """
    root = Path(*scrapy_robots1994.__path__)
    for file in sorted(root.rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for node in ast.parse(file.read_text("utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets += [node.target] if isinstance(node, ast.AnnAssign) else []
            for target in targets:
                for it in ast.walk(target):
                    if isinstance(it, ast.Name) and _NAME.fullmatch(it.id):
                        yield f"{module}.{it.id}"


def shrink(
    path: str, value: int, put: Callable[[Any, str, int], object] = setattr
) -> None:
    """Give the constant at *path* the value *value*, in each module that has imported the
    constant.
    """
    module, _, name = path.rpartition(".")
    known = getattr(import_module(f"{PACKAGE}.{module}"), name)
    for each in tuple(sys.modules.values()):
        own = getattr(each, "__name__", "")
        # Python uses one object for equal small numbers, so also compare the module of a
        # private name. No other module imports a private name.
        is_ours = own.startswith("" if name[0] != "_" else f"{PACKAGE}.{module}")
        if own.startswith(PACKAGE) and is_ours and each.__dict__.get(name) is known:
            put(each, name, value)


def shrink_in_crawl(crawler: Any) -> None:
    """Give constants the values in the setting `TEST_BOUNDS`. The function
    `shrink_in_crawl` is a hook of a crawl.
    """
    for path, value in crawler.settings[SETTING].items():
        shrink(path, value)


def bounded_crawl(urls: Any, bounds: Mapping[str, int], **options: Any) -> CrawlResult:
    """Crawl *urls*, with the constants set to the values in *bounds*."""
    options["settings"] = {SETTING: dict(bounds), **options.get("settings", {})}
    return crawl(urls, hook="tests.unit.bounds:shrink_in_crawl", **options)


def run_shrunk() -> None:
    """Run the command of `bounded_scrapy` in this process."""
    from scrapy import cmdline  # noqa: PLC0415 - in the process of the command alone

    for path, value in json.loads(os.environ[SETTING]).items():
        shrink(path, value)
    cmdline.execute()


def bounded_scrapy(
    bounds: Mapping[str, int], *args: object, folder: Path = ROOT
) -> tuple[int, str]:
    """Run `scrapy ARGS`, with the constants set to the values in *bounds*. Return the
    exit code, and the output including stderr.
    """
    code, out, err = run_to_its_end(
        "tests.unit.bounds:run_shrunk",
        *map(str, args),
        folder=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), SETTING: json.dumps(dict(bounds))},
        warn=False,
    )
    return code, out + err
