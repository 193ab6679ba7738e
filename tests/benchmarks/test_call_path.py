"""The way of a request whose policy is fresh in memory stays short."""

from __future__ import annotations

from tests.benchmarks.call_path import LAYERS, fresh, layer


def test_a_known_request_passes_few_files_and_never_climbs() -> None:
    """Each call leads down or stays in its layer, and no file is entered again."""
    entries = fresh("/page").entries

    files = [name for name, *_ in entries]
    assert len(files) == len(set(files)) <= 6
    assert files[0] == "crawl/middleware.py"
    assert files[-1] == "parser/ruleset.py"
    assert all(layer(name) <= layer(caller) for name, _, caller in entries if caller)


def test_every_package_has_a_layer() -> None:
    """A climb would not be seen else."""
    assert layer("origin.py") == 0
    assert layer("commands/check.py") == len(LAYERS) - 1
