"""The parts that generated files and questions consist of, including many edge cases."""

from __future__ import annotations

AGENT_FIELDS = ("User-agent",) * 8 + (
    *("user-agent", "USER-AGENT", "uSeR-aGeNt", "User-agent "),
    *("  User-agent", "\tUser-agent\t"),
)
DISALLOW_FIELDS = ("Disallow",) * 8 + (
    *("disallow", "DISALLOW", "dIsAlLoW", "Disallow ", " Disallow", "Disallow\t"),
)
ALLOW_FIELDS = ("Allow",) * 4 + ("allow", "ALLOW", " Allow ")
RULE_FIELDS = {"Disallow": DISALLOW_FIELDS, "Allow": ALLOW_FIELDS}
"""Spellings of the fields whose values are paths. The first spelling is the most frequent."""
UNKNOWN_FIELDS = (
    *("Disalow", "Dissallow", "Disallow\x00", "Di\u017fallow", "\xa0Disallow"),
    *("\u200bDisallow", "Disallow\uff1a", "Dis allow", "Useragent", "User agent"),
    *("User-agents", "\ufeffUser-agent", "User-agent\x0c", "X-Robots", "Host"),
    *("Crawl delay", "\udce9Disallow", ""),
)
DELAYS = ("10", "1", "2.5", "0.5", ".5", "7.", "007", "0", "3600") * 2 + (
    *("x", "", "-1", "1e3", "1,5", "5s", "inf", "nan", "1_0", "\u0665", "+1"),
    "9" * 400,
)
OTHER_FIELDS = {"Crawl-delay": DELAYS}
OTHER_LINES = (
    *("Sitemap: http://h.test/map.xml", "SITEMAP:/map.xml", "Request-rate: 1/5"),
    *("no colon here", "Disallow /a", "<html>", "Allow /", ":", ": /a"),
)
COMMENTS = ("#", "# a comment", "  # indented", "\t#", "#User-agent: *", "#Disallow: /")
BLANK_LINES = ("", "", "", " ", "\t", " \t ")
COLONS = (": ",) * 6 + (":", ":\t", ":  ", ": \t ")
TRAILS = ("",) * 10 + (" ", "\t", " # why", "#why", "\t# why", " #", "##")

OUR_NAMES = (
    *("foobot", "FooBot", "FOOBOT", "FooBot/2.1", "foobot/", "FooBot /3 beta") * 2,
    *("foo", "Foo/1.0", "bot", "b"),
    *("FooBot Max", "* foobot"),
)
"""Values of User-agent lines. Each value names one of `OUR_ROBOTS` in at least one dialect."""

OUR_ROBOTS = (
    *("FooBot", "foobot", "FooBot/2.1", "FooBot/2.1 (+http://foo.test/)") * 2,
    *("FOOBOT-NEWS", "Foo FooBot"),
)
NAMES = (
    *("foobot-news", "news", "Other", "other/1", "Mozilla", "compatible", "Scrapy"),
    *("scrapy/2.13", "My Company Bot", "my company", "Company Bot/1.0", "foo bar"),
    *("foo, bar", "Lycos_Spider_(Rex)", "rex", "company", "FooBot 2.1", "bot v1"),
    *("", "/1.0", "**", "*bot", "foo*", "* foo", "\u00e9toile", "foo\x00bot"),
    *("foo\x0bbot", "*\xa0", "(x)", "x (y)"),
)
ROBOTS = (
    *("My Company Bot/1.0 (+http://x.test)", "My Company Bot"),
    "Scrapy/2.13 (+https://scrapy.org)",
    *("Scrapy", "news", "other", "nothing", "bar", "*", "", "\u00c9toile", "foo"),
)

PIECES = (
    *("a", "b", "ab", "abc", "A", "private", "x.html", "index.php", "1") * 6,
    *("caf\u00e9", "caf\udce9", "caf%C3%A9", "caf%c3%a9", "caf%E9", "%c3", "\u30c4"),
    *("\U0001f600", "%61", "%41b", "a%62", "%7Ea", "~a", "%2F", "%2f", "%252F", "%25"),
    *("%2", "%", "%%", "%zz", "%4", "%u0041", "%2541", "%20", " ", "a b", "+", "%2B"),
    *("..", ".", "...", "%2e%2e", "%2E", ".%2e", "a\\b", "\\", "%5C"),
    *("*", "$", "a*b", "*.php", "b$", "**", "*") * 2,
    *("%2A", "%24", "?", "?a=b", "?a=/b/", "&", "=", ";", ":", "@", ",", "!", "'"),
    *("(", "[", "|", "<", '"', "{", "^", "`", "%3A", "%3c", "%3F", "%23"),
    *("\x00", "\x01", "\x0b", "\x0c", "\x1f", "\x7f", "\x85", "\u2028", "\xa0"),
    *("\u200b", "%00", "%0A", "robots.txt"),
)
ODD_VALUES = (
    *("", "", "/", "/", "*", "/*", "/$", "$", "a", "a/b", "*a", "*/b", "?a", "."),
    *("/a*a$", "/p/*/$", "/ab*/ab$", "/a*a*a$"),
    *("//a", "//", "/robots.txt", "/robots", "/a /b", "/a\t/b /", "http", "http:"),
    *("http:/a", "mailto:a@h.test"),
)
SCHEMES = ("http",) * 4 + ("https", "HTTP", "Https")
USERS = ("u@", "u:p@", "U:P@")
HOSTS = (
    *("h.test", "H.TEST", "h.test.", "www.h.test", "h.test.evil.test"),
    *("b\u00fccher.test", "B\u00dcCHER.test", "xn--bcher-kva.test"),
    *("127.0.0.1", "[::1]"),
)
PORTS = ("",) * 6 + (":80", ":443", ":8080", ":808", ":")
OUR_ORIGINS = ("http://h.test",) * 6 + (
    *("HTTP://h.test", "http://H.Test", "http://h.test:80", "http://h.test."),
)
"""Spellings of one origin. The first spelling is the most frequent."""
