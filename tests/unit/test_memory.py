"""The limits on memory hold for every kind of file."""

from __future__ import annotations

import gc
import random
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.policy import Policy, policy_from
from scrapy_robots1994.robotstxt import MAX_BYTES as MAX_FILE
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores.memory import policy_memory
from tests.unit.samples import FRESHNESS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_BYTES = 2_000_000


def noise(seed: int) -> str:
    return random.Random(seed).randbytes(MAX_FILE // 2 - 50).hex()  # noqa: S311 - noise


def rules(seed: int, form: str, number: int = 2_000) -> str:
    return "".join(f"{form}\n" % (seed, line) for line in range(number))


FILES: dict[str, Callable[[int], str]] = {
    "comment": lambda seed: f"User-agent: *\nDisallow: /x\n#{noise(seed)}",
    "one rule": lambda seed: f"User-agent: *\nDisallow: /{noise(seed)}",
    "rules": lambda seed: f"User-agent: *\n{rules(seed, 'Disallow: /%d-%d')}",
    "escapes": lambda seed: f"User-agent: *\n{rules(seed, 'Disallow: /%%7e%d-%d%%2')}",
    "wildcards": lambda seed: f"User-agent: *\n{rules(seed, 'Disallow: /*%d-%d$')}",
    "names": lambda seed: rules(seed, "User-agent: me%d-%d") + "Disallow: /x",
    "sitemaps": lambda seed: rules(seed, "Sitemap: http://h%d-%d.test/"),
    "usage": lambda seed: (
        f"User-agent: *\n{rules(seed, 'Content-Usage: /%d-%d ai-use=n', 600)}"
    ),
    "small": lambda seed: f"User-agent: *\nDisallow: /{seed}",
    "equal": lambda _: "User-agent: *\nDisallow: /equal",
    "none": lambda _: "",
}


def policy_of(origin: Origin, status: int, text: str, reader: Reader) -> Policy:
    answer = Answer(
        urls=(origin.robots_url,), status=status, body=text.encode(), fetched_at=0.0
    )
    return policy_from(origin, answer, reader, FRESHNESS)


def policies(file: str) -> Iterator[Policy]:
    """Yield policies with compiled rules. Together, they exceed `MAX_BYTES`."""
    reader = Reader("1994", MAX_FILE)
    for seed in range(30 if len(FILES[file](0)) > 1_000 else 1_800):
        origin = Origin("http", f"h{seed}{'x' * 200}.test", 80)
        status = 404 if file == "none" else 200
        policy = policy_of(origin, status, FILES[file](seed), reader)
        if policy.robots is not None:
            policy.robots.prepare("me1-1", reads_usage=True)
        yield policy


def taken_by(fill: Callable[[], object]) -> int:
    """Return how many bytes the result of *fill* takes in memory."""
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


@pytest.mark.parametrize(
    "file",
    # Reading usage preferences is slow while memory is traced.
    [pytest.param(it, marks=[pytest.mark.long] * (it == "usage")) for it in FILES],
)
def test_memory_of_policies_is_bounded(file: str) -> None:
    """The sizes are estimated, so the memory may exceed the limit by up to 25%."""

    def fill() -> object:
        memory = policy_memory(10**6, MAX_BYTES)
        for policy in policies(file):
            memory[policy.origin] = policy
        return memory

    assert taken_by(fill) < 1.25 * MAX_BYTES


def test_rules_that_are_compiled_after_the_policy_was_stored_are_counted() -> None:
    """When a crawl has compiled rules for another robot, it stores the policy again."""
    reader = Reader("1994", MAX_FILE)
    memory, made = policy_memory(10**6, MAX_BYTES), list[Policy]()
    for seed in range(50):
        origin = Origin("http", f"h{seed}.test", 80)
        made.append(policy_of(origin, 200, FILES["rules"](seed), reader))
        memory[origin] = made[-1]
        robots = made[-1].robots
        assert robots is not None
        robots.prepare("me")
        memory[origin] = made[-1]

    stored = [it for it in made if it.origin in memory]
    assert stored[-1] is made[-1]
    assert sum(it.stated.memory_bytes for it in stored) <= MAX_BYTES


@pytest.mark.parametrize("reads_usage", [False, True])
def test_rules_of_few_robots_are_kept(*, reads_usage: bool) -> None:
    """A crawl may rotate its User-Agent, so only the rules for the latest names are kept."""
    robots = Reader("1994", MAX_FILE).read(b"User-agent: *\nDisallow: /a\n" * 9)
    taken = []
    for number in range(300):
        robots.prepare(f"robot{number}", reads_usage=reads_usage)
        taken.append(robots.memory_bytes)

    assert taken[0] < taken[60] < 1.1 * taken[299] < 1.2 * taken[70]
    assert robots.is_read_for("robot299", with_usage=reads_usage)
    assert robots.rules("robot299") is robots.rules("Robot299/1.0")


def test_cut_file_shares_nothing_with_a_whole_one_of_the_same_bytes() -> None:
    """Ours O24: the last line of the cut file does not count."""
    reader = Reader("1994", MAX_FILE)
    body = b"User-agent: *\nDisallow: /a"
    whole, cut = reader.read(body), reader.read(body, is_truncated=True)

    assert reader.read(body) is whole
    assert [it.allowed("/a", "x") for it in (whole, cut)] == [False, True]
