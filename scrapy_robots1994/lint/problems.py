"""Find the problems with a file, and the problems that affect one robot. Problems never
change a verdict.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import merge
from itertools import chain
from operator import attrgetter

from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import UNDECODABLE
from scrapy_robots1994.lint.fixes import Fix, bare_line, in_place
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.lint.lines import line_problems
from scrapy_robots1994.lint.records import (
    MISSPELT_AGENT_FIX,
    allows,
    another_record,
    boundary_problems,
    default_problems,
    ignored_allows,
    is_owned,
    joined_problems,
    joining_problems,
    rule_problems,
    unreached_problems,
)
from scrapy_robots1994.lint.values import before_wildcard
from scrapy_robots1994.parser.body import Body, begins_as_markup, encoding_of
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import (
    DISALLOW,
    IDLE,
    USER_AGENT,
    LineKind,
    Role,
    may_state_usage,
)
from scrapy_robots1994.parser.reader import Group, Line, groups_of
from scrapy_robots1994.parser.records import records_of
from scrapy_robots1994.parser.robot_reading import has_wildcard
from scrapy_robots1994.parser.user_agent import EVERYBODY

# `_HTML_LINES_FIX` is the fix for HTML in a file that also has records.
_HTML_LINES_FIX = "Delete the lines of HTML: the records below them are obeyed."
_UTF_16_FIX = "Save the file as UTF-8: many robots cannot read any line of UTF-16."
_WITHOUT_AGENTS_FIX = (
    "No line of the file names a robot. Write `User-agent: *` above the first rule, with "
    "no blank line between the two lines, if all rules are for every robot."
)
_AGENT_FIX = "Correct line {}, so that it names the robots of this rule."
# A file is probably UTF-16 if at least the fraction `_WIDE_SHARE` of its first
# `_WIDE_CHARACTERS` characters are NUL.
_WIDE_CHARACTERS = 400
_WIDE_SHARE = 0.25

_WIDE_TEXT = kinds.WIDE_TEXT.at(1)

# A line with a problem of these kinds does not look like a line of a robots.txt.
_OF_NO_FIELD = (kinds.MALFORMED, kinds.UNKNOWN)
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")
# `_BINARY` matches the beginnings of compressed files, archives, images and documents.
_BINARY = re.compile(
    "\x1f\udc8b|PK\x03\x04|%PDF-|\udc89PNG|GIF8|\udcff\udcd8|BZh|\udcfd7zXZ"
)
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\udc80-\udcff]")
_BINARY_SHARE, _BINARY_LEAST = 0.1, 5
_ERROR_PAGE = re.compile(
    r"(?i)\b(?:[45][0-9]{2}|not found|no such|does not exist|forbidden|denied|unauthori[sz]ed|"
    r"error|unavailable|bad gateway|bad request|moved|redirect|invalid|exception|page not)\b"
)
# In a line with a problem of these kinds, the name of the field is wrong.
_MISSPELT = (kinds.MISSPELT, kinds.INVISIBLE)
# The fix for a problem of these kinds deletes a rule.
_DELETING = (kinds.DUPLICATE, kinds.SHADOWED, kinds.ADDS_NOTHING)
# A problem of these kinds reports a field (other than Allow) that the dialect does not
# have.
_ABSENT = (kinds.CRAWL_DELAY, kinds.SITEMAP, kinds.EXTENSION)
# A file is reported as plain text only if at least this number of lines are neither blank
# nor comments.
_PROSE_LINES = 3
_SHOWN_LINES = 5

# `_PLAIN_PATH` matches a value of a rule that has no problem. Such a value is empty, or
# consists of a slash and characters of `_PLAIN`. `_PLAIN_NAME` matches the value of a
# User-agent line if the value is `*` or the name of one robot, with or without a version.
_PLAIN = r"!\"%-)+-9;-~"
_PLAIN_PATH = re.compile(rf"(?:/[{_PLAIN}]*)?")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._!+-]+(?:/[A-Za-z0-9._+-]*)?|\*")
# If a line end is missing, two lines become one line. The value of the first line then
# contains the field name of the second line.
_LOST = re.compile("(?i)user-agent|disallow")

# Look up the member of `Role` only once. Before Python 3.12, each look-up calls a function,
# and a file may contain many lines.
_RULE = Role.RULE
_PLACE = attrgetter("line", "column", "code")
_LINE, _NUMBER = attrgetter("line"), attrgetter("number")


def problems_of(
    groups: Sequence[Group], body: Body, dialect: Dialect
) -> tuple[Problem, ...]:
    """Return the problems with the file *body*, sorted by line and column.

    *groups* are the groups into which *dialect* divides the lines of the file.
    """
    own = groups[1:]
    lines = [it for group in groups for it in group.lines]
    is_other = _is_other(body.text, has_records=bool(own))
    found = list(_line_problems(lines, groups, dialect, is_other=is_other))
    looks = "" if is_other else _looks_like(body.text, lines, found)
    if looks:
        # Report one problem for the file, instead of one problem for each line.
        found = [it for it in found if it.kind not in _OF_NO_FIELD]
    found += _orphans(groups[0], found, has_records=bool(own))
    found += _boundary_problems(own, dialect)
    found += _one_of([it for group in own for it in ignored_allows(group)])
    records = tuple(records_of(groups, dialect))
    found += unreached_problems(records, dialect)
    found += rule_problems(own, dialect)
    if dialect.has_blank_lines:
        found += joining_problems(own, dialect)
        found += default_problems(records)
    else:
        found += chain.from_iterable(map(joined_problems, own))
    found += _file_problems(lines, body, looks, has_records=bool(own))
    found += _usage_problems(body.text, dialect)
    return tuple(_once(sorted(_sure(found, own), key=_PLACE)))


def _line_problems(
    lines: Iterable[Line], groups: Sequence[Group], dialect: Dialect, *, is_other: bool
) -> Iterator[Problem]:
    """Yield the problems with each of *lines*, in order.

    The first of *groups* contains the lines above all records. *is_other* is the result of
    `_is_other`.

    A wildcard is not a problem if a similar rule without a wildcard disallows the same
    paths.
    """
    plain: dict[int, tuple[str, ...]] | None = None
    for line in lines:
        # Ours O23 (HTML and other files): in an HTML page or in UTF-16, report problems
        # only with lines that have a field of the dialect. The other lines of an HTML page
        # were not meant for robots.
        if line.row is None and is_other:
            continue
        for problem in line_problems(line, dialect):
            if problem.kind is kinds.TWO_FIELDS:
                _settle(problem, groups)
            elif problem.kind is kinds.WILDCARD:
                # Look for rules without wildcards only in files that have wildcards.
                plain = _plain_paths(groups) if plain is None else plain
                beginning = before_wildcard(problem.texts[1])
                if beginning.startswith(plain.get(problem.line, ())):
                    continue
            yield problem


def _boundary_problems(records: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with records that end too early or too late, or have no rule."""
    # Ours O2 (several records for `*`), RFC 9309 2.2.1: a robot may obey all records for
    # a name together. If at least one record for a name has a rule, *merged* contains the
    # name.
    merged: set[str] = set()
    begun: dict[str, list[int]] = {}
    for group in records:
        has_rules = any(map(is_owned, group.rules))
        for name in {*map(str.lower, group.names)}:
            begun.setdefault(name, []).append(group.agents[0].number)
            if has_rules and (name == EVERYBODY or dialect.merges_named):
                merged.add(name)
    for group in records:
        is_merged = merged.issuperset(map(str.lower, group.names))
        first = group.agents[0].number
        # Look only at the first two records for each name. At most one of the two records
        # is *group*.
        others = (
            another_record(name, it)
            for name in group.names
            for it in begun[name.lower()][:2]
            if it != first
        )
        yield from boundary_problems(
            group, dialect, is_merged=is_merged, advice=next(others, None)
        )


def _once(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield *problems*, but only one problem for each field that is not in the dialect.

    A file may have hundreds of Sitemap lines.
    """
    seen: set[str] = set()
    for problem in problems:
        if problem.kind in _ABSENT:
            if problem.message in seen:
                continue
            seen.add(problem.message)
        yield problem


def _usage_problems(text: str, dialect: Dialect) -> Iterable[Problem]:
    """Return the problems with the usage preferences in *text*.

    Return () if *text* has no field for usage preferences.
    """
    if not may_state_usage(text):
        return ()
    # Import the module late, because a crawl does not look for problems with usage
    # preferences.
    from scrapy_robots1994.lint.usage import usage_problems  # noqa: PLC0415 - only for files that state preferences

    try:
        return list(usage_problems(text, dialect))
    except MissingExtra:
        # The commands say that preferences are not read.
        return ()


def weakening_problems(
    text: str, dialect: Dialect, robot: Sequence[str]
) -> tuple[Problem, ...]:
    """Return the problems because of which the file *text* allows URLs that its author
    probably meant to disallow, sorted by line. *robot* contains the names of the robot.
    """
    groups = list(groups_of(text, dialect))
    found = merge(*_weakening_problems(text, groups, dialect, robot), key=_PLACE)
    return tuple(sorted((it for it in found if it.weakens_policy), key=_PLACE))


def _weakening_problems(
    text: str, groups: Sequence[Group], dialect: Dialect, robot: Sequence[str]
) -> list[Iterable[Problem]]:
    """Return iterables over the problems that may weaken the policy. Each iterable yields
    problems in the order of their lines.

    Only unusual lines are checked. The checked lines are in or below the records that the
    robot obeys, or above the first record. User-agent lines that were probably meant for
    the robot are also checked.
    """
    above, *records = groups
    chosen = dialect.choose([it.names for it in records], robot)
    own = [records[it] for it in chosen]
    rules = [line for group in own for line in group.rules]
    found: list[Iterable[Problem]] = []
    others = [
        it for group in own for it in (*group.agents, *group.others, *group.without)
    ]
    odd = _unusual(rules + others)
    odd_above = _unusual(above.lines)
    if odd or odd_above or above.rules:
        is_other = _is_other(text, has_records=bool(records))
        problems = list(_line_problems(odd_above, [above], dialect, is_other=is_other))
        found += [problems, _orphans(above, problems, has_records=bool(records))]
        lines = sorted(odd)
        found.append(_line_problems(lines, (above, *own), dialect, is_other=is_other))
        found.append([_WIDE_TEXT] * _is_wide(text))
    if all(EVERYBODY in group.names for group in own):
        elsewhere = _unusual(
            line
            for place, group in enumerate(records)
            if place not in chosen
            for line in (*group.agents, *group.without)
        )
        found.append(
            problem
            for line in sorted(elsewhere)
            for problem in line_problems(line, dialect)
            if problem.meant and dialect.choose([problem.meant], robot)
        )
    ends = [it for it in own if not it.rules or it.rules[-1].kind is LineKind.ORPHAN]
    if ends:
        is_merged = any(it.kind is not LineKind.ORPHAN for it in rules)
        found += (boundary_problems(it, dialect, is_merged=is_merged) for it in ends)
    if dialect.has_allow and any(it.is_obeyed and allows(it) for it in rules):
        found.append(sorted(rule_problems(own, dialect), key=_PLACE))
    return found


def _unusual(lines: Iterable[Line]) -> list[Line]:
    """Return those of *lines* that may have a problem that weakens the policy."""
    found = []
    for line in lines:
        row, value = line.row, line.value
        if row is USER_AGENT:
            is_usual = _PLAIN_NAME.fullmatch(value) is not None
        elif row is not None and row.role is _RULE:
            is_usual = _PLAIN_PATH.fullmatch(value) is not None
        elif line.kind in IDLE:
            is_usual = True
        elif row is None and line.known is None:
            is_usual = False
        else:
            is_usual = ":" not in value or not _LOST.search(value)
        if not is_usual:
            found.append(line)
    return found


def _one_of(found: list[Problem]) -> list[Problem]:
    """Return one problem in place of *found*. *found* contains one problem for each
    ignored Allow line.
    """
    if not found[1:]:
        return found
    numbers = ", ".join(str(it.line) for it in found[:_SHOWN_LINES])
    more = " and others" * (len(found) > _SHOWN_LINES)
    return [replace(found[0], texts=(f"lines {numbers}{more} are",))]


def _settle(problem: Problem, groups: Sequence[Group]) -> None:
    """Change *problem*, which is about two fields on one line, if its line contains a lost
    User-agent line. The changed problem tightens the policy, and does not weaken the
    policy.

    A User-agent line is lost if it is part of the value of another line. If the rules
    below a lost User-agent line belong to the record above that line, this record
    disallows more URLs than the author meant.
    """
    # The first line of a record is not below a record, so use the group above that line.
    place = (
        bisect_left(groups, problem.line, lo=1, key=lambda it: it.agents[0].number) - 1
    )
    below = bisect_right(rules := groups[place].rules, problem.line, key=_NUMBER)
    # A blank line turns all further rules of a group into orphans.
    if problem.field is USER_AGENT and any(map(is_owned, rules[below : below + 1])):
        problem.weakens_policy, problem.tightens_policy = False, True


def _sure(problems: Sequence[Problem], groups: Sequence[Group]) -> list[Problem]:
    """Return *problems* without the problems whose fix deletes a rule of an uncertain
    record.

    A record is uncertain if one of its lines was probably meant as a User-agent line. Some
    rules of an uncertain record may belong to another record.
    """
    lost = [it.line for it in problems if it.field is USER_AGENT]
    ends = [it.lines[-1].number for it in groups]
    unsure = {bisect_left(ends, line) for line in lost}
    return [
        it
        for it in problems
        if it.kind not in _DELETING or bisect_left(ends, it.line) not in unsure
    ]


def _plain_paths(groups: Iterable[Group]) -> dict[int, tuple[str, ...]]:
    """Return the paths without wildcards in the rules that are similar to each Disallow
    line. Each key is the number of a Disallow line.

    Two rules are similar if they are Disallow lines of the same group. A rule outside any
    record (an orphan) is similar only to other orphans.
    """
    plain: dict[int, tuple[str, ...]] = {}
    for group in groups:
        for kind in (DISALLOW.kind, LineKind.ORPHAN):
            alike = [it for it in group.rules if it.kind is kind and it.row is DISALLOW]
            paths = [path for it in alike for path in it.value.split()]
            some = tuple(it for it in paths if it[0] == "/" and not has_wildcard(it))
            plain |= dict.fromkeys((it.number for it in alike), some)
    return plain


def _orphans(
    above: Group, found: Sequence[Problem], *, has_records: bool
) -> Iterator[Problem]:
    """Yield the problems with the rules above the first record. *above* contains the lines
    above the first record. Without a rule in *above*, yield nothing.

    *found* contains the problems with single lines. If the file has no record, and no
    line seems to be meant as a User-agent line, the advice is to put all rules into one
    record. For a rule below a wrong User-agent line, the advice is to correct the
    User-agent line.
    """
    if not above.rules:
        return
    agents = sorted((it for it in found if it.field is USER_AGENT), key=_LINE)
    advice = None if has_records or agents else _with_agent(above)
    for it in above.rules:
        if place := bisect_left(agents, it.number, key=_LINE):
            agent = agents[place - 1]
            words = MISSPELT_AGENT_FIX if agent.kind in _MISSPELT else _AGENT_FIX
            advice = Fix(words.format(agent.line))
        # Ours O4 (rule without a record): the rule is ignored.
        yield kinds.ORPHAN.at(it, it.field, advice=advice)


def _with_agent(above: Group) -> Fix:
    """Return the advice to put all rules into one record, for a file without a User-agent
    line.
    """
    first, last = above.rules[0], above.rules[-1]
    between = (
        it.number
        for it in above.without
        if it.kind is LineKind.BLANK and first.number < it.number < last.number
    )
    edits: dict[int, tuple[str, ...]] = dict.fromkeys(between, ("#",))
    edits[first.number] = ("User-agent: *", first.text)
    return Fix(_WITHOUT_AGENTS_FIX, edits)


def _file_problems(
    lines: Sequence[Line], body: Body, looks: str, *, has_records: bool
) -> Iterator[Problem]:
    """Yield the problems with the file as a whole.

    *looks* is the result of `_looks_like`.
    """
    mark, encoding = encoding_of(body.data)
    if mark:
        # Ours O16 (encoding): a byte order mark is stripped.
        advice = None if encoding == "utf-8" else Fix(_UTF_16_FIX)
        yield kinds.MARK.at(1, advice=advice)
    if looks:
        first = next(filter(_is_written, lines))
        yield kinds.NOT_ROBOTS.at(first, looks)
    elif _is_wide(body.text):
        yield _WIDE_TEXT
    else:
        for line in lines:
            if undecodable := UNDECODABLE.search(line.raw):
                # Ours O17 (undecodable bytes): an undecodable byte is accepted unchanged.
                column = undecodable.start() + 1
                yield kinds.UNDECODABLE.at(line, column=column, advice=_encoded(line))
    if body.is_truncated:
        # Ours O24 (size limit): only the complete lines within the limit are obeyed.
        yield kinds.TRUNCATED.at(len(lines) + 1)
    if begins_as_markup(body.text):
        # Ours O23: a file that begins like HTML is read like any other file.
        first = next(it for it in lines if _is_written(it) and "<" in it.raw)
        advice = Fix(_HTML_LINES_FIX) if has_records else None
        yield kinds.HTML.at(first, column=first.raw.index("<") + 1, advice=advice)
    lone_crs = [it for it in lines if it.raw.endswith("\r")]
    if lone_crs:
        # 1994 F2 (line ends): a lone CR ends a line.
        column = max(len(lone_crs[0].raw) - 1, 1)
        yield kinds.LONE_CR.at(lone_crs[0], str(len(lone_crs)), column=column)


def _encoded(line: Line) -> Fix | None:
    """Return the advice to percent-encode the undecodable bytes of a rule.

    Return None if *line* is not a rule, or if the value of *line* contains a tab.
    """
    if line.row is None or line.row.role is not Role.RULE or "\t" in line.value:
        return None
    value = UNDECODABLE.sub(lambda it: f"%{ord(it[0]) - 0xDC00:02X}", line.value)
    return in_place(line, bare_line(line, value))


def _looks_like(text: str, lines: Sequence[Line], found: Sequence[Problem]) -> str:
    """Return the kind of file that *text* looks like, or "" if *text* may be a robots.txt.

    *found* contains the problems with the *lines* of the file.
    """
    written = [it for it in lines if _is_written(it)]
    if not written or any(it.known is not None for it in written):
        return ""
    if any(it.kind not in _OF_NO_FIELD for it in found):
        return ""
    start = text[:_WIDE_CHARACTERS]
    odd = len(_NOT_TEXT.findall(start))
    is_binary = odd >= _BINARY_LEAST and odd > _BINARY_SHARE * len(start)
    if is_binary or _BINARY.match(start):
        return "a compressed or binary file"
    if _JSON.match(text):
        return "JSON"
    if _ERROR_PAGE.search(written[0].text):
        return "an error message"
    return "plain text" if len(written) >= _PROSE_LINES else ""


def _is_written(line: Line) -> bool:
    """Return whether *line* is neither blank nor a comment."""
    return line.kind not in IDLE


def _is_other(text: str, *, has_records: bool) -> bool:
    """Return whether *text* is UTF-16, or an HTML page without a record."""
    return _is_wide(text) or (not has_records and begins_as_markup(text))


def _is_wide(text: str) -> bool:
    """Return whether *text* is probably from a UTF-16 file without a byte order mark."""
    start = text[:_WIDE_CHARACTERS]
    is_wide = "\0" in start and start.count("\0") >= _WIDE_SHARE * len(start)
    return is_wide and not _BINARY.match(start)
