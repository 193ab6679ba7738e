"""Usage preferences in robots.txt: the statements of a file, and their lines.

The examples follow AIPREF vocab-08 and attach-05, Content Signals of July 2026 and RSL 1.0.
"""

from __future__ import annotations

import pickle
import re
import sys
from dataclasses import replace
from functools import partial

import pytest

from scrapy_robots1994 import Answer, MissingExtra, RobotsTxt, Usage
from tests.oracle.reading import DIALECTS, GROUPED
from tests.standard.asking import ask
from tests.support.calls import calls
from tests.support.rows import rows

STAR = "User-agent: *\n"
D, A, U = Answer.DISALLOW, Answer.ALLOW, Answer.UNSTATED


def usage(
    body: str, url: str = "/p", robot: str = "mybot", dialect: str = "1994"
) -> Usage:
    return RobotsTxt.parse(body, dialect=dialect).usage(f"http://h.test{url}", robot)


def stated(found: Usage) -> str:
    return " ".join(
        f"{it.purpose}={it.answer.value[0].upper()}@{it.where.rpartition(' ')[2]}"
        for it in found.statements
    )


# The columns are file, URL, statements, and values that are not understood. A file without a
# User-agent line is for every robot.
EXAMPLES = rows(
    r"""
User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: mybot\nContent-Usage: train-ai=y\n
      Disallow: /x | /p | train-ai=A@5
User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: mybot\nDisallow: /x | /p |
User-agent: *\nContent-Usage: train-ai=n\nDisallow: /a\n\nUser-agent: *\n
      Content-Usage: ai-use=n\nDisallow: /b | /p | train-ai=D@2 ai-use=D@6
Content-Usage: train-ai=n, search=y\nContent-Usage: /doc/ ai-use=n\nDisallow: | /p |
       train-ai=D@2 search=A@2
Content-Usage: train-ai=n, search=y\nContent-Usage: /doc/ ai-use=n\nDisallow: | /doc/a |
       ai-use=D@3
Content-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n, search=y | /a/b |
       train-ai=A@2 train-ai=D@3 search=A@3
Content-Usage: /*.pdf$ train-ai=n\nContent-Usage: /open/ train-ai=y | /open/a.pdf |
       train-ai=D@2
Content-Usage: /*.pdf$ train-ai=n\nContent-Usage: /open/ train-ai=y | /open/a.html |
       train-ai=A@3
Content-Usage: /*.pdf$ train-ai=n\nContent-Usage: /open/ train-ai=y | /a.pdf?x |
Content-Usage: /caf%c3%a9 train-ai=n | /café/x | train-ai=D@2
Content-Usage: ai=n\nDisallowAITraining: / | /p |
Content-Usage: Train-AI=n, search=y | /p |  | Train-AI=n, search=y
Content-Usage: train-ai=no, search=y | /p | search=A@2 | train-ai=no
Content-Usage: train-ai=?0, search="n", ai-use | /p |  | train-ai=?0 & search="n" & ai-use
Content-Usage: train-ai=n, | /p |  | train-ai=n,
Content-Usage: train-ai = n | /p |  | train-ai = n
Content-Usage: train-ai=n search=y | /p |  | train-ai=n search=y
Content-Usage: /restricted/ search=y train-ai=n | /restricted/x |  |
       /restricted/ search=y train-ai=n
Content-Usage: train-ai=y, train-ai, search=n, search="n", ai-use=y, ai-use=n | /p |
       ai-use=D@2 | train-ai & search="n"
cOnTeNt-uSaGe : train-ai=n;since=2024, x-foo=(1 2), bots=n # not: search=n | /p |
       train-ai=D@2
Content-Signal: ai-train=no\nContent-Usage: train-ai=n\n\nUser-agent: *\nDisallow: /x |
       /p |  | ai-train=no & train-ai=n
# Content-Signal: ai-train=no\nUser-agent: *\nDisallow: /x | /p |
User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\n
      User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /lp | /p | search=A@2 train-ai=D@2
User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\n
      User-agent: GPTBot\nDisallow: /\n\nUser-agent: mybot\nDisallow: /lp | /p |
CONTENT-SIGNAL: Search = YES , AI-Train=No, ai-input=maybe,,ai-train | /p |
       search=A@2 train-ai=D@2 | ai-input=maybe & ai-train
Content-Signal: ai-train=yes\nContent-Signal: /images/ ai-train=no | /images/1 |
       train-ai=D@3
\nContent-Usage: train-ai=n\nDisallow: /x | /p | train-ai=D@3
Content-Usage: train-ai=y\nContent-Signal: ai-train=no, search=yes | /p |
       train-ai=A@2 train-ai=D@3 search=A@3
Content-Usage: train-ai=n\nContent-Usage: /a train-ai=Y, | /a | train-ai=D@2 |
       /a train-ai=Y,
Content-Usage: train-ai=n\nContent-Usage: /a | /a |
Content-Usage: train-ai=n\nContent-Usage: /a x=y | /ab |
Content-Usage: train-ai=n\nContent-Usage: *a=y | /a | train-ai=D@2
Content-Usage:\ttrain-ai=n\t,\tsearch=y\t | / | train-ai=D@2 search=A@2
Content-Usage: | / |
Content-Usage: /a\ttrain-ai=n | /a | train-ai=D@2
Content-Usage: /a$ train-ai=n | /a?b |
Content-Usage: /a b=n, train-ai=n | /a | train-ai=D@2
Content-Usage: train-ai=n;x=1;y, search=y;z | / | train-ai=D@2 search=A@2
Content-Usage: x=@253402300800, train-ai=n | / |  | x=@253402300800, train-ai=n
Content-Usage: tdm=n, ai-train=n | / |
Content-Signals: ai-train=no | / | train-ai=D@2
Content-Signal: ai-input=no; search=yes | / |  | ai-input=no; search=yes
Content-Signal: ai-train=no, ai-train=yes | / | train-ai=D@2 train-ai=A@2
Content-Usage: /a train-ai=y\nContent-Signal: ai-train=no | /a | train-ai=A@2 train-ai=D@3
Content-Usage: /ab* train-ai=y\nContent-Usage: /*b* train-ai=n | /ab |
       train-ai=A@2 train-ai=D@3
Content-Usage: train-ai=n\nDisallow: /\nContent-Usage: search=y | / |
       train-ai=D@2 search=A@4
Content-Usage: train-ai=(n), search=y | / | search=A@2 | train-ai=(n)
Content-Usage: train-ai=y, search=n, train-ai=n;x | / | train-ai=D@2 search=D@2
Content-Usage: , train-ai=n | / |  | , train-ai=n
Content-Usage: x="café", train-ai=n | / |  | x="café", train-ai=n
Content Usage: train-ai=n | / |
Content-Usage: /a/ train-ai=n\nContent-Usage: /a train-ai=y | /a/b | train-ai=D@2
Content-Usage: /a/ train-ai=n\nContent-Usage: /a train-ai=y | /ab | train-ai=A@3
Content-Usage: /A train-ai=n | /a |
Content-Usage: /%61 train-ai=n | /a | train-ai=D@2
Content-Usage: /a%2fb train-ai=n | /a/b |
Content-Usage: /a? train-ai=n | /a?b | train-ai=D@2
Content-Usage: /$ train-ai=n | / | train-ai=D@2
Content-Usage: /a train-ai=n\nContent-Usage: /* train-ai=y | /ab | train-ai=D@2 train-ai=A@3
Content-Usage: /a#b train-ai=n | /a |
Disallow: /p\nContent-Usage: train-ai=n | /p | train-ai=D@3
User-agent: other\nUser-agent: mybot\nContent-Usage: train-ai=n | / | train-ai=D@3
Sitemap: https://e.x/s\nContent-Usage: train-ai=n | / | train-ai=D@3
User-agent: mybot\nSitemap: https://e.x/s\nUser-agent: other\nContent-Usage: train-ai=n |
       / | train-ai=D@4
User-agent: mybot\nContent-Signal: ai-train=no\nUser-agent: x\nContent-Usage: train-ai=y |
       / | train-ai=D@2
User-agent: mybot\nLicense: https://e.x/l\nUser-agent: other\nContent-Usage: train-ai=n |
       / | train-ai=D@4
User-agent:\nContent-Usage: train-ai=n\n\nUser-agent: *\nDisallow: | / |  | train-ai=n
Content-Signal: /a ai-train=n o | /a |  | ai-train=n o
Content-Usage: train-ai=n\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no | / |
       train-ai=D@2 train-ai=D@4
Content-Usage: train-ai=y, ai-use=y, search=y | / | train-ai=A@2 ai-use=A@2 search=A@2
Content-Usage: train-ai=n, ai-use=n, search=n | / | train-ai=D@2 ai-use=D@2 search=D@2
Content-Signal: ai-train=yes, ai-input=yes, search=yes | / |
       train-ai=A@2 ai-use=A@2 search=A@2
Content-Signal: ai-train=no, ai-input=no, search=no | / |
       train-ai=D@2 ai-use=D@2 search=D@2
""",
    4,
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_example_states_this_in_every_dialect(dialect: str) -> None:
    wrong = []
    for lines, url, said, odd in EXAMPLES:
        body = lines if "User-agent" in lines else STAR + lines
        found = usage(body, url, dialect=dialect)
        # 1994 F6: preferences do not change the verdict.
        plain = re.sub("(?im)^(content-|license)", "x\\g<0>", body)
        same = [ask(it, url, "mybot", dialect=dialect) for it in (body, plain)]
        assert same[0] is same[1]
        not_understood = " & ".join(it.term for it in found.not_understood)
        if (stated(found), not_understood, found.read) != (said, odd, ("robots.txt",)):
            wrong.append((lines, url, stated(found), not_understood))

    assert wrong == []


def test_example_19_preference_ends_a_list_of_names() -> None:
    """The preference is only for the name above it, but the Disallow line is for both names."""
    body = (
        "User-agent: mybot\nContent-Usage: train-ai=n\nUser-agent: other\nDisallow: /x"
    )

    for dialect in DIALECTS:
        assert usage(body, dialect=dialect)["train-ai"] is D
        assert usage(body, robot="other", dialect=dialect) == Usage(
            read=("robots.txt",)
        )
        for robot in ("mybot", "other"):
            robots = RobotsTxt.parse(body, dialect=dialect)
            assert not robots.allowed("http://h.test/x", robot)


@pytest.mark.parametrize(
    ("dialect", "statements"),
    [("1994", "train-ai=D@2"), ("rfc9309", "train-ai=D@2 search=D@5")],
)
def test_usage_u2_second_record_counts_where_its_rules_do(
    dialect: str, statements: str
) -> None:
    first = "User-agent: rex\nContent-Usage: train-ai=n\n\n"
    body = first + "User-agent: rex\nContent-Usage: search=n\n"

    assert (
        stated(RobotsTxt.parse(body, dialect=dialect).usage("/", "rex")) == statements
    )


def test_example_16_use_is_handed_over() -> None:
    body = (
        f"{STAR}Content-Signal: x=y\nContent-Signal: use=Reference\n"
        "Content-Signal: /full/ use=full, search=yes, use=reference"
    )

    assert usage(body).use == "Reference"
    assert usage(body, "/full/x").use == "full"
    assert usage(STAR).use is usage(f"{STAR}Content-Usage: use=full").use is None


def test_example_22_license_of_the_record_or_of_the_file() -> None:
    """A license before the first record is for robots whose record has no license (RSL 1.0)."""
    body = (
        "License: https://e.x/all.xml\nLicense: https://e.x/all.xml\nUser-agent: other\n"
        f"License:\nLicense: https://e.x/other.xml\nDisallow: /\n\n{STAR}Disallow:"
    )

    for dialect in DIALECTS:
        found = usage(body, dialect=dialect)
        assert found.licenses == ("https://e.x/all.xml",)
        assert not found.statements
        assert not found.not_understood
        licenses = usage(body, robot="other", dialect=dialect).licenses
        assert licenses == ("https://e.x/other.xml",)


def test_record_is_the_one_of_the_dialect() -> None:
    body = f"User-agent: mybot\nContent-Usage: train-ai=n\n\n{STAR}Content-Usage: train-ai=y"
    found = {
        it: usage(body, robot="mybot-news", dialect=it)["train-ai"] for it in DIALECTS
    }

    assert found == {it: A if it in GROUPED else D for it in DIALECTS}
    listed = "User-agent: mybot yourbot\nContent-Usage: train-ai=n"
    assert usage(listed, robot="yourbot", dialect="revisited")["train-ai"] is D
    assert usage(listed, robot="yourbot")["train-ai"] is U


def test_answer_is_the_most_restrictive_and_never_made_up() -> None:
    """AIPREF vocab-08, 5.1."""
    found = usage(
        f"{STAR}Content-Usage: train-ai=y, search=y\n"
        "Content-Signal: ai-train=no, ai-input=no"
    )

    assert [found[it] for it in ("train-ai", "search", "ai-use", "tdm")] == [D, A, D, U]
    assert (found["search"], f"{found['search'].value}") == ("allow", "allow")
    with pytest.raises(KeyError, match="ai-train"):
        found["ai-train"]
    forbidden = found.forbids(["search", "ai-use", "train-ai"])
    assert forbidden is not None
    assert str(forbidden) == 'train-ai disallow: "ai-train=no" in robots.txt line 3'
    assert found.forbids(["search"]) is found.forbids([]) is None


def test_usage_of_two_sources_is_added_up_and_pickled() -> None:
    """A crawl with a JOBDIR pickles usage preferences when it retries a request."""
    first = usage(f"{STAR}Content-Usage: train-ai=y\nLicense: http://a")
    second = usage(
        f"{STAR}Content-Usage: train-ai=n, search=Y\nLicense: http://a\nLicense: b"
    )
    both = first.with_(second)

    assert both["train-ai"] is D
    assert both.licenses == ("http://a", "b")
    assert [str(it) for it in both.not_understood] == [
        '"search=Y" in the robots.txt line 2'
    ]
    assert pickle.loads(pickle.dumps(both)) == both  # noqa: S301 - our own data
    odd = first.with_(second).with_(usage(f"{STAR}Content-Usage: ai-use=N"))
    assert [it.term for it in odd.not_understood] == ["search=Y", "ai-use=N"]
    one, two = Usage(tdm_policy="1", use="1"), Usage(tdm_policy="2", use="2")
    for added in (one.with_(two), Usage().with_(two), two.with_(Usage())):
        assert (added.tdm_policy, added.use) == ("2", "2")


def test_nothing_unprintable_is_exported_or_in_the_text_of_a_statement() -> None:
    odd = "\x1b[31m\udcff"
    found = usage(f"{STAR}Content-Signal: search=no, ai-train=\x07")
    (statement,), (said,) = found.statements, found.not_understood
    statement = replace(statement, term=odd, where=odd)
    exported = Usage((statement,), (odd,), odd, odd, (said,), ("meta",)).for_export()

    assert str(statement).isprintable()
    encoded = "%1B[31m%FF"
    assert exported.statements == (replace(statement, term=encoded),)
    assert exported.licenses == (encoded,)
    assert exported.tdm_policy == exported.use == encoded
    assert [it.term for it in exported.not_understood] == ["ai-train=%07"]
    assert exported.read == ("meta",)


def test_url_may_be_bytes_and_few_odd_values_are_kept() -> None:
    body = f"{STAR}Content-Usage: /\u00e9 search=n\n" + "Content-Usage: search=N\n" * 30
    found = RobotsTxt.parse(body).usage("http://h.test/\u00e9".encode(), "mybot")

    assert found["search"] is D
    assert len(usage(body).not_understood) == 20


@pytest.mark.parametrize(("length", "answer"), [(16_384, D), (16_385, U)])
def test_long_value_is_not_understood(length: int, answer: Answer) -> None:
    value = 'search=n;x="'.ljust(length - 1, "a") + '"'

    assert usage(f"{STAR}Content-Usage: {value}")["search"] is answer


SHAPES = {
    "members": ("", "a=n,"),
    "parameters": ("a=n", ";b=1"),
    "open list": ("a=(", "1 "),
    "quotes": ('a="', '\\"'),
    "commas": ("", ","),
    "spaces": ("a", " "),
}


@pytest.mark.parametrize("field", ["Content-Usage", "Content-Signal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_value_is_read_in_linear_time(shape: str, field: str) -> None:
    """A Content-Usage value that exceeds the limit is not parsed."""
    first, more = SHAPES[shape]
    steps = []
    for size in (1_500, 15_000, 500_000):
        value = first + more * (size // len(more)) + "="
        read = partial(usage, f"{STAR}{field}: {value}\n{field}: search=y, search=yes")
        steps.append(calls(read))
        assert read()["train-ai"] is U
    assert steps[1] < 11 * steps[0]
    if field == "Content-Usage":
        assert steps[2] < 1_000


def test_question_that_takes_too_long_is_answered_by_what_is_forbidden_anywhere() -> (
    None
):
    """O28: if matching would take too long, a purpose disallowed for some path is disallowed."""
    rules = "".join(
        f"Content-Usage: /*{'a' * 90}{it}* train-ai=n\n" for it in range(2_000)
    )
    for url in ("/" + "a" * 8_000, "/"):
        found = usage(f"{STAR}{rules}License: l\nContent-Usage: search=y\n", url)

        assert found["train-ai"] is D
        assert found["search"] is U
        assert (found.licenses, found.read) == (("l",), ("robots.txt",))


def test_missing_extra_is_named_and_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "http_sf", None)
    robots = RobotsTxt.parse(f"{STAR}Content-Usage: A=n\nDisallow: /a\n")

    assert not robots.allowed("/a", "mybot")
    assert "R030" in [it.code for it in robots.problems]
    for body in (robots.body, b""):
        with pytest.raises(MissingExtra, match=r"'scrapy_robots1994\[usage\]'"):
            RobotsTxt.parse(body).usage("/", "mybot")
