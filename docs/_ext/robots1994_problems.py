"""Why each kind of problem of `robots-lint` matters, with a bad and a good example.

The page of problem codes shows them, and a test tries them. A new kind needs an entry.
"""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """Why a kind matters, a file that has its problem, and what to write instead.

    *bad* is read in the *dialect*. It is bytes where no text shows the difference.
    """

    why: str
    bad: str | bytes
    good: str
    dialect: str = "1994"


EXAMPLES = {
    "R001": Example(
        why="A rule is for the robots that the User-agent lines of its record name.",
        bad="Disallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R002": Example(
        why=(
            "In 1994 blank lines separate records: the names above it have no rule, and the "
            "rules below it no name. Robots of RFC 9309 do not mind."
        ),
        bad="User-agent: *\n\nDisallow: /private\n",
        good="User-agent: *\n#\nDisallow: /private\n",
    ),
    "R003": Example(
        why=(
            "Each record needs a Disallow line. If a record has only names, its rules are often "
            "missing. If a record has only a Crawl-delay, its author meant to disallow nothing."
        ),
        bad="User-agent: rex\nCrawl-delay: 10\n",
        good="User-agent: rex\nDisallow:\nCrawl-delay: 10\n",
    ),
    "R004": Example(
        why="The rules below it are for no robot, or for those of the record above.",
        bad="User-agent:\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R005": Example(
        why="The path of a URL begins with a slash, and a rule is compared with its beginning.",
        bad="User-agent: *\nDisallow: private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R006": Example(
        why="A robot guesses nothing: it leaves out a line that has not this form.",
        bad="User-agent: *\nDisallow: /private\nthank you\n",
        good="User-agent: *\nDisallow: /private\n# thank you\n",
    ),
    "R007": Example(
        why=(
            "Blank lines separate records. After a rule most robots begin a new record without "
            "one; after a field that they do not know they do not, and the names share the rules."
        ),
        bad="User-agent: rex\nDisallow: /a\nUser-agent: max\nDisallow: /b\n",
        good="User-agent: rex\nDisallow: /a\n\nUser-agent: max\nDisallow: /b\n",
    ),
    "R008": Example(
        why="The standard has one such record; other robots obey the first or the last alone.",
        bad="User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n",
        good="User-agent: *\nDisallow: /b\nDisallow: /a\n",
    ),
    "R009": Example(
        why="It says that everything may be retrieved, and the lines next to it that it may not.",
        bad="User-agent: *\nDisallow:\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R010": Example(
        why="It is no field of any dialect here, and no likely slip of one.",
        bad="User-agent: *\nDisallow: /private\nWritten-by: us\n",
        good="User-agent: *\nDisallow: /private\n# Written-by: us\n",
    ),
    "R011": Example(
        why="We accept the space, but other robots may ignore the line.",
        bad="User-agent : *\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R012": Example(
        why=(
            "Robots that do not know the mark read it as part of the first line, and ignore that "
            "line."
        ),
        bad=b"\xef\xbb\xbfUser-agent: *\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R013": Example(
        why="URLs have such characters percent-encoded, mostly as UTF-8.",
        bad=b"User-agent: *\nDisallow: /caf\xe9\n",
        good="User-agent: *\nDisallow: /caf%E9\n",
    ),
    "R014": Example(
        why="Robots read so many bytes of a file: RFC 9309 asks for 500 KiB at least.",
        bad="User-agent: *\n" + "Disallow: /items/1\n" * 30_000,
        good="User-agent: *\nDisallow: /items/\n",
    ),
    "R015": Example(
        why=(
            "In 1994 a path is compared as it is written. Robots of RFC 9309 obey the wildcard; "
            "a robot of 1994 needs a line of its own."
        ),
        bad="User-agent: *\nDisallow: /print/*.pdf\n",
        good="User-agent: *\nDisallow: /print/*.pdf\nDisallow: /print/\n",
    ),
    "R016": Example(
        why=(
            "A robot of 1994 does not know Allow. An Allow is reported if a Disallow of the same "
            "record disallows what the Allow is meant to allow."
        ),
        bad="User-agent: *\nDisallow: /a\nAllow: /a/public\n",
        good="User-agent: *\nDisallow: /a/private\nDisallow: /a/tmp\n",
    ),
    "R017": Example(
        why="Other robots obey it.",
        bad="User-agent: *\nDisallow: /private\nCrawl-delay: 10\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R018": Example(
        why="Other robots obey it.",
        bad="User-agent: *\nDisallow: /private\n\nSitemap: https://example.com/sitemap.xml\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R019": Example(
        why="Other robots, or services that read the file, obey it.",
        bad="User-agent: *\nDisallow: /private\nClean-param: ref /\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R020": Example(
        why=(
            "A field is obeyed only if its name is exact. Quotes, bullets and stars are part of "
            "the name."
        ),
        bad="User-agent: *\nDisalow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R021": Example(
        why="A line is a field name, a colon and a value; anything else is ignored.",
        bad="User-agent: *\nDisallow /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R022": Example(
        why=(
            "It changes nothing, in any dialect, and a change of one of the two is easily "
            "forgotten."
        ),
        bad="User-agent: *\nDisallow: /private\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R023": Example(
        why="It changes nothing, in any dialect; or the shorter rule covers more than was meant.",
        bad="User-agent: *\nDisallow: /private\nDisallow: /private/old\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R024": Example(
        why="A robot obeys one record: of those that name it the first, in 1994.",
        bad="User-agent: bot\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b\n",
        good="User-agent: mybot\nDisallow: /b\n\nUser-agent: bot\nDisallow: /a\n",
    ),
    "R025": Example(
        why="A page has no rule. It is mostly the error page of a site without a robots.txt.",
        bad="<!DOCTYPE html>\n<title>Not found</title>\n",
        good="User-agent: *\nDisallow:\n",
    ),
    "R026": Example(
        why="A robot of 1994 does not know Allow, and each record needs a Disallow line.",
        bad="User-agent: *\nAllow: /\n",
        good="User-agent: *\nDisallow:\nAllow: /\n",
    ),
    "R027": Example(
        why="Robots that end lines only at NL read the whole file as one line.",
        bad="User-agent: *\rDisallow: /private\r",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R028": Example(
        why=(
            "They are compared like any other character, and no one sees why a rule does "
            "not match."
        ),
        bad="User-agent: *\nDisallow: /pri\u200bvate\n",
        good="User-agent: *\nDisallow: /pri%E2%80%8Bvate\n",
    ),
    "R029": Example(
        why="A User-agent line has one name.",
        bad="User-agent: rexbot, maxbot\nDisallow: /private\n",
        good="User-agent: rexbot\nUser-agent: maxbot\nDisallow: /private\n",
    ),
    "R030": Example(
        why="A star alone means every robot; in a name it is a character like any other.",
        bad="User-agent: rexbot*\nDisallow: /private\n",
        good="User-agent: rexbot\nDisallow: /private\n",
    ),
    "R031": Example(
        why="Names are compared without their versions.",
        bad="User-agent: rexbot/1.0\nDisallow: /private\n",
        good="User-agent: rexbot\nDisallow: /private\n",
    ),
    "R032": Example(
        why=(
            "A `#` begins a comment anywhere. The part of a URL after `#` is never sent to a "
            "server."
        ),
        bad="User-agent: *\nDisallow: /private#old\n",
        good="User-agent: *\nDisallow: /private #old\n",
    ),
    "R033": Example(
        why="A robots.txt is about its own host, and most robots compare paths alone.",
        bad="User-agent: *\nDisallow: https://example.com/private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R034": Example(
        why="A Disallow line has one path.",
        bad="User-agent: *\nDisallow: /private /tmp\n",
        good="User-agent: *\nDisallow: /private\nDisallow: /tmp\n",
    ),
    "R035": Example(
        dialect="extended",
        why="A pause that cannot be read is none.",
        bad="User-agent: *\nDisallow: /private\nCrawl-delay: 10s\n",
        good="User-agent: *\nDisallow: /private\nCrawl-delay: 10\n",
    ),
    "R036": Example(
        dialect="extended",
        why="The first rule that covers a URL decides. By RFC 9309 the longest one does.",
        bad="User-agent: *\nDisallow: /a\nAllow: /a/public\n",
        good="User-agent: *\nAllow: /a/public\nDisallow: /a\n",
    ),
    "R037": Example(
        dialect="extended",
        why="The first rule that covers a URL decides. By RFC 9309 the longest one does.",
        bad="User-agent: *\nAllow: /\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\nAllow: /\n",
    ),
    "R038": Example(
        why="It looks like a line that has an effect, and has none.",
        bad="User-agent: *\nDisallow\uff1a /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R039": Example(
        why=(
            "A line has one field. A User-agent line that is lost so leaves its rules to the "
            "record above it."
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
        why="A name is compared as it is written.",
        bad='User-agent: "rexbot"\nDisallow: /private\n',
        good="User-agent: rexbot\nDisallow: /private\n",
    ),
    "R043": Example(
        dialect="rfc9309",
        why=(
            "In RFC 9309 only a rule ends the names of a group. Blank lines, Crawl-delay, Sitemap "
            "and comments do not: the rules below are for all the names above."
        ),
        bad="User-agent: *\nCrawl-delay: 10\n\nUser-agent: rexbot\nDisallow: /\n",
        good="User-agent: *\nDisallow:\nCrawl-delay: 10\n\nUser-agent: rexbot\nDisallow: /\n",
    ),
    "R044": Example(
        why="A line is a field name, a colon and a value; anything else is ignored.",
        bad="User-agent: *\nDisallow: /private\n/tmp\n",
        good="User-agent: *\nDisallow: /private\nDisallow: /tmp\n",
    ),
    "R045": Example(
        dialect="rfc9309",
        why=(
            "RFC 9309 compares the product token that a robot sends, of letters, `-` and `_`. "
            "Most robots read a name up to its first other character."
        ),
        bad="User-agent: Rex Bot\nDisallow: /private\n",
        good="User-agent: RexBot\nDisallow: /private\n",
    ),
    "R046": Example(
        why="The file was published without the program that fills it in.",
        bad="User-agent: *\nDisallow: {{ base }}/private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R047": Example(
        dialect="extended",
        why="Robots take it for a URL as it is, and do not know to which host it belongs.",
        bad="User-agent: *\nDisallow: /private\n\nSitemap: /sitemap.xml\n",
        good="User-agent: *\nDisallow: /private\n\nSitemap: https://example.com/sitemap.xml\n",
    ),
    "R048": Example(
        why="Such a file disallows nothing. Most are the answer of a site without a robots.txt.",
        bad='{"message": "Not found"}\n',
        good="User-agent: *\nDisallow:\n",
    ),
    "R049": Example(
        why=(
            "A URL has no spaces: a space is sent as `%20`. The text after the space is part of "
            "the path."
        ),
        bad="User-agent: *\nDisallow: /my files\n",
        good="User-agent: *\nDisallow: /my%20files\n",
    ),
    "R050": Example(
        why="A User-agent line says for which robot the rules below it are.",
        bad="User-agent: /*\nDisallow: /private\n",
        good="User-agent: *\nDisallow: /private\n",
    ),
    "R051": Example(
        why="Content-Usage is read to the letter: one wrong character hides all labels.",
        bad="User-agent: *\nContent-Usage: train-ai=n,\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R052": Example(
        why="Any other value means that nothing is stated, neither yes nor no.",
        bad="User-agent: *\nContent-Usage: train-ai=no\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R053": Example(
        why="The labels are those of AIPREF vocab-08, and of Content Signals of July 2026.",
        bad="User-agent: *\nContent-Usage: ai=n\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R054": Example(
        why="Of the two answers one has no effect.",
        bad="User-agent: *\nContent-Usage: train-ai=n, train-ai=y\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
    ),
    "R055": Example(
        why=(
            "Only the preference with the longest path counts, whole. Shorter ones say "
            "nothing there."
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
        why="Programs that know one of the two fields alone do the opposite of others.",
        bad="User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nDisallow:\n",
        good="User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no\nDisallow:\n",
    ),
    "R057": Example(
        why="A preference belongs to a record. No standard has one for a whole site.",
        bad="Content-Signal: ai-train=no\nUser-agent: *\nDisallow:\n",
        good="User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n",
    ),
    "R058": Example(
        why="RSL wants a whole URL: a program must know on which host the terms are.",
        bad="User-agent: *\nLicense: /license.xml\nDisallow:\n",
        good="User-agent: *\nLicense: https://example.com/license.xml\nDisallow:\n",
    ),
}
