"""Origin and target: who a robots.txt speaks for, and what part of a URL its rules are
compared with.
"""

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import NamedTuple

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HIGHEST_PORT = 65535
_CACHED_CHARS = 500  # more than a host has, and mostly a user with a password

# A WebSocket begins with a GET at the same host and port.
_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_URL = re.compile(r"[\x00-\x20]*(https?|wss?)://([^/?#]*)", re.IGNORECASE | re.ASCII)
_HTTP = re.compile(r"[\x00-\x20]*https?:", re.IGNORECASE | re.ASCII)
_URL_HEAD = re.compile(r"[\x00-\x20]*[A-Za-z][A-Za-z0-9+.-]*://[^/?#\\]*")
# To some clients a backslash ends the authority, and some remove control characters: which
# host such a URL names depends on who reads it.
_AMBIGUOUS = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")
# Other letters become these under IDNA, such as a fullwidth solidus.
_DELIMITERS = re.compile(r"[\x00-\x1f\x7f/?#@:\\]")
_AUTHORITY = re.compile(r"(?:\[([^\]]*)\]|([^:\[\]]*))(?::([0-9]*))?", re.ASCII)


class Origin(NamedTuple):
    """Scheme, host and port: what one robots.txt speaks for.

    The host is in lower case, without a trailing dot and without the brackets of an
    IPv6 address. The scheme is http or https: `ws://h` has the origin `http://h`, and
    `wss://h` has `https://h`.
    """

    scheme: str
    host: str
    port: int

    @staticmethod
    def of(url: str | bytes) -> "Origin | None":
        """Return the origin of *url*; None when its scheme is not http, https, ws or wss,
        or when it names no host, or another one to other clients. Never raises.
        """
        if isinstance(url, bytes):
            url = url.decode("utf-8", "replace")
        head = _URL.match(url)
        if head is None:
            return None
        scheme, authority = head.groups()
        # Thousands that are as long as a file would stay in the cache.
        is_short = len(authority) <= _CACHED_CHARS
        find = _origin_of if is_short else _origin_of.__wrapped__
        # One text for all origins, which the cache and policies share.
        return find(_SCHEMES[scheme.lower()], authority)

    @property
    def robots_url(self) -> str:
        """The one URL where the policy of this origin is stated."""
        # 1994 M1: the policy is the file at the local URL /robots.txt.
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        """Return the origin as URLs begin, the default port left out: `https://x:8443`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_default = self.port == _DEFAULT_PORTS.get(self.scheme)
        return f"{self.scheme}://{host}" + ("" if is_default else f":{self.port}")


def is_http(url: str) -> bool:
    """Return whether *url* is an http or https URL with an origin: a file may be fetched
    from there.
    """
    return _HTTP.match(url) is not None and Origin.of(url) is not None


@lru_cache(maxsize=16384)
def _origin_of(scheme: str, authority: str) -> Origin | None:
    """Return the origin that *authority* names under *scheme*, user info dropped."""
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
    """Return the shortest spelling of an IPv6 address; *text* in lower case when it is
    none.
    """
    try:
        return str(IPv6Address(text))
    except ValueError:
        return text.lower()


def _host(text: str) -> str:
    """Return *text* as the name that is looked up: lower case, no trailing dot,
    punycode when it can be; "" when it would become several parts of a URL.
    """
    host = text.lower().rstrip(".")
    if host.isascii():
        # Mostly equal: one text, not two, for as long as the origin is in memory.
        return text if host == text else host
    try:
        name = host.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        return host
    return "" if _DELIMITERS.search(name) else name


def target_of(url: str) -> str:
    """Return what rules are compared with: path and query of *url* as sent, `/` when
    both are empty.

    A path alone (`/x?y`) is its own target. Never raises.
    """
    return target_behind(len(head_of(url)), url)


def target_behind(head_length: int, url: str) -> str:
    """Return the same of a *url* whose head has a known length."""
    # Ours O26: the fragment is not sent, so it is not compared.
    target = url[head_length:].partition("#")[0]
    if target.startswith("/"):
        return target
    # Behind an authority `\` is a slash to Scrapy, and to browsers.
    return "/" + (target[1:] if head_length and target.startswith("\\") else target)


def head_of(url: str) -> str:
    """Return scheme and authority of *url*, what stands before its target; empty when
    *url* is a path.
    """
    head = _URL_HEAD.match(url)
    return head[0] if head else ""
