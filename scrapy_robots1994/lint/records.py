"""Find records that end too early or too late, and rules and names that have no effect.

Some functions take a `Group` (see `parser/reader.py`), which contains all lines of a
record. Other functions take a `Record`, which contains only the names, rules and delays of
a record.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from operator import itemgetter

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.characters import letters, likely_field
from scrapy_robots1994.lint.fixes import Fix, in_place
from scrapy_robots1994.lint.kinds import ERROR, INFO, WARNING, Problem
from scrapy_robots1994.lint.lines import second_field
from scrapy_robots1994.lint.values import before_wildcard, is_pattern
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import IDLE, USER_AGENT, LineKind
from scrapy_robots1994.parser.reader import SPACE, Group, Line
from scrapy_robots1994.parser.records import Record, Rule, records_of
from scrapy_robots1994.parser.rfc9309 import normal_spelling
from scrapy_robots1994.parser.spellings import canonical, has_cut_escape
from scrapy_robots1994.parser.user_agent import EVERYBODY, robot_names

# Look up these members of `LineKind` only once. Before Python 3.12, each look-up calls a
# function, and a file may contain many lines.
_BLANK, _ORPHAN, _UNKNOWN = LineKind.BLANK, LineKind.ORPHAN, LineKind.UNKNOWN
_AGENT, _COMMENT = LineKind.USER_AGENT, LineKind.COMMENT

# If a file has more names than this maximum, the names are not compared with each other.
_NAMES_COMPARED = 500

_ORPHAN_FIX = (
    "Delete the blank lines above this rule, or write `#` on each blank line, if the rule "
    "belongs to the record of line {}."
)
_SAME_NAME_FIX = "Make one record of the two."
# `MISSPELT_AGENT_FIX` is the fix for a rule below a misspelt User-agent line.
MISSPELT_AGENT_FIX = (
    "Correct the name of the field in line {}: it is probably User-agent."
)


def is_owned(line: Line) -> bool:
    """Return whether *line* belongs to a record."""
    return line.is_obeyed and line.row is not None and line.row.in_record


def allows(line: Line) -> bool:
    """Return whether *line* is an Allow line, even if the dialect does not have Allow."""
    return line.known is not None and line.known.allows


def closes(line: Line) -> bool:
    """Return whether *line* is a Disallow line or a User-agent line."""
    return line.known is not None and line.known.closes


def boundary_problems(
    record: Group, dialect: Dialect, *, is_merged: bool, advice: Fix | None = None
) -> Iterator[Problem]:
    """Yield the problems with the end of *record*, or with its lack of rules.

    A lack of rules is not reported if blank lines separate rules from *record*. A lack of
    rules is also not reported if *is_merged* is true, because a robot that obeys *record*
    then also obeys a record with rules. If *advice* is not None, *advice* replaces the
    usual fix for a record without rules.
    """
    # Rules that a blank line separates from the record are at the end of `record.rules`.
    if record.rules and record.rules[-1].kind is _ORPHAN:
        yield from _orphan_problems(record, dialect)
    elif not (is_merged or record.rules):
        yield from _without_rules(record, advice)


def another_record(name: str, line: int) -> Fix:
    """Return the advice on a record for *name* that has no rules.

    *line* is the number of the line that begins another record for *name*. RFC 9309 2.2.1
    merges the two records. The advice does not suggest an empty `Disallow:`. An empty
    `Disallow:` would separate *name* from an Allow line below *name*.
    """
    shown = escape_control_chars(name, 60)
    return Fix(
        f'Line {line} begins another record for "{shown}": name this robot in only one of the two '
        "records, and write all its rules there."
    )


def _without_rules(record: Group, advice: Fix | None) -> Iterator[Problem]:
    """Yield the problem with *record*, which has no rule. *advice* replaces the usual fix."""
    agents = [it for it in record.agents if it.kind is _AGENT]
    if any(second_field(it.value) for it in agents):
        # Report nothing, because another problem reports the second field in the User-agent
        # line.
        return
    block = list(takewhile(lambda it: it.kind is not _BLANK, record.lines))
    # The fix adds an empty Disallow above the first Allow line. In other dialects, a
    # User-agent line below an Allow line begins another record.
    above = list(takewhile(lambda it: not allows(it), block))
    last = next(it for it in reversed(above) if it.kind is _AGENT)
    names = ", ".join(record.names)
    # Ours O3 (a record without Disallow): the record disallows nothing, although 1994 D3
    # (one Disallow in each record) requires a Disallow line.
    if len(above) < len(block):
        fix = in_place(last, last.text, "Disallow:")
        yield kinds.ALLOW_ONLY.at(agents[0], names, column=1, advice=fix)
        return
    # If a record without rules has a delay or another line, the author probably does not
    # mean to disallow anything.
    is_bare = all(it.kind is _AGENT or it.kind in IDLE for it in block)
    fix = in_place(last, last.text, "Disallow:")
    yield kinds.WITHOUT_RULES.at(
        agents[0].number,
        names,
        weakens_policy=is_bare,
        severity=WARNING if is_bare else INFO,
        advice=advice or fix,
    )


def _orphan_problems(record: Group, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with the rules that blank lines separate from *record*.

    Call this function only if blank lines separate at least one rule from *record*.
    """
    orphans = [it for it in record.rules if it.kind is _ORPHAN]
    own = record.rules[: -len(orphans)]
    above = chain(own[-1:], record.agents, record.others)
    last = max(it.number for it in filter(is_owned, above))
    below = [it for it in record.without if it.number > last]
    blanks = [it.number for it in below if it.kind is _BLANK]
    unknown = (it for it in below if it.kind is _UNKNOWN)
    agents = (it for it in unknown if likely_field(it.field, dialect) is USER_AGENT)
    agent = next(agents, orphans[-1]).number
    agent_fix = Fix(MISSPELT_AGENT_FIX.format(agent))
    first = orphans[0]
    if not own:
        # Ours O5, 1994 F1 (records): the blank line ends the record.
        joined = [it for it in blanks if it < first.number]
        fix = _joining(first, blanks)
        yield kinds.SPLIT.at(
            next(iter(blanks), first.number),
            str(first.number),
            field=next(filter(closes, orphans), first).row,
            is_split=True,
            advice=agent_fix if agent < first.number else fix,
        )
        # If the reported blank lines are deleted, the rules up to the next blank line
        # belong to the record. Therefore, report only the rules below the next blank line
        # separately.
        end = next(iter(blanks[len(joined) :]), orphans[-1].number + 1)
        orphans = [it for it in orphans if it.number > end]
    words = _ORPHAN_FIX.format(record.agents[0].number)
    # Ours O4 (rule without a record): the rule is ignored.
    for it in orphans:
        # Compute the fix lazily, because a crawl never needs it.
        late = partial(_joining, it, blanks, words)
        advice = agent_fix if agent < it.number else late
        yield kinds.ORPHAN.at(it, it.field, advice=advice, is_split=True)


def _joining(line: Line, blanks: Sequence[int], words: str = "") -> Fix:
    """Return the advice to write `#` on each blank line above *line*. *blanks* contains the
    numbers of blank lines. *words* is the text of the advice.
    """
    above = [it for it in blanks if it < line.number]
    return Fix(words, dict.fromkeys(above, ("#",)))


def joining_problems(records: Iterable[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem for each User-agent line that should have a blank line above it.
    Such a User-agent line begins a record, or seems to begin a record. In *dialect*, a
    blank line ends a record.
    """
    does_part = partial(_seems_to_part, dialect=dialect)
    is_parted = True
    for record in records:
        if not is_parted:
            # Ours O7 (run of names): a User-agent line below a rule begins a new record.
            outcome = "begins a new record"
            yield _no_blank(record.agents[0], "Disallow", outcome)
        if any(is_owned(it) and it.value for it in record.rules):
            for agent, above, parting in _late_agents(record, does_part):
                outcome = f"shares its rules with line {above.number}"
                yield _no_blank(agent, parting.field, outcome)
        # Look for a blank line below the last line that belongs to the record.
        owned = filter(is_owned, (*record.agents, *record.others))
        last = max(it.number for it in (*record.rules, *owned))
        is_parted = any(it.kind is _BLANK and it.number > last for it in record.without)


def _no_blank(line: Line, parting: str, outcome: str) -> Problem:
    """Return the problem with the User-agent line *line*. A line with the field *parting*
    is above *line*, and no blank line is between the two lines.
    """
    advice = in_place(line, "", line.text)
    return kinds.NO_BLANK.at(line, parting, outcome, column=1, advice=advice)


def _seems_to_part(line: Line, dialect: Dialect) -> bool:
    """Return whether *line* seems to end the list of names above *line*, but does not end
    the list.
    """
    if line.kind is _UNKNOWN:
        # Ignore a line with a misspelt field or an odd character, because another problem
        # reports the line.
        return bool(letters(line.field)) and likely_field(line.field, dialect) is None
    # Ours X6 (order): a line with a field such as Crawl-delay does not end the list of
    # names.
    return line.is_obeyed and line.row is not None and not line.row.ends_names


def _late_agents(
    record: Group, does_part: Callable[[Line], bool]
) -> Iterator[tuple[Line, Line, Line]]:
    """Yield each User-agent line of *record* that a parting line separates from the
    User-agent line above. A line is a parting line if *does_part* returns true for the
    line.

    With each User-agent line, yield the User-agent line above, and the first parting line
    between the two lines.
    """
    above, parting = record.agents[0], None
    for line in record.lines:
        if line.kind is _AGENT:
            if parting:
                yield line, above, parting
            above, parting = line, None
        elif parting is None and does_part(line):
            parting = line


def default_problems(records: Iterable[Record]) -> Iterator[Problem]:
    """Yield a problem for each default record (for every robot) except the first."""
    defaults = [record for record in records if record.is_default]
    for record in defaults[1:]:
        # 1994 A3 (default record): only one default record is allowed.
        line = next(it.line for it in record.agents if it.name == EVERYBODY)
        advice = None if record.rules else Fix(_SAME_NAME_FIX)
        first = str(defaults[0].first_line)
        yield kinds.SECOND_DEFAULT.at(line, first, advice=advice)


def joined_problems(record: Group) -> Iterator[Problem]:
    """Yield a problem for each User-agent line that seems to begin another group, but
    does not begin a group. In the dialect of *record*, blank lines have no effect.

    The lines between such a User-agent line and the names above are blank, or do not end a
    list of names. Therefore, the names above and below these lines share the rules of
    *record*.
    """
    closed = {it.value for it in record.rules if it.value and closes(it)}
    if not closed:
        return
    # RFC 9309 2.2.2: if a Disallow and an Allow are equally long, the Allow decides.
    opened = {it.value for it in filter(allows, record.rules)}
    is_shut = any(it in closed and it not in opened for it in ("/", "/*", "*"))
    first = record.agents[0]
    for agent, above, _ in _late_agents(record, lambda it: it.kind is not _COMMENT):
        yield kinds.JOINED.at(
            agent,
            ", ".join(agent.said),
            str(first.number),
            column=1,
            severity=ERROR if is_shut else WARNING,
            advice=_parting(above),
        )
        first = agent


def _parting(agent: Line) -> Fix:
    """Return the advice to end the group's list of names after the line *agent*."""
    words = (
        f"Write an empty `Disallow:` below line {agent.number}, if the names above should not "
        "share the rules."
    )
    return in_place(agent, agent.text, "Disallow:", words=words)


def ignored_allows(record: Group) -> Iterator[Problem]:
    """Yield a problem for each Allow line of *record* that would have an effect in a
    dialect with Allow.

    The dialect of *record* does not have Allow. In a dialect with Allow, the line would
    allow paths that a Disallow line of *record* disallows.
    """
    lines = [it for it in record.without if it.value and allows(it)]
    if not lines:
        return
    rules = {it.value for it in record.rules if it.kind is not _ORPHAN and it.value}
    closing = sorted(rules, key=len, reverse=True)
    effective, beginnings = [], Beginnings()
    # RFC 9309 2.2.2: the longest rule decides. If a Disallow and an Allow are equally long,
    # the Allow decides.
    for line in sorted(lines, key=lambda it: len(it.value)):
        while closing and len(closing[-1]) <= len(line.value):
            beginnings.add(closing.pop())
        if beginnings.overlap(line.value):
            effective.append(line)
    for line in sorted(effective):
        yield kinds.ALLOW.at(line, "the line is")


def rule_problems(groups: Sequence[Group], dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with rules that have no effect in their record.

    Each of *groups* is a record.
    """
    has_allow = any(allows(line) for group in groups for line in group.lines)
    for group, record in zip(groups, records_of(groups, dialect), strict=True):
        if any(rule.value and not rule.allows for rule in record.rules):
            for rule in record.rules:
                if not (rule.value or rule.allows):
                    # Ours O21 (empty Disallow next to other Disallow lines): the empty
                    # Disallow has no effect.
                    yield kinds.ADDS_NOTHING.at(
                        rule.line, advice=Fix(edits={rule.line: ()})
                    )
        # RFC 9309 2.2.2: the longest rule decides. If the file has an Allow line, a
        # longer rule can matter although a shorter rule covers the same URLs.
        if not (dialect.has_wildcards and has_allow):
            blanks = [it.number for it in group.without if it.kind is _BLANK]
            yield from covered_rules(record.rules, dialect, blanks, has_allow=has_allow)


def covered_rules(
    rules: Sequence[Rule], dialect: Dialect, blanks: Sequence[int], *, has_allow: bool
) -> Iterator[Problem]:
    """Yield a problem for each rule that has no effect because another rule covers all
    its URLs.

    *blanks* contains the numbers of the blank lines of the record. *has_allow* is true if
    the file has an Allow line, even if the dialect does not have Allow.
    """
    # Revisited K2 (lists of paths): deleting a line with several paths would also delete
    # the other paths.
    listed = Counter(rule.line for rule in rules)
    # RFC 9309 2.2.2: a percent-encoded reserved character differs from the plain character.
    spelling_of = normal_spelling if dialect.has_wildcards else canonical
    spelled = [
        (spelling_of(rule.value), rule)
        for rule in rules
        if rule.value.startswith("/") and not is_pattern(rule.value, dialect)
    ]
    # *ancestors* is a stack of spellings, in which each spelling is a prefix of the next
    # spelling. Each spelling is stored with the rule that decides for the URLs that begin
    # with the spelling. The sort keeps equal spellings in the order of the file.
    ancestors: list[tuple[str, Rule]] = []
    for spelling, rule in sorted(spelled, key=itemgetter(0)):
        while ancestors and not spelling.startswith(ancestors[-1][0]):
            ancestors.pop()
        first = ancestors[-1][1] if ancestors else rule
        # 1994 D1 (prefixes), Ours O18 (percent-encodings): a URL that starts with the
        # spelling of *rule* also starts with the spelling of *first*. Ours X1 (Allow): if
        # several rules cover a URL, the first of these rules in the file decides.
        if ancestors and (first.line < rule.line or not has_allow):
            is_same = spelling == spelling_of(first.value)
            if rule.allows != first.allows:
                yield _without_effect(rule, first, is_same=is_same)
            elif (
                _is_redundant(rule, first, has_allow=has_allow)
                # In dialects without lists, the paths of one line form one longer path,
                # which does not cover *rule*.
                and (first.line == rule.line or listed[first.line] == 1)
                # In another dialect, a blank line between the two rules may put the
                # rules into different records.
                and bisect_left(blanks, first.line) == bisect_left(blanks, rule.line)
            ):
                is_listed = listed[rule.line] > 1
                yield _redundant(rule, first, is_same=is_same, is_listed=is_listed)
        else:
            first = rule
        ancestors.append((spelling, first))


def _is_redundant(rule: Rule, first: Rule, *, has_allow: bool) -> bool:
    """Return whether deleting *rule* changes no decision, whatever the dialect is.

    In the dialect of the file, *first* covers the URLs of *rule*. *has_allow* is true if
    the file has an Allow line, which *rule* may override.
    """
    if rule.value == first.value:
        return True
    # Revisited K2: a space separates two paths. RFC 9309 2.2.3: a final `$` matches only the
    # end of the URL.
    is_listed = any(it in rule.value for it in SPACE)
    if has_allow or is_listed or first.value.endswith("$"):
        return False
    short, long = _literal_spelling(first.value), _literal_spelling(rule.value)
    return long.startswith(short) and not has_cut_escape(first.value)


def _literal_spelling(value: str) -> str:
    """Return *value* in the normal spelling of RFC 9309, with its wildcards unchanged."""
    texts = (map(normal_spelling, part.split("$")) for part in value.split("*"))
    return "*".join(map("$".join, texts))


class Beginnings:
    """A sorted list of the beginnings of paths.

    The beginning of a path is its canonical spelling up to the first wildcard. If a
    beginning starts with another beginning of the list, the longer beginning is left out.
    """

    def __init__(self) -> None:
        self._sorted: list[str] = []

    def add(self, path: str) -> None:
        """Add the beginning of *path*."""
        text, known = _beginning(path), self._sorted
        place = bisect_left(known, text)
        if not (place and text.startswith(known[place - 1])):
            while place < len(known) and known[place].startswith(text):
                del known[place]
            known.insert(place, text)

    def overlap(self, path: str) -> bool:
        """Return whether *path* and one of the stored paths can cover a common URL.

        Two paths can cover a common URL if the beginning of one path starts with the
        beginning of the other path. The text after the first wildcard is not compared.
        """
        text = _beginning(path)
        place = bisect_left(self._sorted, text)
        near = self._sorted[max(place - 1, 0) : place + 1]
        return any(it.startswith(text) or text.startswith(it) for it in near)


def _beginning(path: str) -> str:
    """Return the canonical spelling of *path* up to its first wildcard."""
    return canonical(before_wildcard(path))


def _redundant(rule: Rule, first: Rule, *, is_same: bool, is_listed: bool) -> Problem:
    """Return the problem with *rule*, whose URLs are all covered by the rule *first*."""
    path = escape_control_chars(rule.value, 60)
    words = f"Delete `{path}` from this line, and keep its other paths." * is_listed
    advice = Fix(words, {} if is_listed else {rule.line: ()})
    kind = kinds.DUPLICATE if is_same else kinds.SHADOWED
    return kind.at(rule.line, str(first.line), str(first), advice=advice)


def _without_effect(rule: Rule, first: Rule, *, is_same: bool) -> Problem:
    """Return the problem with *rule*, which is overridden by the rule *first* for every
    URL.
    """
    kind = kinds.INEFFECTIVE_ALLOW if rule.allows else kinds.INEFFECTIVE_DISALLOW
    advice = Fix("", {first.line: (str(rule), str(first)), rule.line: ()})
    if is_same:
        advice = Fix(
            "Delete one of the two lines: one allows the path that the other disallows."
        )
    return kind.at(rule.line, str(first.line), str(first), advice=advice)


def unreached_problems(
    records: Sequence[Record], dialect: Dialect
) -> Iterator[Problem]:
    """Yield a problem for each name without effect in *records*.

    A name has no effect if a robot with this name obeys another record.
    """
    names = [record.names for record in records]
    if sum(map(len, names)) > _NAMES_COMPARED:
        return
    for position, record in enumerate(records):
        for agent in record.agents:
            # Ours O1 (several records for a name): choose the records that a robot with
            # this name obeys. Do not use the cache of `robot_names`, because the name may
            # be any text in the file.
            robot = robot_names.__wrapped__(agent.name)
            chosen = dialect.choose(names, robot)
            name = agent.name.lower()
            # If no robot can have the name, a problem of another kind reports the name.
            if name == EVERYBODY or name not in robot or position in chosen:
                continue
            taker = records[chosen[0]]
            # If both records have equal rules, it does not matter which record is obeyed.
            if set(map(str, record.rules)) != set(map(str, taker.rules)):
                named = (it for it in taker.agents if it.name.lower() in name)
                whose = next(named, taker.agents[0])
                # The usual fix, which is to put the longer name first, does not help if
                # both records have the same name.
                is_same = whose.name.lower() == name
                advice = Fix(_SAME_NAME_FIX) if is_same else None
                texts = agent.name, str(whose.line), whose.name
                yield kinds.UNREACHED.at(agent.line, *texts, advice=advice)
