"""A dry run in each situation of `tools/compare_builtin`: it does what the built-in does,
and counts what a crawl under ours does otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.support.crawl import Crawl, CrawlResult
from tests.support.left_out import long_after
from tests.support.site import Site
from tools.compare_builtin.__main__ import MODULES
from tools.compare_builtin.registry import SCENARIOS

if TYPE_CHECKING:
    from tools.compare_builtin.registry import Side

assert MODULES, "importing them registers the situations"

HANGING = 12
"""The situation in which the built-in never ends, and a dry run with it."""

CHANGING = 6
"""The situation in which a file changes: a dry run takes the first answer to stay."""

UNKNOWN = {3: 1, 4: 2, 5: 1, 7: 2, 10: 2, 15: 1}
"""Requests by situation about which it is not known what ours would decide."""


class Ran(NamedTuple):
    """What the servers of a situation saw, and the results of its crawls."""

    seen: list[str]
    results: list[CrawlResult]

    def total(self, stat: str) -> int:
        """Return the sum of *stat* over the crawls."""
        return sum(it.stats.get(f"robots1994/{stat}", 0) for it in self.results)

    @property
    def refused(self) -> Counter[str]:
        """The URLs that robots.txt refused, each as often as it did, without ports."""
        return Counter(
            re.sub(r":\d+/", "/", failed.url)
            for result in self.results
            for failed in result.failed
            if failed.message.startswith("Forbidden by robots.txt")
        )


def ran(number: int, side: Side, patch: pytest.MonkeyPatch) -> Ran:
    """Run situation *number* on *side*."""
    found = Ran([], [])
    leave, forget, result = Site.__exit__, Site.forget, Crawl.result

    def note(site: Site) -> None:
        for it in site.log():
            host, name = re.sub(r":\d+$", "", it.host), it.headers.get("user-agent")
            line = f"{it.method} {it.scheme} {host}{it.target} {name} {it.proxied}"
            found.seen.append(line)

    def left(site: Site, *error: object) -> None:
        note(site)
        leave(site, *error)

    def forgot(site: Site) -> None:
        note(site)
        forget(site)

    def ended(crawl: Crawl) -> CrawlResult:
        found.results.append(result(crawl))
        return found.results[-1]

    with patch.context() as patched:
        patched.setattr(Site, "__exit__", left)
        patched.setattr(Site, "forget", forgot)
        patched.setattr(Crawl, "result", ended)
        SCENARIOS[number].run(side)
    return found


@pytest.mark.parametrize("number", long_after(1, sorted(SCENARIOS)))
def test_dry_run_sends_what_the_built_in_sends_and_counts_what_ours_changes(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not known may be any part of the difference; the rest is exact."""
    dry = ran(number, "dry_run", monkeypatch)
    builtin = ran(number, "builtin", monkeypatch)

    assert sorted(dry.seen) == sorted(builtin.seen)
    assert dry.refused == builtin.refused
    if number == HANGING:
        return
    ours = ran(number, "ours", monkeypatch)
    opened = (builtin.refused - ours.refused).total() - dry.total("would_open")
    refused = (ours.refused - builtin.refused).total() - dry.total("would_refuse")
    unknown = dry.total("not_known")
    assert unknown == UNKNOWN.get(number, 0)
    if number == CHANGING:
        assert (opened, refused) == (0, 1)
    else:
        assert min(opened, refused) >= 0
        assert opened + refused <= unknown
