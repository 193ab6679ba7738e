"""Records that end too early, and what contradicts itself in a record or among them."""

from bisect import bisect_right
from collections.abc import Iterator

from scrapy_robots1994.checks.problem import ERROR, INFO, WARNING, Finding, Kind
from scrapy_robots1994.parser.records import Agent, Contents, Record
from scrapy_robots1994.parser.spellings import canonical, is_absolute
from scrapy_robots1994.parser.tokens import LineKind
from scrapy_robots1994.parser.user_agent import EVERYBODY

SPLIT = Kind(
    "R002",
    "O5",
    ERROR,
    "record split by a blank line",
    "a blank line ends the record before its Disallow lines; "
    "from line {} on they are ignored",
    "Delete the blank line, or write a `#` into it.",
    weakens_policy=True,
)
WITHOUT_RULES = Kind(
    "R003",
    "O3",
    ERROR,
    "record without Disallow",
    'the record for "{}" has no Disallow line and forbids nothing',
    "Write its Disallow lines below it; an empty `Disallow:` says that all is allowed.",
    weakens_policy=True,
)
ALLOWING = Kind(
    "R026",
    "O3",
    INFO,
    "record of Allow lines alone",
    'the record for "{}" has no Disallow line and forbids nothing, as it would without '
    "its Allow lines",
    "Write an empty `Disallow:` to say the same in the words of 1994.",
)
NO_BLANK = Kind(
    "R007",
    "O7",
    WARNING,
    "no blank line between records",
    "User-agent after Disallow, without a blank line, begins a new record",
    "Put a blank line before it.",
)
SECOND_DEFAULT = Kind(
    "R008",
    "A3",
    WARNING,
    "several records for every robot",
    "a further record for everybody, beside that of line {}; all of them are obeyed",
    "Put all its Disallow lines into the first record for `*`.",
)
ADDS_NOTHING = Kind(
    "R009",
    "O21",
    WARNING,
    "empty Disallow beside others",
    "an empty Disallow adds nothing beside others, which stand",
    "Delete it, or the others.",
)
DUPLICATE = Kind(
    "R022",
    "D1",
    INFO,
    "duplicate rule",
    "line {} of the same record says the same",
    "Delete one of the two.",
)
SHADOWED = Kind(
    "R023",
    "D1",
    INFO,
    "shadowed rule",
    'line {}, "Disallow: {}", already covers all that this one does',
    "Delete this line, or the shorter rule if that one forbids too much.",
)
UNREACHED = Kind(
    "R024",
    "O1",
    WARNING,
    "name that an earlier record takes",
    'a robot named "{}" obeys the record of line {}, for "{}", and never this one',
    "Put the record of the longer name first, or make one record of the two.",
)

KINDS = (
    SPLIT,
    WITHOUT_RULES,
    NO_BLANK,
    SECOND_DEFAULT,
    ALLOWING,
    ADDS_NOTHING,
    DUPLICATE,
    SHADOWED,
    UNREACHED,
)

# So many names are held against each other letter by letter; of more, only equals tell.
_NAMES_COMPARED = 500


def in_boundaries(contents: Contents) -> Iterator[Finding]:
    """Yield where records end too early, or without a sign.

    Where a blank line parts a record, that is the one problem; the record without a
    rule and the Disallow lines without a record only follow from it.
    """
    blanks = [line.number for line in contents.lines if line.kind is LineKind.BLANK]
    previous = None
    for record in contents.records:
        if record.orphans and not record.rules:
            # Ours O5: the blank line is the boundary that F1 makes it.
            parting = blanks[bisect_right(blanks, record.last_line)]
            yield SPLIT.at(parting, 1, str(record.orphans[0].line))
        elif not record.rules:
            # Ours O3, against 1994 D3.
            names = ", ".join(record.names)
            kind = ALLOWING if _allows(contents, record) else WITHOUT_RULES
            yield kind.at(record.first_line, 1, names)
        between = bisect_right(blanks, record.first_line)
        if previous == between:
            # Ours O7
            yield NO_BLANK.at(record.first_line, 1)
        last = max(record.last_line, *(rule.line for rule in record.orphans), 0)
        previous = bisect_right(blanks, last)


def _allows(contents: Contents, record: Record) -> bool:
    """Whether Allow lines stand in *record*, which has no rule: opening is meant."""
    lines = contents.lines
    for number in range(record.first_line, len(lines)):
        if lines[number].kind is LineKind.BLANK:
            break
        if lines[number].field.lower() == "allow":
            return True
    return False


def in_records(contents: Contents) -> Iterator[Finding]:
    """Yield what contradicts itself inside a record or among the records for all."""
    first = None
    for record in contents.records:
        yield from _in_rules(record)
        if record.is_default and first is not None:
            # 1994 A3: there may be one.
            line = next(it.line for it in record.agents if it.name == EVERYBODY)
            yield SECOND_DEFAULT.at(line, 1, str(first))
        elif record.is_default:
            first = record.first_line


def _in_rules(record: Record) -> Iterator[Finding]:
    """Yield the rules of *record* that change nothing."""
    if any(rule.value for rule in record.rules):
        for rule in record.rules:
            if not (rule.value or rule.allows):
                # Ours O21
                yield ADDS_NOTHING.at(rule.line, 1)
    if any(rule.allows for rule in record.rules):
        # Ours X1: where the first of several rules decides, none covers another.
        return
    # 1994 D1: what starts with a longer value starts with the shorter one. Ours O18:
    # in whatever spelling.
    spelt = [(_spelling(rule.value), rule.line, rule.value) for rule in record.rules]
    last = None
    for spelling, line, value in sorted(it for it in spelt if it[0]):
        if last is None or not spelling.startswith(last[0]):
            last = spelling, line, value
        elif spelling == last[0]:
            yield DUPLICATE.at(line, 1, str(last[1]))
        else:
            yield SHADOWED.at(line, 1, str(last[1]), last[2])


def _spelling(value: str) -> str:
    """Return what URLs are compared with; nothing for a value that matches none."""
    return canonical(value) if value.startswith("/") or is_absolute(value) else ""


def in_names(contents: Contents) -> Iterator[Finding]:
    """Yield the names of records that no robot of that name ever comes to."""
    taken: dict[str, Agent] = {}
    compares_all = sum(len(it.agents) for it in contents.records) <= _NAMES_COMPARED
    for record in contents.records:
        for agent in record.agents:
            name = agent.name.lower()
            if name == EVERYBODY:
                continue
            taker = taken.get(name)
            if taker is None and compares_all:
                # 1994 A2: the earlier name is inside this one.
                taker = next((taken[it] for it in taken if it in name), None)
            if taker is not None:
                # Ours O1: the first that matches is obeyed.
                yield UNREACHED.at(
                    agent.line, 1, agent.name, str(taker.line), taker.name
                )
        for agent in record.agents:
            if agent.name != EVERYBODY:
                taken.setdefault(agent.name.lower(), agent)
