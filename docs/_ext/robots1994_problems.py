"""Why each kind of problem of `robots-lint` matters, with a bad and a good example.

The page of problem codes shows the texts and the examples of this module, and a test
checks the examples. Add an entry for each new kind of problem.
"""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """Why a kind of problem matters, a file with the problem, and the corrected file.

    *bad* is parsed in *dialect*. *bad* is bytes if text cannot show the problem.
    """

    why: str
    bad: str | bytes
    good: str
    dialect: str = "1994"


EXAMPLES = {
    "R001": Example(
        why="A rule applies only to the robots that the User-agent lines of its record name.",
        bad="Disallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R002": Example(
        why=(
            "In the standard of 1994, blank lines separate records. The names above the blank "
            "line have no rule, and the rules below the blank line have no name. Robots that "
            "follow RFC 9309 ignore the blank line."
        ),
        bad="User-agent: *\n\nDisallow: /private\n",
        good="User-agent: *\n#\nDisallow: /private\n",
    ),
    "R003": Example(
        why=(
            "Each record needs a Disallow line. If a record has only names, its rules are often "
            "missing by mistake. If a record has only a Crawl-delay, its author probably meant to "
            "disallow nothing."
        ),
        bad="User-agent: rex\nCrawl-delay: 10\n",
        good="User-agent: rex\nDisallow:\nCrawl-delay: 10\n",
    ),
    "R004": Example(
        why=(
            "The rules below a User-agent line without a name apply to no robot, or to the robots "
            "of the record above."
        ),
        bad="User-agent:\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R005": Example(
        why=(
            "The path of a URL begins with a slash. A value without a leading slash is therefore "
            "not the beginning of any path."
        ),
        bad="User-agent: *\nDisallow: private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R006": Example(
        why="A robot does not guess the meaning of a line. A line without a colon is ignored.",
        bad="User-agent: *\nDisallow: /private\nthank you\n",
        good="User-agent: *\nDisallow: /private\n# thank you\n",
    ),
    "R007": Example(
        why=(
            "Blank lines separate records. If there is no blank line, most robots begin a new "
            "record at a User-agent line below a rule. At a User-agent line below an unknown "
            "field, most robots do not begin a new record, and the names share the rules."
        ),
        bad="User-agent: rex\nDisallow: /a\nUser-agent: max\nDisallow: /b\n",
        good="User-agent: rex\nDisallow: /a\n\nUser-agent: max\nDisallow: /b\n",
    ),
    "R008": Example(
        why=(
            "The standard allows only one record for `*`. If a file has several records for `*`, "
            "other robots may obey only the first record or only the last record."
        ),
        bad="User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n",
        good="User-agent: *\nDisallow: /b\nDisallow: /a\n",
    ),
    "R009": Example(
        why=(
            "The empty Disallow says that everything may be retrieved, but the other Disallow "
            "lines say that some paths may not be retrieved."
        ),
        bad="User-agent: *\nDisallow:\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R010": Example(
        why=(
            "The field is not in any dialect of this package, and is probably not a misspelt "
            "field."
        ),
        bad="User-agent: *\nDisallow: /private\nWritten-by: us\n",
        good="User-agent: *\nDisallow: /private\n# Written-by: us\n",
    ),
    "R011": Example(
        why="This package accepts the space, but other robots may ignore the line.",
        bad="User-agent : *\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R012": Example(
        why=(
            "Robots that do not know the byte order mark read it as part of the first line, and "
            "ignore that line."
        ),
        bad=b"\xef\xbb\xbfUser-agent: *\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R013": Example(
        why="In URLs, characters outside ASCII are percent-encoded, mostly as UTF-8.",
        bad=b"User-agent: *\nDisallow: /caf\xe9\n",
        good="User-agent: *\nDisallow: /caf%E9\n",
    ),
    "R014": Example(
        why=(
            "Robots read only a limited number of bytes of a file. RFC 9309 requires robots to "
            "read at least 500 KiB."
        ),
        bad="User-agent: *\n" + "Disallow: /items/1\n" * 30_000,
        good="User-agent: *\nDisallow: /items/\n",
    ),
    "R015": Example(
        why=(
            "In the standard of 1994, a path is compared as it is written. Robots that follow RFC "
            "9309 obey the wildcard. Robots that follow the standard of 1994 need another line "
            "without a wildcard."
        ),
        bad="User-agent: *\nDisallow: /print/*.pdf\n",
        good="User-agent: *\nDisallow: /print/*.pdf\nDisallow: /print/\n",
    ),
    "R016": Example(
        why=(
            "Robots that follow the standard of 1994 do not know Allow. An Allow line is reported "
            "if a Disallow line of the same record disallows paths that the Allow line is meant "
            "to allow."
        ),
        bad="User-agent: *\nDisallow: /a\nAllow: /a/public\n",
        good="User-agent: *\nDisallow: /a/private\nDisallow: /a/tmp\n",
    ),
    "R017": Example(
        why="Other robots obey Crawl-delay.",
        bad="User-agent: *\nDisallow: /private\nCrawl-delay: 10\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R018": Example(
        why="Other robots use Sitemap lines.",
        bad="User-agent: *\nDisallow: /private\n\nSitemap: https://example.com/sitemap.xml\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R019": Example(
        why="Other robots, or services that read the file, may obey the field.",
        bad="User-agent: *\nDisallow: /private\nClean-param: ref /\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R020": Example(
        why=(
            "A field is obeyed only if its name is exact. Quotes, bullets and asterisks are part "
            "of the name."
        ),
        bad="User-agent: *\nDisalow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R021": Example(
        why="A line is a field name, a colon and a value. Any other text is ignored.",
        bad="User-agent: *\nDisallow /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R022": Example(
        why=(
            "The duplicate rule has no effect in any dialect. If someone changes one of the two "
            "rules, the other rule is easily forgotten."
        ),
        bad="User-agent: *\nDisallow: /private\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R023": Example(
        why=(
            "The shadowed rule has no effect in any dialect. Perhaps the shorter rule covers more "
            "paths than the author meant."
        ),
        bad="User-agent: *\nDisallow: /private\nDisallow: /private/old\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R024": Example(
        why=(
            "A robot obeys only one record. In the dialect ``1994``, this is the first record "
            "with a name that matches the robot."
        ),
        bad="User-agent: bot\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b\n",
        good="User-agent: mybot\nDisallow: /b\n\nUser-agent: bot\nDisallow: /a\n",
    ),
    "R025": Example(
        why=(
            "An HTML page has no rules. In most cases, the page is the error page of a site "
            "without a robots.txt."
        ),
        bad="<!DOCTYPE html>\n<title>Not found</title>\n",
        good="User-agent: *\nDisallow:\n",
    ),
    "R026": Example(
        why=(
            "Robots that follow the standard of 1994 do not know Allow, and the standard requires "
            "a Disallow line in each record."
        ),
        bad="User-agent: *\nAllow: /\n",
        good="User-agent: *\nDisallow:\nAllow: /\n",
    ),
    "R027": Example(
        why="If a robot ends lines only at NL, it reads the whole file as one line.",
        bad="User-agent: *\rDisallow: /private\r",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R028": Example(
        why=(
            "An invisible character is compared like any other character. The author cannot see "
            "why a rule does not match."
        ),
        bad="User-agent: *\nDisallow: /pri\u200bvate\n",
        good="User-agent: *\nDisallow: /pri%E2%80%8Bvate\n",
    ),
    "R029": Example(
        why="A User-agent line has only one name.",
        bad="User-agent: rexbot, maxbot\nDisallow: /private\n",
        good="User-agent: rexbot\nUser-agent: maxbot\nDisallow: /private\n",
    ),
    "R030": Example(
        why="The value `*` means every robot. In a longer name, `*` is an ordinary character.",
        bad="User-agent: rexbot*\nDisallow: /private\n",
        good="User-agent: rexbot\nDisallow: /private\n",
    ),
    "R031": Example(
        why="Names are compared without versions.",
        bad="User-agent: rexbot/1.0\nDisallow: /private\n",
        good="User-agent: rexbot\nDisallow: /private\n",
    ),
    "R032": Example(
        why=(
            "A `#` begins a comment anywhere in a line. The part of a URL after `#` is never sent "
            "to a server."
        ),
        bad="User-agent: *\nDisallow: /private#old\n",
        good="User-agent: *\nDisallow: /private #old\n",
    ),
    "R033": Example(
        why="A robots.txt applies only to its own host, and most robots compare only paths.",
        bad="User-agent: *\nDisallow: https://example.com/private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R034": Example(
        why="A Disallow line has only one path.",
        bad="User-agent: *\nDisallow: /private /tmp\n",
        good="User-agent: *\nDisallow: /private\nDisallow: /tmp\n",
    ),
    "R035": Example(
        dialect="extended",
        why="A Crawl-delay that is not a number of seconds has no effect.",
        bad="User-agent: *\nDisallow: /private\nCrawl-delay: 10s\n",
        good="User-agent: *\nDisallow: /private\nCrawl-delay: 10\n",
    ),
    "R036": Example(
        dialect="extended",
        why=(
            "The first rule that covers a URL decides. According to RFC 9309, the longest rule "
            "decides."
        ),
        bad="User-agent: *\nDisallow: /a\nAllow: /a/public\n",
        good="User-agent: *\nAllow: /a/public\nDisallow: /a\n",
    ),
    "R037": Example(
        dialect="extended",
        why=(
            "The first rule that covers a URL decides. According to RFC 9309, the longest rule "
            "decides."
        ),
        bad="User-agent: *\nAllow: /\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\nAllow: /\n",
    ),
    "R038": Example(
        why=(
            "The line looks correct to its author, but one character makes robots read the line "
            "differently."
        ),
        bad="User-agent: *\nDisallow\uff1a /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R039": Example(
        why=(
            "A line has only one field. If the second field is User-agent, robots do not see it, "
            "and the rules below belong to the record above."
        ),
        bad="User-agent: * Disallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R040": Example(
        why="Robots expect UTF-8.",
        bad="User-agent: *\nDisallow: /private\n".encode("utf-16-le"),
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R041": Example(
        why="The part of a URL after `#` is never sent to a server, so no rule can cover it.",
        bad="User-agent: *\nDisallow: /#!/private\n",
        good="User-agent: *\nDisallow: #!/private\n",
    ),
    "R042": Example(
        why="A name is compared as it is written, with its punctuation.",
        bad='User-agent: "rexbot"\nDisallow: /private\n',
        good="User-agent: rexbot\nDisallow: /private\n",
    ),
    "R043": Example(
        dialect="rfc9309",
        why=(
            "According to RFC 9309, only a rule ends the list of names of a group. Blank lines, "
            "comments, Crawl-delay and Sitemap do not end the list, so the rules below apply to "
            "all the names above."
        ),
        bad="User-agent: *\nCrawl-delay: 10\n\nUser-agent: rexbot\nDisallow: /\n",
        good="User-agent: *\nDisallow:\nCrawl-delay: 10\n\nUser-agent: rexbot\nDisallow: /\n",
    ),
    "R044": Example(
        why="A line is a field name, a colon and a value. Any other text is ignored.",
        bad="User-agent: *\nDisallow: /private\n/tmp\n",
        good="User-agent: *\nDisallow: /private\nDisallow: /tmp\n",
    ),
    "R045": Example(
        dialect="rfc9309",
        why=(
            "RFC 9309 compares the name with the product token that a robot sends. A product "
            "token consists of letters, `-` and `_`. Most robots read a name only up to the first "
            "other character."
        ),
        bad="User-agent: Rex Bot\nDisallow: /private\n",
        good="User-agent: RexBot\nDisallow: /private\n",
    ),
    "R046": Example(
        why="The file was published before a program filled in the template.",
        bad="User-agent: *\nDisallow: {{ base }}/private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R047": Example(
        dialect="extended",
        why=(
            "Robots use the value of a Sitemap line as a URL, without any change. A path alone "
            "does not say on which host the sitemap is."
        ),
        bad="User-agent: *\nDisallow: /private\n\nSitemap: /sitemap.xml\n",
        good="User-agent: *\nDisallow: /private\n\nSitemap: https://example.com/sitemap.xml\n",
    ),
    "R048": Example(
        why=(
            "A file without a line of a robots.txt disallows nothing. In most cases, the file is "
            "an error message of a site without a robots.txt."
        ),
        bad='{"message": "Not found"}\n',
        good="User-agent: *\nDisallow:\n",
    ),
    "R049": Example(
        why=(
            "A URL contains no spaces, because a space is sent as `%20`. The text after the space "
            "is part of the path."
        ),
        bad="User-agent: *\nDisallow: /my files\n",
        good="User-agent: *\nDisallow: /my%20files\n",
    ),
    "R050": Example(
        why="A User-agent line says to which robots the rules below the line apply.",
        bad="User-agent: /*\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R051": Example(
        why=(
            "Content-Usage is parsed strictly. One wrong character makes all labels of the line "
            "invalid."
        ),
        bad="User-agent: *\nContent-Usage: train-ai=n,\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R052": Example(
        why="A label with an unknown value states no preference.",
        bad="User-agent: *\nContent-Usage: train-ai=no\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R053": Example(
        why=(
            "The known labels are the labels of AIPREF vocab-08, and of Content Signals as of "
            "July 2026."
        ),
        bad="User-agent: *\nContent-Usage: ai=n\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R054": Example(
        why="Only one of the two statements has an effect.",
        bad="User-agent: *\nContent-Usage: train-ai=n, train-ai=y\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R055": Example(
        why=(
            "Only the preference with the longest path applies to a URL. A preference with a "
            "shorter path has no effect on that URL, even if the preference states other labels."
        ),
        bad=(
            "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /doc/ search=n\n"
            "Disallow:\n"
        ),
        good=(
            "User-agent: *\nContent-Usage: train-ai=n, search=y\n"
            "Content-Usage: /doc/ search=n, train-ai=n\nDisallow:\n"
        ),
    ),
    "R056": Example(
        why=(
            "A program that knows only one of the two fields may do the opposite of a program "
            "that knows only the other field."
        ),
        bad="User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no\nDisallow:\n",
    ),
    "R057": Example(
        why="A preference belongs to a record. No standard defines a preference for a whole site.",
        bad="Content-Signal: ai-train=no\nUser-agent: *\nDisallow:\n",
        good="User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n",
    ),
    "R058": Example(
        why=(
            "RSL requires an absolute URL, because a program must know on which host the license "
            "terms are."
        ),
        bad="User-agent: *\nLicense: /license.xml\nDisallow:\n",
        good="User-agent: *\nLicense: https://example.com/license.xml\nDisallow:\n",
    ),
}
