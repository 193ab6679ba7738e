"""Apply the fixes that lint suggests, and compare which URLs robots may fetch before
and after each fix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scrapy_robots1994 import Problem, RobotsTxt, Verdict
from tests.standard.asking import DIALECTS

MAX_VALUES = 12
MAX_ROBOTS = 6
MAX_URLS = 18
ROUNDS = 12

UNCHANGED = {
    *("R006", "R009", "R010", "R011", "R013", "R022"),
    *("R023", "R026", "R028", "R031", "R032", "R035"),
}
CLOSING = ("R015", "R037")
OPENING = ("R003", "R007", "R036", "R041")
NEW_FIELD = ("R020", "R021", "R044")


def fixed(robots: RobotsTxt, problem: Problem) -> tuple[str, set[int]]:
    """Apply the fix of *problem*. Return the new text, and the numbers of the lines that
    the fix has written.
    """
    texts: list[str] = []
    written: set[int] = set()
    for line in robots.lines:
        new = problem.edits.get(line.number)
        if new is None:
            texts.append(line.text + line.ending)
            continue
        for text in new:
            texts.append(text + (line.ending or "\n"))
            written.add(len(texts))
    return "".join(texts), written


def complaints(body: bytes | str, dialect: str) -> Iterator[str]:
    """Yield a message for each mistake in the advice for a file. Each fix is checked alone,
    in every dialect. Then the fixes are applied one after the other, until no fix is left.
    """
    robots = RobotsTxt.parse(body, dialect=dialect)
    for problem in robots.problems:
        if problem.edits:
            yield from _harm(robots, problem)
    for _ in range(2 * len(robots.problems) + ROUNDS):
        problems = [it for it in robots.problems if it.edits]
        if not problems:
            return
        problem = problems[0]
        text, _ = fixed(robots, problem)
        if text == robots.text:
            yield f"{problem!r}: {problem.fix} changes nothing\n{robots.text!r}"
            return
        robots = RobotsTxt.parse(text, dialect=dialect)
    yield f"advice without an end: {problem!r}\n{robots.text!r}"


def _harm(robots: RobotsTxt, problem: Problem) -> Iterator[str]:
    """Yield a message if the fix of *problem* changes an answer in a way that
    `_permitted_change` does not permit.
    """
    text, written = fixed(robots, problem)
    effect = _permitted_change(robots, problem)
    lines = RobotsTxt.parse(text).lines
    near = [lines[it - 1].value for it in written if it <= len(lines)]
    near += [robots.lines[it - 1].value for it in problem.edits]
    values = tuple(dict.fromkeys([*near, *(it.value for it in lines)]))
    urls, names = _questions(values[:MAX_VALUES])
    for dialect in DIALECTS:
        before = RobotsTxt.parse(robots.text, dialect=dialect)
        after = RobotsTxt.parse(text, dialect=dialect)
        for name in names:
            for url in urls:
                was, now = before.allowed(url, name), after.allowed(url, name)
                if was is now:
                    continue
                was_said, said = before.verdict(url, name), after.verdict(url, name)
                is_about = _spans(was_said, problem.edits) or _spans(said, written)
                is_other = effect == "SAME" or (effect == "CLOSES") is now
                if is_other if effect != "EITHER" else not is_about:
                    yield (
                        f"{robots.dialect} {problem!r}\n  {problem.fix}\n  {effect}, but in "
                        f"{dialect} {name!r} {url}: {was_said} -> {said}\n"
                        f"{robots.text!r}\n{text!r}"
                    )
                    return


def _permitted_change(robots: RobotsTxt, problem: Problem) -> str:
    """Return how the fix of *problem* may change the set of URLs that robots may fetch:
    SAME (not at all), CLOSES (fewer URLs), OPENS (more URLs) or EITHER.
    """
    code, field = problem.code, robots.lines[problem.line - 1].field.lower()
    has_allow = any(it.field.lower() == "allow" for it in robots.lines)
    written = {it.partition(":")[0] for new in problem.edits.values() for it in new}
    if code in UNCHANGED or (code in NEW_FIELD and "Sitemap" in written):
        return "SAME"
    if code in ("R005", "R033", "R034"):
        return "OPENS" if field == "allow" else "CLOSES"
    if code in ("R001", "R002"):
        return "EITHER" if has_allow else "CLOSES"
    if code == "R043":
        return "EITHER" if has_allow else "OPENS"
    return "CLOSES" if code in CLOSING else "OPENS" if code in OPENING else "EITHER"


def _spans(verdict: Verdict, lines: Iterable[int]) -> bool:
    """Return whether one of *lines* is in the record of *verdict*."""
    record = verdict.record
    return record is not None and any(
        record.first_line <= it <= record.last_line for it in lines
    )


def _questions(values: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return URLs and robot names that resemble the field values in *values*."""
    urls: dict[str, None] = {"/zz": None}
    names: dict[str, None] = {"zzrobot": None}
    for value in values:
        for word in value.split() or [""]:
            if "/" in word or "*" in word:
                path = "/" + word.strip("\"'`<>()[].,:;").lstrip("/*")
                path = path.replace("*", "x").removesuffix("$")
                urls |= dict.fromkeys((path, f"{path}/y", f"/x{path}"))
            else:
                names[word.strip("\"'`*,;()[]<>:") or "*"] = None
    return [*urls][:MAX_URLS], [*names][:MAX_ROBOTS]
