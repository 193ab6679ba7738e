"""Decide which URLs a rule covers."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\\]*)(.*)", re.DOTALL)
"""The scheme, authority and rest of a URL. A backslash ends the authority, as a slash does."""

PORTS = {"http": "80", "https": "443"}
ENCODED_SLASH = chr(0x100)
"""Stands for a percent-encoded slash (O18). No other octet decodes to this character."""


def as_text(url: bytes | str) -> str:
    """Return *url* as text, with undecodable bytes as surrogates (O17)."""
    return url.decode("utf-8", "surrogateescape") if isinstance(url, bytes) else url


def octets(text: str) -> bytes:
    """Encode *text*, with undecodable bytes restored (O17)."""
    return text.encode("utf-8", "surrogateescape")


@lru_cache(1 << 16)
def written(text: str) -> str:
    """Return *text* with one character per octet, and with its escapes unchanged."""
    return octets(text).decode("latin-1")


@lru_cache(1 << 16)
def sent(text: str) -> str:
    """Percent-encode blanks, control characters and octets outside ASCII, as clients do (O18)."""
    return re.sub(r"[^!-~]", lambda it: f"%{ord(it[0]):02X}", written(text))


@lru_cache(1 << 16)
def unescaped(text: str) -> str:
    """Percent-decode *text* into one character per octet, and `%2F` into `ENCODED_SLASH` (O18)."""

    def octet(match: re.Match[str]) -> str:
        code = int(match.group(1), 16)
        return ENCODED_SLASH if code == ord("/") else chr(code)

    return re.sub(r"%([0-9A-Fa-f]{2})", octet, written(text))


def split_url(url: str) -> tuple[str, str]:
    """Return the origin as written, or "", and the target without its fragment (O26)."""
    url = url.partition("#")[0]
    match = ABSOLUTE.fullmatch(url)
    origin, target = (url[: match.start(3)], match.group(3)) if match else ("", url)
    if origin and target.startswith("\\"):
        # The backslash ends the authority, but is not part of the target (O27).
        target = target[1:]
    return origin, target if target.startswith("/") else "/" + target


def normalised_origin(origin: str) -> str:
    """Return *origin* in lower case, with an ASCII host, without final dots or a default port."""
    match = ABSOLUTE.fullmatch(origin)
    if not match:
        return origin
    scheme, place = match.group(1).lower(), match.group(2)
    # Look for the port after the `]`, because IPv6 addresses contain colons too.
    end = place.find("]") + 1
    host, _, port = place[end:].partition(":")
    host = place[:end] + host
    host = host.lower().rstrip(".")
    if not host.isascii():
        # A host that has no ASCII form is kept as it is.
        with suppress(UnicodeError):
            host = host.encode("idna").decode()
    port = "" if port == PORTS.get(scheme) else port
    return f"{scheme}://{host}" + (f":{port}" if port else "")


def without_dots(target: str, dot: str, end: str) -> str:
    """Remove dot segments from the path of *target* (RFC 3986 5.2.4).

    *dot* is a pattern for one dot. A dot segment at the end is replaced with *end*, which is "/" or
    "".
    """
    path, mark, query = target.partition("?")
    result: list[str] = []
    segments = path.split("/")[1:]
    for place, segment in enumerate(segments):
        is_one = re.fullmatch(dot, segment) is not None
        is_two = re.fullmatch(dot + dot, segment) is not None
        if is_two:
            result = result[:-1]
        if not (is_one or is_two):
            result.append(segment)
        elif place == len(segments) - 1:
            result += [""] * len(end)
    return ("/" + "/".join(result) if result else "/") + mark + query


def in_query(target: str) -> str:
    """Decode the query of *target* as aiohttp does."""

    def spelled(match: re.Match[str]) -> str:
        character = chr(int(match.group(1), 16))
        is_decoded = re.fullmatch(r"[A-Za-z0-9._~!$'()*,?/:@-]", character)
        return character if is_decoded else match.group().upper()

    path, mark, query = target.partition("?")
    return path + mark + re.sub("%([0-9A-Fa-f]{2})", spelled, query)


STEPS: tuple[Callable[[str], str], ...] = (
    lambda it: re.sub("[\t\r\n]", "", it),
    lambda it: re.sub(r"[ \t\n\r\x0b\x0c]+\Z", "", it),
    lambda it: "?".join([it.split("?")[0].replace("\\", "/"), *it.split("?")[1:]]),
    lambda it: without_dots(it, "[.]", ""),
    lambda it: without_dots(it, "(?:[.]|%2[eE])", "/"),
    lambda it: re.sub(r"\A([^?]*)\?\Z", r"\1", it),
    lambda it: re.sub(r"\A([^?]*/[^/?;]*);[^/?]*(?=\?|\Z)", r"\1", it),
    in_query,
    lambda it: re.sub(r"\A//(?!//)", "////", it),
)
"""Changes that clients and servers may make to a target (O27)."""

MOST_SPELLINGS, MOST_CHARACTERS = 24, 12_000


def spellings(url: bytes | str) -> tuple[list[tuple[str, str]], bool]:
    """Return the spellings of *url* as pairs of origin and target (O27).

    The second result is true if there are too many spellings to compare all of them.
    """
    origin, target = split_url(as_text(url))
    found = [target]
    for each in found:
        for step in STEPS:
            found += [] if step(each) in found else [step(each)]
    most = max(4, min(MOST_SPELLINGS, MOST_CHARACTERS // len(target)))
    return [(origin, each) for each in found[:most]], len(found) > most


def is_robots_txt(target: str) -> bool:
    """Whether *target* is robots.txt itself, which is always allowed (O22)."""
    return unescaped(target) == "/robots.txt"


def begins(target: str, value: str) -> bool:
    """Whether *target* begins with *value*, as sent or after both are decoded (D1, O18)."""
    return sent(target).startswith(sent(value)) or unescaped(target).startswith(
        unescaped(value)
    )


def without_user(url: str) -> str:
    """Drop the user name and password (O19)."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\\]*@", r"\1", url)


def without_case(url: str) -> str:
    """Return *url* with its scheme and authority in lower case.

    An encoded `?` or backslash ends the authority too (O19).
    """
    head = re.match(r"(?i)[a-z][a-z0-9+.-]*://(?:(?!%3f|%5c)[^/?#\\])*", url)
    return url[: head.end()].lower() + url[head.end() :] if head else url


def covers(value: str, origin: str, target: str) -> bool:
    """Whether a rule with *value* covers the URL that consists of *origin* and *target*.

    The value may be a path (D1, O18), a URL (O19) or neither (O20).
    """
    if value.startswith("/"):
        return begins(target, value)
    if not ABSOLUTE.fullmatch(value) or not origin:
        return False  # O20
    # O19: user name, password, and the case of the authority are ignored. The rule covers a URL
    # that begins with its value, even if the value ends within the authority (D1). The rule also
    # covers a URL with the same normalized origin, if the target begins with the rule's path.
    value, origin = without_user(value), without_user(origin)
    if begins(without_case(origin + target), without_case(value)):
        return True
    rule_origin, rule_target = split_url(value)
    same = normalised_origin(rule_origin) == normalised_origin(origin)
    return same and begins(target, rule_target)
