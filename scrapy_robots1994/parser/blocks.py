"""Blocks: where in the bytes of a file the records of one robot stand, found without a
look at the others.

It finds what `records.py` finds (the tests hold the two against each other). It looks
at bytes in lower case: that is where searching is quickest, and what undecodable bytes
become is of no concern here.
"""

from collections.abc import Iterable, Iterator

from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.grammar import (
    AGENT_LINE,
    BOUNDARY,
    COMMENTS,
    RULE_OR_AGENT,
    RULE_OR_BLANK,
    UNSEEN,
    USER_AGENT,
    decode,
    slices,
    without_lone_cr,
)
from scrapy_robots1994.parser.records import EVERYBODY, speaks_to

_WORD, _UNSEEN = USER_AGENT.encode(), UNSEEN.encode()
_EVERYBODY = EVERYBODY.encode()
_NL = ord("\n")


def blocks_of(text: bytes, dialect: Dialect, reading: str, names: str) -> list[str]:
    """Return, for each record of *text* that applies to a robot that goes by *names*
    (see `names_of`), its lines below its first name, without comments.

    *dialect* is one whose lines say one thing each. Lines that are no rules may be
    missing, where they make no difference to the rules of the dialect.
    """
    lowered = text.lower()
    if _WORD not in lowered:
        return []
    lines = without_lone_cr(text)
    if lines is not text:
        lowered = lines.lower()
    starts: Iterable[int] = _applying(lowered, names)
    if dialect.has_allow or dialect.has_crawl_delay:
        # Ours X6: what stands between two names of a record is of that record. In the
        # dialect of 1994 nothing that stands there counts.
        starts = _record_starts(lowered, list(starts))
    blocks, end = [], 0
    for start in starts:
        # A record may say a name twice.
        if start >= end:
            end = _end(lowered, start, dialect, reading)
            block = decode(lines[start:end])
            blocks.append(_uncommented(block) if "#" in block else block)
    return blocks


def _applying(lowered: bytes, names: str) -> list[int]:
    """Return the ends of the User-agent lines that name the robot: of the one that does
    so first, or else of those that name everybody.
    """
    default = []
    for line in AGENT_LINE.finditer(lowered):
        name = line[1].rstrip(_UNSEEN)
        # 1994 A3: `*` is for robots that matched no other record.
        # Ours O2: several such records are obeyed together.
        if name == _EVERYBODY:
            if _begins_line(lowered, line.start()):
                default.append(line.end())
        # Ours O1: of several records that match, the first in the file.
        elif speaks_to(decode(name), names) and _begins_line(lowered, line.start()):
            return [line.end()]
    return default


def _record_starts(lowered: bytes, ends: list[int]) -> Iterator[int]:
    """Yield, for each of the User-agent lines with these *ends*, in order, the end of
    the first one of its record.
    """
    wanted = set(ends)
    first, last = 0, -1
    for line in AGENT_LINE.finditer(lowered):
        if not _begins_line(lowered, line.start()):
            continue
        if last < 0 or RULE_OR_BLANK[True].search(lowered, last, line.start()):
            first = line.end()
        last = line.end()
        if last in wanted:
            yield first


def _begins_line(lowered: bytes, place: int) -> bool:
    """Whether nothing but space stands between the start of its line and *place*."""
    if not place or lowered[place - 1] == _NL:
        return True
    return not lowered[lowered.rfind(b"\n", 0, place) + 1 : place].strip(_UNSEEN)


def _end(lowered: bytes, start: int, dialect: Dialect, reading: str) -> int:
    """Return where the record ends whose lines begin at *start*."""
    with_allow = dialect.has_allow
    # 1994 F1: a blank line separates records.
    # Ours O7: after a Disallow line a User-agent line starts a new record.
    found = RULE_OR_BLANK[with_allow].search(lowered, start)
    if found and not found[1] and reading == CAUTIOUS:
        # The cautious reading forbids what either reading of the blank lines forbids:
        # before the Disallow lines one is no boundary.
        found = RULE_OR_AGENT[with_allow].search(lowered, found.start())
    if found and found[1]:
        found = BOUNDARY.search(lowered, found.end())
    return found.start() if found else len(lowered)


def _uncommented(block: str) -> str:
    """Return *block* without comments."""
    # 1994 F5: the comment is discarded; the space before it goes with the value.
    return "".join(COMMENTS.sub("", part) for part in slices(block))
