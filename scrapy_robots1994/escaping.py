"""Make text from files and URLs safe to print, and hide passwords."""

import re
from collections.abc import Iterable
from textwrap import wrap

# The patterns are compiled on first use, because most crawls need none of them.

# Ours O25: control characters (C0, DEL, C1), line and paragraph separators, lone surrogates, and
# characters that are invisible or change the direction of text.
_UNPRINTABLE = (
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

# The user name and password of a URL. Database clients may decode the password in their error
# messages, so it may contain a `/`, `?`, `#` or space.
_CREDENTIALS = (
    r"(?<=//)(?:"
    # A host and a port follow the `@`.
    r"\S{0,300}@(?=[\w.-]{1,255}:\d)"
    # What follows the first colon is not a port, so it is a password.
    r"|(?!\[)[^/?#\s@:]*:(?!\d*(?:[/?#\s]|\Z))[^/?#\s@]*[/?#\s].{0,300}@"
    r"|[^/?#\s]*@"
    r")"
)
_UNENDED = r"(?<=//)[^/?#\s]{256,}\Z"
_SCHEME = r"(?a)[A-Za-z][\w+.-]*://"

# Database clients print their settings in forms such as "password=hunter2" and "token: abc".
# "/etc/passwd: …" does not match.
_NAMED_CREDENTIAL = (
    r"(?i)(?<![\w./\\-])"
    r"([\w.-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|auth)['\"]?\s*[:=]\s*)"
    r"(?:'[^']*'|\"[^\"]*\"|[^\s,;&'\"]+)"
)

# Control characters, and characters that XML or UTF-8 cannot represent
_UNWRITABLE = "[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]"


# The first character of a command to a CI service, such as `::error` or `##vso[`. A `::` begins a
# command only at the start of the text or after white space, unless it begins an IPv6 address.
# `##[` and `##word[` begin a command anywhere.
_COMMAND = r"(?a)(?:(?<=\s)|\A):(?=:(?![0-9A-Fa-f:.]*(?:[\s/\],;]|\Z)))|#(?=#\w*\[)"


def _escape(match: re.Match[str]) -> str:
    r"""Return the escape of one character, such as `\x1b`, `\u202e` or `\U000e0041`.

    A surrogate escape (Ours O17) becomes the escape of its byte, such as `\xe9`.
    """
    char = match[0]
    if "\udc80" <= char <= "\udcff":
        char = chr(ord(char) - 0xDC00)
    if char.isascii():
        return f"\\x{ord(char):02x}"
    return char.encode("ascii", "backslashreplace").decode()


def percent_encode_control_chars(text: str) -> str:
    """Percent-encode ASCII control characters, lone surrogates, U+FFFE and U+FFFF.

    The result can be written in XML and in every Unicode encoding. A surrogate escape becomes the
    percent-encoding of its byte.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNWRITABLE, _percent_encode, text)


def _percent_encode(match: re.Match[str]) -> str:
    try:
        octets = match[0].encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = match[0].encode("utf-8", "surrogatepass")
    return "".join(f"%{octet:02X}" for octet in octets)


def escape_control_chars(text: str, width: int = 120) -> str:
    r"""Return *text* as one printable line of at most *width* characters. A cut line ends with `…`.

    Characters that are invisible, move the cursor, end a line, change the direction of writing,
    begin a CI command or cannot be encoded become escapes such as `\x1b`.
    """
    shown = text[: width + 1]
    if not (shown.isascii() and shown.isprintable()):
        shown = re.sub(_UNPRINTABLE, _escape, shown)
    if "::" in shown or "##" in shown:
        shown = re.sub(_COMMAND, _escape, shown)
    return shown if len(shown) <= width else shown[: max(width - 1, 0)] + "…"


def wrap_and_escape(text: str, width: int) -> list[str]:
    """Wrap *text* at *width* characters, and escape each line.

    A line with escapes may have up to twice *width* characters. Escaping comes last, because
    wrapping may put a `::` at the beginning of a line.
    """
    return [escape_control_chars(line, 2 * width) for line in wrap(text, width)]


def escape_json(text: str) -> str:
    """Escape `##` in JSON, because it can begin a CI command."""
    return text.replace("##", "#\\u0023")


def redact_credentials(text: str) -> str:
    """Remove the user name and password from each URL in *text*."""
    return re.sub(_CREDENTIALS, "", text) if "@" in text else text


def redact_secrets(text: str, secrets: Iterable[str]) -> str:
    """Replace *secrets*, and the values in forms such as `password=…`, with `***`. Remove the
    credentials from URLs.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return re.sub(_NAMED_CREDENTIAL, r"\1***", redact_credentials(text))


def redact_url(url: str) -> str:
    """Remove the user name, password and query from *url*, which may be malformed.

    A password may contain any character, so everything between the scheme and the last `@` is
    removed. If a `?` precedes that `@`, only the scheme is left.
    """
    before, at, place = url.rpartition("@")
    scheme = re.match(_SCHEME, before) if at else None
    # After a `?`, the `@` may be part of a password in the query.
    shown = "" if "?" in before else place.partition("?")[0]
    return (scheme[0] if scheme else "") + shown


def redact_and_escape(text: str, width: int = 500) -> str:
    """Return *text* as one printable line without credentials."""
    # Ours O25. Search only the beginning, because the text may be long.
    shown = text[: width + 1_000]
    if len(shown) < len(text):
        # The credentials may continue after the cut.
        shown = re.sub(_UNENDED, "…", shown)
    return escape_control_chars(redact_credentials(shown), width)


def one_line(raised: BaseException) -> str:
    """Return the message of *raised* as one printable line without passwords."""
    # Twisted's `ResponseFailed`, which Scrapy may wrap, keeps the underlying exceptions in
    # `reasons`.
    cause = raised.__cause__
    found = getattr(raised, "reasons", None) or getattr(cause, "reasons", None)
    each = [getattr(reason, "value", reason) for reason in found or [raised]]
    said = "; ".join(map(_message, each))
    return redact_and_escape(" ".join(said.split()), 200)


def _message(raised: object) -> str:
    name = type(raised).__name__
    match getattr(raised, "args", ()):
        case [bytes(word)]:
            # The message of Twisted's InvalidHeaderName is only the name of the header.
            return f"{name}: {word.decode('latin-1')}"
    # httpx's InvalidURL quotes an invalid port, which may be the beginning of a password.
    return name if name == "InvalidURL" else str(raised) or name
