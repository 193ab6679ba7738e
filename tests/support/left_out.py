"""Skip tests whose programs or packages are missing, and mark slow parameters.

Tests that need a program are marked `redis` or `browser`. Tests that need packages are marked
`plugin` with the packages' import names. If ROBOTS1994_TEST_ALL is set, as by `tests/run --all`,
tests whose programs or packages are missing fail instead of being skipped.

Slow tests are marked `long`, and so are slow parameters of tests, such as reactors other than
asyncio. `tests/run` without arguments leaves out whatever is marked `long`.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _pytest.mark import ParameterSet

PROGRAMS = {"redis": ("redis-server",), "browser": ("chromium", "chromedriver")}

PACKAGES = {"chromedriver": "chromium-driver"}
"""Maps programs to their Debian packages, if the names differ."""


def long_after(count: int, rows: Iterable[Any]) -> list[ParameterSet]:
    """Return *rows* as parameters, all but the first *count* marked `long`."""
    return [
        pytest.param(
            *(row if isinstance(row, tuple) else (row,)),
            marks=[pytest.mark.long] * (number >= count),
        )
        for number, row in enumerate(rows)
    ]


def missing(mark: str) -> str:
    """Return which programs for *mark* are missing and how to install them, or ""."""
    absent = [name for name in PROGRAMS[mark] if shutil.which(name) is None]
    packages = " ".join(PACKAGES.get(name, name) for name in absent)
    verb = "is" if len(absent) == 1 else "are"
    hint = f"{verb} missing: apt-get install {packages}"
    return f"{' and '.join(absent)} {hint}" if absent else ""


def require(mark: str) -> None:
    leave_out(missing(mark))


def leave_out(reason: str) -> None:
    if reason:
        (pytest.fail if "ROBOTS1994_TEST_ALL" in os.environ else pytest.skip)(reason)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in PROGRAMS:
        if item.get_closest_marker(mark):
            require(mark)
    for plugin in item.iter_markers("plugin"):
        for name in plugin.args:
            package = name.replace("_", "-")
            is_here = find_spec(name) is not None
            leave_out("" if is_here else f"{package} is missing: pip install {package}")
