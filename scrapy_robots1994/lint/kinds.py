"""Problems with a file, and the table of all kinds of problems.

Each kind is one row of the table. To add a kind, add a row with the next code, which is
R059. Then yield problems of the new kind in the module that checks the affected part of a
file. `lines.py` checks lines, `values.py` checks names and paths, `records.py` checks
records, `usage.py` checks usage preferences, and `problems.py` checks the file as a whole.
The meaning of a code never changes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Any

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.fixes import Edits, Fix
from scrapy_robots1994.parser.fields import Field
from scrapy_robots1994.parser.reader import Line

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)

_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of problem.

    *clause* is the id of the clause or decision that the problem is about. *severity* is
    WARNING unless the row contains another severity. *title* is the name of the kind in
    tables. *message* has placeholders, which the *texts* of a problem fill. *fix* says how
    the author can correct the file.

    *weakens_policy* is true if a line with the problem does not disallow paths that the
    author meant to disallow. If the line is an Allow line, the problem tightens the policy
    instead. *tightens_policy* is true if a line with the problem disallows paths that the
    author meant to allow.

    The documentation has an example of each kind (`docs/_ext/robots1994_problems.py`).
    """

    code: str
    clause: str
    severity: str = WARNING
    title: str
    message: str
    fix: str
    weakens_policy: bool = False
    tightens_policy: bool = False

    def at(
        self,
        line: Line | int,
        *texts: str,
        column: int | None = None,
        field: Field | None = None,
        **more: Any,
    ) -> "Problem":
        """Return a problem of this kind with *line*, which is a line or its number.

        *texts* fill the placeholders of the message. *column* is the column of the
        mistake. If *column* is None, the column is that of the first character of *line*
        that is not a space or a tab. If *line* is a number, the column is 1. *field* is
        either the field that has no effect or the field that the author probably meant. If
        *field* is None and the kind weakens the policy, the field of *line* is used. *more*
        contains other attributes of `Problem`.
        """
        if isinstance(line, Line):
            number, start = line.number, line.column
            field = field or (line.row if self.weakens_policy else None)
        else:
            number, start = line, 1
        opens = self.weakens_policy and field is not None and field.allows
        closes = field is None or field.closes
        more.setdefault("severity", self.severity)
        more.setdefault("weakens_policy", self.weakens_policy and closes)
        more.setdefault("tightens_policy", self.tightens_policy or opens)
        return Problem(self, number, column or start, texts, field=field, **more)


# Do not freeze the class, because a crawl may create dozens of problems for one file. The
# creation of an object takes three times as long if its class is frozen.
@dataclass(slots=True, unsafe_hash=True, repr=False)
class Problem:
    """A mistake, or a fact that the author should know, in one line of a file.

    *line* and *column* count from 1. *texts* fill the placeholders of the message.
    *is_split* is true if the problem exists only because a blank line ends a record. *message* and
    *fix* are safe to print. `Kind.at` creates problems.
    """

    kind: Kind
    line: int
    column: int
    texts: tuple[str, ...]
    severity: str
    """One of "error", "warning" and "info"."""
    weakens_policy: bool
    """Whether the file allows URLs that its author probably meant to disallow."""
    tightens_policy: bool
    """Whether the file disallows URLs that its author probably meant to allow."""
    is_split: bool = False
    # `field` is the field that has no effect, or the field that the author probably meant.
    field: Field | None = made_by(default=None, compare=False)
    # `meant` contains the robot names that the author of a wrong User-agent line probably
    # meant.
    meant: tuple[str, ...] = made_by(default=(), compare=False)
    # `advice` may be a function that computes the advice. The function is called only if
    # the advice is shown. A crawl never shows advice.
    advice: Fix | Callable[[], Fix] | None = made_by(default=None, compare=False)

    @property
    def code(self) -> str:
        """The code of the kind. The meaning of a code never changes."""
        return self.kind.code

    @property
    def clause(self) -> str:
        """The id of the clause or decision that the problem is about."""
        return self.kind.clause

    @property
    def message(self) -> str:
        """The sentence that says what is wrong, without a full stop at the end."""
        texts = (escape_control_chars(it, _QUOTED_CHARACTERS) for it in self.texts)
        return self.kind.message.format(*texts)

    @property
    def sentence(self) -> str:
        """The message with a full stop or a question mark at the end."""
        message = self.message
        return message if message.endswith("?") else f"{message}."

    @property
    def fix(self) -> str:
        """What the author of the file can do."""
        return self._advice.words or self.kind.fix

    @property
    def edits(self) -> Edits:
        """The new lines that `fix` suggests. Each key is the number of a line to replace.

        The mapping is empty if only the author of the file knows what to write.
        """
        return self._advice.edits

    @property
    def _advice(self) -> Fix:
        """The advice for this problem, or an empty `Fix` if the fix of the kind applies."""
        return (self.advice() if callable(self.advice) else self.advice) or Fix()

    def __str__(self) -> str:
        """Return the problem as one line of a report."""
        where = f"{self.line}:{self.column}"
        return f"{where}: {self.severity} {self.code} ({self.clause}): {self.message}"

    def __repr__(self) -> str:
        """Return `str(self)` in angle brackets."""
        return f"<Problem {self}>"


ORPHAN = Kind(
    code="R001",
    clause="O4",
    severity=ERROR,
    weakens_policy=True,
    title="Disallow without User-agent",
    message="{} is ignored, because its record has no User-agent line",
    fix="Move the line below its User-agent lines, with no blank line between them.",
)
SPLIT = Kind(
    code="R002",
    clause="O5",
    severity=ERROR,
    weakens_policy=True,
    title="record split by a blank line",
    message="a blank line ends the record, so its Disallow lines from line {} on are ignored",
    fix="Delete the blank lines above the rules, or write `#` on each of them.",
)
WITHOUT_RULES = Kind(
    code="R003",
    clause="O3",
    severity=INFO,
    weakens_policy=True,
    title="record without Disallow",
    message='the record for "{}" has no Disallow line and disallows nothing',
    fix="Write Disallow lines below the names, or an empty `Disallow:` to allow everything.",
)
NAMELESS = Kind(
    code="R004",
    clause="O12",
    severity=ERROR,
    weakens_policy=True,
    title="User-agent without a name",
    message="User-agent without a name is ignored",
    fix="Write the robot's name, or `*` for every robot.",
)
PATHLESS = Kind(
    code="R005",
    clause="O20",
    severity=ERROR,
    weakens_policy=True,
    title="value without a leading slash",
    message='the value "{}" does not begin with a slash and matches nothing',
    fix="Write the path from the root of the site, for example `/path`.",
)
MALFORMED = Kind(
    code="R006",
    clause="O14",
    title="line without a colon",
    message='the line "{}" is not a field name, a colon and a value, and is ignored',
    fix="Write `Field: value`, or begin the line with `#` to make it a comment.",
)
NO_BLANK = Kind(
    code="R007",
    clause="O7",
    title="no blank line between records",
    message="User-agent after {}, without a blank line, {}",
    fix="Put a blank line before the User-agent line.",
)
SECOND_DEFAULT = Kind(
    code="R008",
    clause="A3",
    title="several records for every robot",
    message="this record is for every robot, like the record of line {}; robots obey both records",
    fix="Move the Disallow lines of this record into the first record for `*`, above the others.",
)
ADDS_NOTHING = Kind(
    code="R009",
    clause="O21",
    title="empty Disallow next to other Disallow lines",
    message="an empty Disallow has no effect next to Disallow lines with a path",
    fix="Delete the empty Disallow, or the other Disallow lines if everything should be allowed.",
)
UNKNOWN = Kind(
    code="R010",
    clause="F6",
    severity=INFO,
    title="unknown field",
    message='the field "{}" is unknown and ignored',
    fix="Delete the line, or begin it with `#` to make it a comment.",
)
SPACED = Kind(
    code="R011",
    clause="O15",
    severity=INFO,
    title="space before the field or the colon",
    message="space at the start of the line or before the colon",
    fix="Delete the space: other robots may ignore the line.",
)
MARK = Kind(
    code="R012",
    clause="O16",
    severity=INFO,
    title="byte order mark",
    message="the file begins with a byte order mark, which is not read as text",
    fix="Save the file as UTF-8 without a byte order mark: other robots may ignore line 1.",
)
UNDECODABLE = Kind(
    code="R013",
    clause="O17",
    title="bytes that are not UTF-8",
    message="bytes that are not UTF-8 are compared byte for byte",
    fix="Save the file as UTF-8, or percent-encode these characters.",
)
TRUNCATED = Kind(
    code="R014",
    clause="O24",
    title="file over the size limit",
    message="the file is longer than the size limit; nothing is obeyed from this line on",
    fix="Shorten the file: one short rule covers all paths that begin with it.",
)
WILDCARD = Kind(
    code="R015",
    clause="D1",
    weakens_policy=True,
    title="wildcard in a value",
    message='the "{}" in "{}" is an ordinary character: only URLs with this character match',
    fix="Keep the line for robots of RFC 9309, and add rules without wildcards for other robots.",
)
ALLOW = Kind(
    code="R016",
    clause="F6",
    severity=INFO,
    tightens_policy=True,
    title="Allow",
    message="Allow is not a field of this dialect, so {} ignored; "
    "a URL that a Disallow line covers stays disallowed",
    fix="Keep the line, and write Disallow lines that do not cover the allowed paths.",
)
CRAWL_DELAY = Kind(
    code="R017",
    clause="F6",
    severity=INFO,
    title="Crawl-delay",
    message="Crawl-delay is not a field of this dialect; it is ignored",
    fix="No change is needed: robots that follow this dialect ignore the line.",
)
SITEMAP = Kind(
    code="R018",
    clause="F6",
    severity=INFO,
    title="Sitemap",
    message="Sitemap is not a field of this dialect; it is ignored",
    fix="No change is needed: robots that follow this dialect ignore the line.",
)
EXTENSION = Kind(
    code="R019",
    clause="F6",
    severity=INFO,
    title="other extension",
    message='the field "{}" is an extension that is not part of this dialect; it {}',
    fix="No change is needed: robots that follow this dialect ignore the line.",
)
MISSPELT = Kind(
    code="R020",
    clause="F6",
    severity=ERROR,
    weakens_policy=True,
    title="misspelt field",
    message='the field "{}" is unknown and ignored; was "{}" meant?',
    fix="Correct the name of the field: a field is obeyed only when its name is exact.",
)
NO_COLON = Kind(
    code="R021",
    clause="O14",
    severity=ERROR,
    weakens_policy=True,
    title="colon missing after a field",
    message='the line "{}" has no colon and is ignored; was "{}:" meant?',
    fix="Put a colon after the name of the field.",
)
DUPLICATE = Kind(
    code="R022",
    clause="D1",
    severity=INFO,
    title="duplicate rule",
    message="line {} of the same record already has this rule",
    fix="Delete one of the two lines.",
)
SHADOWED = Kind(
    code="R023",
    clause="D1",
    severity=INFO,
    title="shadowed rule",
    message='line {}, "{}", already covers every URL that this rule covers',
    fix="Delete this line, or delete the shorter rule if the shorter rule covers too much.",
)
UNREACHED = Kind(
    code="R024",
    clause="O1",
    title="name of a robot that obeys an earlier record",
    message='a robot named "{}" obeys the record of line {}, for "{}", and never this record',
    fix="Put the record of the longer name first, or merge the two records.",
)
HTML = Kind(
    code="R025",
    clause="O23",
    severity=ERROR,
    title="HTML or XML",
    message="the file begins like a page of HTML or XML, but is read as a robots.txt",
    fix="Serve plain text at /robots.txt, or answer 404 if the site has no robots.txt.",
)
ALLOW_ONLY = Kind(
    code="R026",
    clause="O3",
    severity=INFO,
    title="record with only Allow lines",
    message='the record for "{}" has Allow lines but no Disallow line, so it disallows nothing',
    fix="Add an empty `Disallow:`. In the standard of 1994, an empty `Disallow:` also allows "
    "everything.",
)
LONE_CR = Kind(
    code="R027",
    clause="F2",
    title="lines that end with a lone CR",
    message="a lone CR ends {} line(s); this line is the first",
    fix="End lines with NL or CR NL: other robots may read the whole file as one line.",
)
CONTROL = Kind(
    code="R028",
    clause="O25",
    title="control character",
    message='invisible characters are part of "{}"',
    fix="Delete these characters, or percent-encode them.",
)
NAME_LIST = Kind(
    code="R029",
    clause="O11",
    weakens_policy=True,
    title="several names on one line",
    message='commas and spaces do not separate names: the only name is "{}", {}',
    fix="Write one User-agent line for each name.",
)
NAME_WILDCARD = Kind(
    code="R030",
    clause="A3",
    weakens_policy=True,
    title="wildcard in a name",
    message='the "*" is part of the name "{}", which no robot has',
    fix="Write the name alone: the record is for every robot whose name contains this name.",
)
VERSION = Kind(
    code="R031",
    clause="O10",
    severity=INFO,
    title="version in a name",
    message='the record is for "{}"; the rest of the value is ignored',
    fix="Write the name alone: the record is for all versions of the robot.",
)
COMMENT_INSIDE = Kind(
    code="R032",
    clause="O13",
    severity=INFO,
    title="comment without space before it",
    message='a comment begins here: the value is "{}"',
    fix="Put a space before a comment; write a `#` in a path as `%23`.",
)
URL_VALUE = Kind(
    code="R033",
    clause="O19",
    severity=INFO,
    title="URL as a value",
    message='the value "{}" is compared with whole URLs; most robots expect a path',
    fix="Write only the path of the URL, or move the line to the robots.txt of the URL's host.",
)
PATH_LIST = Kind(
    code="R034",
    clause="D1",
    weakens_policy=True,
    title="several paths on one line",
    message='spaces do not separate paths: "{}" is one path',
    fix="Write one line for each path.",
)
TIMELESS = Kind(
    code="R035",
    clause="X4",
    title="Crawl-delay without a number",
    message='the Crawl-delay "{}" is not a number of seconds and is ignored',
    fix="Write a decimal number of seconds: `Crawl-delay: 10`.",
)
INEFFECTIVE_ALLOW = Kind(
    code="R036",
    clause="X1",
    tightens_policy=True,
    title="Allow without effect",
    message=(
        'line {}, "{}", decides for every URL that this line covers, so this line has no '
        "effect"
    ),
    fix="Move this line above the other line: the first rule that covers a URL decides.",
)
INEFFECTIVE_DISALLOW = Kind(
    code="R037",
    clause="X1",
    weakens_policy=True,
    title="Disallow without effect",
    message=(
        'line {}, "{}", decides for every URL that this line covers, so this line has no '
        "effect"
    ),
    fix="Move this line above the other line: the first rule that covers a URL decides.",
)
INVISIBLE = Kind(
    code="R038",
    clause="F3",
    severity=ERROR,
    weakens_policy=True,
    title="invisible or look-alike character",
    message="because of {}, this line is not read as {}",
    fix="Delete the character and type the line again.",
)
TWO_FIELDS = Kind(
    code="R039",
    clause="F3",
    severity=ERROR,
    weakens_policy=True,
    title="two fields on one line",
    message='two fields on one line: "{}" is read as part of the value of {}',
    fix="Write each field on a line of its own.",
)
WIDE_TEXT = Kind(
    code="R040",
    clause="O16",
    severity=ERROR,
    weakens_policy=True,
    title="UTF-16 without a byte order mark",
    message="the file is UTF-16 without a byte order mark, so none of its lines can be read",
    fix="Save the file as UTF-8.",
)
CLOSED_BY_COMMENT = Kind(
    code="R041",
    clause="O13",
    title="comment that shortens the path to /",
    message="a comment begins here: the value is /, which covers the whole site",
    fix="Write an empty `Disallow:`: no rule can cover the part of a URL after `#`.",
)
NAME_PUNCTUATION = Kind(
    code="R042",
    clause="A1",
    weakens_policy=True,
    title="punctuation around a name",
    message='the punctuation is part of the name "{}", which no robot has',
    fix="Write the name alone, without quotes, brackets, colons or commas.",
)
JOINED = Kind(
    code="R043",
    clause="RFC9309",
    tightens_policy=True,
    title="names that share the rules of a group below",
    message='no rule separates "{}" from the names above, so it shares its rules with line {}',
    fix="Write an empty `Disallow:` below the names for which the rules are not meant.",
)
FIELD_MISSING = Kind(
    code="R044",
    clause="O14",
    severity=ERROR,
    weakens_policy=True,
    title="value without a field",
    message='the line "{}" has no field and is ignored; was "{}:" meant?',
    fix="Write the name of the field and a colon before the value.",
)
SPACED_TOKEN = Kind(
    code="R045",
    clause="RFC9309",
    weakens_policy=True,
    title="space in a product token",
    message='a product token has no spaces: most robots read "{}" as "{}"',
    fix="Write the product token that the robot sends in its User-Agent header.",
)
TEMPLATE = Kind(
    code="R046",
    clause="D1",
    severity=ERROR,
    weakens_policy=True,
    title="template that was not filled in",
    message='"{}" is part of a template that was not filled in, and matches nothing',
    fix="Fill in the template before you publish the file.",
)
SITEMAP_URL = Kind(
    code="R047",
    clause="X7",
    title="Sitemap that is not an absolute URL",
    message='the Sitemap "{}" is not an absolute URL',
    fix="Write the absolute URL, for example `https://example.com/sitemap.xml`.",
)
NOT_ROBOTS = Kind(
    code="R048",
    clause="O23",
    severity=ERROR,
    title="not a robots.txt",
    message="the file looks like {} and has no line of a robots.txt",
    fix="Serve a robots.txt at this address, or answer 404 if the site has no robots.txt.",
)
SPACE_INSIDE = Kind(
    code="R049",
    clause="D1",
    title="space inside a path",
    message='the space is part of the path "{}"',
    fix="Write `%20` for a space in the path, and `#` before a comment.",
)
PATH_AS_NAME = Kind(
    code="R050",
    clause="O12",
    severity=ERROR,
    weakens_policy=True,
    title="path in place of a name",
    message='the path "{}" is not the name of a robot, so the line is ignored',
    fix="Write the robot's name, or `*` for every robot; a path belongs in a Disallow line.",
)
USAGE_DICTIONARY = Kind(
    code="R051",
    clause="U4",
    severity=ERROR,
    title="usage preference that is not a dictionary",
    message="{}, so the line states no preference",
    fix="Write labels in lower case with `=y` or `=n`, separated by commas, and nothing else.",
)
USAGE_VALUE = Kind(
    code="R052",
    clause="U4",
    title="label with an unknown value",
    message='"{}" says nothing: the value is neither {} nor {}',
    fix="Write `y` or `n` in Content-Usage, and `yes` or `no` in Content-Signal.",
)
USAGE_LABEL = Kind(
    code="R053",
    clause="U5",
    severity=INFO,
    title="unknown label of a usage preference",
    message='"{}" is not a label of {}, and is ignored{}',
    fix="No change is needed if the label is for a program that knows the label.",
)
USAGE_TWICE = Kind(
    code="R054",
    clause="U3",
    title="label that is stated twice",
    message='"{}" is stated twice, and the {} statement counts',
    fix="Keep only the statement that you mean.",
)
USAGE_NARROWER = Kind(
    code="R055",
    clause="U3",
    title="longer path that drops a preference",
    message='for paths that begin with {}, line {} does not apply; this line does not state "{}"',
    fix="Repeat the statement on this line if the statement is also meant for these paths.",
)
USAGE_CONTRADICTION = Kind(
    code="R056",
    clause="U8",
    title="Content-Usage and Content-Signal that contradict each other",
    message='line {}, "{}", states the opposite of "{}", and the most restrictive statement counts',
    fix="Write the same preference in both fields.",
)
USAGE_ABOVE = Kind(
    code="R057",
    clause="U6",
    title="usage preference above all records",
    message="the preference is above all records, and applies to no robot",
    fix="Move the line below `User-agent: *`, and repeat the line in other records that need it.",
)
LICENSE_URL = Kind(
    code="R058",
    clause="U6",
    title="License that is not an absolute URL",
    message='the License "{}" is not an absolute URL',
    fix="Write the absolute URL, for example `https://example.com/license.xml`.",
)

KINDS = tuple(it for it in list(globals().values()) if isinstance(it, Kind))
"""All kinds of problems, in the order of their codes."""

KIND_CODED = {kind.code: kind for kind in KINDS}
"""A dict that maps each code to its kind of problem. The table of fields
(`parser/fields.py`) refers to kinds of problems by code.
"""
