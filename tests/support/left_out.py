"""A hook that skips a test whose programs or packages are missing, and marks for long rows.

A test that needs a program has the mark `redis` or `browser`, one that needs packages of others
the mark `plugin` with their import names. If ROBOTS1994_TEST_ALL is set (`tests/run --all`, and
CI), such a test fails instead. pytest's summary says what to install.

A slow test has the mark `long`, and so have all rows of a table after the first (see `table`).
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
"""Maps a mark to the programs that tests with this mark run."""

PACKAGES = {"chromedriver": "chromium-driver"}
"""Maps a program to the name of its Debian package if the names differ."""


def long_after(count: int, rows: Iterable[Any]) -> list[ParameterSet]:
    """Return *rows* as parameters of a test. All rows after the first *count* rows have the
    mark `long`.
    """
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
    """Return a mark that runs a test with each of *rows*.

    All rows after the first *short* rows have the mark `long`. *names* and *ids* are arguments
    of `pytest.mark.parametrize`.
    """
    return pytest.mark.parametrize(names, long_after(short, rows), ids=ids)


def missing(mark: str) -> str:
    """Return a text that lists the missing programs for *mark*, and says how to install
    these programs.

    Return "" if no program is missing.
    """
    absent = [name for name in PROGRAMS[mark] if shutil.which(name) is None]
    packages = " ".join(PACKAGES.get(name, name) for name in absent)
    verb = "is" if len(absent) == 1 else "are"
    hint = f"{verb} missing: apt-get install {packages}"
    return f"{' and '.join(absent)} {hint}" if absent else ""


def require(mark: str) -> None:
    """If a program for *mark* is missing, skip the running test, or let the test fail."""
    leave_out(missing(mark))


def leave_out(reason: str) -> None:
    """Skip the running test if *reason* is not "".

    If ROBOTS1994_TEST_ALL is set, the test fails instead.
    """
    if reason:
        (pytest.fail if "ROBOTS1994_TEST_ALL" in os.environ else pytest.skip)(reason)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose programs or packages are missing."""
    for mark in PROGRAMS:
        if item.get_closest_marker(mark):
            require(mark)
    for plugin in item.iter_markers("plugin"):
        for name in plugin.args:
            package = name.replace("_", "-")
            is_here = find_spec(name) is not None
            leave_out("" if is_here else f"{package} is missing: pip install {package}")
