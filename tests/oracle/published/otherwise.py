"""Published answers that differ from our answers, and the reason for each difference.

Each reason cites a section of RFC 9309 or a decision, in our own words.
"""

from __future__ import annotations

from typing import NamedTuple


class Otherwise(NamedTuple):
    """A published case whose answers differ from our answers, and the reason. The reason
    applies only to questions that contain the text *about*.
    """

    program: str
    case: str
    sentence: str
    about: str = ""


NO_COLON = "RFC 9309 2.2: a colon separates a field name from its value (ours O14)."
EXACT_FIELD = "RFC 9309 2.2: the field names are exact; other records are not rules."
WHOLE_NAME = (
    "RFC 9309 2.2.1: the group of a product token is found by the whole token; a value "
    "with a space is not the token before it (ours O11)."
)
PREFIX_OF_NAME = "RFC 9309 2.2.1: a group is found by the whole product token."
URI_ENCODED = (
    "RFC 9309 2.2.2: octets outside ASCII are percent-encoded in the URI and in the rule "
    "before they are compared; the program leaves the URI to its caller."
)
UNRESERVED = "RFC 9309 2.2.2: a percent-encoded unreserved octet is decoded before the comparison."
INDEX_HTML = "RFC 9309 2.2.2: a path matches as written; a file is not its folder."
LONG_LINE = "RFC 9309 2.5: at least 500 KiB are parsed; a line within them is not cut."
OTHER_RECORD = "RFC 9309 2.2.4: other records must not interfere; none ends a group."
LITERAL_STAR = "RFC 9309 2.2.1: `*` names every robot only if it is the whole value."
END_MARK = "RFC 9309 2.2.3: `$` at the end of a pattern is the end of the match."
NO_PATH = "RFC 9309 2.2: a path pattern begins with a slash."
NO_SCHEME = (
    "RFC 9309 2.2.2: rules are matched against URIs; text without a scheme is not one, "
    "so the URI that it could mean is not guessed."
)
PART_OF_MARK = (
    "RFC 9309 2.2: a line begins with its field name; bytes that are only part of a byte "
    "order mark are not one (ours O16)."
)

HEDWIG = "test_user_agent_precedence"
PATHS = "TestGetPathParamsQuery"

OTHERWISE = (
    Otherwise("google", "ID_LineSyntax_Line/3", NO_COLON),
    Otherwise("google", "ID_UserAgentValueCaseInsensitive/1", WHOLE_NAME, "/a/b"),
    Otherwise("google", "ID_UserAgentValueCaseInsensitive/2", WHOLE_NAME, "/a/b"),
    Otherwise("google", "ID_UserAgentValueCaseInsensitive/3", WHOLE_NAME, "/a/b"),
    Otherwise("google", "GoogleOnly_AcceptUserAgentUpToFirstSpace/1", WHOLE_NAME),
    Otherwise("google", "ID_Encoding/2", URI_ENCODED, "\u30c4"),
    Otherwise("google", "ID_Encoding/3", URI_ENCODED, "\u30c4"),
    Otherwise("google", "ID_Encoding/4", UNRESERVED, "/baz"),
    Otherwise("google", "GoogleOnly_IndexHTMLisDirectory/1", INDEX_HTML, "slash/ "),
    Otherwise("google", "GoogleOnly_LineTooLong/1", LONG_LINE, "a/fux "),
    Otherwise("google", "GoogleOnly_LineTooLong/2", LONG_LINE, "b/fux "),
    *(Otherwise("google", f"{PATHS}/{row}", NO_SCHEME) for row in range(8, 15)),
    *(Otherwise("google", f"{PATHS}/{row}", NO_SCHEME) for row in range(16, 20)),
    Otherwise("google", "ID_UTF8ByteOrderMarkIsSkipped/2", PART_OF_MARK),
    Otherwise("google", "ID_UTF8ByteOrderMarkIsSkipped/3", PART_OF_MARK),
    *(
        Otherwise("protego", "test_malformed_disallow/1", EXACT_FIELD, f"/{word} ")
        for word in ("two", "three", "four", "five", "six")
    ),
    Otherwise("protego", "test_grouping_unknown_keys/1", OTHER_RECORD, " agent "),
    Otherwise("protego", "test_generosity/2", NO_COLON, "/x/y "),
    Otherwise("protego", "test_generosity/2", NO_COLON, "/horcrux "),
    Otherwise("protego", "test_generosity/3", LITERAL_STAR, " foobot "),
    Otherwise("protego", "test_index_html_is_directory/1", INDEX_HTML, "slash/ "),
    Otherwise("protego", "test_special_symbols_dual_behaviour/1", END_MARK, "/x/abc"),
    Otherwise("protego", "test_with_absolute_urls/1", NO_PATH, "foo.bar/http"),
    Otherwise("protego", f"{HEDWIG}/2", PREFIX_OF_NAME, "/group1 "),
    *(
        Otherwise("protego", f"{HEDWIG}/{row}", PREFIX_OF_NAME, f"/{group} ")
        for row in (5, 6)
        for group in ("group2", "group3")
    ),
)


def sentence(program: str, case: str, question: str) -> str | None:
    """Return the listed reason why our answer differs from the published answer. Return
    `None` if no reason is listed.
    """
    for row in OTHERWISE:
        same = (row.program, row.case) == (program, case)
        if same and row.about in f" {question} ":
            return row.sentence
    return None
