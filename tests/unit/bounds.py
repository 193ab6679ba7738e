"""Give a constant of the package a small value."""

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
    """Give constants the values in the setting `TEST_BOUNDS`, as a hook of a crawl."""
    for path, value in crawler.settings["TEST_BOUNDS"].items():
        shrink(path, value)
