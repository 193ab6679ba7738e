"""Lower the limits of the package, so that tests can exceed them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = "scrapy_robots1994"


def shrink(
    path: str, value: int, put: Callable[[Any, str, int], object] = setattr
) -> None:
    """Set the constant at *path* to *value* in every module that has imported it."""
    module, _, name = path.rpartition(".")
    known = getattr(import_module(f"{PACKAGE}.{module}"), name)
    for each in tuple(sys.modules.values()):
        own = getattr(each, "__name__", "")
        # Other modules may use the same private name, with an equal value that must not change.
        is_ours = own.startswith("" if name[0] != "_" else f"{PACKAGE}.{module}")
        if own.startswith(PACKAGE) and is_ours and each.__dict__.get(name) is known:
            put(each, name, value)


def shrink_in_crawl(crawler: Any) -> None:
    for path, value in crawler.settings["TEST_BOUNDS"].items():
        shrink(path, value)
