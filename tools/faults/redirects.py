"""Redirects of a robots.txt, its statuses, and origins without an HTTP server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import replies
from tests.support.replies import Reply
from tools.faults.fault import RULES, Fault, Row

if TYPE_CHECKING:
    from tests.support.site import Site

FILE = replies.text(RULES)


def to(location: str, status: int = 302) -> Reply:
    """Redirect to *location*."""
    return replies.redirect(location, status)


def chain(slug: str, what: str, row: Row, length: int, requested: int) -> Fault:
    """Return a chain of redirects on one host, with a valid file at its end."""
    hops = [(f"/{number}", to(f"/{number + 1}")) for number in range(1, length)]
    return Fault(
        slug, what, row, to("/1"), requested, further=(*hops, (f"/{length}", FILE))
    )


LOCATIONS: tuple[tuple[str, str, Row, str, int], ...] = (
    ("loop", "to itself", "R5", "/robots.txt", 1),
    ("loop-fragment", "to itself, another fragment", "R5", "/robots.txt#1", 1),
    ("loop-2", "to one that leads back", "R5", "/back", 2),
    ("to-path", "to a path", "R1", "/file", 2),
    ("to-host", "to another host", "R1", "http://{b}/robots.txt", 2),
    ("to-user", "to one with credentials", "R1", "http://u:secret@{b}/robots.txt", 2),
    ("to-scheme", "to https", "R1", "https://{s}/robots.txt", 2),
    ("to-404", "to a 404", "R4", "http://{b}/gone", 2),
    ("to-403", "to a 403", "R3", "http://{b}/private", 2),
    ("to-503", "to a 503", "R5", "http://{b}/down", 2),
    ("to-reset", "to a reset", "R5", "http://{b}/reset", 2),
    ("to-refused", "to a closed port", "R5", "{refused}", 1),
    ("to-no-name", "to a name without address", "R5", "http://b.invalid/robots.txt", 1),
    ("to-file", "to file:", "R5", "file:///etc/hostname", 1),
    ("to-data", "to data:", "R5", "data:text/plain,User-agent:%20x", 1),
    ("to-ftp", "to ftp:", "R5", "ftp://127.0.0.1/robots.txt", 1),
    ("to-script", "to javascript:", "R5", "javascript:alert(1)", 1),
    ("to-nonsense", "to no address", "R5", "http://[broken", 1),
    ("to-empty", "with an empty Location", "R5", "", 1),
    ("to-bytes", "to bytes that are no text", "R5", "/down?\u00ff\u00fe", 2),
)
"""Slug, what, row, Location and requests of each 302; `{b}` is another host."""

LANDINGS = {
    "/back": to("/robots.txt"),
    "/file": FILE,
    "/gone": replies.status(404),
    "/private": replies.status(403),
    "/down": replies.status(503),
    "/reset": replies.reset(),
}
COOKIE = (("Location", "/robots.txt"), ("Set-Cookie", "seen=1"))


def redirects(site: Site) -> list[Fault]:
    """Return redirects of /robots.txt, and script their targets on *site*."""
    for target, reply in LANDINGS.items():
        site.answer(target, reply)
    places = []
    for slug, what, row, location, requested in LOCATIONS:
        secure = site.secure_url("", host=f"{slug}--b.test").removeprefix("https://")
        place = location.format(
            b=site.url("", host=f"{slug}--b.test").removeprefix("http://"),
            s=secure,
            refused=site.refused_url("/robots.txt"),
        )
        places.append(Fault(slug, what, row, to(place), requested))
    return [
        chain("chain-5", "a chain of 5 redirects", "R1", 5, 6),
        chain("chain-6", "a chain of 6 redirects", "R5", 6, 6),
        chain("chain-30", "a chain of 30 redirects", "R5", 30, 6),
        *places,
        Fault(
            "loop-cookie", "to itself with a cookie", "R5", Reply(302, headers=COOKIE)
        ),
        Fault("to-301", "301 to a path", "R1", to("/file", 301), 2),
        Fault("to-308", "308 to a path", "R1", to("/file", 308), 2),
        Fault("to-nowhere", "302 without Location", "R5", replies.status(302, RULES)),
        Fault("to-300", "300 with a Location", "R5", to("/file", 300)),
        Fault("to-304", "304 to no condition", "R5", Reply(304, length=0)),
        Fault("back-again", "503, then the file", "R1", [replies.status(503), FILE], 2),
    ]


def without_server(site: Site) -> list[Fault]:
    """Return origins without an HTTP server of their scheme."""
    return [
        Fault("refused", "connection refused", "R5", None, 0, at=site.refused_url("")),
        Fault(
            "no-name",
            "the name has no address",
            "R5",
            None,
            0,
            at="http://name.invalid",
        ),
        Fault(
            "tls-to-plain",
            "TLS to a plain port",
            "R5",
            None,
            0,
            at=site.url("", host="tls-to-plain.test").replace("http:", "https:"),
            hangs=True,  # the server waits for the end of a line
        ),
        Fault(
            "plain-to-tls",
            "plain to a TLS port",
            "R5",
            None,
            0,
            at=site.secure_url("", host="plain-to-tls.test").replace("https:", "http:"),
        ),
    ]


def certificates(expired: Site, wrong_name: Site) -> list[Fault]:
    """Origins whose certificate a crawl that verifies it must reject."""
    wrong = wrong_name.secure_url("", host="tls-wrong-name.test")
    return [
        Fault(
            "tls-expired",
            "an expired certificate",
            "R5",
            None,
            0,
            at=expired.secure_url("", host="tls-expired.test"),
        ),
        Fault(
            "tls-wrong-name", "a certificate of another host", "R5", None, 0, at=wrong
        ),
    ]


def row_of(status: int) -> Row:
    """Return the row of a status, by §3 of the standard's notes."""
    if status == 204:  # no content, so an empty file
        return "R1 empty"
    if status in (401, 403):
        return "R3"
    if status // 100 == 2:
        return "R1"
    if status == 407:
        return "R7"
    is_temporary = status in (408, 421, 425, 429)
    return "R4" if status // 100 == 4 and not is_temporary else "R5"


def statuses() -> list[Fault]:
    """Return each status from 200 to 599, with the same file as its body."""
    return [
        Fault(
            f"s{status}",
            f"status {status}",
            row_of(status),
            replies.status(status, b"" if status in (204, 304) else RULES),
        )
        for status in range(200, 600)
    ]
