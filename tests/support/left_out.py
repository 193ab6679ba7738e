"""Skip tests whose programs or packages are missing, and mark long rows.

A test that needs a program has the mark `redis` or `browser`. A test that needs other packages has
the mark `plugin` with their import names. If ROBOTS1994_TEST_ALL is set (by `tests/run --all`, and
in CI), such a test fails instead. The summary of pytest says what to install.

A slow test has the mark `long`, and so do all rows of a table after the first (see `table`).
`tests/run` without arguments leaves them out.
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
"""The programs that tests with each mark run."""

PACKAGES = {"chromedriver": "chromium-driver"}
"""Debian packages whose names differ from their programs."""


def long_after(count: int, rows: Iterable[Any]) -> list[ParameterSet]:
    """Return *rows* as parameters of a test. All after the first *count* are marked `long`."""
    return [
        pytest.param(
            *(row if isinstance(row, tuple) else (row,)),
            marks=[pytest.mark.long] * (number >= count),
        )
        for number, row in enumerate(rows)
    ]


def table(
    names: str | tuple[str, ...],
    *rows: Any,
    short: int = 1,
    ids: Any = None,
) -> pytest.MarkDecorator:
    """Run a test with each of *rows*, of which all after the first *short* are marked `long`.

    *names* and *ids* are arguments of `pytest.mark.parametrize`.
    """
    return pytest.mark.parametrize(names, long_after(short, rows), ids=ids)


def missing(mark: str) -> str:
    """Return which programs for *mark* are missing, and how to install them, or ""."""
    absent = [name for name in PROGRAMS[mark] if shutil.which(name) is None]
    packages = " ".join(PACKAGES.get(name, name) for name in absent)
    verb = "is" if len(absent) == 1 else "are"
    hint = f"{verb} missing: apt-get install {packages}"
    return f"{' and '.join(absent)} {hint}" if absent else ""


def require(mark: str) -> None:
    """If a program for *mark* is missing, skip the running test, or let it fail."""
    leave_out(missing(mark))


def leave_out(reason: str) -> None:
    """Skip the running test if there is a *reason*, or let it fail if ROBOTS1994_TEST_ALL is
    set.
    """
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
