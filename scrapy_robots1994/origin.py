"""The origin and the target of a URL."""

import re
from ipaddress import IPv6Address
from typing import NamedTuple

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HIGHEST_PORT = 65535

# A WebSocket connection begins with an HTTP request to the same host and port.
_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
# If the authority contains a backslash or control character, clients disagree about the host.
_NOT_IN_AUTHORITY = r"/?#\x00-\x1f\x7f-\x9f\\"
_URL = re.compile(
    r"[\x00-\x20]*(https?|wss?)://"
    rf"(?:[^{_NOT_IN_AUTHORITY}]*@)?(?:\[([^{_NOT_IN_AUTHORITY}@\]]*)\]|([^{_NOT_IN_AUTHORITY}@:\[\]]*))"
    r"(?::(?:0*([0-9]{1,5}))?)?(?=[/?#]|\Z)",
    re.IGNORECASE | re.ASCII,
)
_HTTP = r"(?ai)[\x00-\x20]*https?:"
_URL_HEAD = re.compile(r"[\x00-\x20]*[A-Za-z][A-Za-z0-9+.-]*://[^/?#\\]*")
# IDNA may produce a delimiter: for example, it maps a fullwidth solidus to `/`.
_DELIMITERS = r"[\x00-\x1f\x7f/?#@:\\]"


class Origin(NamedTuple):
    """The scheme, host and port of a URL. Each origin has its own robots.txt.

    The scheme is http for ws:// URLs and https for wss:// URLs. The host is in lower case, without
    trailing dots and without the brackets of an IPv6 address.
    """

    scheme: str
    host: str
    port: int

    @staticmethod
    def of(url: str | bytes) -> "Origin | None":
        """Return the origin of *url*, or None if it has none. Never raises.

        A URL has no origin if its scheme is not http, https, ws or wss, its host is missing, its
        port is invalid, or clients might disagree about its host.
        """
        if isinstance(url, bytes):
            url = url.decode("utf-8", "replace")
        match = _URL.match(url)
        if match is None:
            return None
        written_scheme, address, name, written_port = match.groups()
        scheme = _SCHEMES[written_scheme.lower()]
        host = _ipv6(address) if name is None else name.lower().rstrip(".")
        if name is not None and not host.isascii():
            host = _in_punycode(host)
        port = int(written_port) if written_port else _DEFAULT_PORTS[scheme]
        return Origin(scheme, host, port) if host and port <= _HIGHEST_PORT else None

    @property
    def robots_url(self) -> str:
        """The URL of this origin's robots.txt."""
        # 1994 M1
        return f"{self}/robots.txt"

    def __str__(self) -> str:
        """Return `scheme://host`, and the port unless it is the default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_default = self.port == _DEFAULT_PORTS.get(self.scheme)
        return f"{self.scheme}://{host}" + ("" if is_default else f":{self.port}")


def is_http(url: str) -> bool:
    return re.match(_HTTP, url) is not None and Origin.of(url) is not None


def _ipv6(text: str) -> str:
    try:
        return str(IPv6Address(text))
    except ValueError:
        return text.lower()


def _in_punycode(host: str) -> str:
    """Return the ASCII form in which clients look up *host*, or *host* if it cannot be encoded.

    Return "" if IDNA turns a character of *host* into a delimiter.
    """
    try:
        name = host.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        return host
    return "" if re.search(_DELIMITERS, name) else name


def target_of(url: str) -> str:
    """Return the path and query of *url* as written, or `/` if both are empty. Never raises.

    *url* is a URL, or a path such as `/x?y`.
    """
    return head_and_target(url)[1]


def head_and_target(url: str) -> tuple[str, str]:
    """Split *url* into its scheme and authority ("" if *url* is a path) and its target."""
    match = _URL_HEAD.match(url)
    head = match[0] if match else ""
    # Ours O26
    target = url[len(head) :].partition("#")[0]
    if target.startswith("/"):
        return head, target
    # Scrapy and browsers treat a `\` after the authority as a slash.
    return head, "/" + (target.removeprefix("\\") if head else target)
