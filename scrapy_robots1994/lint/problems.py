"""Find the problems of a file. Problems never change a verdict."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.kinds import Kind, Problem
from scrapy_robots1994.lint.lines import line_problems
from scrapy_robots1994.lint.records import record_problems
from scrapy_robots1994.parser.body import Body, encoding_of
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import IDLE, USER_AGENT
from scrapy_robots1994.parser.reader import SPACE, Group, Line, groups_of
from scrapy_robots1994.parser.usage import (
    LABELS_OF,
    SIGNAL_FIELD,
    USE_LABEL,
    field_of,
    split_path,
)
from scrapy_robots1994.parser.user_agent import robot_names

# Only this many characters are searched for markup: searching a whole hostile file would block all
# threads.
_MOST = 100_000
# In UTF-16 without a byte order mark, NULs stand between the letters.
_MARKUP = r"(?:[\s\0]|#[^\r\n]*[\r\n])*<"
_SAVED = "a robots.txt that a browser saved as a page"
# The parameters of a member of a dictionary (RFC 9651 4.2.3.2)
_PARAMETERS = r'(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:"[^"]*"|[^;" ]+))?)+\Z'
_TEXT = "some other text: no line has a robots.txt field"
# A record with one of these problems may contain rules that were not recognized.
_MISREAD = (kinds.MISSPELT, kinds.CHARACTER, kinds.TWO_FIELDS)


def problems_of(body: Body, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the problems of a file in line order, merged as described in `_grouped`."""
    groups = list(groups_of(body.text, dialect))
    return _grouped(_found(groups, body, dialect), groups)


def weakening_problems(
    body: Body, dialect: Dialect, robot: str | bytes
) -> tuple[Problem, ...]:
    """Return the problems that weaken the policy for *robot*.

    These problems are in the records that *robot* obeys, above the first record, or in faulty
    User-agent lines, which may have been meant to name *robot*.
    """
    groups = list(groups_of(body.text, dialect))
    chosen = dialect.choose([it.names for it in groups[1:]], robot_names(robot))
    own = {0, *(place + 1 for place in chosen)}
    found = (it for it in _found(groups, body, dialect) if it.weakens_policy)
    concerning = (
        it for it in found if it.meant is USER_AGENT or _record(groups, it) in own
    )
    return _grouped(concerning, groups)


def _found(groups: Sequence[Group], body: Body, dialect: Dialect) -> Iterator[Problem]:
    lines = [line for group in groups for line in group.lines]
    written = [it for it in lines if it.kind not in IDLE]
    yield from _encoding_problems(body, lines)
    what = _other_file(body.text)
    # Ours O23: in an HTML page, only lines with a field of the dialect are meant for robots.
    meant = [it for it in written if it.row is not None] if what else written
    found = [problem for line in meant for problem in line_problems(line, dialect)]
    has_field = any(it.known for it in written) or any(it.meant for it in found)
    if written and not has_field:
        what, found = what or _TEXT, []
    if what:
        yield kinds.NOT_ROBOTS.at(written[0], what, opens=what == _SAVED)
    yield from found
    # The rules below a User-agent line that was not recognized may belong to any record.
    nameless = {0} if what else set()
    for problem in found:
        if problem.meant is USER_AGENT and not lines[problem.line - 1].is_obeyed:
            nameless.add(_record(groups, problem))
    misread = {_record(groups, it) for it in found if it.kind in _MISREAD}
    unsure = {
        **dict.fromkeys((kinds.ORPHAN, kinds.SPLIT, kinds.NO_EFFECT), nameless),
        **dict.fromkeys((kinds.WITHOUT_RULES, kinds.NOT_INHERITED), misread),
    }
    for problem in record_problems(groups, dialect):
        if _record(groups, problem) not in unsure.get(problem.kind, ()):
            yield problem
    for group in groups:
        yield from _usage_problems(group)
    if body.is_truncated:
        # Ours O24
        yield kinds.TRUNCATED.at(len(lines) + 1)


def _record(groups: Sequence[Group], problem: Problem) -> int:
    first = bisect_right(groups, problem.line, 1, key=lambda it: it.agents[0].number)
    return first - 1


def _grouped(
    problems: Iterable[Problem], groups: Sequence[Group]
) -> tuple[Problem, ...]:
    """Return *problems* in line order. Problems with the same kind, severity and `weakens_policy`
    are merged within a record, or within the file if the usual severity of the kind is INFO.
    """
    found: dict[tuple[Kind, object, str, bool], list[Problem]] = {}
    places: dict[tuple[Kind, str], object] = {}
    for problem in sorted(problems, key=lambda it: (it.line, it.column, it.code)):
        where: object = _record(groups, problem)
        if problem.kind.severity == kinds.INFO:
            # Each field outside the dialect is a problem of its own.
            where = problem.message if problem.kind is kinds.OTHER_FIELD else ""
        # Many owners repeat a line in every record, so equal messages are merged across records.
        where = places.setdefault((problem.kind, problem.message), where)
        key = problem.kind, where, problem.severity, problem.weakens_policy
        found.setdefault(key, []).append(problem)
    return tuple(
        replace(them[0], lines=tuple(dict.fromkeys(it.line for it in them)))
        for them in found.values()
    )


def _encoding_problems(body: Body, lines: Iterable[Line]) -> Iterator[Problem]:
    mark, encoding = encoding_of(body.data)
    # Ours O16
    if encoding != "utf-8":
        words = "the file is in UTF-16, which most robots cannot read"
        yield kinds.ENCODING.at(1, words, severity=kinds.ERROR)
    elif mark:
        words = "because of the byte order mark, some robots ignore the first line"
        yield kinds.ENCODING.at(1, words)
    for line in lines:
        if line.raw.endswith("\r"):
            # 1994 F2
            words = "a carriage return alone ends the line, which few robots recognize"
            yield kinds.ENCODING.at(line, words, column=len(line.raw) - 1)


def _other_file(text: str) -> str:
    """Return what *text* seems to be instead of a robots.txt, or ""."""
    page = text[:_MOST].lower()
    if not re.match(_MARKUP, page):
        return ""
    is_saved = "<pre" in page and "user-agent:" in page
    return _SAVED if is_saved else "an HTML or XML page"


def _usage_problems(group: Group) -> Iterator[Problem]:
    for line in group.without:
        field = field_of(line.known)
        labels = LABELS_OF.get(field)
        if labels is None:
            continue
        if not group.agents:
            # Usage U6
            yield kinds.USAGE_NOBODY.at(line, column=line.value_column)
        known = ", ".join(
            f"{it.label}={it.allow}|{it.disallow}" for it in labels.values()
        )
        is_signal = field == SIGNAL_FIELD
        for member in split_path(line.value)[1].split(","):
            text = member.strip(SPACE)
            if is_signal:
                # Usage U5: Content Signals have no parameters, and case and spaces do not matter.
                name, _, value = map(str.strip, text.lower().partition("="))
                is_ignored = name == USE_LABEL or (not text and "," in line.value)
            else:
                name, _, value = re.sub(_PARAMETERS, "", text).partition("=")
                is_ignored = False
            label = labels.get(name)
            if not (is_ignored or (label and label.answer_of(value))):
                texts, column = (text, field, known), line.value_column
                yield kinds.USAGE_VALUE.at(line, *texts, column=column)
