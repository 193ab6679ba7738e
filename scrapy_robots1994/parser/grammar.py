"""The grammar: bytes to text, and the named patterns every reader of that text is made
from.
"""

import re
from collections.abc import Iterable, Iterator

# 1994 F3: the optional space. Ours O6: what an author cannot see, spaces and tabs.
SPACE = " \t"
_SPACES = f"[{SPACE}]*"
# What may stand between a value and the NL that ends its line; 1994 F2: CR NL is one
# line end, too.
UNSEEN = SPACE + "\r"

# 1994 F5: what begins a comment.
COMMENT = "#"

# 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else.
LINE = re.compile(r"([^\r\n]+)(\r\n|\r|\n|\Z)|()(\r\n|\r|\n)")

# 1994 F6: the two fields there are.
USER_AGENT = "user-agent"
DISALLOW = "disallow"


# 1994 F5: a comment. Ours O13: the `#` needs no space before it.
COMMENTS = re.compile(f"{COMMENT}.*")


def _field(name: str) -> str:
    """Return a pattern of a line up to its value, with the field *name*."""
    # 1994 F3: a line is field name, colon, optional space, value.
    # Ours O15: space before the colon and at the start of the line is accepted.
    return f"{_SPACES}{name}{_SPACES}:{_SPACES}"


def _line(name: str, value: str, *, usual: str = "") -> re.Pattern[str]:
    """Return the pattern of a line without a comment, the end of the line before it
    too, with the field *name* and a value that begins like *value*.

    A line that begins with *usual* is found in half the time.
    """
    # 1994 F4: names of fields compare without case; of ASCII letters only, no other
    # letter is a spelling of them.
    field = _field(f"(?ai:{name})")
    start = f"(?:{usual}|{field})" if usual else field
    # 1994 F3, F5: the space after the last visible character is not of the value.
    return re.compile(f"\n{start}({value}.*(?<![{UNSEEN}]))")


# 1994 D1: a rule is a path. Ours O20: without a leading `/` it matches nothing.
PATH_LINE = _line(DISALLOW, "/", usual="Disallow: ")
# Ours O19: or it is an absolute URL.
SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
URL_LINE = _line(DISALLOW, SCHEME)
# Ours X1: a rule of the extended dialect; the first group is empty for Allow.
ORDERED_LINE = _line("(dis)?allow", f"(?:/|{SCHEME})")
# Ours X4
DELAY_LINE = _line("crawl-delay", f"[^\n{UNSEEN}]")


def _in_bytes(pattern: str) -> re.Pattern[bytes]:
    """Return *pattern* for bytes in lower case, whose lines end with NL or CR NL."""
    return re.compile(pattern.encode())


# Ours O12, O10: a User-agent line with no name, or with only a version, is ignored.
_NAME = f"[^\n{COMMENT}{UNSEEN}/]"
# The group is the name without its version, perhaps with space after it. The pattern
# begins with a word, for which there is a quick search: whether the word begins a line
# is for the reader of the match to see.
AGENT_LINE = _in_bytes(f"{USER_AGENT}{_SPACES}:{_SPACES}({_NAME}[^\n{COMMENT}/]*).*")
_AGENT = f"{USER_AGENT}{_SPACES}:{_SPACES}{_NAME}"


def _next_line(*starts: str) -> re.Pattern[bytes]:
    """Return the pattern of a line that starts like one of *starts*, after space."""
    return _in_bytes(f"\n{_SPACES}(?:{'|'.join(starts)})")


# 1994 F1: a blank line. Ours O6: a line of spaces and tabs only is blank.
_BLANK = "\r?\n"
# Each without and with Allow, which is a rule of the extended dialect (Ours X2).
_RULES = tuple(f"({name}{_SPACES}:)" for name in (DISALLOW, "(?:dis)?allow"))
# The group is the rule, if it is one.
RULE_OR_BLANK = tuple(_next_line(_BLANK, rule) for rule in _RULES)
RULE_OR_AGENT = tuple(_next_line(_AGENT, rule) for rule in _RULES)
# What ends a record that has a rule. Ours O7: a User-agent line does, too. Most lines
# are neither, and their first character is enough to see it.
BOUNDARY = _in_bytes(f"\n(?=[{UNSEEN}\n{USER_AGENT[0]}]){_SPACES}(?:{_BLANK}|{_AGENT})")

_LONE_CR = re.compile(r"\r(?!\n)")
_LONE_CR_BYTE = re.compile(rb"\r(?!\n)")

_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
_ANY_MARK = tuple(_MARKS)


def encoding_of(body: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that *body* begins with, perhaps none, and its
    encoding.
    """
    # Ours O16: one mark is stripped; UTF-16 is decoded only when its mark says so.
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def as_utf8(body: bytes) -> bytes:
    """Return the text of *body* as UTF-8, bytes that are none still in it; one byte
    order mark at its start is left out.
    """
    if not body.startswith(_ANY_MARK):
        return body
    mark, encoding = encoding_of(body)
    text = body.removeprefix(mark)
    return text if encoding == "utf-8" else text.decode(encoding, "replace").encode()


def decode(text: bytes) -> str:
    """Return *text* read as UTF-8, for any bytes."""
    # Ours O17: undecodable bytes are replaced; dropping them could make a known field
    # of an unknown one.
    return text.decode("utf-8", "replace")


def whole_lines(text: bytes) -> bytes:
    """Return *text* without its last line when that line has no end."""
    return text[: max(text.rfind(b"\r"), text.rfind(b"\n")) + 1]


def without_lone_cr(text: bytes) -> bytes:
    """Return *text* with the same lines, none of them ended by CR alone."""
    # 1994 F2: CR ends a line, too.
    if b"\r" in text and _LONE_CR_BYTE.search(text):
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text


# What one pattern looks at before others may run: a match holds all threads.
_SLICE = 32_768


def slices(text: str) -> Iterable[str]:
    """Return *text*, framed, in parts that each hold whole lines, the NL before them
    too.

    A pattern that looks at one line at a time finds in the parts what it finds in the
    whole.
    """
    return _slices(text) if len(text) > _SLICE else (text,)


def _slices(text: str) -> Iterator[str]:
    """Yield the parts of a long *text*."""
    start = 0
    while len(text) - start > _SLICE:
        end = text.find("\n", start + _SLICE)
        if end < 0:
            break
        yield text[start:end]
        start = end
    yield text[start:]


def found_in(text: str, line: re.Pattern[str]) -> list[str]:
    """Return the values of all lines of a kind in *text*."""
    if len(text) <= _SLICE:
        return line.findall(text)
    return [value for part in _slices(text) for value in line.findall(part)]


def framed(text: str) -> str:
    """Return *text* as the patterns above want it: every line between two NL, none
    ended by a CR alone, and a blank line at the end.
    """
    # 1994 F2: CR ends a line, too.
    if "\r" in text and _LONE_CR.search(text):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"\n{text}\n\n"
