"""Effects: what each line of a file does, in a few words that are safe to print."""

from collections.abc import Iterator

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser import LineKind
from scrapy_robots1994.robotstxt import RobotsTxt

_WIDTH = 22
_PATHS_TOLD = 3

# Shorter than `Line.why_ignored`, to stand beside the line.
_WHY_IGNORED = {
    LineKind.UNKNOWN: "1994 has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line before it",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "no number of seconds",
}


def effects_of(robots: RobotsTxt) -> Iterator[str]:
    """Yield what each line of *robots* does, in order; nothing for an idle one."""
    names, rules = _names_by_line(robots), _rules_by_line(robots)
    starts = {record.first_line for record in robots.records}
    is_open = False
    for line in robots.lines:
        is_open |= line.number in starts
        match line.kind:
            case LineKind.BLANK:
                # 1994 F1
                yield "ends the record" if is_open else ""
                is_open = False
            case LineKind.COMMENT | LineKind.SITEMAP:
                yield ""
            case LineKind.CRAWL_DELAY:
                # Ours X4
                yield f"asks for a pause of {escape_control_chars(line.value, _WIDTH)} seconds"
            case LineKind.ALLOW:
                # Ours X1
                yield f"allows what begins with {escape_control_chars(line.value, _WIDTH)}"
            case LineKind.USER_AGENT:
                # 1994 A1, A3
                yield _of_agent(names[line.number], begins=line.number in starts)
            case LineKind.DISALLOW:
                yield _of_rules(rules[line.number])
            case _:
                yield f"ignored: {_WHY_IGNORED.get(line.kind, line.why_ignored)}"


def _names_by_line(robots: RobotsTxt) -> dict[int, list[str]]:
    """Return the names that each User-agent line holds; in 1994 it is one."""
    names: dict[int, list[str]] = {}
    for record in robots.records:
        for agent in record.agents:
            names.setdefault(agent.line, []).append(agent.name)
    return names


def _of_agent(names: list[str], *, begins: bool) -> str:
    """Return what a User-agent line does."""
    name = " ".join(names)
    who = (
        "every robot not named"
        if name == "*"
        else f'"{escape_control_chars(name, _WIDTH)}"'
    )
    return f"begins a record, for {who}" if begins else f"and for {who}"


def _rules_by_line(robots: RobotsTxt) -> dict[int, list[str]]:
    """Return the values that each Disallow line holds; in 1994 it is one."""
    rules: dict[int, list[str]] = {}
    for record in robots.records:
        for rule in record.rules:
            rules.setdefault(rule.line, []).append(rule.value)
    return rules


def _of_rules(values: list[str]) -> str:
    """Return what a Disallow line of a record does."""
    if values == [""]:
        # 1994 D2
        return "forbids nothing"
    if "/" in values:
        return "forbids everything"
    # Ours O20: the others match nothing.
    matching = [it for it in values if it.startswith("/") or "://" in it]
    if not matching:
        return "matches nothing"
    # 1994 D1
    told = " or ".join(
        escape_control_chars(value, _WIDTH) for value in matching[:_PATHS_TOLD]
    )
    return (
        f"forbids what begins with {told}{' …' if len(matching) > _PATHS_TOLD else ''}"
    )
