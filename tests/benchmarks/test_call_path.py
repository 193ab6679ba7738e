"""The call path of a request whose policy is fresh in memory is short."""

from __future__ import annotations

from tests.benchmarks.call_path import LAYERS, fresh, layer


def test_request_with_a_fresh_policy_enters_few_files() -> None:
    """Each call stays in its layer or goes to a lower one, and no file is entered twice."""
    entries = fresh("/page").entries

    files = [name for name, *_ in entries]
    assert len(files) == len(set(files)) <= 6
    assert files[0] == "crawl/middleware.py"
    assert files[-1] == "parser/ruleset.py"
    assert all(layer(name) <= layer(caller) for name, _, caller in entries if caller)


def test_every_package_has_a_layer() -> None:
    """Otherwise `layer` could not detect a call of a higher layer."""
    assert layer("origin.py") == 0
    assert layer("commands/check.py") == len(LAYERS) - 1
