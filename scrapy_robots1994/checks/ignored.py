"""Lines that count for nothing: what they look like, and what was likely meant."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from scrapy_robots1994.checks.problem import ERROR, INFO, WARNING, Finding, Kind
from scrapy_robots1994.checks.spelling import likely_field, plain
from scrapy_robots1994.parser.records import Contents
from scrapy_robots1994.parser.tokens import COMMENT, SPACE, Line, LineKind

ORPHAN = Kind(
    "R001",
    "O4",
    ERROR,
    "Disallow without User-agent",
    "{} without a User-agent line in its record is ignored",
    "Put it below the User-agent lines it belongs to, with no blank line between.",
    weakens_policy=True,
)
NAMELESS = Kind(
    "R004",
    "O12",
    ERROR,
    "User-agent without a name",
    "User-agent without a name is ignored",
    "Write the robot's name, or `*` for every robot.",
    weakens_policy=True,
)
MALFORMED = Kind(
    "R006",
    "O14",
    WARNING,
    "line without a colon",
    'the line "{}" is not a field name, a colon and a value, and is ignored',
    "Write `Field: value`, or begin the line with `#` to make it a comment.",
)
UNKNOWN = Kind(
    "R010",
    "F6",
    INFO,
    "unknown field",
    'the field "{}" is unknown and ignored',
    "Delete the line, or begin it with `#` to make it a comment.",
)
ALLOW = Kind(
    "R016",
    "F6",
    INFO,
    "Allow",
    "Allow is no field of 1994; it is ignored: what a Disallow covers stays forbidden",
    "Name what is closed by Disallow lines alone, one for each path.",
)
CRAWL_DELAY = Kind(
    "R017",
    "F6",
    INFO,
    "Crawl-delay",
    "Crawl-delay is no field of 1994; it is ignored",
    "Nothing need be done; a robot of 1994 does not see it.",
)
SITEMAP = Kind(
    "R018",
    "F6",
    INFO,
    "Sitemap",
    "Sitemap is no field of 1994; it is ignored",
    "Nothing need be done; a robot of 1994 does not see it.",
)
EXTENSION = Kind(
    "R019",
    "F6",
    INFO,
    "other extension",
    'the field "{}" is an extension that 1994 does not know; it is ignored',
    "Nothing need be done; a robot of 1994 does not see it.",
)
MISSPELT = Kind(
    "R020",
    "F6",
    ERROR,
    "misspelt field",
    'the field "{}" is unknown and ignored; was "{}" meant?',
    "Correct the name of the field: it is obeyed only when it is exact.",
    weakens_policy=True,
)
NO_COLON = Kind(
    "R021",
    "O14",
    ERROR,
    "colon missing after a field",
    'the line "{}" has no colon and is ignored; was "{}:" meant?',
    "Put a colon after the name of the field.",
    weakens_policy=True,
)
TIMELESS = Kind(
    "R035",
    "X4",
    WARNING,
    "Crawl-delay without a number",
    'the Crawl-delay "{}" is no number of seconds and is ignored',
    "Write a decimal number of seconds: `Crawl-delay: 10`.",
)

KINDS = (
    ORPHAN,
    NAMELESS,
    MALFORMED,
    UNKNOWN,
    ALLOW,
    CRAWL_DELAY,
    SITEMAP,
    EXTENSION,
    MISSPELT,
    NO_COLON,
    TIMELESS,
)

_OWN_KIND = {"allow": ALLOW, "crawldelay": CRAWL_DELAY, "sitemap": SITEMAP}
_EXTENSIONS = frozenset(
    (
        "cachedelay",
        "cleanparam",
        "comment",
        "contentsignal",
        "contentusage",
        "host",
        "indexpage",
        "nofollow",
        "noindex",
        "requestrate",
        "robotversion",
        "visittime",
    )
)


def in_lines(contents: Contents) -> Iterator[Finding]:
    """Yield the lines that are ignored by themselves."""
    for line in contents.lines:
        match line.kind:
            case LineKind.NAMELESS:
                # Ours O12
                yield NAMELESS.at(line.number, column_of(line))
            case LineKind.TIMELESS:
                # Ours X4
                yield TIMELESS.at(line.number, column_of(line), line.value)
            case LineKind.MALFORMED:
                yield _malformed(line)
            case LineKind.UNKNOWN:
                yield _unknown(line)
            case _:
                pass


def in_orphans(contents: Contents) -> Iterator[Finding]:
    """Yield the Disallow lines that no blank line alone keeps from their record."""
    joined = set(_parted(contents))
    for line in contents.lines:
        if line.kind is LineKind.ORPHAN and line.number not in joined:
            # Ours O4
            yield ORPHAN.at(line.number, column_of(line), line.field)


def _parted(contents: Contents) -> Iterator[int]:
    """Yield the rules that one blank line alone parts from a record without rules."""
    blanks = [line.number for line in contents.lines if line.kind is LineKind.BLANK]
    for record in contents.records:
        if record.orphans and not record.rules:
            first = record.orphans[0].line
            here = bisect_right(blanks, first)
            yield from (
                rule.line
                for rule in record.orphans
                if bisect_right(blanks, rule.line) == here
            )


def column_of(line: Line) -> int:
    """Return the column, from 1, where the line says something."""
    return len(line.text) - len(line.text.lstrip(SPACE)) + 1


def _malformed(line: Line) -> Finding:
    """Return what a line without a colon is; it is never guessed what it says."""
    # Ours O14
    content = line.text.partition(COMMENT)[0].strip(SPACE)
    meant = kept_likely_field(first_words(content))
    if meant is None or ":" in content:
        return MALFORMED.at(line.number, column_of(line), content)
    return NO_COLON.at(line.number, column_of(line), content, meant)


def first_words(content: str) -> str:
    """Return what would be the field of a line whose colon is missing."""
    # "User agent x" names its field with two words.
    words = content.replace("=", " ").split(None, 2)[:2]
    if len(words) > 1 and words[0].lower() == "user":
        return "".join(words)
    return words[0] if len(words) > 1 else ""


def _unknown(line: Line) -> Finding:
    """Return what a line with a field that 1994 does not know is."""
    # 1994 F6
    name = plain(line.field)
    if name in _OWN_KIND:
        return _OWN_KIND[name].at(line.number, column_of(line))
    if name in _EXTENSIONS:
        return EXTENSION.at(line.number, column_of(line), line.field)
    meant = kept_likely_field(line.field)
    if meant is not None:
        return MISSPELT.at(line.number, column_of(line), line.field, meant)
    return UNKNOWN.at(line.number, column_of(line), line.field)


# A misspelling seldom comes alone.
kept_likely_field = lru_cache(maxsize=256)(likely_field)
