"""Effects: what each line of a file does, in a few words that are safe to print."""

from collections.abc import Iterator

from scrapy_robots1994.printable import printable
from scrapy_robots1994.standard import Line, LineKind, RobotsTxt

_WIDTH = 22

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
    names = _names_by_line(robots)
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
                yield f"asks for a pause of {printable(line.value, _WIDTH)} seconds"
            case LineKind.ALLOW:
                # Ours X1
                yield f"allows what begins with {printable(line.value, _WIDTH)}"
            case LineKind.USER_AGENT:
                # 1994 A1, A3
                yield _of_agent(names[line.number], begins=line.number in starts)
            case LineKind.DISALLOW:
                yield _of_rule(line)
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
    who = "every robot not named" if name == "*" else f'"{printable(name, _WIDTH)}"'
    return f"begins a record, for {who}" if begins else f"and for {who}"


def _of_rule(line: Line) -> str:
    """Return what a Disallow line of a record does."""
    if not line.value:
        # 1994 D2
        return "forbids nothing"
    if line.value == "/":
        return "forbids everything"
    if line.value.startswith("/") or "://" in line.value:
        # 1994 D1
        return f"forbids what begins with {printable(line.value, _WIDTH)}"
    # Ours O20
    return "matches nothing"
