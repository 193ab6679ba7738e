"""Make text from files and URLs safe to print.

The functions escape control characters and remove credentials, so that neither control
characters nor passwords reach a terminal or a log.
"""

import re
from collections.abc import Iterable
from textwrap import wrap

# Ours O25 (control characters): text from a file or a URL can contain control characters.
# Control characters are never printed unescaped. `_UNPRINTABLE` matches control
# characters (C0, DEL and C1), the line and paragraph separators, and the byte order mark.
# `_UNPRINTABLE` also matches characters that are invisible or change the direction of
# text, and lone surrogates, which UTF-8 cannot encode.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]",
)

# `_CREDENTIALS` matches the user name and password of a URL, anywhere in a text. Drivers
# and clients can print a decoded password that contains `/`, `?`, `#` or a space. The
# first branch of `_CREDENTIALS` matches a password without a space if a host and a port
# follow the `@`. The second branch of `_CREDENTIALS` matches a password with `/`, `?`,
# `#` or a space if the text after the first colon is not a port. The third branch of
# `_CREDENTIALS` matches credentials without `/`, `?`, `#` or a space.
_CREDENTIALS = re.compile(
    r"(?<=//)(?:"
    r"\S{0,300}@(?=[\w.-]{1,255}:\d)"
    r"|(?!\[)[^/?#\s@:]*:(?!\d*(?:[/?#\s]|\Z))[^/?#\s@]*[/?#\s].{0,300}@"
    r"|[^/?#\s]*@"
    r")"
)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*://", re.ASCII)

# `_NAMED_SECRET` matches a named secret, such as "password=hunter2" or "token: abc". The
# name and the value can be in quotes. The message of an exception from a database driver
# can contain the connection settings. `_NAMED_SECRET` does not match a path such as
# "/etc/passwd: …".
_NAMED_SECRET = re.compile(
    r"(?<![\w./\\-])"
    r"([\w.-]*(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|auth)['\"]?\s*[:=]\s*)"
    r"(?:'[^']*'|\"[^\"]*\"|[^\s,;&'\"]+)",
    re.IGNORECASE,
)

# `_UNWRITABLE` matches control characters (C0 and DEL), lone surrogates (which UTF-8 cannot
# encode), and U+FFFE and U+FFFF (which XML does not allow).
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

_CUT = "…"

# CI systems obey commands that they find in the output of a job. `_COMMAND` matches the
# first character of a command. A command begins with `::` at the start of a text or after
# white space, or with `##[`, `##vso[` or `##teamcity[` anywhere.
_COMMAND = re.compile(r"(?:(?<=\s)|\A):(?=:)|#(?=#\w*\[)", re.ASCII)


def _escape(match: re.Match[str]) -> str:
    r"""Return the escape of one character, such as `\\x1b`, `\\u202e` or `\\U000e0041`.

    According to O17 (undecodable bytes), a surrogate escape becomes the escape of the byte
    that the surrogate represents, such as `\\xe9`.
    """
    char = match[0]
    if "\udc80" <= char <= "\udcff":
        char = chr(ord(char) - 0xDC00)
    if char.isascii():
        return f"\\x{ord(char):02x}"
    return char.encode("ascii", "backslashreplace").decode()


def percent_encode_control_chars(text: str) -> str:
    """Percent-encode the control characters, lone surrogates, U+FFFE and U+FFFF in *text*.

    The result can be encoded in every Unicode encoding and written to XML. A surrogate
    escape becomes the percent-encoding of the byte that the surrogate represents.
    """
    # Fast path: nearly every text is printable ASCII.
    if text.isascii() and text.isprintable():
        return text
    return _UNWRITABLE.sub(_percent_encode, text)


def _percent_encode(match: re.Match[str]) -> str:
    """Return the percent-encoding of the bytes of one character."""
    try:
        octets = match[0].encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = match[0].encode("utf-8", "surrogatepass")
    return "".join(f"%{octet:02X}" for octet in octets)


def escape_control_chars(text: str, width: int = 120) -> str:
    r"""Return *text* as one line that is safe to print and at most *width* characters long.

    Escapes such as `\\x1b` replace characters that move a cursor, end a line or change the
    direction of writing. Invisible characters, and characters that cannot be encoded, are
    also escaped. The beginning of a command for a CI system is also escaped. If the escaped
    text is longer than *width*, the text is truncated and ends with `…`.
    """
    shown = text[: width + 1]
    # For speed, do not search text that is printable ASCII, such as most URLs. A crawl logs
    # the URL of each refused request.
    if not (shown.isascii() and shown.isprintable()):
        shown = _UNPRINTABLE.sub(_escape, shown)
    if "::" in shown or "##" in shown:
        shown = _COMMAND.sub(_escape, shown)
    return shown if len(shown) <= width else shown[: max(width - 1, 0)] + _CUT


def wrap_and_escape(text: str, width: int) -> list[str]:
    """Wrap *text* at *width* characters, and return the escaped lines.

    A line that contains escapes can be up to twice as long as *width*. Lines are escaped
    after wrapping, because wrapping can move a `::` to the start of a line.
    """
    # Allow twice the width, because an escape is longer than the escaped character.
    return [escape_control_chars(line, 2 * width) for line in wrap(text, width)]


def escape_json(text: str) -> str:
    """Return JSON that is equivalent to the JSON *text*, but does not contain `##`.

    Some CI systems read `##[` anywhere in a line as the beginning of a command.
    """
    return text.replace("##", "#\\u0023")


def redact_credentials(text: str) -> str:
    """Return *text* without the user name and password of each URL.

    Every message that can contain a URL must pass through `redact_credentials`.
    """
    return _CREDENTIALS.sub("", text) if "@" in text else text


def redact_secrets(text: str, secrets: Iterable[str]) -> str:
    """Return *text* without *secrets*, named secrets or the credentials in URLs.

    `***` replaces each of *secrets*, and each value after a name such as `password`.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _NAMED_SECRET.sub(r"\1***", redact_credentials(text))


def redact_url(url: str) -> str:
    """Return *url*, which can be malformed, without its user name, password and query.

    If *url* contains an `@`, everything up to the last `@` is removed, except the scheme
    with its slashes. Removing less would not be safe, because a password can contain any
    character, and the slashes after the scheme can be missing.
    """
    before, at, place = url.rpartition("@")
    scheme = _SCHEME.match(before) if at else None
    return (scheme[0] if scheme else "") + place.partition("?")[0]


def redact_and_escape(text: str, width: int = 500) -> str:
    """Return *text* as one printable line without credentials, for a log."""
    # Ours O25 (control characters): the host of a URL can contain any character. The
    # messages of many exceptions contain the URL of a proxy with its password. Search
    # only the part of *text* that the returned line can contain.
    return escape_control_chars(redact_credentials(text[: width + 1_000]), width)


def one_line(raised: BaseException) -> str:
    """Return the message of *raised* on one printable line without passwords.

    Some Twisted exceptions contain the underlying exceptions in the list `reasons`.
    Scrapy can wrap a Twisted exception in a Scrapy exception.
    """
    # Use the messages of the exceptions in `reasons`, because the text of the list itself
    # ("[<twisted.python.failure.Failure …>]") does not help the user.
    cause = raised.__cause__
    found = getattr(raised, "reasons", None) or getattr(cause, "reasons", None)
    each = [getattr(reason, "value", reason) for reason in found or [raised]]
    said = "; ".join(map(_message, each))
    return redact_and_escape(" ".join(said.split()), 200)


def _message(raised: object) -> str:
    """Return the message of *raised*.

    If the message is empty or might contain a password, return the name of the class.
    """
    name = type(raised).__name__
    # Hide the message of InvalidURL, because it can quote a part of a password. If the
    # password of a proxy contains a slash, httpx can read the text before the slash as a
    # port.
    return name if name == "InvalidURL" else str(raised) or name
