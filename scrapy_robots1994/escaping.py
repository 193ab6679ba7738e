"""Make text from files and URLs safe to print: control characters and credentials never
reach a terminal or a log.
"""

import re

# Ours O25: control characters are ordinary in a value, and never printed as they are.
# C0, DEL and C1; line and paragraph separators; marks that change the direction of text
# or are invisible; the byte order mark; lone surrogates, which no stream can encode.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]",
)

# User name and password of a URL anywhere in a text.
_CREDENTIALS = re.compile(r"(?<=//)[^/?#\s]*@")

_CUT = "…"

# What begins a command of a CI system in its log: `::` at the start of a line (where a
# text may be wrapped), `##[` and `##vso[` anywhere.
_COMMAND = re.compile(r"(?:(?<=\s)|\A):(?=:)|#(?=#(?:\[|vso\[))")


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


def escape_json(text: str) -> str:
    """Return JSON that means the same and holds no command of a CI system.

    A string with `##[` in it would be one, anywhere in a line.
    """
    return text.replace("##", "#\\u0023")


def is_printable(text: str) -> bool:
    """Return whether `escape_control_chars` leaves *text* as it is, at any width."""
    return _UNPRINTABLE.search(text) is None


def redact_credentials(text: str) -> str:
    """Return *text* without the user names and passwords of the URLs in it."""
    return _CREDENTIALS.sub("", text) if "@" in text else text


def redact_and_escape(text: str, width: int = 500) -> str:
    """Return *text* for a log line: without credentials, on one line, safe to print."""
    # Ours O25: a host of a URL may hold anything, too; and a proxy's URL with its
    # password is in the message of many exceptions.
    return escape_control_chars(redact_credentials(text), width)
