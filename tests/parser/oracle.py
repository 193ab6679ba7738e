"""A second, slow and plain parser of 1994; it shares no code with the package."""

from __future__ import annotations

HEX = "0123456789abcdefABCDEF"


def split_lines(text: str) -> list[str]:
    """F2: split *text* at CR NL, CR and NL, character by character."""
    lines, line, position = [], "", 0
    while position < len(text):
        if text[position] in "\r\n":
            lines.append(line)
            line = ""
            position += 2 if text[position : position + 2] == "\r\n" else 1
        else:
            line += text[position]
            position += 1
    return [*lines, line]


def events(text: str) -> list[tuple[str, str, int]]:
    """Return ("blank" or "agent" or "disallow", value, number) for each line with one."""
    found = []
    for number, line in enumerate(split_lines(text), 1):
        content = line.split("#")[0].strip(" \t")
        if content == "" and "#" not in line:
            found.append(("blank", "", number))
        if ":" not in content:
            continue
        field, value = content.split(":", 1)
        field, value = field.strip(" \t").lower(), value.strip(" \t")
        if field == "user-agent" and value.split("/")[0].strip(" \t"):
            found.append(("agent", value.split("/")[0].strip(" \t"), number))
        elif field == "disallow":
            found.append(("disallow", value, number))
    return found


def without_splits(found: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """O5, cautious: return *found* with only those blank lines that precede an agent."""
    kept = []
    for position, event in enumerate(found):
        after = [it[0] for it in found[position:] if it[0] != "blank"]
        if event[0] != "blank" or after[:1] == ["agent"]:
            kept.append(event)
    return kept


def records(found: list[tuple[str, str, int]]) -> list[tuple[list[str], list[str]]]:
    """F1, F6, O4, O7: return names and values of each record."""
    made: list[tuple[list[str], list[str]]] = []
    is_open = False
    for what, value, _ in found:
        if what == "blank":
            is_open = False
        elif what == "agent":
            if not is_open or made[-1][1]:
                made.append(([], []))
            made[-1][0].append(value)
            is_open = True
        elif is_open:
            made[-1][1].append(value)
    return made


def applying(
    made: list[tuple[list[str], list[str]]], names: list[str]
) -> list[list[str]]:
    """A2, A3, O1, O2, O8: return the values of the records that a robot obeys."""
    for agents, values in made:
        for agent in agents:
            if agent != "*" and [it for it in names if agent.lower() in it.lower()]:
                return [values]
    return [values for agents, values in made if "*" in agents]


def decoded(text: str) -> list[int | str]:
    """O18: return the bytes of *text*, percent-decoded except for an encoded slash."""
    data = text.encode("utf-8", "surrogatepass")
    made: list[int | str] = []
    position = 0
    while position < len(data):
        pair = data[position + 1 : position + 3].decode("latin-1")
        if data[position] == ord("%") and len(pair) == 2 and set(pair) <= set(HEX):
            made.append("slash" if pair in ("2f", "2F") else int(pair, 16))
            position += 3
        else:
            made.append(data[position])
            position += 1
    return made


def starts(target: str, value: str) -> bool:
    """D1, D2, O18, O20: return whether *value* is a path that covers *target*."""
    if not value.startswith("/"):
        return False
    beginning = decoded(value)
    return target.startswith(value) or decoded(target)[: len(beginning)] == beginning


def allowed(text: str, target: str, names: list[str], *, cautious: bool) -> bool:
    """Return whether a robot with these *names* may retrieve the path *target*."""
    if decoded(target) == decoded("/robots.txt"):
        return True
    found = events(text)
    readings = [found, without_splits(found)] if cautious else [found]
    return not any(
        starts(target, value)
        for reading in readings
        for values in applying(records(reading), names)
        for value in values
    )
