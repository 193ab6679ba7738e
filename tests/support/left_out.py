"""Hooks of pytest that skip tests whose programs are missing, and count the skipped tests.

A test that needs a program has the mark `redis` or `browser`. A test that needs other packages
has the mark `plugin` with the import names of the packages. If a program or package is missing,
the test is skipped, or fails if ROBOTS1994_TEST_ALL is set (`tests/run --all`, and CI). The last
lines of a run show each group of skipped tests, and how to install the program or package.

A slow test has the mark `long`. In a table of rows (see `table`), all rows except the first
rows have the mark `long`. `tests/run` without arguments sets ROBOTS1994_TEST_SHORT. If
ROBOTS1994_TEST_SHORT is set, tests with the mark `long` and tests on a reactor other than
asyncio are skipped. `tests/run --all` and pytest itself run all tests.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

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
    """Skip a test if its programs or packages are missing, or if a short run omits the
    test.

    If ROBOTS1994_TEST_ALL is set, a test whose programs or packages are missing fails.
    """
    if "ROBOTS1994_TEST_SHORT" in os.environ:
        if item.get_closest_marker("long"):
            pytest.skip("long: tests/run --all")
        if is_on_other_reactor(item):
            pytest.skip("on another reactor than asyncio: tests/run --all")
    for mark in PROGRAMS:
        if item.get_closest_marker(mark):
            require(mark)
    for plugin in item.iter_markers("plugin"):
        for name in plugin.args:
            package = name.replace("_", "-")
            is_here = find_spec(name) is not None
            leave_out("" if is_here else f"{package} is missing: pip install {package}")


def is_on_other_reactor(item: pytest.Item) -> bool:
    """Return whether *item* has a parameter `reactor` that is not asyncio."""
    callspec = getattr(item, "callspec", None)
    return (
        callspec is not None and callspec.params.get("reactor", "asyncio") != "asyncio"
    )


def left_out(skipped: Sequence[pytest.TestReport]) -> list[str]:
    """Return a heading, and then one line for each reason why tests were skipped.

    The reason for the most skipped tests comes first. If no test was skipped, the list is
    empty.
    """
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        if isinstance(report.longrepr, tuple)
        else "no reason given"
        for report in skipped
    )
    width = len(str(max(reasons.values(), default=0)))
    lines = [f"  {count:{width}} {why}" for why, count in reasons.most_common()]
    return [f"Left out: {len(skipped)} tests", *lines] if lines else []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Print the groups of skipped tests below the last line of pytest."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):
        for line in left_out(reporter.stats.get("skipped", [])):
            reporter.write_line(line)
