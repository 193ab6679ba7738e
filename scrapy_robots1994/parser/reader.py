"""The one reader: a text becomes lines, and lines become records, in one loop.

`parts_of` is that loop; nothing else in the package splits, matches or searches lines. It yields
a `Part` for the lines above all records, and then one for each record. `read` yields the same
lines one by one. All else takes what these two yield: `parser/records.py` makes the public
`Line` and `Record` of it, and `parser/robot_reading.py` picks what concerns one robot.

For each line there is one plain tuple, an `Entry`:

    number   from 1
    record   the record it stands in, from 1; 0 above all records. A record goes on up to
             the User-agent line that begins the next one, blank lines included
    kind     `LineKind`; ORPHAN for a rule or a pause that no record of the literal reading
             owns: with record 0 above all records, else below a blank line that ended its
             record (the cautious reading obeys those)
    field    the row of its field, if the dialect has that field; also for an ORPHAN and
             for a bad value (NAMELESS, TIMELESS); else None
    name     the name of the field as written, "" if the line has none
    value    the value as written, "" if the line has none
    read     what the value says: a tuple of names for a User-agent line, what
             `Field.read` returns for a field that has it, the value itself for others of the
             dialect; for any other field its row, if it is known by name, else None
    raw      the whole line with comment and end

A line of a field that the dialect does not have is UNKNOWN.
"""

import re
from collections.abc import Iterator
from io import StringIO
from itertools import chain
from operator import itemgetter
from sys import maxsize
from typing import Any, TypeAlias

from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import FIELD_NAMED, Field, LineKind, Role

# 1994 F3: the optional space. Ours O6: spaces and tabs, which an author cannot see.
SPACE = " \t"
# 1994 F5: begins a comment. Ours O13: the `#` needs no space before it.
COMMENT = "#"
_SPACE_OR_END = f"{SPACE}\r\n"

Entry: TypeAlias = tuple[
    int,  # number
    int,  # record
    LineKind,
    Field | None,
    str,  # name
    str,  # value
    Any,  # read
    str,  # raw
]
"""What the reader yields for a line, see above. A plain tuple: a crawl makes one for each
line of each file, and a class of its own would take longer than all else that is done
with most lines.
"""


# Before Python 3.12 each look-up of a member calls a function, and lines are many.
_BLANK, _MALFORMED = LineKind.BLANK, LineKind.MALFORMED
_ORPHAN, _UNKNOWN = LineKind.ORPHAN, LineKind.UNKNOWN
_NAMES, _RULE = Role.NAMES, Role.RULE

# The value of a User-agent line that names one robot, with a version or without.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+(?:/[A-Za-z0-9._+-]*)?|\*")


class Part:
    """The lines of a record, or those above all records, but comments.

    *agents* are its User-agent lines, *rules* its rules, with those that a blank line parts from
    it, *others* the lines of other fields of the dialect, and *without* those that have no field
    of the dialect. *names* are all names of its User-agent lines.
    """

    __slots__ = ("agents", "names", "others", "rules", "without")

    def __init__(self) -> None:
        self.agents: list[Entry] = []
        self.rules: list[Entry] = []
        self.others: list[Entry] = []
        self.without: list[Entry] = []
        self.names: list[str] = []

    @property
    def lines(self) -> list[Entry]:
        """All of them in the order of the file."""
        lines = chain(self.agents, self.rules, self.others, self.without)
        return sorted(lines, key=itemgetter(0))

    @property
    def slips(self) -> list[Entry]:
        """The lines that are no rules and that may be meant as something else."""
        is_plain = _PLAIN_NAME.fullmatch
        found = [it for it in self.agents if not is_plain(it[5])]
        # What another dialect knows is no slip.
        found += [it for it in self.without if it[6] is None and it[2] is not _BLANK]
        return found


# One loop is simpler to follow than its parts would be, and calls would cost more than all else.
def parts_of(  # noqa: C901, PLR0912, PLR0915
    text: str, dialect: Dialect, most: int | None = None
) -> Iterator[Part]:
    """Yield the lines above all records of *text*, perhaps none, and then each record.

    With *most*, they have only so many of the lines without a field, and no comments, and each
    only so many User-agent lines.
    """
    entry: Entry
    said: Any
    field_named, known_field = dialect.fields.get, FIELD_NAMED.get
    names_of = dialect.names
    has_blank_lines = dialect.has_blank_lines
    space, record, room = _SPACE_OR_END, 0, maxsize if most is None else most
    max_agents = room
    part = Part()
    # Whether lines belong to the record, which a blank line may end, and whether a
    # User-agent line now begins another one in any case.
    is_open = is_named = False
    # 1994 F2: a line ends with CR, or CR NL, or NL, and with nothing else: just what an
    # empty `newline` makes of it.
    for number, raw in enumerate(StringIO(text, newline=""), 1):
        # 1994 F5: the comment is discarded; the space before it goes with the value.
        content = raw.partition("#")[0] if "#" in raw else raw
        # 1994 F3: a line is field name, colon, optional space, value.
        name, colon, value = content.partition(":")
        if colon:
            # Mostly the name is as usually written.
            field = field_named(name)
            if field is None:
                # Ours O15: space before the colon and at the start of the line is accepted.
                name = name.strip(space)
                # 1994 F4: field names compare without case.
                key = name.lower()
                field = field_named(key)
            value = value.strip(space)
        else:
            field, name = None, name.strip(space)
        if field is None:
            said = None
            if colon and name:
                # 1994 F6: any other field is ignored, wherever it stands.
                kind, said = _UNKNOWN, known_field(key)
            elif name or colon:
                # Ours O14: a line without this form is ignored, never guessed.
                kind, name, value = _MALFORMED, "", ""
            elif content is not raw:
                # 1994 F5: a line of a comment alone vanishes, and is not blank.
                if most is not None:
                    continue
                kind = LineKind.COMMENT
            else:
                # 1994 F1: blank lines separate records. Ours O5: also where only
                # User-agent lines precede them.
                kind = _BLANK
                is_open = is_open and not has_blank_lines
            if room:
                entry = number, record, kind, None, name, value, said, raw
                part.without.append(entry)
                room -= 1
            continue
        kind, role = field.kind, field.role
        if role is _RULE:
            if not is_open:
                # Ours O4: it belongs to no record.
                kind = _ORPHAN
            elif field.ends_names:
                is_named = True
            entry = number, record, kind, field, name, value, value, raw
            part.rules.append(entry)
            continue
        if role is _NAMES:
            said = names_of(value)
            if not said:
                # Ours O12: a line that names no robot is ignored.
                kind = LineKind.NAMELESS
            # 1994 F1: after a blank line another record starts. Ours O7, X2: also after a
            # rule; X6: but not after a Crawl-delay.
            elif is_named or not is_open:
                record += 1
                is_open, is_named = True, False
                yield part
                part = Part()
            part.names += said
            if len(part.agents) < max_agents:
                entry = number, record, kind, field, name, value, said, raw
                part.agents.append(entry)
            continue
        if field.in_record and not is_open:
            # Ours O4: it belongs to no record.
            kind = _ORPHAN
        elif field.ends_names:
            is_named = True
        said = value
        if field.read is not None:
            said = field.read(value)
            if said is None and field.bad_value is not None:
                # Ours X4: without a number it is ignored.
                kind = field.bad_value.kind
        part.others.append((number, record, kind, field, name, value, said, raw))
    yield part


def read(text: str, dialect: Dialect) -> Iterator[Entry]:
    """Yield an entry for each line of *text*, in order."""
    for part in parts_of(text, dialect):
        yield from part.lines
