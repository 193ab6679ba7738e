"""`RobotsTxt` as a value, its compiled rules and its verdicts."""

from __future__ import annotations

import zlib
from itertools import product
from threading import Event, Thread, current_thread
from typing import Any

import pytest

from scrapy_robots1994.parser import LineKind, Reason, Verdict
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.standard.asking import HOST, disallowing
from tests.support.calls import calls

FILE = disallowing("/x") * 50


def test_equal_by_text_dialect_and_reading() -> None:
    """Bytes and str of one text are equal; another reading makes them differ."""
    robots = RobotsTxt.parse(FILE)

    assert robots == RobotsTxt.parse(FILE.encode())
    assert hash(robots) == hash(RobotsTxt.parse(FILE.encode()))
    assert robots != RobotsTxt.parse(FILE, reading="cautious")
    assert robots != RobotsTxt.parse(disallowing("/y"))
    assert robots != FILE


def test_compressing_makes_a_file_smaller() -> None:
    """Compressing it again has no effect."""
    robots = RobotsTxt.parse(FILE)
    before = len(robots._body._stored)

    robots.compress_body()
    compressed = len(robots._body._stored)
    robots.compress_body()

    assert compressed < before / 10
    assert len(robots._body._stored) == compressed


def test_file_compressed_by_two_threads_has_its_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Origins share a file, and several threads may use a large one."""
    rules = b"".join(b"Disallow: /product/%06d\n" % number for number in range(3_000))
    body = b"User-agent: *\nDisallow: /private\n" + rules
    robots = RobotsTxt.parse(body)
    compress, is_late, is_compressed = zlib.compressobj, Event(), Event()

    def waiting(*options: Any, **more: Any) -> Any:
        if current_thread().name == "late":
            is_late.set()
            assert is_compressed.wait(60)
        return compress(*options, **more)

    monkeypatch.setattr(zlib, "compressobj", waiting)
    late = Thread(target=robots.compress_body, name="late")
    late.start()
    assert is_late.wait(60)
    robots.compress_body()
    is_compressed.set()
    late.join()

    assert robots.body == body
    assert not robots.allowed("/private", "rex")


@pytest.mark.parametrize("body", [b"", b"x", FILE.encode()])
def test_compressing_changes_only_the_size(body: bytes) -> None:
    """A compressed file is equal to the original and has the same lines."""
    robots = RobotsTxt.parse(body)

    robots.compress_body()

    assert robots == RobotsTxt.parse(body)
    assert robots.lines == RobotsTxt.parse(body).lines


def test_parsed_file_has_its_dialect_and_reading() -> None:
    """They are the names that were passed."""
    robots = RobotsTxt.parse("", reading="cautious")

    assert (robots.dialect, robots.reading) == ("1994", "cautious")
    assert repr(robots) == "<RobotsTxt: 0 bytes, 1994, cautious>"


@pytest.mark.parametrize("how", [{"dialect": "1995"}, {"reading": "loose"}])
def test_unknown_dialect_or_reading_raises(how: dict[str, str]) -> None:
    """The message lists the possible names."""
    with pytest.raises(ValueError, match=r"There is no .*; it may be '"):
        RobotsTxt.parse("", **how)  # type: ignore[arg-type]  # all are strings


def test_rules_are_compiled_once_per_robot() -> None:
    """The same robot gets the same rules; the cache of other robots is bounded."""
    robots = RobotsTxt.parse(FILE)
    first = robots.rules("rex")

    assert robots.rules("rex") is first
    for number in range(200):
        robots.rules(f"rex{number}")
    assert robots._other_rules
    assert len(robots._other_rules) <= 64
    assert not robots.allowed("/x", "rex")


def test_questions_about_several_origins_in_turn() -> None:
    """Rules that were used for one origin give correct answers for another."""
    rules = RobotsTxt.parse(disallowing("/x")).rules("rex")

    for url in ("http://a/x", "http://b/x", "x://c/x", "/x", "x", b"http://a/x"):
        assert not rules.allowed_url(url)
    for url in ("http://a/y", "http://b", "http://b?/x", "//x/y", "/y", b"http://a/y"):
        assert rules.allowed_url(url)


def test_byte_of_a_url_equals_its_percent_encoding() -> None:
    """A character of a str URL is compared as UTF-8, a byte as it is."""
    robots = RobotsTxt.parse(disallowing("/%E9"))

    assert not robots.allowed(b"http://a.example/\xe9", "rex")
    assert robots.allowed("http://a.example/\u00e9", "rex")


def test_verdict_does_not_depend_on_the_previous_question() -> None:
    """Each verdict names the shortest rule that covers its URL."""
    values = ("/a/b/c", "/x", "/a/b", "/ab", "/x/y")
    body = disallowing("\nDisallow: ".join(values))
    rules = RobotsTxt.parse(body).rules("rex")
    paths = {
        "/a/b/c/d": "/a/b",
        "/a/b": "/a/b",
        "/abc": "/ab",
        "/x/y": "/x",
        "/a": None,
    }

    for before, path in product(paths, repeat=2):
        rules.verdict(before)
        assert rules.verdict(path).rule == paths[path]


def test_verdict_names_the_shortest_rule_that_covers_the_url() -> None:
    """Of equal rules it names the first in the file."""
    body = "User-agent: *\nDisallow: /a/b\nDisallow: /a\nDisallow: /a\n"

    verdict = RobotsTxt.parse(body).verdict(f"{HOST}/a/b", "rex")

    assert (verdict.line, verdict.rule) == (3, "/a")


SENTENCES = [
    (
        "rex",
        "/x",
        'disallowed by line 2, "Disallow: /x", of the record for "*" (line 1)',
    ),
    ("rex", "/y", 'allowed: no rule of the record for "*" (line 1) covers the URL'),
    ("rex", "/robots.txt", "allowed: robots.txt itself may always be retrieved"),
]


@pytest.mark.parametrize(("robot", "path", "sentence"), SENTENCES)
def test_verdict_as_text_is_a_sentence(robot: str, path: str, sentence: str) -> None:
    """It names the line, the rule and the record, or says why there is none."""
    verdict = RobotsTxt.parse(disallowing("/x")).verdict(path, robot)

    assert str(verdict) == sentence
    assert verdict.explain() == sentence


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_text(reason: Reason) -> None:
    """A verdict without a record has an explanation, too."""
    assert str(Verdict(allowed=False, reason=reason)).startswith("disallowed: ")


def test_file_without_a_record_for_the_robot_has_its_own_reason() -> None:
    """The reason is not that of an empty file."""
    robots = RobotsTxt.parse(disallowing("/", "max"))

    assert robots.verdict("/", "rex").reason is Reason.NO_RECORD
    assert "no record of robots.txt is for this robot" in str(
        robots.verdict("/", "rex")
    )


def test_size_is_that_of_the_parsed_body() -> None:
    """It is in bytes, of the uncompressed body up to the limit."""
    robots = RobotsTxt.parse("Disallow: /ä\n" * 9)

    assert robots.size == len(robots.body) == 126
    robots.compress_body()
    assert robots.size == len(robots.body) == 126
    assert RobotsTxt.parse(b"#" * 9, limit=3).size == 3


@pytest.mark.parametrize("kind", [*LineKind, *Reason])
def test_value_of_a_kind_or_reason_is_its_name(kind: LineKind | Reason) -> None:
    """It is in lower case with hyphens; one value is an exception."""
    exceptions = {"ROBOTS_TXT": "robots.txt-itself"}
    name = kind.name

    assert kind.value == exceptions.get(name, name.lower().replace("_", "-"))


def test_error_for_an_unknown_name_lists_the_known_ones() -> None:
    """Dialects and readings are listed in order."""
    known = ", ".join(map(repr, DIALECTS))
    with pytest.raises(ValueError, match=f"it may be {known}"):
        RobotsTxt.parse("", dialect="2022")
    with pytest.raises(ValueError, match="'literal', 'cautious'"):
        RobotsTxt.parse("", reading="liberal")


def test_ours_o19_rules_for_a_host_are_compiled_once_for_urls_with_fragments() -> None:
    """Compiling them for each question would block a crawl."""
    paths = "".join(f"Disallow: /{number}\n" for number in range(1000))
    body = f"User-agent: *\nDisallow: http://h.test/a\n{paths}"
    rules = RobotsTxt.parse(body).rules("robot")
    rules.verdict("http://h.test/a#1")

    verdict = rules.verdict("http://h.test/a#2")
    made = calls(lambda: rules.verdict("http://h.test/a#3"))

    assert (verdict.allowed, verdict.line) == (False, 2)
    assert made < 100


def test_compiled_rules_exist_only_for_queried_robots() -> None:
    """For other robots `compiled_rules` returns None."""
    robots = RobotsTxt.parse(FILE)

    assert robots.compiled_rules("rex") is None
    assert robots.rules("rex") is robots.compiled_rules("rex")
    assert robots.compiled_rules("max") is None
    assert robots.rules("max") is robots.compiled_rules("max")
