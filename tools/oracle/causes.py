"""Find out why another implementation of RFC 9309 decides differently from ours.

Each function in `CAUSES` rewrites something that other implementations read differently, without
changing our decision. The first rewrite after which both implementations agree is the cause. If no
rewrite is enough alone, the rewrites are applied one after another until both implementations
agree, and those that changed something are named together as the cause.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tests.oracle.lines import decoded, split_lines
from tests.oracle.names import record_names, robot_names
from tests.oracle.paths import is_robots_txt, split_url
from tests.oracle.rfc9309 import normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Asks = Callable[[bytes, str], bool]
    """Takes a file and a URL, and returns whether the other implementation allows the URL."""

KNOWN = ("user-agent", "allow", "disallow")
MISSPELT = re.compile(
    r"user[ -]?agent|dis+al+[ao]w|diasllow|allow|crawl.delay|site-?map", re.IGNORECASE
)
OTHER_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


class Line(NamedTuple):
    """A line without its comment. If it has no colon, *name* and *value* are empty."""

    text: str
    name: str
    value: str


class Cause(NamedTuple):
    name: str
    change: Callable[[str, str, str], tuple[str, str]]


def read(text: str) -> Iterator[Line]:
    for line in split_lines(text):
        content = line.partition("#")[0].strip(" \t")
        name, colon, value = content.partition(":")
        if not colon:
            name = value = ""
        yield Line(content, name.strip(" \t").lower(), value.strip(" \t"))


def without(text: str, is_removed: Callable[[Line], bool]) -> str:
    return "\n".join(line.text for line in read(text) if not is_removed(line))


def with_values(text: str, names: tuple[str, ...], change: Callable[[str], str]) -> str:
    return "\n".join(
        f"{line.name}: {change(line.value)}" if line.name in names else line.text
        for line in read(text)
    )


def encoded_octets(text: str, url: str, robot: str) -> tuple[str, str]:
    """Percent-encode undecodable bytes, and the characters besides CR and LF at which
    `str.splitlines` splits.
    """
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    text = re.sub("[\udc80-\udcff]", lambda m: f"%{ord(m.group()) - 0xDC00:02X}", text)
    encoded = OTHER_ENDS.sub(lambda m: normalised(m.group()), text)
    return encoded, url


def colons_only(text: str, url: str, robot: str) -> tuple[str, str]:
    return without(text, lambda line: not line.name), url


def no_misspelt(text: str, url: str, robot: str) -> tuple[str, str]:
    """Remove lines whose field, such as `Disalow`, resembles a known one."""
    return without(
        text,
        lambda line: line.name not in KNOWN and bool(MISSPELT.match(line.text)),
    ), url


def no_unknown(text: str, url: str, robot: str) -> tuple[str, str]:
    return without(text, lambda line: line.name not in KNOWN), url


def no_empty_names(text: str, url: str, robot: str) -> tuple[str, str]:
    return without(text, lambda line: line.name == KNOWN[0] and not line.value), url


def whole_tokens(text: str, url: str, robot: str) -> tuple[str, str]:
    """Replace the value of each User-agent line with `*`, the robot's own token, or a token
    that matches no robot.
    """
    own = robot_names(robot)

    def name(value: str) -> str:
        names = record_names(value, "rfc9309")
        if "*" in names:
            return "*"
        return robot.partition("/")[0] if set(names) & set(own) else "unrelated"

    named = with_values(text, ("user-agent",), lambda v: name(v) if v else v)
    return named, url


def paths_only(text: str, url: str, robot: str) -> tuple[str, str]:
    """Remove rules whose value begins with neither `/` nor `*`."""
    return without(
        text,
        lambda line: (
            line.name in KNOWN[1:]
            and bool(line.value)
            and not line.value.startswith(("/", "*"))
        ),
    ), url


def no_index(text: str, url: str, robot: str) -> tuple[str, str]:
    """Rewrite `index.html` in Allow lines, because Protego and google/robotstxt make an exception
    for it.
    """

    def change(value: str) -> str:
        return re.sub(r"/index\.h(tml?$)?", r"/index.%68\1*", value)

    return with_values(text, ("allow",), change), url


def one_spelling(text: str, url: str, robot: str) -> tuple[str, str]:
    """Normalize the percent-encoding of the rules and the URL."""
    origin, target = split_url(url)
    rewritten = with_values(text, KNOWN[1:], normalised)
    return rewritten, origin + normalised(target)


def short_lines(text: str, url: str, robot: str) -> tuple[str, str]:
    """Remove long lines, which google/robotstxt truncates."""
    return without(
        text, lambda line: len(line.text.encode("utf-8", "surrogateescape")) > 16_000
    ), url


CAUSES = (
    Cause(
        "a line ends at a character other than CR or NL, or is not UTF-8 (§2.2)",
        encoded_octets,
    ),
    Cause("a line without a colon is read (§2.2: a colon is required)", colons_only),
    Cause("a misspelt field is read (§2.2: the names are exact)", no_misspelt),
    Cause("an unknown field ends the User-agent lines (§2.2.4)", no_unknown),
    Cause("a User-agent line without a value ends a group (ours O12)", no_empty_names),
    Cause("a name is not compared as a whole token (§2.2.1)", whole_tokens),
    Cause("a rule that is not a path is read as one (§2.2: path-pattern)", paths_only),
    Cause("an Allow of `index.html` also allows its folder (not in the RFC)", no_index),
    Cause("percent-encoding is compared differently (§2.2.2)", one_spelling),
    Cause("a long line is truncated (§2.5: at least 500 KiB count)", short_lines),
)
ROBOTS_TXT = "a rule can disallow robots.txt itself (§2.2.2: it is always allowed)"
UNEXPLAINED = "not explained"


def of_difference(body: bytes, url: str, robot: str, ours: bool, ask: Asks) -> str:
    def asks(text: str, url: str) -> bool:
        return ask(text.encode("utf-8", "surrogateescape"), url)

    text = decoded(body)
    if is_robots_txt(split_url(url)[1]):
        return ROBOTS_TXT
    for cause in CAUSES:
        if asks(*cause.change(text, url, robot)) == ours:
            return cause.name
    names = []
    for cause in CAUSES:
        changed = cause.change(text, url, robot)
        if changed != (text, url):
            names.append(cause.name)
        text, url = changed
        if asks(text, url) == ours:
            return " + ".join(names)
    return UNEXPLAINED
