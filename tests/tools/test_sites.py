"""The effects and causes in the tables of `python -m tools.oracle.sites`."""

from __future__ import annotations

from tools.oracle import sites

HOST = "h.test"


def examined(text: str) -> sites.Site:
    """Return the answers of all readers about a file, with causes."""
    return sites.examine((HOST, text.encode(), True, False))


def test_one_question_for_each_rule() -> None:
    """Wildcards are filled, a final `$` is removed, and duplicates are omitted."""
    body = (
        b"User-agent: *\nDisallow: /*.php$\nAllow: a b\nDisallow:\nDisallow: /*.php$\n"
    )
    urls = sites.question_urls(HOST, body)
    assert urls == [f"http://{HOST}/x.php", f"http://{HOST}/a%20b", f"http://{HOST}/"]


def test_wildcard_rule_opens_and_allow_closes_in_1994() -> None:
    """These are the main differences between 1994 and RFC 9309."""
    opened = examined("User-agent: *\nDisallow: /a*b\n")
    closed = examined("User-agent: *\nDisallow: /\nAllow: /open\n")
    assert sites.effect(opened, "1994 literal", "protego") == "only opens"
    assert sites.effect(closed, "1994 literal", "protego") == "only closes"
    assert sites.effect(closed, "rfc9309 literal", "protego") == "unchanged"
    row = "| 1994 literal | protego | 0 | 1 | 1 | 0 |"
    assert row in sites.table([opened, closed], [("1994 literal", "protego")])


def test_difference_from_protego_has_a_cause() -> None:
    """The cause of a difference is the leniency that makes it."""
    site = examined(
        "User-agent: *\nDisalow: /typo\nDisallow: /typo/\nDisallow: /typo\n"
    )
    assert site.causes == []
    misspelt = examined(
        "User-agent: *\nAllow: /typo\nDisalow: /typo/longer\nAllow: /typo/l\n"
    )
    assert site.name == misspelt.name
    other = examined(
        "User-agent: *\nDisallow: /x\nAllow: /x/index.html\nDisallow: /x/\n"
    )
    assert [cause for cause, _, _ in other.causes] == [
        "`index.html` also allows its folder (not in the RFC)"
    ]
