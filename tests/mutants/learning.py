"""The run of all tests, traced, that a baseline is learned from."""

from __future__ import annotations

import importlib
import pickle
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import coverage
import pytest

from tests.mutants.baseline import PACKAGE, Baseline, Noting
from tests.mutants.trial import ALL_TESTS, OPTIONS, Fewer, forked

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 200
"""Seconds that the whole run may take, before all patience of a trial."""


def learn() -> Baseline:
    """Run all tests on the sources unharmed, in a process of its own."""
    with tempfile.NamedTemporaryFile() as file:

        def work() -> int:
            traced = coverage.Coverage(
                data_file=None, source_pkgs=[PACKAGE], config_file=False
            )
            noting = Noting(traced)
            with traced.collect():
                status = int(
                    pytest.main([*OPTIONS, "-q", *ALL_TESTS], plugins=[Fewer(), noting])
                )
            visits = visits_of(traced.get_data())
            learned = Baseline(noting.seconds, visits, frozenset(sys.modules))
            Path(file.name).write_bytes(pickle.dumps(learned))
            return status

        if status := forked(work, LONGEST):
            raise RuntimeError(f"the tests fail without a mutant: exit code {status}")
        found: Baseline = pickle.loads(Path(file.name).read_bytes())  # noqa: S301 (ours)
    return found


def visits_of(data: coverage.CoverageData) -> Mapping[tuple[Path, int], frozenset[str]]:
    """The tests that came to each line."""
    return {
        (Path(file), line): frozenset(tests)
        for file in data.measured_files()
        for line, tests in data.contexts_by_lineno(file).items()
    }


def warm(learned: Baseline) -> None:
    """Import what the tests import, but for what may be mutated or sees it."""
    for name in sorted(learned.modules):
        if name.partition(".")[0] not in (PACKAGE, "tests", "__main__"):
            with suppress(Exception):
                importlib.import_module(name)
