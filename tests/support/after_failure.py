"""Hooks of pytest that clean up after a failed test, so that no other test fails.

A failed test ends early, so its crawls, sockets and folders can stay open. Python warns
about an open object when the object is garbage-collected. If Python warns while another
test runs, the other test fails, because warnings are errors.
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
    """Record on the test item that the test has failed."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Collect the objects that a failed test left open, and ignore their warnings.

    The function collects the objects after the fixtures of the test have ended.
    """
    try:
        yield
    finally:
        if item.stash.get(FAILED, False):
            # Remove the attributes of `sys` for debuggers, because these attributes refer
            # to the failed frames.
            for name in ("last_exc", "last_type", "last_value", "last_traceback"):
                with suppress(AttributeError):
                    delattr(sys, name)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()
