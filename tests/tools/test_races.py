"""The races run with `--quick`; the tests do not check their timings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support import mixed_site
from tests.support.crawl import ROOT
from tools.bench.__main__ import main
from tools.bench.beyond import check
from tools.bench.corpus import lines_at, made_corpus
from tools.bench.report import shown
from tools.bench.timing import OURS, Result, exponent

if TYPE_CHECKING:
    from pathlib import Path


def printed(*arguments: str) -> str:
    """Return what `tools/bench/run --quick ARGUMENTS` prints."""
    ran = subprocess.run(
        [ROOT / "tools/bench/run", "--quick", *arguments],
        cwd="/",
        env=os.environ | {"PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.long
def test_each_named_race_prints_its_rows(tmp_path: Path) -> None:
    """The published measurements have these rows."""
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /x\n")

    pages = printed("pages")
    extended = printed("extended")
    compared = printed("compare")
    parsed = printed("--corpus", str(tmp_path), "parsing")
    imported = printed("import")
    rfc9309 = printed("--corpus", str(tmp_path), "rfc9309")

    assert pages.count("ROBOTS1994_PAGES on") == 3
    assert "1,000 that are mixed, links followed" in pages
    assert "a question in extended, 1,000 rules" in extended
    assert "ours, compared with Protego" in compared
    assert "Protego" in parsed
    assert OURS in imported
    assert rfc9309.count("rfc9309: one question") == 4


@pytest.mark.long
def test_json_option_writes_every_value_of_a_side(tmp_path: Path) -> None:
    """`tools/bench/run --json FILE`: results by name, values by side."""
    path = tmp_path / "results.json"

    assert main(["--quick", "--json", str(path), "extended", "import"]) == 0

    *_, imports = results = json.loads(path.read_text("utf-8"))["results"]
    assert all(it["values"] and all(it["values"].values()) for it in results)
    assert list(imports["values"]) == [OURS]


def test_crawl_with_wrong_pages_or_items_is_not_timed() -> None:
    """A crawl of the mixed site without its last page, or with an extra item."""
    seen = sorted(mixed_site.reachable())
    items = [{"page": number} for number in mixed_site.indexed()]
    check(seen, items, is_on=True)

    for wrong_seen, wrong_items in ((seen[:-1], items), (seen, [*items, {"page": 2}])):
        with pytest.raises(RuntimeError, match="which is wrong"):
            check(wrong_seen, wrong_items, is_on=True)


def test_unknown_race_is_an_error() -> None:
    """A misspelled name must not succeed without running a race."""
    with pytest.raises(SystemExit, match="2"):
        main(["parsign"])


def test_ratio_uses_medians_and_missed_target_is_reported() -> None:
    """Ours is 2, the peer 6: a ratio of 3, which misses the target of 4."""
    values = {OURS: [1.0, 2.0, 90.0], "peer": [6.0, 6.0, 6.0]}
    result = Result("race", "s", values, against="peer", target=4)

    said = shown(result)

    assert result.ratio("peer") == 3.0
    assert "3.00 times ours" in said
    assert "target: 4 times peer: NOT met" in said


def test_exponent_is_0_for_flat_and_1_for_linear_time() -> None:
    """The fit is exact for both."""
    sizes = (1.0, 10.0, 100.0)

    assert exponent((size, 5.0) for size in sizes) == pytest.approx(0)
    assert exponent((size, 3 * size) for size in sizes) == pytest.approx(1)


def test_generated_corpus_has_the_quantiles_of_real_files() -> None:
    """Lines per file: median 22, 95th percentile 274, 99th 1,247."""
    counts = sorted(len(body.splitlines()) for body in made_corpus(200))

    assert abs(counts[100] - 22) <= 1
    assert [lines_at(share) for share in (0.5, 0.95, 0.99)] == [22, 274, 1_247]
