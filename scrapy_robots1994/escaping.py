"""Make text from files and URLs safe to print.

Functions escape control characters and remove credentials, so that neither reaches a
terminal or a log.
"""

import re
from collections.abc import Iterable
from textwrap import wrap

# Ours O25 (control characters): a value may contain control characters, but they are never
# printed unescaped. The pattern has the control characters (C0, DEL and C1), the line and
# paragraph separators, and the byte order mark. It also has marks that are invisible or
# change the direction of text, and lone surrogates, which no stream can encode.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]",
)

# The user name and password of a URL, anywhere in a text. Drivers and clients may print a
# decoded password, with `/`, `?`, `#` or a space in it. Such a password is found if a host
# and a port follow the `@`, or if the text behind the first colon is not a port.
_CREDENTIALS = re.compile(
    r"(?<=//)(?:"
    r"\S{0,300}@(?=[\w.-]{1,255}:\d)"
    r"|(?!\[)[^/?#\s@:]*:(?!\d*(?:[/?#\s]|\Z))[^/?#\s@]*[/?#\s].{0,300}@"
    r"|[^/?#\s]*@"
    r")"
)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*://", re.ASCII)

# A named secret, such as "password=hunter2", "'password': 'hunter2'" or "token: abc":
# drivers quote their connection settings in the messages of exceptions. A path such as
# "/etc/passwd: …" does not match.
_NAMED_SECRET = re.compile(
    r"(?<![\w./\\-])"
    r"([\w.-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|auth)['\"]?\s*[:=]\s*)"
    r"(?:'[^']*'|\"[^\"]*\"|[^\s,;&'\"]+)",
    re.IGNORECASE,
)

# Control characters (C0 and DEL), and characters that UTF-8 cannot encode (lone surrogates)
# or that XML does not allow.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

_CUT = "…"

# The beginning of a command for a CI system, which reads commands in the output of a job:
# `::` at the start or after white space, and `##[`, `##vso[` and `##teamcity[` anywhere.
_COMMAND = re.compile(r"(?:(?<=\s)|\A):(?=:)|#(?=#\w*\[)", re.ASCII)


def _escape(match: re.Match[str]) -> str:
    r"""Return the escape of one character: `\\x1b`, `\\u202e` or `\\U000e0041`.

    A surrogate escape stands for a byte that is not UTF-8, and is shown as that byte (O17,
    undecodable bytes).
    """
    char = match[0]
    if "\udc80" <= char <= "\udcff":
        char = chr(ord(char) - 0xDC00)
    if char.isascii():
        return f"\\x{ord(char):02x}"
    return char.encode("ascii", "backslashreplace").decode()


def percent_encode_control_chars(text: str) -> str:
    """Return *text* with control characters and lone surrogates percent-encoded.

    The result can be written in every encoding of Unicode, and in XML. A surrogate escape
    becomes the byte that it stands for.
    """
    # Fast path for nearly every text.
    if text.isascii() and text.isprintable():
        return text
    return _UNWRITABLE.sub(_percent_encode, text)


def _percent_encode(match: re.Match[str]) -> str:
    """Return one character as the percent-encoding of its bytes."""
    try:
        octets = match[0].encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = match[0].encode("utf-8", "surrogatepass")
    return "".join(f"%{octet:02X}" for octet in octets)


def escape_control_chars(text: str, width: int = 120) -> str:
    r"""Return *text* safe to print, on one line of at most *width* characters.

    Characters that move a cursor, end a line, change the direction of writing or cannot be
    encoded become escapes such as `\\x1b`. The beginning of a command for a CI system is
    escaped, too. Longer text ends with `…`.
    """
    shown = text[: width + 1]
    # Fast path for nearly every URL, because a crawl logs a line for each refused request.
    if not (shown.isascii() and shown.isprintable()):
        shown = _UNPRINTABLE.sub(_escape, shown)
    if "::" in shown or "##" in shown:
        shown = _COMMAND.sub(_escape, shown)
    return shown if len(shown) <= width else shown[: max(width - 1, 0)] + _CUT


def wrap_and_escape(text: str, width: int) -> list[str]:
    """Return *text* in lines of about *width* characters, each safe to print.

    Lines are escaped after wrapping, because wrapping may move a `::` to the start of a
    line.
    """
    # Allow longer lines here, because escapes are longer than the escaped characters.
    return [escape_control_chars(line, 2 * width) for line in wrap(text, width)]


def escape_json(text: str) -> str:
    """Return *text*, which is JSON, as equivalent JSON without commands for a CI system.

    A CI system reads `##[` anywhere in a line as the beginning of a command.
    """
    return text.replace("##", "#\\u0023")


def is_printable(text: str) -> bool:
    """Return whether *text* has no control, invisible or unencodable character.

    Commands for CI systems are not detected.
    """
    is_plain = text.isascii() and text.isprintable()
    return is_plain or _UNPRINTABLE.search(text) is None


def redact_credentials(text: str) -> str:
    """Return *text* without the user names and passwords of the URLs in it.

    Every message that may contain a URL passes through this function.
    """
    return _CREDENTIALS.sub("", text) if "@" in text else text


def redact_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return *text* without *secrets*, without values with a name such as `password`, and
    without credentials of URLs.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _NAMED_SECRET.sub(r"\1***", redact_credentials(text))


def redact_url(url: str) -> str:
    """Return *url*, which may be misspelt, without its user name, password and query.

    If there is an `@`, only the scheme with its slashes remains before the last `@`.
    Nothing else is safe, because a password may contain any character, and the slashes may
    be missing.
    """
    before, at, place = url.rpartition("@")
    scheme = _SCHEME.match(before) if at else None
    return (scheme[0] if scheme else "") + place.partition("?")[0]


def redact_and_escape(text: str, width: int = 500) -> str:
    """Return *text* for a log line: without credentials, on one line, safe to print."""
    # Ours O25: the host of a URL may contain any character. The messages of many exceptions
    # contain the URL of a proxy with its password. Search only the part that may be shown.
    return escape_control_chars(redact_credentials(text[: width + 1_000]), width)


def one_line(raised: BaseException) -> str:
    """Return the message of *raised* on one printable line without passwords.

    Some exceptions of Twisted have the real exceptions in a list (`reasons`). Scrapy may
    wrap such an exception in an exception of its own.
    """
    # Use the exceptions in the list, because the text of the list
    # ("[<twisted.python.failure.Failure …>]") does not help a reader of the log.
    cause = raised.__cause__
    found = getattr(raised, "reasons", None) or getattr(cause, "reasons", None)
    each = [getattr(reason, "value", reason) for reason in found or [raised]]
    said = "; ".join(map(_message, each))
    return redact_and_escape(" ".join(said.split()), 200)


def _message(raised: object) -> str:
    """Return the message of *raised*, or the name of its class."""
    name = type(raised).__name__
    # Hide the message of InvalidURL. If the password of a proxy has a slash, httpx may read
    # the text before the slash as a port, and quote it in the message.
    return name if name == "InvalidURL" else str(raised) or name
