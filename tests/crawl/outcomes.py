"""What each answer to GET /robots.txt means (R1 to R5, R7)."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tests.support import replies
from tests.support.crawl import DAY, HOUR
from tests.support.replies import UNDECLARED, Reply
from tests.support.site import Site

RULES = b"User-agent: *\nDisallow: /closed\n"
FETCHED = "fetched"
PAUSE = 300.0
"""The shortest lifetime of a file, and the pause after a failure, in seconds."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The expected effects of an answer.

    *opened* and *closed* say how the requests for /open and /closed end. *log* is part of
    the log line, with placeholders. *kept* is the lifetime of the policy, in seconds. If *shared*,
    the answer is stored for other crawls.
    """

    opened: str
    closed: str
    outcome: str
    log: str
    level: Literal["DEBUG", "INFO", "WARNING"] = "DEBUG"
    kept: float = DAY
    attempts: int = 1
    shared: bool = True


IN_WORDS = {PAUSE: "5 min", 600: "10 min", 900: "15 min", HOUR: "1 h", DAY: "24 h"}
IN_WORDS[1_000] = "1000 s"
FRESH = "HTTP {status}, {outcome}, asked again in {kept}"
REFUSED = (
    'all URLs of the origin are refused unless ROBOTS1994_UNREACHABLE = "allow"; '
    "asked again in {kept}"
)
R1 = Meaning(FETCHED, "rule", "parsed", FRESH)
AGAIN = replace(R1, attempts=2)
R1_EMPTY = replace(R1, closed=FETCHED)
R3 = Meaning("forbidden", "forbidden", "forbidden", FRESH, "WARNING", HOUR)
R4 = Meaning(FETCHED, FETCHED, "absent", FRESH)
R5 = Meaning(
    "unreachable",
    "unreachable",
    "unreachable",
    REFUSED,
    "WARNING",
    PAUSE,
    attempts=4,
    shared=False,
)
R5_FINAL = replace(R5, attempts=1)
"""R5 without retries, as after a redirect that leads nowhere."""
R7 = Meaning(
    "failed",
    "failed",
    "",
    "requests that wait for it fail with this exception",
    "WARNING",
    0.0,
    shared=False,
)


@dataclass(frozen=True, slots=True)
class Row:
    """An answer to GET /robots.txt, and its meaning.

    *at* is the origin, or "" for `{slug}.test`. *requests* is the number of requests to the origin
    per attempt. If *by_proxy*, the requests use the server as their proxy.
    """

    slug: str
    answer: Reply | Sequence[Reply] | None
    means: Meaning
    requests: int = 1
    at: str = ""
    by_proxy: bool = False

    @property
    def log(self) -> str:
        """The text that the log line about the first fetch must contain."""
        status = self.answer.status if isinstance(self.answer, Reply) else 200
        if status // 100 == 3:
            status = {"absent": 404, "forbidden": 403}.get(self.means.outcome, 200)
        outcome, kept = self.means.outcome, IN_WORDS.get(self.means.kept)
        return self.means.log.format(status=status, outcome=outcome, kept=kept)


def meaning_of(status: int) -> Meaning:
    if status // 100 == 2:
        return R1_EMPTY if status == 204 else R1
    if status in {401, 403}:
        return R3
    if status == 407:
        # Only a proxy may send 407.
        return replace(R7, log="the proxy refused our credentials (HTTP 407)")
    if status in {408, 421, 425, 429} or status // 100 == 5:
        return R5
    return R4 if status // 100 == 4 else R5_FINAL


def raw(text: bytes) -> Reply:
    return Reply(head=False, raw=True, body=text, ending="close")


def headed(*headers: tuple[str, str], status: int = 200) -> Reply:
    return Reply(status, RULES, headers)


def coded(body: bytes, *codings: str) -> Reply:
    return Reply(200, body, (("Content-Encoding", ", ".join(codings)),))


def of_statuses(statuses: Iterable[int]) -> Iterator[Row]:
    for status in statuses:
        body = b"" if status in (204, 304) else RULES
        yield Row(f"s{status}", replies.status(status, body), meaning_of(status))


SOME_STATUSES = (
    *(200, 204, 206, 299, 300, 304, 400, 401, 402, 403, 404, 407, 408, 410, 418),
    *(421, 425, 429, 451, 500, 502, 503, 504),
)

OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n" % len(RULES)
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%b\r\n" % (len(RULES), RULES)
TRANSFERS = [
    Row("truncated", replies.truncated(RULES, 500), R5),
    Row("hang-up", replies.hang_up(), R5),
    Row("reset", replies.reset(), R5),
    Row("half-head", raw(OK + b"Content-Ty"), R5),
    Row("chunked", raw(CHUNKED + CHUNK + b"0\r\n\r\n"), R1),
    Row("chunk-size", raw(CHUNKED + b"zz\r\n" + RULES), R5),
    Row("chunk-cut", raw(CHUNKED + b"ffff\r\n" + RULES), R5),
    Row("bare", raw(RULES), R5),
    Row("status-999", raw(b"HTTP/1.1 999 No\r\n" + LENGTH + RULES), R5),
    Row("endless", replies.endless(RULES), R5),
    Row("header-1mb", headed(("X-Long", "x" * 2**20)), R5),
    *(
        Row(f"again-{number}", [answer, replies.text(RULES)], AGAIN)
        for number, answer in enumerate(
            [replies.status(503), replies.reset(), replies.status(429, Retry_After="0")]
        )
    ),
]

NO_LENGTH = Row("no-length", Reply(body=RULES, length=UNDECLARED, ending="close"), R5)
"""A body with neither a Content-Length nor chunks may be incomplete. Of Scrapy's download handlers,
only the one based on Twisted reports such a body.
"""

PACKED = gzip.compress(RULES + bytes(range(256)) * 40, mtime=0)
MEMBERS = gzip.compress(RULES[:14]) + gzip.compress(RULES[14:])
PACKED_CHUNK = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PACKED), PACKED)
GZIP_CHUNKED = OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n"
BOMB = gzip.compress(RULES + b"#" * 2**24, mtime=0)
CODINGS = [
    Row("gzip", coded(PACKED, "gzip"), R1),
    Row("x-gzip", coded(PACKED, "X-GZIP"), R1),
    Row("deflate", coded(zlib.compress(RULES), "deflate"), R1),
    Row("gzip-twice", coded(gzip.compress(PACKED), "gzip", "gzip"), R1),
    Row("gzip-members", coded(MEMBERS, "gzip"), R1),
    Row("gzip-tail", coded(PACKED + b"\0" * 9, "gzip"), R1),
    # `download_maxsize` also limits the size after decompression.
    Row("bomb", coded(BOMB, "gzip"), R5),
    Row("bomb-in-gzip", coded(gzip.compress(BOMB, mtime=0), "gzip", "gzip"), R5),
    Row("bad-gzip", coded(RULES, "gzip"), R5),
    Row("bad-deflate", coded(b"\xff" * 99, "deflate"), R7),
    Row("bad-br", coded(b"\xff" * 99, "br"), R7),
    # Scrapy does not recognize a content coding with a parameter.
    Row("gzip-quoted", coded(PACKED, '"gzip";q=1', "identity"), R5),
    *(
        Row(f"{it.lower()}-q", coded(RULES, f"{it};q=1"), R5)
        for it in ("Compress", "deflate", "br", "zstd")
    ),
    Row("no-coding", coded(RULES, "utf-8"), R1),
    Row("transfer-coding", raw(GZIP_CHUNKED + PACKED_CHUNK), R5),
]

THEN, LATER = "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:59:37 GMT"
DIGITS = "9" * 5_000
LIFETIMES: list[tuple[float, dict[str, str]]] = [
    (600.0, {"Cache-Control": "max-age=600"}),
    (600.0, {"Cache-Control": "public, MAX-AGE=600, max-age=900"}),
    (PAUSE, {"Cache-Control": "max-age=1"}),
    (PAUSE, {"Cache-Control": "max-age=soon"}),
    (DAY, {"Cache-Control": f"max-age={DIGITS}"}),
    (PAUSE, {"Cache-Control": "no-store, max-age=600"}),
    (PAUSE, {"Cache-Control": "public, no-cache"}),
    (600.0, {"Cache-Control": 'x-max-age=900, not-no-store, max-age = "600"'}),
    (600.0, {"Expires": LATER, "Date": THEN}),
    (PAUSE, {"Expires": THEN, "Date": LATER}),
    (PAUSE, {"Expires": THEN}),
    (PAUSE, {"Expires": "0"}),
    (PAUSE, {"Expires": f"Sun, 06 Nov 1994 {DIGITS}:00:00 GMT"}),
    (DAY, {"Expires": "Fri, 31 Dec 2199 23:59:59 GMT", "Date": THEN}),
    (900.0, {"Expires": LATER, "Date": THEN, "Cache-Control": "max-age=900"}),
    (600.0, {"Cache-Control": "max-age=900", "Age": "300"}),
    (PAUSE, {"Cache-Control": "max-age=900", "Age": "901"}),
    (900.0, {"Cache-Control": "max-age=900", "Age": "-5"}),
    (PAUSE, {"Expires": LATER, "Date": THEN, "Age": "500"}),
    (DAY, {"Age": "500"}),
]
FRESHNESS = [
    Row(f"fresh-{number}", headed(*headers.items()), replace(R1, kept=kept))
    for number, (kept, headers) in enumerate(LIFETIMES)
]
NOT_FRESHER = [
    Row("404-max-age", headed(("Cache-Control", "max-age=600"), status=404), R4),
    Row("403-max-age", headed(("Cache-Control", "max-age=99999"), status=403), R3),
]
RETRY_AFTER = [
    Row(
        f"retry-{number}",
        headed(("Retry-After", value), ("Date", date), status=503),
        replace(R5, attempts=attempts, kept=kept),
    )
    for number, (value, date, attempts, kept) in enumerate(
        [
            ("0", THEN, 4, PAUSE),
            ("31", THEN, 1, PAUSE),
            ("1000", THEN, 1, 1_000.0),
            (DIGITS, THEN, 1, DAY),
            ("-5", THEN, 4, PAUSE),
            ("soon", THEN, 4, PAUSE),
            (LATER, THEN, 1, 600.0),
            (LATER, "", 4, PAUSE),
            (THEN, LATER, 4, PAUSE),
        ]
    )
]

REFRESH = '<meta http-equiv="refresh" content="0; url=/x">'
FILES = [
    Row("empty", replies.text(b""), R1_EMPTY),
    Row("meta-refresh", replies.html(REFRESH), R1_EMPTY),
    Row("utf-16", replies.text(RULES.decode().encode("utf-16")), R1),
    Row("mark", replies.text(b"\xef\xbb\xbf" + RULES), R1),
    Row("charset", headed(("Content-Type", "text/plain; charset=utf-16")), R1),
    Row("image", headed(("Content-Type", "image/png")), R1),
    Row("refresh", headed(("Refresh", "0; url=/elsewhere")), R1),
    Row("location", headed(("Location", "/elsewhere")), R1),
    Row("cookie", headed(("Set-Cookie", "robots=1")), R1),
]


# Ours 3.1: through a proxy, only 2xx, 404 and 410 certainly come from the origin.
REFUSED_BY_PROXY = replace(R3, kept=PAUSE, shared=False)
PROXIED = [
    Row(f"proxied-{slug}", answer, means, by_proxy=True)
    for slug, answer, means in (
        ("200", replies.text(RULES), R1),
        ("404", replies.status(404), R4),
        ("410", replies.status(410), R4),
        ("400", replies.status(400), R5),
        ("402", replies.status(402), R5),
        ("403", replies.status(403), REFUSED_BY_PROXY),
        ("401", replies.status(401), REFUSED_BY_PROXY),
        ("451", replies.status(451), R5),
        ("407", replies.status(407), meaning_of(407)),
        ("502", replies.status(502), R5),
        ("retry", replies.status(503, Retry_After="1000"), R5_FINAL),
        ("retry-402", replies.status(402, Retry_After="1000"), R5_FINAL),
    )
]

PROXIED_ONCE = [
    Row("once-402", [replies.status(402), replies.text(RULES)], AGAIN, by_proxy=True),
]


def redirects(site: Site) -> Iterator[Row]:
    """Script the redirect targets on *site* and yield the rows (R2)."""
    to = replies.redirect
    targets = {
        "/file": replies.text(RULES),
        "/back": to("/robots.txt"),
        "/gone": replies.status(404),
        "/private": replies.status(403),
        "/down": replies.status(503),
        "/reset": replies.reset(),
        "/6": replies.text(RULES),
    }
    targets |= {f"/{number}": to(f"/{number + 1}") for number in range(1, 6)}
    for path, answer in targets.items():
        site.answer(path, answer)
    away = site.url("", host="away.test")
    file = site.url("/file", host="to-path.test")
    named = replace(R1, log=f"(redirected to {file}): {R1.log}")
    for slug, location, means, requests in (
        ("chain-5", "/2", R1, 6),
        ("chain-6", "/1", R5_FINAL, 6),
        ("loop", "/robots.txt", R5_FINAL, 6),
        ("loop-fragment", "/robots.txt#1", R5_FINAL, 6),
        ("loop-2", "/back", R5_FINAL, 6),
        ("to-path", "/file#part", named, 2),
        ("to-host", f"{away}/file", R1, 1),
        ("to-user", f"{away}/file".replace("//", "//u:p@", 1), R1, 1),
        ("to-404", f"{away}/gone", R4, 1),
        ("to-403", f"{away}/private", R3, 1),
        ("to-503", f"{away}/down", R5, 1),
        ("to-reset", f"{away}/reset", R5, 1),
        ("to-refused", site.refused_url("/robots.txt"), R5, 1),
        ("to-no-name", "http://b.invalid/robots.txt", R5, 1),
        ("to-file", "file:///etc/hostname", R5_FINAL, 1),
        ("to-ftp", "ftp://127.0.0.1/robots.txt", R5_FINAL, 1),
        ("to-percent", "http://%00/robots.txt", R5_FINAL, 1),
        ("to-long", f"http://{'x' * 64}.test/", R5_FINAL, 1),
        ("to-dots", "http://a..test/", R5_FINAL, 1),
    ):
        yield Row(slug, to(location), means, requests)
    for status in (301, 303, 307, 308):
        yield Row(f"to-{status}", to("/file", status), R1, 2)
    yield Row("to-nowhere", replies.status(302, RULES), R5_FINAL)
    yield Row("to-300", to("/file", 300), R5_FINAL)


def without_server(site: Site) -> Iterator[Row]:
    secure = site.secure_url("", host="plain-to-tls.test").replace("https:", "http:")
    yield Row("plain-to-tls", None, R5, 0, secure)
    yield Row("refused", None, R5, 0, site.refused_url(""))
    yield Row("no-name", None, R5, 0, "http://name.invalid")


def hanging(site: Site) -> Iterator[Row]:
    slow_head = Reply(
        head=False, raw=True, body=OK + b"X-A: 1\r\n" * 900, chunk=40, pause=0.05
    )
    plain = site.url("", host="tls-to-plain.test").replace("http:", "https:")
    yield Row("byte-by-byte", replies.trickle(RULES * 9, 1, 0.2), R5)
    yield Row("stops", replies.unclosed(RULES, 500), R5)
    yield Row("black-hole", replies.black_hole(), R5)
    yield Row("slow-head", slow_head, R5)
    # The server expects plain HTTP, and waits for a line that a TLS client never sends.
    yield Row("tls-to-plain", None, R5, 0, plain)
