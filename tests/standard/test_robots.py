"""`RobotsTxt` objects and the explanations of their verdicts."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from scrapy_robots1994 import LineKind, Reason, RobotsTxt, Verdict
from tests.standard.asking import DIALECTS, disallowing

FILE = disallowing("/x") * 50


def test_equal_by_text_and_dialect() -> None:
    robots = RobotsTxt.parse(FILE)

    assert robots == RobotsTxt.parse(FILE.encode("utf-8-sig"))
    assert hash(robots) == hash(RobotsTxt.parse(FILE.encode("utf-8-sig")))
    assert robots != RobotsTxt.parse(FILE, dialect="extended")
    assert robots != RobotsTxt.parse(disallowing("/y"))
    assert robots != FILE


def test_parsed_file_has_its_dialect() -> None:
    robots = RobotsTxt.parse("", dialect="extended")

    assert robots.dialect == "extended"
    assert robots.read_as("rfc9309").dialect == "rfc9309"
    assert RobotsTxt(b"").dialect == RobotsTxt.parse("").dialect == "1994"


def test_unknown_dialect_raises() -> None:
    known = ", ".join(map(repr, (*DIALECTS, "strictest")))
    for ask in (RobotsTxt.parse("").read_as, partial(RobotsTxt, b"")):
        with pytest.raises(ValueError, match=f"use one of {known}"):
            ask("1995")


def test_body_text_and_size_are_those_of_the_file() -> None:
    robots = RobotsTxt.parse("\ufeff" + "Disallow: /\u00e4\n" * 9)

    assert robots.size == len(robots.body) == 129
    assert robots.text == "Disallow: /\u00e4\n" * 9
    assert RobotsTxt.parse(b"\xff").text == "\udcff"
    assert RobotsTxt.parse(b"#" * 9, limit=3).size == 3


@pytest.mark.parametrize("wrong", [Path("robots.txt"), 9, [47], None])
def test_file_that_is_neither_bytes_nor_str_raises(wrong: Any) -> None:
    with pytest.raises(TypeError):
        RobotsTxt.parse(wrong)
    assert RobotsTxt.parse(bytearray(b"a: b")).body == b"a: b"  # type: ignore[arg-type]


def test_pickled_file_gives_the_same_answers() -> None:
    robots = RobotsTxt.parse(f"{FILE}cut", dialect="extended", truncated=True)
    assert not robots.allowed("/x", "rex")
    assert robots.read_as("1994").read_as("extended") == robots

    again = pickle.loads(pickle.dumps(robots))  # noqa: S301 - our own data

    assert again == robots
    assert (again.records, again.lines) == (robots.records, robots.lines)
    assert pickle.loads(pickle.dumps(again.records)) == robots.records  # noqa: S301 - our own data
    assert again.dialect == "extended"
    assert not again.allowed("/x", "rex")


def test_robots_of_many_names_are_told_apart() -> None:
    named = "".join(
        disallowing(f"/{number}/", f"bot{number}x") + "\n" for number in range(200)
    )
    robots = RobotsTxt.parse(named)

    for number in (*range(200), 7, 0, 199):
        rules = robots.rules(f"bot{number}x")
        assert not rules.allowed(f"/{number}/")
        assert not robots.allowed(f"/{number}/", f"bot{number}x")
        assert robots.allowed(f"/{number}/", f"bot{number + 1}x")


def test_robot_as_bytes_is_the_robot_as_str() -> None:
    """Bytes that are not valid UTF-8 are decoded as Latin-1."""
    robots = RobotsTxt.parse(disallowing("/", "caf\u00e9"))

    for robot in (b"Caf\xc3\xa9/1", b"Caf\xe9/1", "Caf\u00e9/1"):
        assert not robots.allowed("/", robot)
        assert robots.rules(robot).verdict("/").line == 2


ESCAPED = "# x\nUser-agent: re\x1bx\nUser-agent: rex\nDisallow: /x\x9b\nDisallow: /z\n"
FOR_ALL = 'the record for "*" (line 1)'
SENTENCES = [
    (FILE, "/x", f'disallowed by line 2, "Disallow: /x", of {FOR_ALL}'),
    (FILE, "/y", f"allowed: no rule of {FOR_ALL} covers the URL"),
    (FILE, "/robots.txt", "allowed: robots.txt itself may always be retrieved"),
    ("", "/x", "allowed: robots.txt contains no record"),
    ("User-agent: max", "/", "allowed: no record of robots.txt applies to this robot"),
    # Ours O25: control characters in names and rules are escaped.
    (
        ESCAPED,
        "/x\x9by",
        (
            r'disallowed by line 4, "Disallow: /x\x9b", of the record for "re\x1bx" and '
            '"rex" (line 2)'
        ),
    ),
]


@pytest.mark.parametrize(("body", "path", "sentence"), SENTENCES)
def test_verdict_as_text_is_a_sentence(body: str, path: str, sentence: str) -> None:
    verdict = RobotsTxt.parse(body).verdict(path, "rex")

    assert str(verdict) == verdict.explain() == sentence


def test_verdict_has_the_record_of_its_rule() -> None:
    body = f"{disallowing('/a')}\n# b\n{disallowing('/b')}\nDisallow: /orphan\n"
    robots = RobotsTxt.parse(body)

    assert [it.last_line for it in robots.records] == [2, 6]
    for path, record in (("/a", 0), ("/b", 1), ("/c", 0)):
        assert robots.verdict(path, "rex").record == robots.records[record]
    assert robots.verdict("/robots.txt", "rex").record is None


def test_long_names_and_rules_make_no_long_sentence() -> None:
    names = "".join(f"User-agent: {number}{'a' * 50}\n" for number in range(5_000))
    robots = RobotsTxt.parse(f"{names}User-agent: rex\nDisallow: /{'x' * 9_000}\n")

    assert len(str(robots.verdict(f"/{'x' * 9_000}", "rex"))) < 500


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_text(reason: Reason) -> None:
    sentence = str(Verdict(allowed=False, reason=reason))

    assert sentence.startswith("disallowed: ")
    assert len(sentence) > len("disallowed: ")


def test_values_of_kinds_and_reasons_are_stable() -> None:
    """Stats and reports use the values of both enums as keys."""
    exceptions = {"ROBOTS_TXT": "robots.txt-itself"}
    for kind in (*LineKind, *Reason):
        name = kind.name
        assert kind.value == exceptions.get(name, name.lower().replace("_", "-"))
    assert {reason.value for reason in Reason} >= {"rule", "no-rule"}
    assert {reason.value for reason in Reason} >= {"no-record", "empty", "absent"}
    assert {reason.value for reason in Reason} >= {"forbidden", "unreachable"}


def pickled(verdict: Verdict) -> Verdict:
    """Pickle and unpickle *verdict*, as Scrapy does for a queue on disk."""
    again: Verdict = pickle.loads(pickle.dumps(verdict))  # noqa: S301 - our own data
    return again


@pytest.mark.parametrize("dialect", DIALECTS)
def test_pickled_verdict_has_what_explains_it_and_no_more(dialect: str) -> None:
    """A crawl may store thousands of verdicts on disk, in the meta of requests."""
    lines = "".join(f"Disallow: /closed/{number}\x7f\n" for number in range(3_000))
    body = f"User-agent: me\nCrawl-delay: 5\n{lines}"
    robots = RobotsTxt.parse(body, dialect=dialect)

    for path in ("/closed/2999\x7f", "/", "/robots.txt"):
        verdict = robots.verdict(f"http://a.test{path}", "me")
        unpacked = pickled(verdict)

        assert unpacked == verdict
        assert str(unpacked) == str(verdict)
        assert len(pickle.dumps(verdict)) < 1_000
        if verdict.record is not None and unpacked.record is not None:
            assert len(verdict.record.rules) == 3_000
            assert unpacked.record.names == ("me",)
            kept = [str(rule) for rule in unpacked.record.rules]
            rule = verdict.for_export().rule
            assert kept == ([f"Disallow: {rule}"] if rule else [])
    assert robots.verdict("/", "me").record is not None


def test_verdict_as_a_dict_has_its_record_and_explanation() -> None:
    """Control characters are percent-encoded, so that every exporter can write them."""
    robots = RobotsTxt.parse("User-agent: me\x01\nDisallow: /x\nDisallow: /\x02\n")
    verdict = robots.verdict("/a/../x\x03", "me\x01")

    found = verdict.as_dict()
    assert found["record"] == {"names": ["me%01"], "first_line": 1}
    assert (found["rule"], found["spelling"]) == ("/x", "/x%03")
    assert (found["reason"], found["explanation"]) == ("rule", str(verdict))
    assert str(verdict).isprintable()
    encoded = "User-agent: me%01\nDisallow: /x\nDisallow: /%02\n"
    assert str(verdict.record) == str(verdict.for_export().record) == encoded
    assert robots.verdict("/x", "other").as_dict()["record"] is None


def test_copy_of_a_verdict_has_its_whole_record() -> None:
    """Scrapy copies verdicts with the meta of requests."""
    robots = RobotsTxt.parse(f"{disallowing('/')}Disallow: /b")
    verdict = robots.verdict("/", "me")

    for again in (copy.copy(verdict), copy.deepcopy(verdict)):
        assert again == verdict
        assert again.record is not None
        assert len(again.record.rules) == 2


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "url", ["\u0101x", "\u0101", "%", "", "x", "\u0101/robots.txt", "/\ud800"]
)
@pytest.mark.parametrize("more", ["", "Disallow: /%61\n"])
def test_unusual_url_gets_the_right_answer(dialect: str, url: str, more: str) -> None:
    closed = RobotsTxt.parse(f"User-agent: *\nDisallow: /\n{more}", dialect=dialect)
    opened = RobotsTxt.parse("User-agent: *\nDisallow:\n", dialect=dialect)

    for _ in range(2):
        assert not closed.allowed(url, "robot")
        assert opened.allowed(url, "robot")


def test_printed_record_reads_as_the_same_record() -> None:
    ends = [chr(code) for code in range(33, 127) if chr(code) not in "#/"]

    for end in ends:
        body = f"User-agent: x{end}\nDisallow: /x{end}\n"
        (record,) = RobotsTxt.parse(body).records

        assert record.names == (f"x{end}",)
        assert str(record) == body
    # Delays must be printed without an exponent, which X4 does not accept.
    for delay in ("0.5", "5", "0.00001", "100000000000000000000"):
        body = f"User-agent: a\nCrawl-delay: {delay}\nAllow: /x\nDisallow:\n"
        sitemap = "Sitemap: http://a.test/s.xml\n"
        robots = RobotsTxt.parse(body + sitemap, dialect="extended")
        assert str(robots.records[0]) == body
