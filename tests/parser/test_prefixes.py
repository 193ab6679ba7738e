"""`PrefixIndex` gives the same answers as trying each rule."""

from __future__ import annotations

import pickle
import random
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.prefixes import UNDECIDED, PrefixIndex, in_order
from scrapy_robots1994.robotstxt import RobotsTxt

HEAD = "https://www.example.com"
LENGTHS = {"short": (3, 4), "alike": (4, 12), "any": (2, 30), "uneven": (6, 12)}
TEXTS = st.lists(st.text("ab\n\U0010ffff", min_size=1, max_size=4), max_size=40)


def rules_of(shape: str, count: int, dice: random.Random) -> tuple[str, ...]:
    """Return rules of a *shape* in random order, some repeated or covered by others.

    They share a beginning, are short, have any length, or have some much shorter ones.
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
def test_index_finds_the_first_rule_that_covers_a_target(
    shape: str, count: int
) -> None:
    """The targets are equal to, longer than, shorter than and between the prefixes."""
    dice = random.Random(count)  # noqa: S311 - the same rules every time is the point
    rules = rules_of(shape, count, dice)
    index = PrefixIndex(rules, range(len(rules)))
    targets = ["", "/", "/x", "/products/", "/products/x", "~", "/\n"]
    for rule in dice.sample(rules, min(len(rules), 60)):
        targets += [rule, rule[:-1] or "/", rule + "x", rule[:-1] + "~", rule[:3]]

    for target in targets:
        covering = [n for n, rule in enumerate(rules) if target.startswith(rule)]
        expected = min(covering, default=UNDECIDED)
        assert index.find(target)[0] == expected, target


@given(TEXTS, st.text("ab\nc\U0010ffff", max_size=6))
@example(["a", "a\nb"], "a\nbc")
@example(["a", "ab", "abb"], "ac")
def test_index_of_any_texts_equals_trying_each(texts: list[str], target: str) -> None:
    """`find` returns the first rule that covers the target, and its length if sorted."""
    rules = list(dict.fromkeys(texts))
    longest_first = sorted(rules, key=len, reverse=True)
    covering = [rule for rule in longest_first if target.startswith(rule)]

    first = min(map(rules.index, covering), default=UNDECIDED)
    assert PrefixIndex(rules, range(len(rules))).find(target)[0] == first

    expected = UNDECIDED, -1
    if covering:
        expected = longest_first.index(covering[0]), len(covering[0])
    assert PrefixIndex(longest_first, range(len(rules))).find(target) == expected


def test_very_long_list_is_sorted_correctly() -> None:
    """It is sorted in parts."""
    texts = [f"/{number * 7_919 % 40_000:05}" for number in range(40_000)]

    assert in_order(texts) == sorted(texts)


def test_pickled_file_omits_compiled_rules() -> None:
    """An index depends on hashes, which differ between processes."""
    rules = "".join(f"Disallow: /{number}/\n" for number in range(200))
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}")
    assert not robots.allowed("/7/x", "rex")

    again = pickle.loads(pickle.dumps(robots))  # noqa: S301 - our own bytes

    assert again == robots
    assert again.compiled_rules("rex") is None
    assert not again.allowed("/7/x", "rex")


FILLING = "".join(f"Disallow: /filling/{number}/\n" for number in range(1_300))


@pytest.mark.parametrize("reading", ["literal", "cautious"])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("rules", "url"),
    [
        ("Disallow: http://h.test/\nDisallow: /a\n", "http://h.test/ab"),
        ("Disallow: http://h.test\nDisallow: /abc\nDisallow: /ab\n", "/abcd"),
        ("Disallow: http://h.test\nDisallow: /abc\n", "http://h.test/abcd"),
        ("Disallow: /%61\nDisallow: /ab\nDisallow: /abc\n", "/abc"),
        ("Disallow: /ab\nDisallow: /a%62\n", "/abc"),
        ("Disallow: /a%4\nDisallow: /a%41b\n", "/a%41bc"),
        ("Disallow: /a%41b\nDisallow: /a%4\nAllow: /a%41\n", "/a%41bc"),
        ("Allow: /a%4\nDisallow: /a\n", "/a%41"),
        ("Disallow: /abc\nAllow: /ab\nDisallow: /a\n", "/abcd"),
        ("Disallow: /abc\n\nDisallow: /a\n", "/abcd"),
        ("Disallow: /abc\n\nDisallow: /a\n", "/ab"),
        ("Allow: /a\n\nUser-agent: *\nDisallow: /ab\n", "/abc"),
        ("Allow: /ab\nAllow: /b\n\nUser-agent: *\nDisallow: /b\n", "/bc"),
    ],
)
def test_verdict_names_the_same_line_in_a_large_file(
    rules: str, url: str, dialect: str, reading: str
) -> None:
    """With and without an index, line, rule and reason are the same."""
    record = f"User-agent: *\n{rules}"
    small = RobotsTxt.parse(record, dialect=dialect, reading=reading)
    large = RobotsTxt.parse(record + FILLING, dialect=dialect, reading=reading)

    assert large.verdict(url, "rex") == small.verdict(url, "rex")
    assert large.allowed(url, "rex") is small.verdict(url, "rex").allowed


def test_absolute_url_with_two_spellings_covers_both_in_a_large_file() -> None:
    """Ours O19: one index has it as written and with the origin normalised."""
    rules = "Disallow: http://h.test\nDisallow: http://h.test:80/a\n"
    robots = RobotsTxt.parse(f"User-agent: *\n{FILLING}{rules}")

    assert not robots.allowed("http://h.test/a", "rex")
    assert robots.verdict("http://h.test:80/a", "rex").line == 1_302


def test_verdict_names_the_shortest_rule_as_written() -> None:
    """An absolute URL counts with its full length, not with that of its path."""
    for filling in ("", FILLING):
        robots = RobotsTxt.parse(
            f"User-agent: *\nDisallow: http://h.test\nDisallow: /abc\n{filling}"
        )
        verdict = robots.verdict("http://h.test/abcd", "rex")
        assert (verdict.line, verdict.rule) == (3, "/abc")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("count", [90, 300, 3_000])
def test_allowed_and_verdict_agree_on_a_long_file(count: int, dialect: str) -> None:
    """With few rules or many, the first and all later answers are correct."""
    dice = random.Random(1994)  # noqa: S311 - the same rules every time is the point
    rules = rules_of("any", count, dice)
    lines = "".join(f"Disallow: {rule}\n" for rule in rules)
    robots = RobotsTxt.parse(f"User-agent: *\n{lines}".encode(), dialect=dialect)
    urls = [
        f"{HEAD}{rule}{end}"
        for rule in rules[:: count // 10]
        for end in ("", "x", "#y")
    ]
    urls += [f"{HEAD}/nothing", f"{HEAD}/robots.txt", f"{HEAD}/%61", "/nothing"]
    dice.shuffle(urls)

    for url in urls * 3:
        verdict = robots.verdict(url, "rex")
        assert robots.allowed(url, "rex") is verdict.allowed
        target = url.removeprefix(HEAD).partition("#")[0]
        is_covered = target.startswith(rules) and target != "/robots.txt"
        assert verdict.allowed is not is_covered
        if verdict.line is not None:
            assert verdict.rule == rules[verdict.line - 2]
            assert target.startswith(verdict.rule)
