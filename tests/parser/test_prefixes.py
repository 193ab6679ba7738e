"""Indexes over prefixes: whatever their number and shape, as trying each."""

from __future__ import annotations

import pickle
import random
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.prefixes import (
    UNDECIDED,
    IntervalMap,
    PrefixIndex,
    in_order,
    prefix_free,
)
from scrapy_robots1994.robotstxt import RobotsTxt

HEAD = "https://www.example.com"
LENGTHS = {"short": (3, 4), "alike": (4, 12), "any": (2, 30), "uneven": (6, 12)}
TEXTS = st.lists(st.text("ab/\0", min_size=1, max_size=6), min_size=1, max_size=40)


def rules_of(shape: str, count: int, dice: random.Random) -> tuple[str, ...]:
    """Rules that begin alike, are short, are of any length, or some of them shorter; in
    no order, some doubled and some that others cover.
    """
    letters = string.ascii_lowercase + "/~"
    start = "/products/" if shape == "alike" else "/"
    lengths = [LENGTHS[shape]] * count
    if shape == "uneven":
        lengths[:5] = [(2, 2)] * 5
    rules = ["".join(dice.choices(letters, k=dice.randint(*each))) for each in lengths]
    rules += [rule + "x" for rule in rules[::9]] + rules[::11]
    dice.shuffle(rules)
    return tuple(start + rule for rule in rules)


@pytest.mark.parametrize("count", [33, 97, 900, 12_000])
@pytest.mark.parametrize("shape", LENGTHS)
def test_an_index_finds_the_prefix_that_begins_a_text(shape: str, count: int) -> None:
    """For texts beside, below and equal to the prefixes; also in another process."""
    dice = random.Random(count)  # noqa: S311 - the same rules every time is the point
    rules = rules_of(shape, count, dice)
    kept = prefix_free(rules)
    index = PrefixIndex(kept)
    again = pickle.loads(pickle.dumps(index))  # noqa: S301 - our own bytes
    assert len(kept) in range(count // 3, len(rules))
    targets = ["/", "/x", "/products/", "/products/x"]
    for rule in dice.sample(rules, min(len(rules), 60)):
        targets += [rule, rule[:-1] or "/", rule + "x", rule[:-1] + "~", rule[:3]]

    for target in targets:
        place = index.find(target)
        assert (place >= 0) is target.startswith(rules), target
        assert place < 0 or target.startswith(kept[place])
        assert place < 0 or index[place] == kept[place]
        assert again.find(target) == place


@given(TEXTS, st.text("ab/\0\xff", max_size=9))
def test_an_index_of_any_texts_finds_what_begins_a_text(
    texts: list[str], text: str
) -> None:
    """NUL separates prefixes in memory, and may be in them, too."""
    index = PrefixIndex(prefix_free(texts))

    assert (index.find(text) >= 0) is text.startswith(tuple(texts))


@given(st.lists(st.text("ab/", max_size=5)), st.text("ab/", max_size=7))
def test_only_the_last_prefix_up_to_a_text_can_begin_it(
    rules: list[str], text: str
) -> None:
    """Of prefixes that do not begin each other, in order."""
    kept = prefix_free(rules)

    expected = any(text.startswith(rule) for rule in rules)

    assert any(text.startswith(rule) for rule in kept) is expected
    last = [rule for rule in kept if rule <= text][-1:]
    assert any(text.startswith(rule) for rule in last) is expected


def test_a_very_long_list_is_sorted() -> None:
    """In parts, which the result does not show."""
    texts = [f"/{number * 7_919 % 40_000:05}" for number in range(40_000)]

    assert in_order(texts) == sorted(texts)
    assert prefix_free(texts) == sorted(texts)


@given(st.lists(st.tuples(st.text("ab\U0010ffff", max_size=4), st.booleans())))
@example([("\U0010ffff", True), ("\U0010ffffa", False)])
def test_an_interval_map_finds_the_first_rule(rules: list[tuple[str, bool]]) -> None:
    """Of all rules that a text begins with, the one with the lowest mark."""
    marked = [(text, 2 * n + disallows) for n, (text, disallows) in enumerate(rules)]

    made = IntervalMap.of(marked, min)

    for text in {"", "b", *(text + end for text, _ in rules for end in ("", "a", "c"))}:
        covering = [mark for rule, mark in marked if text.startswith(rule)]
        assert made.at(text) == min(covering, default=UNDECIDED)


@given(st.lists(st.lists(st.tuples(st.text("ab", max_size=3), st.booleans()))))
def test_merged_maps_decide_as_the_lowest_of_them(
    files: list[list[tuple[str, bool]]],
) -> None:
    """By the rank of their marks."""
    number = iter(range(10_000))
    marked = [[(text, 2 * next(number) + it) for text, it in each] for each in files]
    maps = [IntervalMap.of(each, min) for each in marked]

    def rank(mark: int) -> tuple[bool, int]:
        return not mark & 1, mark

    merged = IntervalMap.merged(maps, rank)

    for text in ("", "a", "b", "ab", "ba", "abb", "bbb", "aab", "c"):
        marks = [each.at(text) for each in maps]
        assert merged.at(text) == min(marks, key=rank, default=UNDECIDED)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("count", [90, 300, 3_000])
def test_a_long_file_answers_every_question_as_its_verdicts(
    count: int, dialect: str
) -> None:
    """Few rules or many: the first question and all after it agree."""
    dice = random.Random(1994)  # noqa: S311 - the same rules every time is the point
    rules = rules_of("any", count, dice)
    lines = "".join(f"Disallow: {rule}\n" for rule in rules)
    robots = RobotsTxt.parse(f"User-agent: *\n{lines}".encode(), dialect=dialect)
    asked = [
        f"{HEAD}{rule}{end}"
        for rule in rules[:: count // 10]
        for end in ("", "x", "#y")
    ]
    asked += [f"{HEAD}/nothing", f"{HEAD}/robots.txt", f"{HEAD}/%61", "/nothing"]
    dice.shuffle(asked)

    for url in asked * 3:
        verdict = robots.verdict(url, "rex")
        assert robots.allowed(url, "rex") is verdict.allowed
        target = url.removeprefix(HEAD).partition("#")[0]
        is_covered = target.startswith(rules) and target != "/robots.txt"
        assert verdict.allowed is not is_covered
        if verdict.line is not None:
            assert verdict.rule == rules[verdict.line - 2]
            assert target.startswith(verdict.rule)
