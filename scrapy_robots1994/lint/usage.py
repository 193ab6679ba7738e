"""Find usage preferences without a meaning, or with a meaning that the author probably did
not intend.

Usage preferences do not affect which URLs robots may fetch.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from scrapy_robots1994.errors import closest
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.fixes import Fix
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import Line, groups_of
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.usage import (
    LABELS,
    LABELS_OF,
    LICENSE_FIELD,
    SIGNAL_FIELD,
    USAGE_FIELD,
    USE_LABEL,
    Answer,
    Member,
    Statement,
    field_of,
    members_in,
    split_path,
    statements_of,
    usage_dialect,
)

# `_PARTED` matches a label and a value of Content-Signal without a `=` between them.
_PARTED = re.compile(r"([a-z-]+)(?::[ \t]*|[ \t]+)(yes|no)", re.IGNORECASE)

# At most this number of preferences of one record are compared with each other.
_LINES_COMPARED = 200

_OLD_LABELS = {
    "ai": ("AIPREF vocab-00", "train-ai"),
    "genai": ("AIPREF vocab-00", "train-ai"),
    "inference": ("AIPREF vocab-00", "ai-use"),
    "tdm": ("AIPREF vocab-00", ""),
    "all": ("AIPREF vocab-02", ""),
    "train-genai": ("AIPREF vocab-02", "train-ai"),
    "bots": ("AIPREF vocab-03", ""),
    "ai-output": ("AIPREF vocab-04", "ai-use"),
}
"""A dict that maps each old label to two values. The first value is the first draft that
had the label. The second value is the label to write today, or "" if the latest draft has
no label for the purpose.
"""

_SAME_PURPOSE = {
    (it.field, name): it.label
    for it in LABELS
    for other in LABELS
    for name in (other.label, other.purpose)
    if it.purpose == other.purpose and name != it.label
}
"""A dict that maps a field and a wrong label to the right label. The wrong label is the
name of a purpose, or the label for the purpose in another field.
"""


class _Preference(NamedTuple):
    """The preference in one line. *path* is the path to which the preference applies.
    *statements* maps each purpose to the statement about the purpose.
    """

    line: Line
    field: str
    path: str
    statements: dict[str, Statement]


def usage_problems(text: str, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with the usage preferences in the file *text*."""
    groups = groups_of(text, usage_dialect(dialect), only_effective=True)
    for number, group in enumerate(groups):
        found: list[_Preference] = []
        for line in group.others:
            field = field_of(line)
            if field == LICENSE_FIELD and not is_absolute(line.value):
                yield _at(line, kinds.LICENSE_URL, line.value)
            if field not in LABELS_OF:
                continue
            if not number:
                yield _at(line, kinds.USAGE_ABOVE)
                continue
            path, value = split_path(line.value)
            try:
                members = list(members_in(field, value))
            except ValueError as error:
                # Without the position, which counts from the start of the value.
                words = str(error.args[0])
                yield _at(line, kinds.USAGE_DICTIONARY, words[:1].lower() + words[1:])
                continue
            yield from _value_problems(line, field, members)
            stated, _, _ = statements_of(field, value, "")
            # Usage U8 (several statements): the most restrictive statement counts.
            # Therefore, a statement that disallows a purpose replaces other statements
            # about the purpose.
            ordered = sorted(stated, key=lambda it: it.answer is Answer.DISALLOW)
            statements = {it.purpose: it for it in ordered}
            found.append(_Preference(line, field, path, statements))
        yield from _pair_problems(found[:_LINES_COMPARED])


def _at(line: Line, kind: kinds.Kind, *texts: str, fix: str = "") -> Problem:
    """Return a problem with the value of *line*. If *fix* is not "", *fix* replaces the fix
    of *kind*.
    """
    advice = Fix(fix) if fix else None
    return kind.at(line, *texts, column=line.value_column, advice=advice)


def _value_problems(
    line: Line, field: str, members: Iterable[Member]
) -> Iterator[Problem]:
    """Yield the problems with the *members* of a preference."""
    seen: set[str] = set()
    for member in members:
        label = LABELS_OF[field].get(member.key)
        parted = _PARTED.fullmatch(member.text) if field == SIGNAL_FIELD else None
        if parted and parted[1] in LABELS_OF[field]:
            fix = f"Write `{parted[1]}={parted[2]}`."
            yield _at(line, kinds.USAGE_VALUE, member.text, "yes", "no", fix=fix)
        elif label is None:
            # A word without a value is probably not a label.
            is_label = member.value or member.key in _OLD_LABELS
            if is_label and (member.key != USE_LABEL or field == USAGE_FIELD):
                yield _label_problem(line, field, member)
        elif member.key in seen:
            yield _at(line, kinds.USAGE_TWICE, member.key, "most restrictive")
        elif label.answer_of(member.value) is None:
            several = "=" in member.value
            fix = "Write a comma between two labels." * several
            texts = member.text, label.allow, label.disallow
            yield _at(line, kinds.USAGE_VALUE, *texts, fix=fix)
        seen.add(member.key)


def _label_problem(line: Line, field: str, member: Member) -> Problem:
    """Return the problem with *member*, whose key is not a label of *field*."""
    label = member.key
    old = _OLD_LABELS.get(label) if field == USAGE_FIELD else None
    new = _SAME_PURPOSE.get((field, label), "")
    if member.value and not new:
        new = closest(label, LABELS_OF[field]) or ""
    draft, new = old or ("", new)
    was = f"; it was one of {draft}" * bool(draft)
    fix = f"Write `{new}` if you mean this label." * bool(new)
    return _at(line, kinds.USAGE_LABEL, label, field, was, fix=fix)


def _pair_problems(preferences: Sequence[_Preference]) -> Iterator[Problem]:
    """Yield the problems with pairs of preferences in one record.

    For each line, each kind of problem is reported only once.
    """
    seen: set[tuple[int, kinds.Kind]] = set()
    for first, second in combinations(preferences, 2):
        for problem in _of_pair(first, second):
            key = problem.line, problem.kind
            if key not in seen:
                seen.add(key)
                yield problem


def _of_pair(first: _Preference, second: _Preference) -> Iterator[Problem]:
    """Yield the problems with two preferences. *second* is on a later line than *first*."""
    number = str(first.line.number)
    if first.path == second.path:
        for purpose, said in second.statements.items():
            other = first.statements.get(purpose, said)
            if other.answer is said.answer:
                continue
            if first.field == second.field:
                restrictive = "most restrictive"
                yield _at(second.line, kinds.USAGE_TWICE, purpose, restrictive)
            else:
                terms = number, other.term, said.term
                yield _at(second.line, kinds.USAGE_CONTRADICTION, *terms)
    elif first.field == second.field:
        for broad, narrow in ((first, second), (second, first)):
            if narrow.path.startswith(broad.path):
                yield from _dropped(broad, narrow)


def _dropped(broad: _Preference, narrow: _Preference) -> Iterator[Problem]:
    """Yield a problem if *broad* disallows a purpose and *narrow* does not state that
    purpose.

    The path of *narrow* is longer, and begins with the path of *broad*. Therefore, *broad*
    does not apply to URLs that *narrow* covers.
    """
    forbidden = (
        it.term
        for purpose, it in broad.statements.items()
        if it.answer is Answer.DISALLOW and purpose not in narrow.statements
    )
    terms = ", ".join(forbidden)
    if terms:
        fix = f"Add `{terms}` to this line if the preference is also meant for these paths."
        texts = narrow.path, str(broad.line.number), terms
        yield _at(narrow.line, kinds.USAGE_NARROWER, *texts, fix=fix)
