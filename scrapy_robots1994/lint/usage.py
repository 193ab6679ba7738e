"""Problems of usage preferences: what is not read, and what their author did not mean.

They say nothing about what robots may fetch.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.fixes import Fix
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import Line, groups_of
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.structured import Member, NotADictionaryError, members_of
from scrapy_robots1994.parser.usage import (
    LABELS,
    SIGNAL_FIELD,
    USAGE_FIELD,
    USE_LABEL,
    Answer,
    Label,
    field_of,
    signals_of,
    split_path,
    usage_dialect,
)

# So many preferences of one record are compared with each other.
_LINES_COMPARED = 200

_LABELS = {(it.field, it.label): it for it in LABELS}

_DRAFTS = {
    "ai": "AIPREF vocab-00",
    "genai": "AIPREF vocab-00",
    "inference": "AIPREF vocab-00",
    "tdm": "AIPREF vocab-00",
    "all": "AIPREF vocab-02",
    "train-genai": "AIPREF vocab-02",
    "ai-output": "AIPREF vocab-04",
    "bots": "AIPREF vocab-03",
}
"""Labels of earlier drafts, with the draft that had them first."""

_NEW_LABELS = {
    (USAGE_FIELD, "ai"): "train-ai",
    (USAGE_FIELD, "genai"): "train-ai",
    (USAGE_FIELD, "train-genai"): "train-ai",
    (USAGE_FIELD, "inference"): "ai-use",
    (USAGE_FIELD, "ai-output"): "ai-use",
    (USAGE_FIELD, "ai-train"): "train-ai",
    (USAGE_FIELD, "ai-input"): "ai-use",
    (SIGNAL_FIELD, "train-ai"): "ai-train",
    (SIGNAL_FIELD, "ai-use"): "ai-input",
}
"""What to write today in place of a label."""


class _Preference(NamedTuple):
    """What one line states: its path, and the answer and the term of each label."""

    line: Line
    field: str
    path: str
    terms: dict[str, tuple[Answer, str]]

    def at(self, kind: kinds.Kind, *texts: str, fix: str = "") -> Problem:
        """Return a problem of this line."""
        return _at(self.line, kind, *texts, fix=fix)


def usage_problems(text: str, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems of the preferences in the file *text*."""
    groups = groups_of(text, usage_dialect(dialect), most=1, only_effective=True)
    for number, group in enumerate(groups):
        found: list[_Preference] = []
        for line in group.others:
            if line.row is not None and not line.row.in_record:
                yield from _license_problems(line)
            elif not number:
                yield _at(line, kinds.USAGE_ABOVE)
            else:
                found.append(_preference(line))
                yield from _value_problems(line)
        yield from _pair_problems(found[:_LINES_COMPARED])


def _at(line: Line, kind: kinds.Kind, *texts: str, fix: str = "") -> Problem:
    """Return a problem of the value of *line*; *fix* takes the place of that of the kind."""
    advice = Fix(fix) if fix else None
    return kind.at(line.number, line.value_column, *texts, advice=advice)


def _license_problems(line: Line) -> Iterator[Problem]:
    """Yield what is wrong with a License *line*."""
    if not is_absolute(line.value):
        yield _at(line, kinds.LICENSE_URL, line.value)


def _members(line: Line) -> list[Member]:
    """Return the members of a preference; raises `NotADictionaryError`."""
    field, (_, value) = field_of(line), split_path(line.value)
    return members_of(value) if field == USAGE_FIELD else signals_of(value)


def _preference(line: Line) -> _Preference:
    """Return what a *line* states."""
    field = field_of(line)
    terms: dict[str, tuple[Answer, str]] = {}
    try:
        for member in _members(line):
            label = _LABELS.get((field, member.key))
            answer = label and label.answers.get(member.value.lower())
            if label and answer:
                terms[label.purpose] = answer, member.text
    except NotADictionaryError:
        terms = {}
    return _Preference(line, field, split_path(line.value)[0], terms)


def _value_problems(line: Line) -> Iterator[Problem]:
    """Yield what is wrong with the value of a preference."""
    field = field_of(line)
    try:
        members = _members(line)
    except NotADictionaryError as error:
        yield _at(line, kinds.USAGE_DICTIONARY, str(error))
        return
    seen: set[str] = set()
    for member in members:
        label = _LABELS.get((field, member.key))
        if label is None:
            # A word without an answer is likely no label at all.
            is_label = member.value or member.key in _DRAFTS
            if is_label and (member.key != USE_LABEL or field == USAGE_FIELD):
                yield _label_problem(line, field, member.key)
            continue
        if member.key in seen:
            which = "last" if field == USAGE_FIELD else "most restrictive"
            yield _at(line, kinds.USAGE_TWICE, member.key, which)
        elif not _is_answer(label, field, member.value):
            yes, no = label.answers
            yield _at(line, kinds.USAGE_VALUE, member.text, yes, no)
        seen.add(member.key)


def _is_answer(label: Label, field: str, value: str) -> bool:
    """Return whether *value* is one that the *label* of *field* has."""
    return (value if field == USAGE_FIELD else value.lower()) in label.answers


def _label_problem(line: Line, field: str, label: str) -> Problem:
    """Return the problem of a *label* that *field* does not have."""
    draft = _DRAFTS.get(label, "") if field == USAGE_FIELD else ""
    was = f"; it was one of {draft}" * bool(draft)
    new = _NEW_LABELS.get((field, label), "")
    fix = f"Write `{new}`, if that is meant." * bool(new)
    return _at(line, kinds.USAGE_LABEL, label, field, was, fix=fix)


def _pair_problems(preferences: Sequence[_Preference]) -> Iterator[Problem]:
    """Yield what two preferences of one record make of each other, once for each line."""
    seen: set[tuple[int, kinds.Kind]] = set()
    for first, second in combinations(preferences, 2):
        for problem in _of_pair(first, second):
            key = problem.line, problem.kind
            if key not in seen:
                seen.add(key)
                yield problem


def _of_pair(first: _Preference, second: _Preference) -> Iterator[Problem]:
    """Yield what *first* and *second*, a later line, make of each other."""
    number = str(first.line.number)
    if first.path == second.path:
        for purpose, (answer, term) in second.terms.items():
            other, other_term = first.terms.get(purpose, (answer, ""))
            if other is answer:
                continue
            if first.field == second.field:
                yield second.at(kinds.USAGE_TWICE, purpose, "most restrictive")
            else:
                yield second.at(kinds.USAGE_CONTRADICTION, number, other_term, term)
    elif first.field == second.field:
        for broad, narrow in ((first, second), (second, first)):
            if narrow.path.startswith(broad.path):
                yield from _dropped(broad, narrow)


def _dropped(broad: _Preference, narrow: _Preference) -> Iterator[Problem]:
    """Yield the problem if *narrow* drops what *broad* forbids."""
    forbidden = (
        term
        for purpose, (answer, term) in broad.terms.items()
        if answer is Answer.DISALLOW and purpose not in narrow.terms
    )
    terms = ", ".join(forbidden)
    if terms:
        fix = f"Add `{terms}` to this line, if it is to hold below {narrow.path}, too."
        number = str(broad.line.number)
        yield narrow.at(kinds.USAGE_NARROWER, narrow.path, number, terms, fix=fix)
