"""Make text from files and URLs safe to print: control characters and credentials never
reach a terminal or a log.
"""

import re
from collections.abc import Iterable
from textwrap import wrap

# Ours O25: control characters are ordinary in a value, and never printed as they are.
# C0, DEL and C1; line and paragraph separators; marks that change the direction of text
# or are invisible; the byte order mark; lone surrogates, which no stream can encode.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]",
)

# User name and password of a URL anywhere in a text. Drivers and clients also print a
# password decoded, with `/`, `?`, `#` or a space: such a URL has a host and port behind its
# last `@`, or something else than a port behind its first colon.
_CREDENTIALS = re.compile(
    r"(?<=//)(?:"
    r"\S{0,300}@(?=[\w.-]{1,255}:\d)"
    r"|(?!\[)[^/?#\s@:]*:(?!\d*(?:[/?#\s]|\Z))[^/?#\s@]*[/?#\s].{0,300}@"
    r"|[^/?#\s]*@"
    r")"
)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*://", re.ASCII)

# "password=hunter2", "'password': 'hunter2'", "token: abc", as drivers quote their own
# connection settings in the texts of exceptions; not a path such as "/etc/passwd: …".
_NAMED_SECRET = re.compile(
    r"(?<![\w./\\-])"
    r"([\w.-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|auth)['\"]?\s*[:=]\s*)"
    r"(?:'[^']*'|\"[^\"]*\"|[^\s,;&'\"]+)",
    re.IGNORECASE,
)

# What a text in UTF-8 cannot have (lone surrogates), and XML neither.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

_CUT = "…"

# What begins a command of a CI system in its log: `::` at the start of a line, and
# anywhere `##[`, `##vso[` and `##teamcity[`.
_COMMAND = re.compile(r"(?:(?<=\s)|\A):(?=:)|#(?=#\w*\[)", re.ASCII)


def _escape(match: re.Match[str]) -> str:
    r"""Return the escape of one character: `\\x1b`, `\\u202e` or `\\U000e0041`.

    A byte that is not UTF-8 is shown as that byte (O17).
    """
    char = match[0]
    if "\udc80" <= char <= "\udcff":
        char = chr(ord(char) - 0xDC00)
    if char.isascii():
        return f"\\x{ord(char):02x}"
    return char.encode("ascii", "backslashreplace").decode()


def percent_encode_control_chars(text: str) -> str:
    """Return *text* with control characters and lone surrogates percent-encoded.

    Every encoding of Unicode, and XML, can write what is returned. A surrogate escape
    becomes the byte that it is the escape of.
    """
    # Nearly every text.
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

    Characters that move a cursor, end a line, change the direction of writing or cannot
    be encoded become escapes such as `\\x1b`. Longer text ends with `…`.
    """
    shown = text[: width + 1]
    # Nearly every URL; a line is logged for each refused one.
    if not (shown.isascii() and shown.isprintable()):
        shown = _UNPRINTABLE.sub(_escape, shown)
    if "::" in shown or "##" in shown:
        shown = _COMMAND.sub(_escape, shown)
    return shown if len(shown) <= width else shown[: max(width - 1, 0)] + _CUT


def wrap_and_escape(text: str, width: int) -> list[str]:
    """Return *text* in lines of about *width* characters, each safe to print.

    The lines are made safe, not the text: what is in the middle of a text, as `::`, may
    come to begin a line.
    """
    # Only escapes make a line longer.
    return [escape_control_chars(line, 2 * width) for line in wrap(text, width)]


def escape_json(text: str) -> str:
    """Return JSON that means the same and holds no command of a CI system.

    A string with `##[` in it would be one, anywhere in a line.
    """
    return text.replace("##", "#\\u0023")


def is_printable(text: str) -> bool:
    """Return whether `escape_control_chars` leaves *text* as it is, at any width."""
    is_plain = text.isascii() and text.isprintable()
    return is_plain or _UNPRINTABLE.search(text) is None


def redact_credentials(text: str) -> str:
    """Return *text* without the user names and passwords of the URLs in it.

    Every message that may have a URL passes this function.
    """
    return _CREDENTIALS.sub("", text) if "@" in text else text


def redact_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return *text* without *secrets*, values named as secrets, and credentials of URLs."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _NAMED_SECRET.sub(r"\1***", redact_credentials(text))


def redact_url(url: str) -> str:
    """Return a *url*, right or misspelt, without user, password and query.

    Nothing before its last `@` is left but a scheme with its slashes: the password may
    have any character, and the slashes may be missing.
    """
    before, at, place = url.rpartition("@")
    scheme = _SCHEME.match(before) if at else None
    return (scheme[0] if scheme else "") + place.partition("?")[0]


def redact_and_escape(text: str, width: int = 500) -> str:
    """Return *text* for a log line: without credentials, on one line, safe to print."""
    # Ours O25: a host of a URL may hold anything, too; and a proxy's URL with its
    # password is in the message of many exceptions. What is not shown is not searched.
    return escape_control_chars(redact_credentials(text[: width + 1_000]), width)


def one_line(raised: BaseException) -> str:
    """Return what *raised* says, on one printable line that names no password.

    Twisted has it in a list, of failures or exceptions; Scrapy wraps that once more.
    """
    # "[<twisted.python.failure.Failure …>]" says nothing to a reader of the log.
    cause = raised.__cause__
    found = getattr(raised, "reasons", None) or getattr(cause, "reasons", None)
    each = [getattr(reason, "value", reason) for reason in found or [raised]]
    said = "; ".join(map(_message, each))
    return redact_and_escape(" ".join(said.split()), 200)


def _message(raised: object) -> str:
    """Return the message of *raised*, or the name of its class."""
    name = type(raised).__name__
    # httpx takes the password of a proxy, up to a slash, for a port, and quotes it.
    return name if name == "InvalidURL" else str(raised) or name
