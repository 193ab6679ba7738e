"""The kinds of problems, one row each, and the class of a problem.

The reference page is generated from the rows, and the tests check the example in each row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.fields import Field
from scrapy_robots1994.parser.reader import Line

ERROR, WARNING, INFO = SEVERITIES = ("error", "warning", "info")

_QUOTED = 100
_RUNS = 10
_MARK = "»"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of problem, with an example for the reference page and for tests."""

    code: str
    severity: str = WARNING
    """The usual severity, which `at` may replace."""
    opens: bool = False
    """Whether the problem may open paths that the author meant to disallow."""
    when: str
    """The heading on the reference page."""
    message: str
    """The message, with placeholders for text of the file."""
    advice: str
    """One sentence that tells the author what to do."""
    bad: str
    """A file with the problem; a » marks where it is."""
    good: str
    """The same file after its author followed the advice."""
    dialect: str = "rfc9309"
    """The dialect in which *bad* and *good* are read."""

    @property
    def example(self) -> str:
        return self.bad.replace(_MARK, "")

    def at(
        self,
        line: Line | int,
        *texts: object,
        column: int = 0,
        severity: str = "",
        opens: bool = True,
        meant: Field | None = None,
    ) -> "Problem":
        """Return a problem of this kind in *line*. A *column* of 0 means the first character that
        is not a space or tab. *meant* is the field that the author probably meant.
        """
        known = line.known if isinstance(line, Line) else None
        field = meant or known
        place = (line.number, line.column) if isinstance(line, Line) else (line, 1)
        shown = (escape_control_chars(str(it), _QUOTED) for it in texts)
        return Problem(
            self,
            place[:1],
            column or place[1],
            f"{self.message.format(*shown)}.".replace("?.", "?"),
            severity or self.severity,
            self.opens and opens and (field is None or field.closes),
            meant,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Problem:
    """A problem in one line, or problems of the same kind in several lines. *message* is about the
    first of these lines. *message* is safe to print: control characters from the file are escaped.

    *lines* are the 1-based numbers of the lines with the problem, and *column* is the 1-based
    column in the first of them. *severity* is "error", "warning" or "info". *weakens_policy* is
    true if the problem may allow URLs that the author meant to disallow. *meant* is the field that
    the author probably meant, or None.
    """

    kind: Kind
    lines: tuple[int, ...]
    column: int
    message: str
    severity: str
    weakens_policy: bool
    meant: Field | None = None

    @property
    def code(self) -> str:
        """The code of the kind, such as "R001"."""
        return self.kind.code

    @property
    def line(self) -> int:
        """The first line with the problem, 1-based."""
        return self.lines[0]

    @property
    def fix(self) -> str:
        """A sentence that tells the author what to do."""
        return self.kind.advice

    def __repr__(self) -> str:
        return f"<Problem: line {self.line}, {self.code}, {self.message}>"


def lines_text(numbers: Sequence[int]) -> str:
    """Write ascending line numbers as "line 7" or "lines 8 and 12 to 40"."""
    runs: list[list[int]] = []
    for number in numbers:
        if not runs or number != runs[-1][-1] + 1:
            runs.append([])
        runs[-1].append(number)
    texts: list[str] = []
    for run in runs[:_RUNS]:
        texts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)  # noqa: PLR2004
    if len(runs) > _RUNS:
        texts.append("others")
    *before, end = texts
    named = f"{', '.join(before)} and {end}" if before else end
    return f"line {named}" if len(numbers) == 1 else f"lines {named}"


NOT_ROBOTS = Kind(
    code="R001",
    severity=ERROR,
    opens=True,
    when="the file is not a robots.txt but, for example, an error page",
    message="the file looks like {}",
    advice="Serve plain text at /robots.txt, or answer 404 if the site has no robots.txt.",
    bad="»<!DOCTYPE html>\n<title>Not found</title>\n",
    good="",
)
ENCODING = Kind(
    code="R002",
    severity=INFO,
    when="UTF-16, a byte order mark, or lines that end with a carriage return alone",
    message="{}",
    advice="Save the file as UTF-8 without a byte order mark, with LF or CRLF line endings.",
    bad="»\ufeffUser-agent: *\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
TRUNCATED = Kind(
    code="R003",
    opens=True,
    when="the file is over the size limit",
    message="the file is longer than the size limit, and is ignored from this line on",
    advice="Shorten the file: one short rule covers all paths that begin with it.",
    bad="User-agent: *\n" + "Disallow: /items/1\n" * 26_946 + "»Disallow: /items/2\n",
    good="User-agent: *\nDisallow: /items/\n",
)
MALFORMED = Kind(
    code="R004",
    when="a line has no field",
    message='the line "{}" is ignored, because it does not have the form `Field: value`',
    advice="Correct the line, or begin it with `#` if it is a comment.",
    bad="User-agent: *\nDisallow: /private\n»thank you\n",
    good="User-agent: *\nDisallow: /private\n# thank you\n",
)
MISSPELT = Kind(
    code="R005",
    severity=ERROR,
    opens=True,
    when="a field is misspelt, or its colon is missing",
    message='"{}" is ignored: was "{}" meant?{}',
    advice="Spell the field correctly, with a colon after it.",
    bad="User-agent: *\n»Dissallow *\n",
    good="User-agent: *\nDisallow: /\n",
)
CHARACTER = Kind(
    code="R006",
    severity=ERROR,
    opens=True,
    when="a character is invisible, or only looks like another one",
    message="because of {}, the line does not mean what it seems to",
    advice="Retype the line, or percent-encode the character if it is part of a path.",
    bad="User-agent: *\nDisallow»\uff1a /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
TWO_FIELDS = Kind(
    code="R007",
    severity=ERROR,
    opens=True,
    when="two fields on one line",
    message='"{}" is part of the value of "{}": a line has one field',
    advice="Write each field on a line of its own.",
    bad="User-agent: *<br>»Disallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
OTHER_FIELD = Kind(
    code="R008",
    severity=INFO,
    when="a field is not part of the dialect",
    message='the field "{}" is not part of this dialect{}',
    advice="Keep the line for robots that read it, or make it a comment with `#`.",
    bad="User-agent: *\nDisallow: /private\n»Written-by: us\n",
    good="User-agent: *\nDisallow: /private\n# Written-by: us\n",
)
NOINDEX = Kind(
    code="R009",
    when="Noindex in a robots.txt",
    message="Noindex in a robots.txt has no effect: Google dropped it in 2019",
    advice="Use a robots meta tag or X-Robots-Tag, and let robots fetch the page to see it.",
    bad="User-agent: *\nDisallow: /private\n»Noindex: /old\n",
    good="User-agent: *\nDisallow: /private\n",
)
SPACED = Kind(
    code="R010",
    severity=INFO,
    when="a space precedes a field or its colon",
    message="a space precedes the field or its colon",
    advice="Delete the space: some robots ignore the line because of it.",
    bad="»User-agent : *\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
COMMENT_INSIDE = Kind(
    code="R011",
    severity=INFO,
    when="a comment begins inside a value",
    message='a comment begins here, so the value is "{}"',
    advice="Put a space before the comment; rules cannot cover what follows a `#` in a URL.",
    bad="User-agent: *\nDisallow: /private»#old\n",
    good="User-agent: *\nDisallow: /private #old\n",
)
ODD_NAME = Kind(
    code="R012",
    opens=True,
    when="a name is missing, is a list, or has a wildcard or punctuation",
    message='no robot is named "{}": {}',
    advice="Write one name in each User-agent line, or only `*` for all robots.",
    bad="User-agent: »GPTBot|CCBot|*\nDisallow: /private\n",
    good="User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: *\nDisallow: /private\n",
)
CUT_NAME = Kind(
    code="R013",
    severity=INFO,
    when="a name has a version or several words, or is a whole User-Agent header",
    message='{} robots read "{}" as "{}"',
    advice="Write the name as the robot's operator documents it, without a version.",
    bad="User-agent: »AhrefsBot/7.0\nDisallow: /private\n",
    good="User-agent: AhrefsBot\nDisallow: /private\n",
)
MISSPELT_ROBOT = Kind(
    code="R014",
    opens=True,
    when="the name of a known robot is misspelt",
    message='"{}" is one letter away from the robot "{}"',
    advice="Correct the name if that robot is meant.",
    bad="User-agent: »GPTBott\nDisallow: /private\n",
    good="User-agent: GPTBot\nDisallow: /private\n",
)
PATHLESS = Kind(
    code="R015",
    severity=ERROR,
    opens=True,
    when="a path does not begin with exactly one slash",
    message='the value "{}" {}',
    advice="Write the path as in URLs, such as `/private`; other hosts have their own file.",
    bad="User-agent: *\nDisallow: »private\n",
    good="User-agent: *\nDisallow: /private\n",
)
ROBOT_AS_PATH = Kind(
    code="R016",
    severity=ERROR,
    opens=True,
    when="a robot's name in place of a path",
    message='"{}" is the name of a robot, not a path, and matches nothing',
    advice="Write a User-agent line with its name, and `Disallow: /` below it.",
    bad="User-agent: *\nDisallow: »Google-Extended\n",
    good="User-agent: Google-Extended\nDisallow: /\n",
)
SEVERAL_PATHS = Kind(
    code="R017",
    opens=True,
    when="a path contains a space, or is a list of paths",
    message='the {} is part of the path "{}"',
    advice="Write one path per line, `%20` for a space, and `#` before a comment.",
    bad="User-agent: *\nDisallow: /a»,/b c\n",
    good="User-agent: *\nDisallow: /a\nDisallow: /b%20c\n",
)
WILDCARD = Kind(
    code="R018",
    opens=True,
    when="a path has a wildcard",
    message='the "{}" in "{}" is an ordinary character in this dialect',
    advice="Keep it for other robots; add the path up to the wildcard if all of that is closed.",
    bad="User-agent: *\nDisallow: /print/»*.pdf\n",
    good="User-agent: *\nDisallow: /print/*.pdf\nDisallow: /print/\n",
    dialect="1994",
)
BAD_VALUE = Kind(
    code="R019",
    when="a Crawl-delay is long or not a number, or a Sitemap is not an absolute URL",
    message='the value "{}" {}',
    advice="Write it as in `Crawl-delay: 10` or `Sitemap: https://example.com/sitemap.xml`.",
    bad="User-agent: *\nDisallow:\n\nSitemap: »/sitemap.xml\n",
    good="User-agent: *\nDisallow:\n\nSitemap: https://example.com/sitemap.xml\n",
)
ORPHAN = Kind(
    code="R020",
    severity=ERROR,
    opens=True,
    when="a rule is above all User-agent lines",
    message="{} is ignored, because no User-agent line is above it",
    advice="Move it below the line that names its robots, such as `User-agent: *`.",
    bad="»Disallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
)
SPLIT = Kind(
    code="R021",
    severity=ERROR,
    opens=True,
    when="a blank line separates names from their rules",
    message="the blank line ends the record of line {} before {}",
    advice="Delete the blank lines if the lines around them belong together.",
    bad="User-agent: *\n»\nDisallow: /private\n",
    good="User-agent: *\nDisallow: /private\n",
    dialect="1994",
)
WITHOUT_RULES = Kind(
    code="R022",
    opens=True,
    when="a record has no rule",
    message='the record for "{}" has no rule, so it disallows nothing',
    advice="Write the rules below it, or an empty `Disallow:` if everything is allowed.",
    bad="»User-agent: rexbot\n\nUser-agent: *\nDisallow: /\n",
    good="User-agent: rexbot\nDisallow: /\n\nUser-agent: *\nDisallow: /\n",
    dialect="1994",
)
JOINED = Kind(
    code="R023",
    when="names share the rules of the names below",
    message='no rule separates "{}" from the names above, so line {} shares its rules',
    advice="Write an empty `Disallow:` below the names above if the rules are not for them.",
    bad="User-agent: *\nCrawl-delay: 10\n\n»User-agent: rexbot\nDisallow: /\n",
    good="User-agent: *\nCrawl-delay: 10\nDisallow:\n\nUser-agent: rexbot\nDisallow: /\n",
)
NO_BLANK = Kind(
    code="R024",
    severity=INFO,
    when="no blank line separates two records",
    message="a record begins without a blank line above it",
    advice="Put a blank line above the User-agent line.",
    bad="User-agent: rex\nDisallow: /a\n»User-agent: max\nDisallow: /b\n",
    good="User-agent: rex\nDisallow: /a\n\nUser-agent: max\nDisallow: /b\n",
    dialect="1994",
)
SECOND_DEFAULT = Kind(
    code="R025",
    when="several records are for every robot",
    message="this record is for every robot, like the one on line {}",
    advice="Move its lines into the first such record, Disallow lines to the top, because some "
    "robots obey only one record.",
    bad="User-agent: *\nDisallow: /a\n\n»User-agent: *\nDisallow: /b\n",
    good="User-agent: *\nDisallow: /a\nDisallow: /b\n",
    dialect="1994",
)
UNREACHED = Kind(
    code="R026",
    when="a robot obeys an earlier record than its own",
    message='a robot named "{}" obeys the record on line {} for "{}", not this one',
    advice="Put the longer name first, or merge the records if they have the same name.",
    bad="User-agent: bot\nDisallow: /a\n\n»User-agent: mybot\nDisallow: /b\n",
    good="User-agent: mybot\nDisallow: /b\n\nUser-agent: bot\nDisallow: /a\n",
    dialect="1994",
)
NOT_INHERITED = Kind(
    code="R027",
    severity=INFO,
    when="a robot with its own record does not obey the rules for every robot",
    message='"{}" obeys only its own record, not {}',
    advice="Repeat these rules in its own record if they are meant for this robot too.",
    bad="User-agent: *\nDisallow: /a\n\n»User-agent: bot\nDisallow: /b\n",
    good="User-agent: *\nDisallow: /a\n\nUser-agent: bot\nDisallow: /b\nDisallow: /a\n",
)
ALLOW = Kind(
    code="R028",
    severity=INFO,
    when="an Allow line is ignored",
    message="Allow is ignored in this dialect: {}",
    advice="Keep it for other robots, and write Disallow lines only for what is closed.",
    bad="User-agent: *\nDisallow: /a/\n»Allow: /a/public\n",
    good="User-agent: *\nDisallow: /a/private\nDisallow: /a/tmp\nAllow: /a/public\n",
    dialect="1994",
)
NO_EFFECT = Kind(
    code="R029",
    opens=True,
    when="a line has no effect because of another rule",
    message='line {}, "{}", {}',
    advice="Delete the wrong line, or put this line above the other if it is an exception.",
    bad="User-agent: *\nAllow: /\n»Disallow: /\n",
    good="User-agent: *\nDisallow: /\n",
)
USAGE_VALUE = Kind(
    code="R030",
    when="a usage preference is not understood",
    message='"{}" is not understood in {}, which knows {}',
    advice="Use known labels and values, or keep the line for programs that know it.",
    bad="User-agent: *\nContent-Usage: »train-ai=no\nDisallow:\n",
    good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
)
USAGE_NOBODY = Kind(
    code="R031",
    when="a usage preference is before the first record",
    message="the preference is before the first record, so it applies to no robot",
    advice="Move it below `User-agent: *`, and repeat it in other records that need it.",
    bad="Content-Signal: »ai-train=no\nUser-agent: *\nDisallow:\n",
    good="User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n",
)
ONLY_ALLOW = Kind(
    code="R032",
    severity=INFO,
    when="a record has only Allow lines",
    message='the record for "{}" has only Allow lines: everything else is allowed too',
    advice="Write `Disallow: /` below the Allow lines if only these paths are allowed.",
    bad="»User-agent: *\nAllow: /blog/\n",
    good="User-agent: *\nAllow: /blog/\nDisallow: /\n",
)

KINDS = tuple(it for it in list(globals().values()) if isinstance(it, Kind))
