"""Find problems with the names of robots, the paths of rules, and the URLs of sitemaps."""

import re
from collections.abc import Iterator
from functools import partial

from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.fixes import (
    Fix,
    bare_line,
    in_place,
    quoted,
    rule_line,
)
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import DISALLOW, USER_AGENT, Field, Role
from scrapy_robots1994.parser.reader import SPACE, Line
from scrapy_robots1994.parser.robot_reading import has_wildcard
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.user_agent import EVERYBODY

# A match of `_NEXT_PATH` begins at the first of several spaces. If a match could begin at
# any space, searching a long line of spaces would take minutes.
_NEXT_PATH = re.compile(rf"[{SPACE}](?<![{SPACE}]{{2}})[{SPACE}]*(?=/)")
_SPACE = re.compile(f"[{SPACE}]")
_PUNCTUATION = f"{SPACE}:;,'\"`<>[]{{}}\u2018\u2019\u201c\u201d"
# Ours O9 (the robot's name): text from an opening bracket onwards is a comment.
_COMMENT_START = re.compile(rf"(?:\A|[{SPACE}])[(\[]")
_CONTACT = re.compile(r"://|@")
_WHOLE_NAME_FIX = (
    "Write the name alone: the record is for the robot with exactly that name."
)
# `_HOST` matches a host without a scheme, if a path follows the host. `_HOST` also
# matches a file name, if a path follows the file name.
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?=/.)")
# `_ENDING` matches the ending of a file name, such as `.php$`.
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}\$?")
_URL_PATH = re.compile(r"[^:/?#]+://[^/?#]*")
# `_ROBOT_WORD` matches a word that looks like the name of a robot. `_GENERIC_WORD` matches
# a word that is never a whole name.
_ROBOT_WORD = re.compile(
    r"(?i)(?:.*(?:bot|spider|crawler|slurp|fetcher|teoma|yandex|scraper)\b|.+-(?:ai|extended|user|agent))"
)
_GENERIC_WORD = re.compile(
    r"(?i)(?:(?:ro)?bots?|spiders?|(?:web)?crawlers?|fetcher|scraper|agent|user|web|search|compatible|the|and|&|all)"
)
# Before the word `and`, a match of `_LIST_END` begins at the start of a run of separators,
# so that a long run is searched quickly.
_LIST_END = re.compile(rf"(?<![,;|{SPACE}])[,;|{SPACE}]+and[{SPACE}]+|[,;|]")
# At most this number of characters of a value are searched. A hostile value can be as
# long as a whole file. A search of a value that long would block all threads for half a
# second.
_SEARCHED = 10_000
# `_TEMPLATE` matches a placeholder that a template engine should have replaced.
_TEMPLATE = re.compile(
    r"\{\{.{,99}?\}\}|\{%.{,99}?%\}|<%.{,99}?%>|<\?|\$\{.{,99}?\}|\A\{[\w. -]+\}|\{\{|<%"
)
# `_AROUND` contains characters that authors wrongly write around a path, such as quotes,
# brackets, colons and equals signs.
_AROUND = f"{SPACE}:=>\"'`<()[]\u2018\u2019\u201c\u201d,;"


def likely_name(name: str) -> str:
    """Return the name that the author of *name* probably meant."""
    name = _COMMENT_START.split(name)[0] or name
    plain = name.strip(f"{_PUNCTUATION}()").replace(EVERYBODY, "")
    # If the name has no letter or digit, the author probably meant `*`, perhaps in quotes
    # or brackets.
    return plain if any(map(str.isalnum, plain)) else EVERYBODY


def template_in(line: Line, field: Field) -> Problem | None:
    """Return the problem with a template placeholder in *line*. Return None if there is no
    such problem. *field* is the field of *line*.
    """
    found = _TEMPLATE.search(line.value, 0, _SEARCHED)
    # A placeholder inside the path of a rule can be intended. Faulty links can contain
    # the placeholder, and the rule covers the URLs of these links.
    if found is None or (field.role is Role.RULE and found.start()):
        return None
    column = line.value_column + found.start()
    meant = (EVERYBODY,) if field is USER_AGENT else ()
    return kinds.TEMPLATE.at(line, found[0], column=column, meant=meant)


def name_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with the value of a User-agent line."""
    value, names = line.value, line.said
    listed = () if dialect.has_lists else _listed(value)
    if listed:
        # Ours O11 (one name): spaces and commas do not separate names.
        is_first = names[0] in listed
        outcome = (
            "and the other names are ignored" if is_first else "which no robot has"
        )
        meant = tuple(likely_name(it) for it in listed if it not in names)
        yield kinds.NAME_LIST.at(
            line,
            names[0],
            outcome,
            column=line.value_column + max(value.find(","), 0),
            meant=meant,
            advice=partial(_one_each, line, listed),
        )
        return
    for name in names:
        if problem := _odd_name(line, name, dialect):
            yield problem
    if "/" in value:
        # Ours O10 (versions): a version is stripped from the name.
        place = line.value_column + value.index("/")
        new = [bare_line(line, it) for it in names]
        # Revisited K1 (lists of names): a space separates names. If the value has a space,
        # suggest no new lines.
        advice = None if _SPACE.search(value) else in_place(line, *new)
        yield kinds.VERSION.at(line, ", ".join(names), column=place, advice=advice)


def _odd_name(line: Line, name: str, dialect: Dialect) -> Problem | None:
    """Return the problem with *name*, or None. *name* is a name in the User-agent line
    *line*.
    """
    plain = name.strip(f"{_PUNCTUATION}()")
    is_name = name.strip(_PUNCTUATION) == name and not _COMMENT_START.search(name)
    meant, words, column = likely_name(name), "", line.value_column
    if not is_name and EVERYBODY not in plain[1:]:
        # 1994 A1 (User-agent): the value is the name of a robot.
        kind = kinds.NAME_PUNCTUATION
    elif name != EVERYBODY and EVERYBODY in name:
        # 1994 A3 (default record): only the value `*` means every robot.
        kind = kinds.NAME_WILDCARD
        column += line.value.find(EVERYBODY)
        # RFC 9309 2.2.1: whole names are compared.
        words = _WHOLE_NAME_FIX if dialect.has_wildcards else ""
    elif dialect.merges_named and _SPACE.search(name) and "/" not in line.value:
        # RFC 9309 2.2.1: a product token consists only of letters, `-` and `_`.
        column += line.value.find(name)
        first = _SPACE.split(name)[0]
        return kinds.SPACED_TOKEN.at(line, name, first, column=column, meant=(first,))
    else:
        return None
    advice = partial(_name_fix, line, name, meant, words)
    return kind.at(line, name, column=column, meant=(meant,), advice=advice)


def _name_fix(line: Line, name: str, meant: str, words: str) -> Fix:
    """Return the advice to write the name *meant* in place of *name*.

    *words* is the text of the advice, or "" if the usual text applies.
    """
    if not words and ("/" in line.value or _CONTACT.search(meant)):
        # Only the author knows which robot a User-Agent header or a URL refers to.
        return Fix(
            "Write the name of the robot alone: the record is for all its versions."
        )
    new = rule_line(line, line.value.replace(name, meant, 1))
    return in_place(line, new, words=words)


def _one_each(line: Line, listed: tuple[str, ...]) -> Fix:
    """Return the advice to write each name of a list on a line of its own."""
    names = list(map(likely_name, listed))
    if any(map(_GENERIC_WORD.fullmatch, names)):
        # A record for a name such as `bot` applies to every robot whose name contains `bot`.
        return Fix(
            "Write one User-agent line for each robot, with its full name. In the standard "
            "of 1994, a name such as `bot` is for every robot whose name contains `bot`."
        )
    new = [bare_line(line, name) for name in names]
    return in_place(line, *new)


def _listed(value: str) -> tuple[str, ...]:
    """Return the names that *value* probably lists, or () if *value* is one name."""
    if "(" in value or "[" in value or len(value) > _SEARCHED:
        # Ours O10 (versions): a value with a bracket is probably a User-Agent header. The
        # comments in a User-Agent header can contain commas and spaces.
        return ()
    if _LIST_END.search(value):
        parts = [it for it in _LIST_END.split(value) if not _CONTACT.search(it)]
        parts = [it.partition("/")[0].strip(SPACE) for it in parts]
        names = tuple(filter(None, parts))
        is_list = True
    else:
        names = tuple(word.partition("/")[0] for word in value.split())
        # A single name can consist of several words, such as "My Company Bot".
        is_list = EVERYBODY in names or all(
            _ROBOT_WORD.fullmatch(it) and not _GENERIC_WORD.fullmatch(it)
            for it in names
        )
    return names if is_list and len(names) > 1 else ()


def can_match(path: str, dialect: Dialect) -> bool:
    """Return whether a rule with *path* can cover at least one URL."""
    if not dialect.has_wildcards:
        # Ours O20 (no leading slash): a value without a leading slash matches nothing. Ours
        # O19 (whole URLs): an absolute URL is compared with the whole URL of a request.
        return path.startswith("/") or is_absolute(path)
    # RFC 9309 2.2.2: a path begins with a slash. In real files, some paths begin with a
    # wildcard.
    return path.startswith(("/", "*"))


def is_pattern(path: str, dialect: Dialect) -> bool:
    """Return whether *path* has wildcards in *dialect*, and is thus not a plain prefix."""
    return dialect.has_wildcards and has_wildcard(path)


def before_wildcard(path: str) -> str:
    """Return the part of *path* before the first wildcard. A wildcard is a `*`, or a `$` at
    the end.

    A `$` at the end of the result is also removed, because in a rule with the result as
    its path, this `$` would be a wildcard.
    """
    return path.partition("*")[0].rstrip("$")


def path_problems(line: Line, dialect: Dialect) -> Iterator[Problem]:
    """Yield the problems with the value of a rule."""
    end = 0
    # Revisited K2 (lists of paths): the value may have several paths.
    for path in dialect.paths(line.value):
        start = line.value.index(path, end)
        end = start + len(path)
        column = line.value_column + start
        if not path.startswith("/"):
            if path and not can_match(path, dialect):
                advice = partial(_path_fix, line, start, path, dialect)
                yield kinds.PATHLESS.at(line, path, column=column, advice=advice)
            elif is_absolute(path):
                advice = partial(_url_fix, line, start, path, path)
                yield kinds.URL_VALUE.at(line, path, column=column, advice=advice)
            continue
        if has_wildcard(path) and not dialect.has_wildcards:
            # 1994 D1 (prefixes): a wildcard is compared like an ordinary character.
            at = len(before_wildcard(path))
            advice = partial(_wildcard_fix, line, path)
            yield kinds.WILDCARD.at(
                line, path[at], path, column=column + at, advice=advice
            )
        if next_path := _NEXT_PATH.search(path):
            # 1994 D1: a line has one path.
            column += next_path.start()
            advice = partial(_one_path_each, line)
            yield kinds.PATH_LIST.at(line, path, column=column, advice=advice)
        elif space := _SPACE.search(path):
            yield kinds.SPACE_INSIDE.at(line, path, column=column + space.start())


def sitemap_problems(line: Line, _dialect: Dialect) -> Iterator[Problem]:
    """Yield a problem if the value of a Sitemap line is not an absolute URL."""
    if not is_absolute(line.value):
        yield kinds.SITEMAP_URL.at(line, line.value, column=line.value_column)


def _one_path_each(line: Line) -> Fix:
    """Return the advice to write each path of a list on a line of its own."""
    paths = [it.strip(SPACE) for it in _NEXT_PATH.split(line.value)]
    new = [bare_line(line, it) for it in paths]
    return in_place(line, *new)


def _rewritten(line: Line, start: int, path: str, new: str) -> str:
    """Return the text of *line* with *new* in place of *path*. *start* is the position of
    *path* in the value of *line*.
    """
    value = line.value
    return rule_line(line, f"{value[:start]}{new}{value[start + len(path) :]}")


def _shown(line: str) -> str:
    """Return *line* in backquotes, without its comment."""
    return quoted(line.partition("#")[0].rstrip(SPACE))


def _path_fix(line: Line, start: int, path: str, dialect: Dialect) -> Fix:
    """Return the fix for a *path* that does not begin with a slash."""
    plain = _without_what_is_around(path)
    if is_absolute(plain):
        return _url_fix(line, start, path, plain)
    is_whole = plain == "/" or not plain.strip("*")
    if has_wildcard(plain) and not (is_whole or dialect.has_wildcards):
        return Fix(
            f"{dialect.name} cannot express a wildcard. Name the directories that hold these "
            "paths, each on a line of its own, and keep this line: robots that follow RFC 9309 "
            "obey it."
        )
    new = plain if plain[:1] in ("/", "*") else f"/{plain}"
    is_query = plain[:1] in ("?", "&")
    if is_whole:
        new, reason = "/", ", if the rule is meant for the whole site."
    elif dialect.has_wildcards and (is_query or _ENDING.fullmatch(plain)):
        what = "a query" if is_query else "an ending"
        new, reason = f"/*{plain}", f": it covers every page with such {what}."
    elif dialect.has_wildcards and plain.startswith(".*"):
        # The author probably wrote a regular expression.
        new = plain.replace(".*", "*")
        reason = ": `*` alone matches any characters."
    elif new == plain:
        reason = ": the characters around the path count as part of the path."
    elif host := _HOST.match(plain):
        otherwise = _shown(_rewritten(line, start, path, new))
        new = plain[host.end() :]
        reason = f", if the path begins with the host of this site; otherwise, write {otherwise}."
    else:
        reason = ", if the path begins at the root of the site."
    return _written(line, start, path, new, reason)


def _written(line: Line, start: int, path: str, new: str, reason: str) -> Fix:
    """Return the advice to write *new* in place of *path*. *start* is the position of
    *path* in the value of *line*. *reason* is the end of the sentence in the advice.
    """
    rule = _rewritten(line, start, path, new)
    words = f"Write {_shown(rule)}{reason}"
    return in_place(line, rule, words=words)


def _without_what_is_around(path: str) -> str:
    """Return *path* without the quotes, brackets, colons and dots around it."""
    plain = path.lstrip(_AROUND)
    if plain != path:
        plain = plain.rstrip(_AROUND)
    # A relative path in a file system may begin with dots.
    while plain.startswith(("./", "../", ".\\")):
        plain = plain.lstrip(".")
    if plain.startswith(("- /", "-/", "= /")):
        plain = plain.lstrip("-= ")
    return plain.replace("\\", "/") if plain.startswith("\\") else plain


def _url_fix(line: Line, start: int, path: str, url: str) -> Fix:
    """Return the fix for a *path* that contains the absolute URL *url*.

    *path* can contain characters around *url*, such as quotes.
    """
    rest = url[_URL_PATH.match(url).end() :]  # type: ignore[union-attr] # *url* is absolute
    elsewhere = (
        "if the URL has another host, move the line to the robots.txt of that host"
    )
    if not rest.strip("/*$"):
        whole = _rewritten(line, start, path, "/")
        return Fix(
            f"If the URL has the host of this site, {_shown(whole)} covers all URLs: write "
            f"that rule only if the rule is meant for the whole site; {elsewhere}."
        )
    new = rest if rest[0] == "/" else f"/{rest}"
    return _written(
        line, start, path, new, f", if the URL has the host of this site; {elsewhere}."
    )


def _wildcard_fix(line: Line, path: str) -> Fix:
    """Return the fix for a *path* that has a wildcard.

    The part of the path before the wildcard may cover far more URLs than the author meant.
    The advice therefore never replaces the rule, and suggests a rule for the whole site
    only if *path* covers the whole site.
    """
    beginning = before_wildcard(path)
    is_whole = beginning == "/"
    if line.row is not DISALLOW or (is_whole and path.strip("*") != "/"):
        # A rule without wildcards would cover far more paths than *path* does. Therefore,
        # do not suggest a rule without wildcards, and use the general fix of the kind of
        # problem.
        return Fix()
    added = bare_line(line, beginning)
    meant_for = "the whole site" if is_whole else "all such paths"
    words = (
        f"Keep this line for robots of RFC 9309. Add {_shown(added)} for other robots, if "
        f"the rule is meant for {meant_for}."
    )
    return in_place(line, line.text, added, words=words)
