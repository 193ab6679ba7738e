"""Problems: what the author of a file should know about it; with the table of all kinds.

A kind is one row. To add one, add its row with the next code, which is R059, and yield its problem
where the line (`lines.py`), the name or path (`values.py`), the record (`records.py`) or the file
(`problems.py`) is looked at. A code never changes its meaning.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Any

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.fixes import Edits, Effect, Fix
from scrapy_robots1994.parser.fields import Field

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)

_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of problem; *message* has a placeholder for each text of the file.

    *clause* is the id of the clause or decision, *title* names the kind in a table, *fix* says
    what the author of the file can do. *weakens_policy* says that a line which was meant to
    close something does not; where an Allow has this problem, it tightens the policy instead.
    *tightens_policy* says that what was meant to open something does not, in any case.

    *why* says why it matters, *bad* is a file that has the problem in the *dialect*, and *good*
    what to write instead. Both are bytes where no text shows the difference.
    """

    code: str
    clause: str
    severity: str
    title: str
    message: str
    why: str
    fix: str
    bad: str | bytes
    good: str
    dialect: str = "1994"
    weakens_policy: bool = False
    tightens_policy: bool = False

    def at(self, line: int, column: int, *texts: str, **more: Any) -> "Problem":
        """Return a problem of this kind at a place, with what the file has there.

        *more* are the optional attributes of `Problem`.
        """
        return Problem(self, line, column, texts, **more)


# Not frozen: a crawl makes dozens for a file, and frozen ones take three times as long.
@dataclass(slots=True, unsafe_hash=True, repr=False)
class Problem:
    """One thing that is wrong, or worth knowing, with one line of a file.

    *line* and *column* count from 1; *texts* are what the message quotes from the file.
    *is_split* says that only a blank line makes the problem, so that the cautious reading
    has none. *message* and *fix* are safe to print.
    """

    kind: Kind
    line: int
    column: int
    texts: tuple[str, ...] = ()
    is_split: bool = False
    # Whether nothing is opened here, though the kind opens sites.
    is_harmless: bool = False
    # Whether something is closed here, though the kind does not close sites.
    is_closing: bool = False
    # The severity here, if that is not the severity of the kind.
    level: str = ""
    # The field that has no effect, or is likely meant.
    field: Field | None = made_by(default=None, compare=False)
    # The robots that the author of a wrong User-agent line likely meant.
    meant: tuple[str, ...] = made_by(default=(), compare=False)
    # What to do, or a function that finds it out: a crawl shows none of the hundred that a
    # file may have.
    advice: Fix | Callable[[], Fix] | None = made_by(default=None, compare=False)

    @property
    def code(self) -> str:
        """The code of the kind, which never changes its meaning."""
        return self.kind.code

    @property
    def severity(self) -> str:
        """One of "error", "warning" and "info"."""
        return self.level or self.kind.severity

    @property
    def clause(self) -> str:
        """The id of the clause or decision that the problem is about."""
        return self.kind.clause

    @property
    def message(self) -> str:
        """What is wrong, without a full stop."""
        texts = (escape_control_chars(it, _QUOTED_CHARACTERS) for it in self.texts)
        return self.kind.message.format(*texts)

    @property
    def sentence(self) -> str:
        """The message with its end."""
        message = self.message
        return message if message.endswith("?") else f"{message}."

    @property
    def fix(self) -> str:
        """What the author of the file can do."""
        return self._advice.words or self.kind.fix

    @property
    def edits(self) -> Edits:
        """The lines that `fix` says to write, by the number of the line they replace; empty if
        only the author of the file knows them.
        """
        return self._advice.edits

    @property
    def effect(self) -> Effect:
        """What the *edits* may change for robots, in any dialect."""
        return self._advice.effect

    @property
    def _advice(self) -> Fix:
        """What to do."""
        return (self.advice() if callable(self.advice) else self.advice) or Fix()

    @property
    def weakens_policy(self) -> bool:
        """Whether the file opens what its author likely meant to close."""
        if not self.kind.weakens_policy or self.is_harmless:
            return False
        return self.field is None or self.field.closes

    @property
    def tightens_policy(self) -> bool:
        """Whether the file closes what its author likely meant to open."""
        is_opening = self.field is not None and self.field.allows
        is_lost = self.kind.weakens_policy and is_opening and not self.is_harmless
        return is_lost or self.is_closing or self.kind.tightens_policy

    def __str__(self) -> str:
        """Return the problem as one line of a report."""
        where = f"{self.line}:{self.column}"
        return f"{where}: {self.severity} {self.code} ({self.clause}): {self.message}"

    def __repr__(self) -> str:
        """Return the line of the report, marked as a problem."""
        return f"<Problem {self}>"


ORPHAN = Kind(
    code="R001",
    clause="O4",
    severity=ERROR,
    weakens_policy=True,
    title="Disallow without User-agent",
    message="{} without a User-agent line in its record is ignored",
    why="A rule is for the robots that the User-agent lines of its record name.",
    fix="Put it below the User-agent lines it belongs to, with no blank line between.",
    bad="Disallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
SPLIT = Kind(
    code="R002",
    clause="O5",
    severity=ERROR,
    weakens_policy=True,
    title="record split by a blank line",
    message=(
        "a blank line ends the record before its Disallow lines; from line {} "
        "on they are ignored"
    ),
    why=(
        "In 1994 blank lines separate records: the names above it have no rule, and the "
        "rules below it no name. Robots of RFC 9309 do not mind."
    ),
    fix="Delete the blank line, or write a `#` into it.",
    bad="User-agent: *\n\nDisallow: /private\n",
    good="User-agent: *\n#\nDisallow: /private\n",
)
WITHOUT_RULES = Kind(
    code="R003",
    clause="O3",
    severity=INFO,
    weakens_policy=True,
    title="record without Disallow",
    message='the record for "{}" has no Disallow line and forbids nothing',
    why=(
        "Each record needs a Disallow line. A record of names alone is often the rest of a "
        "list, or waits for its rules; one with a Crawl-delay alone closes nothing on purpose."
    ),
    fix=(
        "Write its Disallow lines below it; an empty `Disallow:` says that all "
        "is allowed."
    ),
    bad="User-agent: rex\nCrawl-delay: 10\n",
    good="User-agent: rex\nDisallow:\nCrawl-delay: 10\n",
)
NAMELESS = Kind(
    code="R004",
    clause="O12",
    severity=ERROR,
    weakens_policy=True,
    title="User-agent without a name",
    message="User-agent without a name is ignored",
    why="The rules below it are for no robot, or for those of the record above.",
    fix="Write the robot's name, or `*` for every robot.",
    bad="User-agent:\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
PATHLESS = Kind(
    code="R005",
    clause="O20",
    severity=ERROR,
    weakens_policy=True,
    title="value without a leading slash",
    message='the value "{}" does not begin with a slash and matches nothing',
    why="The path of a URL begins with a slash, and a rule is compared with its beginning.",
    fix="Write the path from the root of the site, for example `/path`.",
    bad="User-agent: *\nDisallow: private\n",
    good="User-agent: *\nDisallow: /private\n",
)
MALFORMED = Kind(
    code="R006",
    clause="O14",
    severity=WARNING,
    title="line without a colon",
    message='the line "{}" is not a field name, a colon and a value, and is ignored',
    why="A robot guesses nothing: it leaves out a line that has not this form.",
    fix="Write `Field: value`, or begin the line with `#` to make it a comment.",
    bad="User-agent: *\nDisallow: /private\nthank you\n",
    good="User-agent: *\nDisallow: /private\n# thank you\n",
)
NO_BLANK = Kind(
    code="R007",
    clause="O7",
    severity=WARNING,
    title="no blank line between records",
    message="User-agent after {}, without a blank line, {}",
    why=(
        "Blank lines separate records. After a rule most robots begin a new record without "
        "one; after a field that they do not know they do not, and the names share the rules."
    ),
    fix="Put a blank line before it.",
    bad="User-agent: rex\nDisallow: /a\nUser-agent: max\nDisallow: /b\n",
    good="User-agent: rex\nDisallow: /a\n\nUser-agent: max\nDisallow: /b\n",
)
SECOND_DEFAULT = Kind(
    code="R008",
    clause="A3",
    severity=WARNING,
    title="several records for every robot",
    message=(
        "another record for every robot, besides that of line {}; all of them "
        "are obeyed"
    ),
    why="The standard has one such record; other robots obey the first or the last alone.",
    fix="Put all its Disallow lines into the first record for `*`, above the others.",
    bad="User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n",
    good="User-agent: *\nDisallow: /b\nDisallow: /a\n",
)
ADDS_NOTHING = Kind(
    code="R009",
    clause="O21",
    severity=WARNING,
    title="empty Disallow next to others",
    message="an empty Disallow adds nothing to the others, which have their effect",
    why="It says that everything may be retrieved, and the lines next to it that it may not.",
    fix="Delete it, or the others.",
    bad="User-agent: *\nDisallow:\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
UNKNOWN = Kind(
    code="R010",
    clause="F6",
    severity=INFO,
    title="unknown field",
    message='the field "{}" is unknown and ignored',
    why="It is no field of any dialect here, and no likely slip of one.",
    fix="Delete the line, or begin it with `#` to make it a comment.",
    bad="User-agent: *\nDisallow: /private\nWritten-by: us\n",
    good="User-agent: *\nDisallow: /private\n# Written-by: us\n",
)
SPACED = Kind(
    code="R011",
    clause="O15",
    severity=INFO,
    title="space before the field or the colon",
    message="space at the start of the line or before the colon",
    why="We accept it, and other robots may not see the line.",
    fix="Delete the space: other robots may not see the line.",
    bad="User-agent : *\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
MARK = Kind(
    code="R012",
    clause="O16",
    severity=INFO,
    title="byte order mark",
    message="a byte order mark is left out",
    why="Robots that do not know it take it for a part of the first line, and lose that line.",
    fix="Save the file as UTF-8 without a mark: other robots lose the first line.",
    bad=b"\xef\xbb\xbfUser-agent: *\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
UNDECODABLE = Kind(
    code="R013",
    clause="O17",
    severity=WARNING,
    title="bytes that are not UTF-8",
    message="bytes that are not UTF-8 are compared as the bytes they are",
    why="URLs have such characters percent-encoded, mostly as UTF-8.",
    fix="Save the file as UTF-8, or write such characters percent-encoded.",
    bad=b"User-agent: *\nDisallow: /caf\xe9\n",
    good="User-agent: *\nDisallow: /caf%E9\n",
)
TRUNCATED = Kind(
    code="R014",
    clause="O24",
    severity=WARNING,
    title="file over the size limit",
    message=(
        "the file is longer than what is read of it; from here on nothing is obeyed"
    ),
    why="Robots read so many bytes of a file: RFC 9309 asks for 500 KiB at least.",
    fix="Shorten the file: one short rule covers all paths that begin with it.",
    bad="User-agent: *\n" + "Disallow: /items/1\n" * 30_000,
    good="User-agent: *\nDisallow: /items/\n",
)
WILDCARD = Kind(
    code="R015",
    clause="D1",
    severity=WARNING,
    weakens_policy=True,
    title="wildcard in a value",
    message=(
        'the "{}" of "{}" is an ordinary character: only URLs that contain it match'
    ),
    why=(
        "In 1994 a path is compared as it is written. Robots of RFC 9309 obey the wildcard; "
        "a robot of 1994 needs a line of its own."
    ),
    fix="Keep it: robots of RFC 9309 obey it. Name the paths without wildcards, too.",
    bad="User-agent: *\nDisallow: /print/*.pdf\n",
    good="User-agent: *\nDisallow: /print/*.pdf\nDisallow: /print/\n",
)
ALLOW = Kind(
    code="R016",
    clause="F6",
    severity=INFO,
    tightens_policy=True,
    title="Allow",
    message=(
        "Allow is not a field of this dialect; {}: what a Disallow covers stays disallowed"
    ),
    why=(
        "A robot of 1994 does not know Allow. It is reported where a Disallow of the same "
        "record closes what it opens."
    ),
    fix=(
        "Keep it: robots of RFC 9309 obey it. For robots of 1994, name what is closed by "
        "Disallow lines alone."
    ),
    bad="User-agent: *\nDisallow: /a\nAllow: /a/public\n",
    good="User-agent: *\nDisallow: /a/private\nDisallow: /a/tmp\n",
)
CRAWL_DELAY = Kind(
    code="R017",
    clause="F6",
    severity=INFO,
    title="Crawl-delay",
    message="Crawl-delay is not a field of this dialect; it is ignored",
    why="Other robots obey it.",
    fix="Nothing need be done; a robot of this dialect does not see it.",
    bad="User-agent: *\nDisallow: /private\nCrawl-delay: 10\n",
    good="User-agent: *\nDisallow: /private\n",
)
SITEMAP = Kind(
    code="R018",
    clause="F6",
    severity=INFO,
    title="Sitemap",
    message="Sitemap is not a field of this dialect; it is ignored",
    why="Other robots obey it.",
    fix="Nothing need be done; a robot of this dialect does not see it.",
    bad="User-agent: *\nDisallow: /private\n\nSitemap: https://example.com/sitemap.xml\n",
    good="User-agent: *\nDisallow: /private\n",
)
EXTENSION = Kind(
    code="R019",
    clause="F6",
    severity=INFO,
    title="other extension",
    message=(
        'the field "{}" is an extension that is not part of this dialect; it is ignored'
    ),
    why="Other robots, or services that read the file, obey it.",
    fix="Nothing need be done; a robot of this dialect does not see it.",
    bad="User-agent: *\nDisallow: /private\nClean-param: ref /\n",
    good="User-agent: *\nDisallow: /private\n",
)
MISSPELT = Kind(
    code="R020",
    clause="F6",
    severity=ERROR,
    weakens_policy=True,
    title="misspelt field",
    message='the field "{}" is unknown and ignored; was "{}" meant?',
    why="A field is obeyed only if its name is exact; quotes, bullets and stars belong to it.",
    fix="Correct the name of the field: it is obeyed only when it is exact.",
    bad="User-agent: *\nDisalow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
NO_COLON = Kind(
    code="R021",
    clause="O14",
    severity=ERROR,
    weakens_policy=True,
    title="colon missing after a field",
    message='the line "{}" has no colon and is ignored; was "{}:" meant?',
    why="A line is a field name, a colon and a value; anything else is ignored.",
    fix="Put a colon after the name of the field.",
    bad="User-agent: *\nDisallow /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
DUPLICATE = Kind(
    code="R022",
    clause="D1",
    severity=INFO,
    title="duplicate rule",
    message="line {} of the same record says the same",
    why="It changes nothing, in any dialect, and a change of one of the two is easily forgotten.",
    fix="Delete one of the two.",
    bad="User-agent: *\nDisallow: /private\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
SHADOWED = Kind(
    code="R023",
    clause="D1",
    severity=INFO,
    title="shadowed rule",
    message='line {}, "{}", already covers all that this one does',
    why="It changes nothing, in any dialect; or the shorter rule covers more than was meant.",
    fix="Delete this line, or the shorter rule if that one covers too much.",
    bad="User-agent: *\nDisallow: /private\nDisallow: /private/old\n",
    good="User-agent: *\nDisallow: /private\n",
)
UNREACHED = Kind(
    code="R024",
    clause="O1",
    severity=WARNING,
    title="name that an earlier record takes",
    message=(
        'a robot named "{}" obeys the record of line {}, for "{}", and never this one'
    ),
    why="A robot obeys one record: of those that name it the first, in 1994.",
    fix="Put the record of the longer name first, or make one record of the two.",
    bad="User-agent: bot\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b\n",
    good="User-agent: mybot\nDisallow: /b\n\nUser-agent: bot\nDisallow: /a\n",
)
HTML = Kind(
    code="R025",
    clause="O23",
    severity=ERROR,
    title="HTML or XML",
    message="the file begins as a page of HTML or XML does, and is read literally",
    why="A page has no rule. It is mostly the error page of a site without a robots.txt.",
    fix="Serve plain text at /robots.txt, or answer 404 when there is no such file.",
    bad="<!DOCTYPE html>\n<title>Not found</title>\n",
    good="User-agent: *\nDisallow:\n",
)
ALLOW_ONLY = Kind(
    code="R026",
    clause="O3",
    severity=INFO,
    title="record of Allow lines alone",
    message=(
        'the record for "{}" has no Disallow line and forbids nothing, with or '
        "without its Allow lines"
    ),
    why="A robot of 1994 does not know Allow, and each record needs a Disallow line.",
    fix="Write an empty `Disallow:` to say the same in the words of 1994.",
    bad="User-agent: *\nAllow: /\n",
    good="User-agent: *\nDisallow:\nAllow: /\n",
)
LONE_CR = Kind(
    code="R027",
    clause="F2",
    severity=WARNING,
    title="lines ended by CR alone",
    message="CR alone ends {} line(s), this one first",
    why="Robots that know NL alone take the whole file for one line.",
    fix="End lines with NL or CR NL: other robots may read all of them as one line.",
    bad="User-agent: *\rDisallow: /private\r",
    good="User-agent: *\nDisallow: /private\n",
)
CONTROL = Kind(
    code="R028",
    clause="O25",
    severity=WARNING,
    title="control character",
    message='invisible characters are part of "{}"',
    why="They are compared like any other character, and no one sees why a rule does not match.",
    fix="Delete them, or write them percent-encoded.",
    bad="User-agent: *\nDisallow: /pri\u200bvate\n",
    good="User-agent: *\nDisallow: /pri%E2%80%8Bvate\n",
)
NAME_LIST = Kind(
    code="R029",
    clause="O11",
    severity=WARNING,
    weakens_policy=True,
    title="several names on one line",
    message='commas and spaces separate no names: the one name is "{}", {}',
    why="A User-agent line has one name.",
    fix="Write one User-agent line for each name.",
    bad="User-agent: rexbot, maxbot\nDisallow: /private\n",
    good="User-agent: rexbot\nUser-agent: maxbot\nDisallow: /private\n",
)
NAME_WILDCARD = Kind(
    code="R030",
    clause="A3",
    severity=WARNING,
    weakens_policy=True,
    title="wildcard in a name",
    message='the "*" is part of the name "{}", which no robot has',
    why="A star alone means every robot; in a name it is a character like any other.",
    fix="Write the name alone: it is for every robot whose name contains it.",
    bad="User-agent: rexbot*\nDisallow: /private\n",
    good="User-agent: rexbot\nDisallow: /private\n",
)
VERSION = Kind(
    code="R031",
    clause="O10",
    severity=INFO,
    title="version in a name",
    message='the record is for "{}"; the rest of the value is left out',
    why="Names are compared without their versions.",
    fix="Write the name alone: the record is for all versions.",
    bad="User-agent: rexbot/1.0\nDisallow: /private\n",
    good="User-agent: rexbot\nDisallow: /private\n",
)
COMMENT_INSIDE = Kind(
    code="R032",
    clause="O13",
    severity=INFO,
    title="comment without space before it",
    message='a comment begins here: the value is "{}"',
    why="A `#` begins a comment anywhere; what follows it in a URL is never sent to a server.",
    fix="Put a space before a comment; write a `#` in a path as `%23`.",
    bad="User-agent: *\nDisallow: /private#old\n",
    good="User-agent: *\nDisallow: /private #old\n",
)
URL_VALUE = Kind(
    code="R033",
    clause="O19",
    severity=INFO,
    title="URL as a value",
    message='the value "{}" is compared with whole URLs; most robots expect a path',
    why="A robots.txt is about its own host, and most robots compare paths alone.",
    fix=(
        "Write its path alone, if this is its host; else the line belongs into the "
        "robots.txt of that host."
    ),
    bad="User-agent: *\nDisallow: https://example.com/private\n",
    good="User-agent: *\nDisallow: /private\n",
)
PATH_LIST = Kind(
    code="R034",
    clause="D1",
    severity=WARNING,
    weakens_policy=True,
    title="several paths on one line",
    message='spaces belong to a path: "{}" is one path',
    why="A Disallow line has one path.",
    fix="Write one line for each path.",
    bad="User-agent: *\nDisallow: /private /tmp\n",
    good="User-agent: *\nDisallow: /private\nDisallow: /tmp\n",
)
TIMELESS = Kind(
    code="R035",
    clause="X4",
    severity=WARNING,
    title="Crawl-delay without a number",
    message='the Crawl-delay "{}" is not a number of seconds and is ignored',
    why="A pause that cannot be read is none.",
    fix="Write a decimal number of seconds: `Crawl-delay: 10`.",
    bad="User-agent: *\nDisallow: /private\nCrawl-delay: 10s\n",
    good="User-agent: *\nDisallow: /private\nCrawl-delay: 10\n",
    dialect="extended",
)
INEFFECTIVE_ALLOW = Kind(
    code="R036",
    clause="X1",
    severity=WARNING,
    tightens_policy=True,
    title="Allow without effect",
    message='line {}, "{}", decides about every URL that this line allows',
    why="The first rule that covers a URL decides. By RFC 9309 the longest one does.",
    fix="Put this line above that one: the first line that covers a URL decides.",
    bad="User-agent: *\nDisallow: /a\nAllow: /a/public\n",
    good="User-agent: *\nAllow: /a/public\nDisallow: /a\n",
    dialect="extended",
)
INEFFECTIVE_DISALLOW = Kind(
    code="R037",
    clause="X1",
    severity=WARNING,
    weakens_policy=True,
    title="Disallow without effect",
    message='line {}, "{}", decides about every URL that this line disallows',
    why="The first rule that covers a URL decides. By RFC 9309 the longest one does.",
    fix="Put this line above that one: the first line that covers a URL decides.",
    bad="User-agent: *\nAllow: /\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\nAllow: /\n",
    dialect="extended",
)
INVISIBLE = Kind(
    code="R038",
    clause="F3",
    severity=ERROR,
    weakens_policy=True,
    title="invisible or look-alike character",
    message="{} makes this line something else than {}",
    why="It looks like a line that has an effect, and has none.",
    fix="Delete the character and type the line again.",
    bad="User-agent: *\nDisallow\uff1a /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
TWO_FIELDS = Kind(
    code="R039",
    clause="F3",
    severity=ERROR,
    weakens_policy=True,
    title="two fields on one line",
    message='two fields on one line: "{}" belongs to the value of {}',
    why=(
        "A line has one field. A User-agent line that is lost so leaves its rules to the "
        "record above it."
    ),
    fix="Write each field on a line of its own.",
    bad="User-agent: * Disallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
WIDE_TEXT = Kind(
    code="R040",
    clause="O16",
    severity=ERROR,
    weakens_policy=True,
    title="UTF-16 without a byte order mark",
    message=(
        "the file is UTF-16 without a byte order mark, and no line of it can be read"
    ),
    why="Robots expect UTF-8.",
    fix="Save the file as UTF-8.",
    bad="User-agent: *\nDisallow: /private\n".encode("utf-16-le"),
    good="User-agent: *\nDisallow: /private\n",
)
CLOSED_BY_COMMENT = Kind(
    code="R041",
    clause="O13",
    severity=WARNING,
    title="comment that leaves the path /",
    message="a comment begins here: the value is /, which covers the whole site",
    why="What follows a `#` in a URL is never sent to a server, so no rule can name it.",
    fix=(
        "Write an empty `Disallow:`, or delete the line next to others: what follows a `#` in "
        "a URL is never sent, so no rule can name it."
    ),
    bad="User-agent: *\nDisallow: /#!/private\n",
    good="User-agent: *\nDisallow: #!/private\n",
)
NAME_PUNCTUATION = Kind(
    code="R042",
    clause="A1",
    severity=WARNING,
    weakens_policy=True,
    title="punctuation around a name",
    message='the punctuation is part of the name "{}", which no robot has',
    why="A name is compared as it is written.",
    fix="Write the name alone, without quotes, brackets, colons or commas.",
    bad='User-agent: "rexbot"\nDisallow: /private\n',
    good="User-agent: rexbot\nDisallow: /private\n",
)
JOINED = Kind(
    code="R043",
    clause="RFC9309",
    severity=WARNING,
    title="names that share the rules of a group below",
    message='no rule parts "{}" from the names above it: it shares its rules with line {}',
    why=(
        "In RFC 9309 only a rule ends the names of a group. Blank lines, Crawl-delay, Sitemap "
        "and comments do not: the rules below are for all the names above."
    ),
    fix="Write an empty `Disallow:` below the names that are not meant.",
    bad="User-agent: *\nCrawl-delay: 10\n\nUser-agent: rexbot\nDisallow: /\n",
    good="User-agent: *\nDisallow:\nCrawl-delay: 10\n\nUser-agent: rexbot\nDisallow: /\n",
    dialect="rfc9309",
)
FIELD_MISSING = Kind(
    code="R044",
    clause="O14",
    severity=ERROR,
    weakens_policy=True,
    title="value without a field",
    message='the line "{}" has no field and is ignored; was "{}:" meant?',
    why="A line is a field name, a colon and a value; anything else is ignored.",
    fix="Write the name of the field and a colon before it.",
    bad="User-agent: *\nDisallow: /private\n/tmp\n",
    good="User-agent: *\nDisallow: /private\nDisallow: /tmp\n",
)
SPACED_TOKEN = Kind(
    code="R045",
    clause="RFC9309",
    severity=WARNING,
    weakens_policy=True,
    title="space in a product token",
    message='a product token has no spaces: most robots read "{}" as "{}"',
    why=(
        "RFC 9309 compares the product token that a robot sends, of letters, `-` and `_`. "
        "Most robots read a name up to its first other character."
    ),
    fix="Write the product token that the robot sends in its User-Agent header.",
    bad="User-agent: Rex Bot\nDisallow: /private\n",
    good="User-agent: RexBot\nDisallow: /private\n",
    dialect="rfc9309",
)
TEMPLATE = Kind(
    code="R046",
    clause="D1",
    severity=ERROR,
    weakens_policy=True,
    title="template that was not filled in",
    message='"{}" is part of a template that was not filled in, and matches nothing',
    why="The file was published without the program that fills it in.",
    fix="Publish the file with its values.",
    bad="User-agent: *\nDisallow: {{ base }}/private\n",
    good="User-agent: *\nDisallow: /private\n",
)
SITEMAP_URL = Kind(
    code="R047",
    clause="X7",
    severity=WARNING,
    title="Sitemap that is not a whole URL",
    message='the Sitemap "{}" is not a whole URL',
    why="Robots take it for a URL as it is, and do not know to which host it belongs.",
    fix="Write the whole URL, for example `https://example.com/sitemap.xml`.",
    bad="User-agent: *\nDisallow: /private\n\nSitemap: /sitemap.xml\n",
    good="User-agent: *\nDisallow: /private\n\nSitemap: https://example.com/sitemap.xml\n",
    dialect="extended",
)
NOT_ROBOTS = Kind(
    code="R048",
    clause="O23",
    severity=ERROR,
    title="not a robots.txt",
    message="the file looks like {} and has no line of a robots.txt",
    why="It closes nothing. It is mostly the answer of a site without a robots.txt.",
    fix="Serve a robots.txt at this address, or answer 404 when there is no such file.",
    bad='{"message": "Not found"}\n',
    good="User-agent: *\nDisallow:\n",
)
SPACE_INSIDE = Kind(
    code="R049",
    clause="D1",
    severity=WARNING,
    title="space inside a path",
    message='the space is part of the path "{}"',
    why="No URL has a space: it is sent as `%20`. What follows the space belongs to the path.",
    fix="Write `%20` for a space of the path, and put a `#` before a remark.",
    bad="User-agent: *\nDisallow: /my files\n",
    good="User-agent: *\nDisallow: /my%20files\n",
)
PATH_AS_NAME = Kind(
    code="R050",
    clause="O12",
    severity=ERROR,
    weakens_policy=True,
    title="path in place of a name",
    message='the path "{}" names no robot, and the line is ignored',
    why="A User-agent line says for which robot the rules below it are.",
    fix="Write the robot's name, or `*` for every robot; a path belongs into a Disallow line.",
    bad="User-agent: /*\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
USAGE_DICTIONARY = Kind(
    code="R051",
    clause="U4",
    severity=ERROR,
    title="usage preference that is no dictionary",
    message="{}, so everything on the line is unknown",
    why="Content-Usage is read to the letter: one wrong character hides all labels.",
    fix="Write labels in small letters with `=y` or `=n`, separated by commas, and nothing else.",
    bad="User-agent: *\nContent-Usage: train-ai=n,\nDisallow:\n",
    good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
)
USAGE_VALUE = Kind(
    code="R052",
    clause="U4",
    severity=WARNING,
    title="value of a label that is none",
    message='"{}" says nothing: the value is neither {} nor {}',
    why="Any other value means that nothing is stated, neither yes nor no.",
    fix="Write `y` or `n` in Content-Usage, and `yes` or `no` in Content-Signal.",
    bad="User-agent: *\nContent-Usage: train-ai=no\nDisallow:\n",
    good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
)
USAGE_LABEL = Kind(
    code="R053",
    clause="U5",
    severity=INFO,
    title="unknown label of a usage preference",
    message='"{}" is not a label of {}, and is ignored{}',
    why="The labels are those of AIPREF vocab-08, and of Content Signals of July 2026.",
    fix="Nothing need be done, if it is for a program that knows it.",
    bad="User-agent: *\nContent-Usage: ai=n\nDisallow:\n",
    good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
)
USAGE_TWICE = Kind(
    code="R054",
    clause="U3",
    severity=WARNING,
    title="label that is stated twice",
    message='"{}" is stated twice, and the {} one counts',
    why="Of the two answers one has no effect.",
    fix="Leave the one that is meant.",
    bad="User-agent: *\nContent-Usage: train-ai=n, train-ai=y\nDisallow:\n",
    good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
)
USAGE_NARROWER = Kind(
    code="R055",
    clause="U3",
    severity=WARNING,
    title="longer path that drops a preference",
    message='below {}, what line {} forbids is not stated: "{}"',
    why="Only the preference with the longest path counts, whole. Shorter ones say nothing there.",
    fix="Repeat on this line what is to hold there, too.",
    bad=(
        "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Usage: /doc/ ai-use=n\n"
        "Disallow:\n"
    ),
    good=(
        "User-agent: *\nContent-Usage: train-ai=n, search=y\n"
        "Content-Usage: /doc/ ai-use=n, train-ai=n\nDisallow:\n"
    ),
)
USAGE_CONTRADICTION = Kind(
    code="R056",
    clause="U8",
    severity=WARNING,
    title="Content-Usage and Content-Signal that contradict",
    message='line {}, "{}", states the opposite of "{}", and the most restrictive one counts',
    why="Programs that know one of the two fields alone do the opposite of others.",
    fix="State the same in both.",
    bad="User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nDisallow:\n",
    good="User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no\nDisallow:\n",
)
USAGE_ABOVE = Kind(
    code="R057",
    clause="U6",
    severity=WARNING,
    title="usage preference above all records",
    message="the preference stands above all records, and is for no robot",
    why="A preference belongs to a record. No standard has one for a whole site.",
    fix="Put it below `User-agent: *`, and into each other record that it is for.",
    bad="Content-Signal: ai-train=no\nUser-agent: *\nDisallow:\n",
    good="User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n",
)
LICENSE_URL = Kind(
    code="R058",
    clause="U6",
    severity=WARNING,
    title="License that is not a whole URL",
    message='the License "{}" is not a whole URL',
    why="RSL wants a whole URL: a program must know on which host the terms are.",
    fix="Write the whole URL, for example `https://example.com/license.xml`.",
    bad="User-agent: *\nLicense: /license.xml\nDisallow:\n",
    good="User-agent: *\nLicense: https://example.com/license.xml\nDisallow:\n",
)

KINDS = tuple(it for it in list(globals().values()) if isinstance(it, Kind))
"""All kinds of problems, by code."""

KIND_CODED = {kind.code: kind for kind in KINDS}
"""The kinds by their codes: the rows of fields name the problems of a field so."""
