"""Origin and target: the scheme, host and port to which a robots.txt applies, and the
part of a URL that its rules are compared with.
"""

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import NamedTuple

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HIGHEST_PORT = 65535
_CACHED_CHARS = 500  # more than a host has, and usually also a user with a password

# A WebSocket begins with a GET at the same host and port.
_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_URL = re.compile(r"[\x00-\x20]*(https?|wss?)://([^/?#]*)", re.IGNORECASE | re.ASCII)
_HTTP = re.compile(r"[\x00-\x20]*https?:", re.IGNORECASE | re.ASCII)
_URL_HEAD = re.compile(r"[\x00-\x20]*[A-Za-z][A-Za-z0-9+.-]*://[^/?#\\]*")
# For some clients a backslash ends the authority, and some clients remove control
# characters. So such a URL names different hosts for different clients.
_AMBIGUOUS = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")
# IDNA turns some other characters into these, such as a fullwidth solidus.
_DELIMITERS = re.compile(r"[\x00-\x1f\x7f/?#@:\\]")
_AUTHORITY = re.compile(r"(?:\[([^\]]*)\]|([^:\[\]]*))(?::([0-9]*))?", re.ASCII)


class Origin(NamedTuple):
    """Scheme, host and port: one robots.txt applies to all URLs of an origin.

    The host is in lower case, without a trailing dot and without the brackets of an
    IPv6 address. The scheme is http or https: `ws://h` has the origin `http://h`, and
    `wss://h` has `https://h`.
    """

    scheme: str
    host: str
    port: int

    @staticmethod
    def of(url: str | bytes) -> "Origin | None":
        """Return the origin of *url*. Never raises.

        Return `None` if the scheme is not http, https, ws or wss, if *url* names no host,
        or if it names different hosts for different clients.
        """
        if isinstance(url, bytes):
            url = url.decode("utf-8", "replace")
        head = _URL.match(url)
        if head is None:
            return None
        scheme, authority = head.groups()
        # Do not cache long authorities: thousands of them would take much memory.
        is_short = len(authority) <= _CACHED_CHARS
        find = _origin_of if is_short else _origin_of.__wrapped__
        # Use the scheme from the dict: all origins then share the same string.
        return find(_SCHEMES[scheme.lower()], authority)

    @property
    def robots_url(self) -> str:
        """The URL of the robots.txt of this origin."""
        # 1994 M1: the policy is the file at the local URL /robots.txt.
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        """Return the origin as the beginning of a URL, without a default port:
        `https://x:8443`.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_default = self.port == _DEFAULT_PORTS.get(self.scheme)
        return f"{self.scheme}://{host}" + ("" if is_default else f":{self.port}")


def is_http(url: str) -> bool:
    """Return whether *url* is an http or https URL with an origin, so that a file can be
    fetched from it.
    """
    return _HTTP.match(url) is not None and Origin.of(url) is not None


@lru_cache(maxsize=16384)
def _origin_of(scheme: str, authority: str) -> Origin | None:
    """Return the origin that *authority* names with *scheme*, without user information."""
    parts = _AUTHORITY.fullmatch(authority.rpartition("@")[2])
    if parts is None or _AMBIGUOUS.search(authority):
        return None
    host = _ipv6(parts[1]) if parts[1] is not None else _host(parts[2])
    # A port of more than five digits is out of range whatever the digits are.
    digits = (parts[3] or "").lstrip("0") or ("0" if parts[3] else "")
    if not host or len(digits) > len(str(_HIGHEST_PORT)):
        return None
    port = int(digits) if digits else _DEFAULT_PORTS[scheme]
    return Origin(scheme, host, port) if port <= _HIGHEST_PORT else None


def _ipv6(text: str) -> str:
    """Return the shortest spelling of an IPv6 address; for any other *text*, return it in
    lower case.
    """
    try:
        return str(IPv6Address(text))
    except ValueError:
        return text.lower()


def _host(text: str) -> str:
    """Return *text* as the name that clients look up: in lower case, without a trailing
    dot, and in punycode if possible.

    Return "" if the name would become several parts of a URL.
    """
    host = text.lower().rstrip(".")
    if host.isascii():
        # Usually both strings are equal: return the same object, to save memory.
        return text if host == text else host
    try:
        name = host.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        return host
    return "" if _DELIMITERS.search(name) else name


def target_of(url: str) -> str:
    """Return the target of *url*, which rules are compared with: path and query as sent,
    or `/` if both are empty.

    *url* may also be only a path (`/x?y`), which is its own target. Never raises.
    """
    return target_behind(len(head_of(url)), url)


def target_behind(head_length: int, url: str) -> str:
    """Like `target_of`, when the length of scheme and authority is known."""
    # Ours O26 (fragments): the fragment is not sent, so it is not compared.
    target = url[head_length:].partition("#")[0]
    if target.startswith("/"):
        return target
    # After an authority, `\` is a slash for Scrapy and for browsers.
    return "/" + (target[1:] if head_length and target.startswith("\\") else target)


def head_of(url: str) -> str:
    """Return scheme and authority of *url*, the part before its target; "" if *url* is
    only a path.
    """
    head = _URL_HEAD.match(url)
    return head[0] if head else ""
