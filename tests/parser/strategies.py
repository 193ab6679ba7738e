"""Hypothesis strategies: nearly correct files, paths, robots, dialects and readings."""

from __future__ import annotations

from hypothesis import strategies as st

from scrapy_robots1994.parser.dialects import DIALECTS, READINGS

FIELDS = (
    "User-agent: ",
    "user-AGENT\t:",
    " User-agent:",
    "Disallow: ",
    "DISALLOW :",
    "\tDisallow:  ",
    "Allow: ",
    "Di\u017fallow: ",
    "Disalow: ",
    ": ",
    "",
    "#",
    " # ",
)
VALUES = (
    "*",
    "rex",
    "Rex/1.0",
    "/1",
    "r",
    "a b",
    "*x",
    "",
    " ",
    "/",
    "/a",
    "/a/b",
    "/a%2Fb",
    "/a%2",
    "/%61",
    "/caf\u00e9",
    "/caf%c3%a9",
    "/a b",
    "/a\x00\x0b\x85",
    "/robots.txt",
    "/a#b",
    "*a",
    "a",
    "http://h/a",
    "https://h.example/a%41",
    "https://h.example/a%2",
    "https://h.example/caf\u00e9",
    "\ufffd",
)
TAILS = ("", " ", "\t", " # c", "#c: d")
ENDS = ("\n", "\n", "\r\n", "\r", "\n\n", "\r\r", "\r\n\r\n", "\n \n", "\n#\n", "")
PATHS = (
    "/",
    "/a",
    "/a/b",
    "/a%2fb",
    "/a%2Fb",
    "/a%41",
    "/a%2541",
    "/%61/x",
    "/A",
    "/caf\u00e9",
    "/caf%C3%A9s",
    "/caf%E9",
    "/a b",
    "/a\x00\x0b\x85",
    "/robots.txt",
    "/%72obots.txt",
    "/x",
    "/\u0100\u0101",
    "/%",
)
ROBOTS = ("rex", "REX/2", "other", "*", "", "M/5 (compatible; Rex/1)", b"rex")

nearly_right_lines = st.builds(
    "".join,
    st.tuples(*map(st.sampled_from, (FIELDS, VALUES, TAILS, ENDS))),
)
nearly_right_texts = st.lists(nearly_right_lines, max_size=14).map("".join)
paths = st.sampled_from(PATHS)
robots = st.sampled_from(ROBOTS)
readings = st.sampled_from(READINGS)
dialects = st.sampled_from(list(DIALECTS))

# Fields and values of the dialects other than 1994.
FURTHER_FIELDS = ("Allow: ", "allow:", "Crawl-delay: ", "Sitemap: ")
FURTHER_VALUES = (
    "5",
    "0.5",
    "/a /b",
    "rex *",
    "/a%4",
    "http://h.example/a",
    "https://h.example",
    "rex-news",
    "Mozilla/5.0 (compatible; Rex/1.0)",
    "X/1 (y)",
    "/a*b$",
    "*b",
    "/a$",
)
any_field_lines = st.builds(
    "".join,
    st.tuples(
        st.sampled_from((*FIELDS, *FURTHER_FIELDS)),
        st.sampled_from((*VALUES, *FURTHER_VALUES)),
        st.sampled_from(TAILS),
        st.sampled_from(ENDS),
    ),
)
any_field_texts = st.lists(any_field_lines, max_size=14).map("".join)
