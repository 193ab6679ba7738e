"""The grammar: bytes to text, and the named patterns every reader of that text is made
from.
"""

import re
from collections.abc import Iterator

# 1994 F3: the optional space. Ours O6: what an author cannot see, spaces and tabs.
SPACE = " \t"
_SPACES = f"[{SPACE}]*"

# 1994 F5: what begins a comment.
COMMENT = "#"

# 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else.
LINE = re.compile(r"([^\r\n]+)(\r\n|\r|\n|\Z)|()(\r\n|\r|\n)")

# 1994 F6: the two fields there are.
USER_AGENT = "user-agent"
DISALLOW = "disallow"


def _field(name: str, value: str) -> re.Pattern[str]:
    """Return the pattern of a line, its end before it, with the field *name* and a
    value like *value*.
    """
    # 1994 F4: names of fields compare without case; of ASCII letters only, no other
    # letter is a spelling of them.
    # Ours O15: space before the colon and at the start of the line is accepted.
    # 1994 F3: a line is field name, colon, optional space, value.
    return re.compile(f"\n{_SPACES}(?ai:{name}){_SPACES}:{_SPACES}{value}")


# 1994 F5 cuts the value at the comment, F2 at the end of its line. Ours O13: the `#`
# needs no space before it.
# The value ends with its last visible character: 1994 F3 and F5 take the space after
# it. Ours O13: a `#` needs no space before it.
_VISIBLE = f"[^\r\n{COMMENT}{SPACE}]"
_REST = f"{_VISIBLE}*(?:[{SPACE}]+{_VISIBLE}+)*"

# Ours O12, O10: a User-agent line with no name, or with only a version, is ignored.
AGENT_LINE = _field(USER_AGENT, f"((?!/){_VISIBLE}{_REST})")
RULE_LINE = _field(DISALLOW, "")
# 1994 D1: a rule is a path. Ours O20: without a leading `/` it matches nothing.
PATH_LINE = _field(DISALLOW, f"(/{_REST})")
# Ours O19: or it is an absolute URL.
SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
URL_LINE = _field(DISALLOW, f"({SCHEME}{_REST})")

# Ours X1, X2: a rule of the extended dialect; the first group is empty for Allow.
ANY_RULE_LINE = _field(f"(?:{DISALLOW}|allow)", "")
ORDERED_LINE = _field("(dis)?allow", f"((?:/|{SCHEME}){_REST})")
# Ours X4
DELAY_LINE = _field("crawl-delay", f"({_VISIBLE}{_REST})")

# 1994 F1: the end of a line and a blank line after it. Ours O6: a line of spaces and
# tabs only is blank.
BOUNDARY = re.compile(f"\n{_SPACES}\r?\n")

_LONE_CR = re.compile(r"\r(?!\n)")

_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


def encoding_of(body: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that *body* begins with, perhaps none, and its
    encoding.
    """
    # Ours O16: one mark is stripped; UTF-16 is decoded only when its mark says so.
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def decode(body: bytes) -> str:
    """Return the text of *body*, for any bytes; one byte order mark at its start is
    left out.
    """
    mark, encoding = encoding_of(body)
    # Ours O17: undecodable bytes are replaced; dropping them could make a known field
    # of an unknown one.
    return body.removeprefix(mark).decode(encoding, "replace")


def whole_lines(text: str) -> str:
    """Return *text* without its last line when that line has no end."""
    return text[: max(text.rfind("\r"), text.rfind("\n")) + 1]


# What one pattern looks at before others may run: a match holds all threads.
_SLICE = 32_768


def slices(text: str) -> Iterator[str]:
    """Yield *text*, framed, in parts that each hold whole lines, the NL before them
    too.

    A pattern that looks at one line at a time finds in the parts what it finds in the
    whole.
    """
    start = 0
    while len(text) - start > _SLICE:
        end = text.find("\n", start + _SLICE)
        if end < 0:
            break
        yield text[start:end]
        start = end
    yield text[start:]


def framed(text: str) -> str:
    """Return *text* as the patterns above want it: every line between two NL, none
    ended by a CR alone, and a blank line at the end.
    """
    # 1994 F2: CR ends a line, too.
    if "\r" in text and _LONE_CR.search(text):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"\n{text}\n\n"
