"""The package agrees with the naive parser: a short run of `python -m tools.oracle`."""

from __future__ import annotations

import pytest

from tests.oracle.asking import differences, minimised
from tests.oracle.generator import Generator
from tests.oracle.reading import DIALECTS

SMALL_FILES = 40
LARGE_FILES = 1


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("threads", [False, True], ids=["one thread", "threads"])
def test_package_agrees_with_the_naive_parser(dialect: str, threads: bool) -> None:
    """Files are small and large, in both readings; objects are used and new."""
    generator = Generator(f"{dialect} {threads}")
    cases = [generator.small() for _ in range(SMALL_FILES)]
    cases += [generator.large() for _ in range(LARGE_FILES)]
    found = [
        difference
        for case in cases
        for difference in differences(case, (dialect,), threads=threads)
    ]
    shown = "\n".join(str(minimised(difference)) for difference in found[:5])
    assert not found, f"{len(found)} differences, such as\n{shown}"
