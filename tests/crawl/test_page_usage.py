"""`page_usage`: usage preferences in the headers and meta tags of a page.

The examples follow AIPREF vocab-08 and attach-05, TDMRep of May 2024, and RSL 1.0, as in
`docs/preferences.rst`.
"""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from scrapy_robots1994 import Answer, Usage, page_usage
from tests.support.rows import rows

URL = "http://h.example/"
D, A, U = Answer.DISALLOW, Answer.ALLOW, Answer.UNSTATED
CU, XR, TDM, POLICY = "Content-Usage", "X-Robots-Tag", "tdm-reservation", "tdm-policy"


def usage(
    headers: list[tuple[str, str]], body: str = "", kind: type[Response] = HtmlResponse
) -> Usage:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(value)
    return page_usage(kind(URL, headers=found, body=body.encode()), "mybot")


def stated(found: Usage) -> str:
    return ", ".join(
        f"{it.purpose}={it.answer.value[0].upper()} {it.where}"
        for it in found.statements
    )


def meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


# The columns are headers, body, statements, and terms that are not understood.
EXAMPLES = rows(
    r"""
Content-Usage: train-ai=n, search=y & content-usage: train-ai=y |  |
       train-ai=A header Content-Usage, search=A header Content-Usage
Content-Usage: train-ai=n & Content-Usage: search=y, |  |  | train-ai=n, search=y,
tdm-reservation: 1 | <meta name="TDM-Reservation" content="0"> |
       tdm=A meta tag tdm-reservation
tdm-reservation: true |  |  | true
tdm-reservation: 0 | <meta name="tdm-reservation" content="1">
      <meta name="tdm-policy" content="http://p"> | tdm=D meta tag tdm-reservation
X-Robots-Tag: otherbot: noai, noindex |  |
X-Robots-Tag: noindex & X-Robots-Tag: mybot: NOAI |  | train-ai=D header X-Robots-Tag
| <meta name=robots content=all><meta name="MyBot" content="noai, noimageai"> |
       train-ai=D meta tag mybot
| <meta name="robots" content="noimageai"> |
Content-Usage: train-ai=y | <meta name="robots" content="noai"> |
       train-ai=A header Content-Usage, train-ai=D meta tag robots
| <meta name="r&#111;bots" content="no&#97;i"> | train-ai=D meta tag robots
| <meta name="tdm-reservation" content=""><meta name="tdm-reservation" content=" "> |
X-Robots-Tag: noai noimageai |  |  | noai noimageai
tdm-reservation: 1 | <meta name="tdm-reservation" content="yes"> |
       tdm=D header tdm-reservation | yes
tdm-reservation: 0 & tdm-reservation: 1 |  | tdm=D header tdm-reservation
Content-Usage: train-ai=no, search=n |  | search=D header Content-Usage | train-ai=no
X-Robots-Tag: googlebot: noindex, mybot: noai |  | train-ai=D header X-Robots-Tag
X-Robots-Tag: unavailable_after: 25 Jun 2027 15:00:00 GMT, noai |  |
       train-ai=D header X-Robots-Tag
| <meta name=' robots ' content=' noai '> | train-ai=D meta tag robots
tdm-reservation: \x201\x20 |  | tdm=D header tdm-reservation
tdm-reservation: | <meta name="tdm-reservation" content="1"> |
       tdm=D meta tag tdm-reservation
| <meta name="tdm-reservation" content="0"><meta name="tdm-reservation" content="1"> |
       tdm=D meta tag tdm-reservation
Content-Usage: train-ai=n & Content-Usage: search=y |  | train-ai=D header Content-Usage,
       search=A header Content-Usage
Content-Usage: /a train-ai=n |  |  | /a train-ai=n
Content-Usage: Train-AI=n |  |  | Train-AI=n
""",
    4,
)


def test_page_states_this() -> None:
    for lines, body, said, odd in EXAMPLES:
        parts = [it.partition(": ") for it in lines.split(" & ") if it]
        found = usage([(name.rstrip(":"), value) for name, _, value in parts], body)
        assert stated(found) == said, (lines, body)
        assert " & ".join(it.term for it in found.not_understood) == odd, (lines, body)
        assert found.read == ("header", "meta")


def test_example_25_noimageai_of_an_image() -> None:
    """An image has no meta tags, so only its headers are read."""
    found = usage([(XR, "noimageai"), ("Content-Type", "Image/PNG")], kind=Response)

    assert found["train-ai"] is D
    assert found.read == ("header",)


def test_tdm_policy_belongs_to_a_reservation() -> None:
    """TDMRep: a policy in a meta tag replaces one in a header."""
    assert usage([(TDM, "1"), (POLICY, " http://h ")]).tdm_policy == "http://h"
    both = usage([(TDM, "1"), (POLICY, "http://h")], meta(POLICY, "http://m"))
    assert both.tdm_policy == "http://m"
    assert usage([(TDM, "0"), (POLICY, "http://h")]).tdm_policy is None
    assert usage([(POLICY, "http://h")]).tdm_policy is None


@pytest.mark.parametrize(
    ("links", "licenses"),
    [
        (['<http://l/>; rel="license"; type="application/rsl+xml"'], ("http://l/",)),
        (['<a>; rel=x, <b>; rel="license y"; type=application/rsl+xml', "<c>"], ("b",)),
        (['<a>; title="x, y <z>"; type="Application/RSL+XML"; REL=License'], ("a",)),
        (["<a>; rel=license; type=application/rsl+xml"] * 2, ("a",)),
        (["<>; rel=license; type=application/rsl+xml"], ()),
        (["<http://l/>; rel=license"], ()),
        (["<http://l/>; rel=sublicense; type=application/rsl+xml"], ()),
        (["<<<<" * 20_000], ()),
    ],
)
def test_license_of_a_link_header(links: list[str], licenses: tuple[str, ...]) -> None:
    """RSL 1.0: the URL is returned as written."""
    found = usage([("Link", it) for it in links])

    assert found.licenses == licenses
    assert not found.statements


HEADERS = (
    'a="' * 30_000,
    "a=(" + "1 " * 30_000,
    ",;" * 30_000,
    "noai " * 20_000,
    "\xff",
)


@pytest.mark.parametrize("kind", [Response, TextResponse, XmlResponse, HtmlResponse])
@pytest.mark.parametrize("value", HEADERS)
def test_any_header_is_read(value: str, kind: type[Response]) -> None:
    headers: dict[Any, Any] = dict.fromkeys((CU, XR, TDM, "Link"), [value] * 3)
    found = page_usage(kind(URL, headers=headers, body=value.encode()), "mybot")

    assert not found.statements
    assert len(found.not_understood) <= 20


def test_wide_page_is_read_and_an_endless_header_is_not() -> None:
    """A page in UTF-16 contains `noai`, but not as the bytes b"noai"."""
    wide = HtmlResponse(URL, body=meta("robots", "noai").encode("utf-16"))
    assert page_usage(wide, "mybot")["train-ai"] is D
    long = usage([(CU, "train-ai=n," + "x=y," * 9_000 + "a=b")])
    assert (long["train-ai"], len(long.not_understood)) == (U, 1)
