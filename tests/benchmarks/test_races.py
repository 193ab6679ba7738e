"""The races run, small; what they measure is no test's claim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.__main__ import main
from tests.benchmarks.corpus import lines_at, made_corpus
from tests.benchmarks.report import shown
from tests.benchmarks.timing import OURS, Result, exponent

if TYPE_CHECKING:
    from pathlib import Path


def test_the_command_writes_every_value_of_a_side_as_json(tmp_path: Path) -> None:
    """`tests/bench --json FILE`: results by name, values by side."""
    told = tmp_path / "told.json"

    assert main(["--quick", "--json", str(told), "requests", "import"]) == 0

    requests, imports = json.loads(told.read_text("utf-8"))["results"]
    assert len(requests["values"]["built-in, awaited"]) == 3
    assert list(imports["values"]) == [OURS]


def test_a_race_that_does_not_exist_is_refused() -> None:
    """A typo does not measure nothing and call it done."""
    with pytest.raises(SystemExit, match="2"):
        main(["parsign"])


def test_the_ratio_is_of_medians_and_a_missed_target_is_said() -> None:
    """Ours 2, the peer 6: three times, which is not four."""
    values = {OURS: [1.0, 2.0, 90.0], "peer": [6.0, 6.0, 6.0]}
    result = Result("race", "s", values, against="peer", target=4)

    said = shown(result)

    assert result.ratio("peer") == 3.0
    assert "3.00 times ours" in said
    assert "target: 4 times peer: NOT met" in said


def test_the_exponent_tells_flat_from_linear() -> None:
    """0 for the same time at every size, 1 for time in step with size."""
    sizes = (1.0, 10.0, 100.0)

    assert exponent((size, 5.0) for size in sizes) == pytest.approx(0)
    assert exponent((size, 3 * size) for size in sizes) == pytest.approx(1)


def test_the_made_corpus_is_as_long_as_real_files() -> None:
    """Lines a file: median 22, 95th percentile 274, 99th 1,247."""
    counts = sorted(len(body.splitlines()) for body in made_corpus(200))

    assert abs(counts[100] - 22) <= 1
    assert [lines_at(share) for share in (0.5, 0.95, 0.99)] == [22, 274, 1_247]
