"""Many rules: whatever their number and shape, the answer is that of trying each."""

from __future__ import annotations

import random
import string

import pytest

from scrapy_robots1994.parser.many import Many
from scrapy_robots1994.parser.matching import prefix_free
from scrapy_robots1994.robotstxt import RobotsTxt

HEAD = "https://www.example.com"


LENGTHS = {"short": (3, 4), "alike": (4, 12), "any": (2, 30), "uneven": (6, 12)}


def rules_of(shape: str, count: int, dice: random.Random) -> tuple[str, ...]:
    """Rules that begin alike, are short, are as they come, or some of them shorter; in
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


@pytest.mark.parametrize("count", [33, 900, 1_500, 12_000])
@pytest.mark.parametrize("shape", LENGTHS)
def test_many_rules_cover_what_one_of_them_covers(shape: str, count: int) -> None:
    """With and without an index, for texts beside, below and equal to the rules."""
    dice = random.Random(count)  # noqa: S311 - the same rules every time is the point
    rules = rules_of(shape, count, dice)
    many, prepared = Many(rules), Many(rules)
    prepared.prepare()
    assert len(prefix_free(rules)) in range(count // 3, len(rules))
    some = dice.sample(rules, min(len(rules), 60))
    targets = ["/", "/x", "/products/", "/products/x"]
    for rule in some:
        targets += [rule, rule[:-1] or "/", rule + "x", rule[:-1] + "~", rule[:3]]

    for target in targets:
        expected = target.startswith(rules)
        assert Many(rules).cover(HEAD + target, len(HEAD)) is expected, target
        assert many.cover(HEAD + target, len(HEAD)) is expected, target
        assert many.cover(target, 0) is expected, target
        assert prepared.cover(target, 0) is expected, target


@pytest.mark.parametrize("count", [90, 300, 3_000])
def test_a_long_file_answers_every_question_as_its_lines_do(count: int) -> None:
    """Few rules or many: the first question and all after it agree."""
    dice = random.Random(1994)  # noqa: S311 - the same rules every time is the point
    rules = rules_of("any", count, dice)
    lines = "".join(f"Disallow: {rule}\n" for rule in rules)
    robots = RobotsTxt.parse(f"User-agent: *\n{lines}".encode())
    asked = [
        f"{HEAD}{rule}{end}"
        for rule in rules[:: count // 10]
        for end in ("", "x", "#y")
    ]
    asked += [f"{HEAD}/nothing", f"{HEAD}/robots.txt", f"{HEAD}/%61", "/nothing"]
    dice.shuffle(asked)

    for _ in range(3):
        answers = [robots.allowed(url, "rex") for url in asked]
        assert answers == [robots.verdict(url, "rex").allowed for url in asked]


def test_a_very_long_list_is_in_order_too() -> None:
    """It is sorted in parts; that is not to be seen."""
    rules = [f"/{number * 7_919 % 40_000:05}" for number in range(40_000)]

    assert prefix_free(rules) == tuple(sorted(rules))
