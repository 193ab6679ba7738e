"""Limits on memory in bytes are correct for every kind of file."""

from __future__ import annotations

import asyncio
import gc
import random
import tracemalloc
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from scrapy_robots1994.crawl import http_cache as cache
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import MAX_BYTES as MAX_FILE
from scrapy_robots1994.robotstxt import Reader, RobotsTxt
from scrapy_robots1994.stores.memory import MemoryStore, bytes_of
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_BYTES = 2_000_000


def noise(seed: int) -> str:
    """Return random text that is nearly as long as the longest permitted file."""
    return random.Random(seed).randbytes(MAX_FILE // 2 - 50).hex()  # noqa: S311 - noise


def rules(seed: int, form: str, number: int = 2_000) -> str:
    """Return *number* different lines. Each line is *form*, formatted with *seed* and the
    number of the line.
    """
    return "".join(f"{form}\n" % (seed, line) for line in range(number))


FILES: dict[str, Callable[[int], str]] = {
    "comment": lambda seed: f"User-agent: *\nDisallow: /x\n#{noise(seed)}",
    "one rule": lambda seed: f"User-agent: *\nDisallow: /{noise(seed)}",
    "rules": lambda seed: f"User-agent: *\n{rules(seed, 'Disallow: /%d-%d')}",
    "wildcards": lambda seed: f"User-agent: *\n{rules(seed, 'Disallow: /*%d-%d$')}",
    "names": lambda seed: rules(seed, "User-agent: me%d-%d") + "Disallow: /x",
    "sitemaps": lambda seed: rules(seed, "Sitemap: http://h%d-%d.test/"),
    "usage": lambda seed: (
        f"User-agent: *\n{rules(seed, 'Content-Usage: /%d-%d ai-use=n')}"
    ),
    "small": lambda seed: f"User-agent: *\nDisallow: /{seed}",
    "equal": lambda _: "User-agent: *\nDisallow: /equal",
    "none": lambda _: "",
}


def policies(file: str) -> Iterator[Policy]:
    """Yield policies of different origins, with compiled rules for a robot. Together, the
    policies take more than `MAX_BYTES`.
    """
    reader, freshness = Reader("1994", MAX_FILE), FreshnessSettings()
    for seed in range(30 if len(FILES[file](0)) > 1_000 else 1_800):
        # Do not use `Origin.of`, because its cache would also take memory.
        origin = Origin("http", f"h{seed}{'x' * 200}.test", 80)
        status = 404 if file == "none" else 200
        response = RobotsResponse(status, FILES[file](seed).encode())
        policy = Policy.from_response(origin, response, reader, 0.0, freshness)
        policy.rules("me1-1")
        if policy.robots is not None:
            policy.robots.prepare("me1-1", reads_usage=True)
        yield policy


def taken_by(fill: Callable[[], object]) -> int:
    """Return the number of bytes of memory that the result of *fill* takes."""
    gc.collect()
    tracemalloc.start()
    try:
        filled = fill()
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert filled is not None
    return taken


@pytest.mark.parametrize("file", FILES)
def test_memory_of_policies_is_bounded(file: str) -> None:
    """The memory store takes at most 25% more memory than its limit, including keys and
    texts.
    """

    def fill() -> MemoryStore:
        store = MemoryStore(10**6, lambda: 0.0, MAX_BYTES)
        for policy in policies(file):
            store.put(policy)
        return store

    assert taken_by(fill) < 1.25 * MAX_BYTES


def test_rules_that_are_compiled_after_the_policy_was_stored_are_counted() -> None:
    """A crawl may compile rules for a second robot of a stored policy. `measure` counts the
    rules, and removes the least recently used policies if the memory exceeds its limit.
    """
    reader, freshness = Reader("1994", MAX_FILE), FreshnessSettings()
    store, made = MemoryStore(10**6, lambda: 0.0, MAX_BYTES), list[Policy]()
    for seed in range(50):
        origin = Origin("http", f"h{seed}.test", 80)
        response = RobotsResponse(200, FILES["rules"](seed).encode())
        made.append(Policy.from_response(origin, response, reader, 0.0, freshness))
        store.put(made[-1])
        made[-1].rules("me")
        store.measure(made[-1])

    stored = [it for it in made if store.get(it.origin)]
    assert stored[-1] is made[-1]
    assert sum(map(bytes_of, stored)) <= MAX_BYTES


def test_usage_preferences_are_counted() -> None:
    """If a crawl reads usage preferences, the measured size of a file includes the
    preferences.
    """
    body = "User-agent: *\n" + "".join(
        f"Content-Usage: /{number} train-ai=n\n" for number in range(1_000)
    )
    taken = {}
    for reads_usage in (False, True):
        robots = RobotsTxt.parse(body)
        robots.prepare("rex", reads_usage=reads_usage)
        taken[reads_usage] = robots.memory_bytes

    assert taken[True] > taken[False] + 100 * 1_000


@pytest.mark.parametrize("file", FILES)
def test_memory_of_replayed_policies_is_bounded(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory of policies from the HTTP cache is bounded. The HTTP cache of a crawl
    can contain answers of any number of origins.
    """
    monkeypatch.setattr(cache, "REPLAYED_BYTES", MAX_BYTES)

    def fill() -> object:
        crawler: Any = SimpleNamespace(settings=Settings())
        settings = RobotsSettings.from_settings(crawler.settings)
        replayed = cache.HttpCache(crawler, settings, settings.new_reader())._policies
        for policy in policies(file):
            replayed.put(policy)
        return replayed

    assert taken_by(fill) < 1.25 * MAX_BYTES


@pytest.mark.parametrize("number", [1, 2_000])
def test_rules_with_wildcards_of_a_replayed_policy_are_counted(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A policy from the HTTP cache is measured with everything that a decision about a page
    needs. The first page does not read the file again.
    """
    settings = RobotsSettings.from_settings(Settings())
    found = cache.HttpCache(idle_crawler(), settings, settings.new_reader())
    text = f"User-agent: *\n{rules(0, 'Disallow: /*%d-%d$', number)}"
    policy = Policy.from_response(
        Origin("http", "h.test", 80),
        RobotsResponse(200, text.encode()),
        settings.new_reader(),
        0.0,
        settings.freshness,
    )

    async def get(_: Origin) -> Policy:
        return policy

    monkeypatch.setattr(found, "get", get)
    assert asyncio.run(found.replayed_policy(policy.origin)) is policy
    assert policy.robots is not None
    measured, robot = bytes_of(policy), found._robot.usual
    assert policy.robots.is_read_for(robot, with_usage=False)
    policy.robots.rules(robot)
    assert bytes_of(policy) == measured
