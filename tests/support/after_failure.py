"""A hook of pytest: what a failed test leaves open must not fail another test.

Warnings are errors. A failed test leaves crawls, sockets and folders open, because it ends
before the code that closes them. Python warns about each open object when the object is
collected, and another test may run by then.
"""

from __future__ import annotations

import gc
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test has failed."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Collect the objects that a failed test left open, after its fixtures have ended,
    without a warning.
    """
    try:
        yield
    finally:
        if item.stash.get(FAILED, False):
            # These attributes refer to the frames of the last failure, for a debugger.
            for name in ("last_exc", "last_type", "last_value", "last_traceback"):
                with suppress(AttributeError):
                    delattr(sys, name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()
