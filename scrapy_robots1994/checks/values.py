"""Problems of names and paths; characters that an author cannot see, and likely slips.

Nothing of it is ever obeyed.
"""

import re
import unicodedata
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache, partial

from scrapy_robots1994.checks import kinds
from scrapy_robots1994.checks.kinds import Match
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import SPACE, Line
from scrapy_robots1994.parser.spellings import is_absolute
from scrapy_robots1994.parser.user_agent import EVERYBODY

# Ours O17: undecodable bytes, as the text has them; such as a no-break space of Latin-1.
UNDECODABLE = re.compile("[\udc80-\udcff]")
_LATIN_SPACE = "\udca0"
_SOFT_HYPHEN = "\xad"

# Longer words are not a slip of the finger.
_LONGEST = 24
# What may stand between the letters of a name; anything else makes it no name at all.
# Letters of another alphabet are letters: some look like those of a field.
_FIELD = re.compile(rf"[^\W\d_](?:[^\W\d]|[ .-]){{,{_LONGEST - 1}}}")
_NO_LETTERS = re.compile(r"[^a-z]+")
# About one wrong letter in eight.
_SIMILARITY = 0.87


def _seen(character: str) -> str:
    """Return what an author sees of *character*: spaces and hyphens plain, marks not."""
    if character.isascii():
        return character
    category = unicodedata.category(character)
    # Dashes, for each field has a hyphen.
    if category == "Pd" or character == _SOFT_HYPHEN:
        return "-"
    if category == "Cf":
        return ""
    plain = unicodedata.normalize("NFKC", character)
    if plain in {":", "#", "*", "/"}:
        return plain
    is_space = category in {"Zs", "Zl", "Zp"} or character == _LATIN_SPACE
    return " " if is_space else character


def is_odd(character: str) -> bool:
    """Return whether *character* is invisible, or looks like one that has a meaning."""
    return _seen(character) != character


def first_odd(text: str) -> int:
    """Return the position of the first odd character of *text*; -1 if it has none."""
    if text.isascii():
        return -1
    return next((at for at, each in enumerate(text) if is_odd(each)), -1)


def without_odd(text: str) -> str:
    """Return *text* as its author sees it."""
    return "".join(map(_seen, text))


def name_of(character: str) -> str:
    """Return what to call *character* in a message."""
    if character == _LATIN_SPACE:
        return "a no-break space (byte A0)"
    name = unicodedata.name(character, "an invisible character").lower()
    return f"a {name} (U+{ord(character):04X})".replace("a an ", "an ")


def letters(field: str) -> str:
    """Return the letters a to z of *field* in lower case; empty if it is not a name."""
    name = field.lower()
    return _NO_LETTERS.sub("", name) if _FIELD.fullmatch(name) else ""


def likely_field(field: str, fields: tuple[str, ...]) -> str | None:
    """Return which of *fields* the unknown *field* is likely a slip of."""
    return _closest(letters(field), fields)


# A misspelling seldom comes alone.
@lru_cache(maxsize=256)
def _closest(name: str, fields: tuple[str, ...]) -> str | None:
    """Return which of *fields* has letters like those of *name*."""
    by_letters = {letters(it): it for it in fields}
    close = get_close_matches(name, by_letters, n=1, cutoff=_SIMILARITY)
    return by_letters[close[0]] if close else None


# What later dialects give a meaning: a star anywhere, a dollar at the end.
_WILDCARD = re.compile(r"\*|\$\Z")
# From the first of many spaces: if any could begin it, spaces alone would take minutes.
_NEXT_PATH = re.compile(rf"(?<![{SPACE}])[{SPACE}]+(?=/)")
_PUNCTUATION = f"{SPACE}:;,'\"“”"
# Ours O9: what follows belongs to no name of a robot.
_COMMENT_START = re.compile(rf"(?:\A|[{SPACE}])\(")
_WHOLE_NAME_FIX = "Write the name alone: it is for the robot of exactly that name."
# A host, the path on it, and no scheme before them; or a file and a path below it.
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?=/.)")
# How the words look that robots are called by.
_ROBOT_WORD = re.compile(r"(?i).*(?:bot|spider|crawler|slurp|fetcher|teoma|yandex)\b")


def likely_name(name: str) -> str:
    """Return the name that the author of *name* likely meant."""
    name = _COMMENT_START.split(name)[0] or name
    plain = name.strip(_PUNCTUATION).replace(EVERYBODY, "")
    # Quotes and brackets around a star are no name.
    return plain if any(map(str.isalnum, plain)) else EVERYBODY


def name_matches(line: Line, dialect: Dialect) -> Iterator[Match]:
    """Yield what is odd about the value of a User-agent line."""
    value, column = line.value, line.value_column
    names = dialect.names(value)
    listed = () if dialect.has_lists else _listed(value)
    if listed:
        # Ours O11
        is_first = names[0] in listed
        outcome = "and the others are left out" if is_first else "which no robot has"
        place = column + max(value.find(","), 0)
        meant = tuple(it for it in listed if it not in names)
        yield kinds.NAME_LIST.at(line.number, place, names[0], outcome, meant=meant)
        return
    for name in names:
        plain, meant = name.strip(_PUNCTUATION), (likely_name(name),)
        is_name = plain == name and not _COMMENT_START.search(name)
        if not is_name and EVERYBODY not in plain[1:]:
            # 1994 A1
            yield kinds.NAME_PUNCTUATION.at(line.number, column, name, meant=meant)
        elif name != EVERYBODY and EVERYBODY in name:
            # 1994 A3: only a star alone is every robot.
            place = column + value.find(EVERYBODY)
            # RFC 9309 2.2.1: a name is compared whole.
            fix = _WHOLE_NAME_FIX if dialect.has_wildcards else ""
            yield kinds.NAME_WILDCARD.at(line.number, place, name, meant=meant, fix=fix)
    if "/" in value:
        # Ours O10
        place = column + value.index("/")
        yield kinds.VERSION.at(line.number, place, ", ".join(names))


def _listed(value: str) -> tuple[str, ...]:
    """Return the names that the author of *value* likely meant to list; empty if one."""
    if "(" in value:
        # Ours O10: a header has commas and spaces in its comments.
        return ()
    parts = [part.partition("/")[0].strip(SPACE) for part in value.split(",")]
    if len(parts) > 1:
        return tuple(part for part in parts if part)
    words = tuple(word.partition("/")[0] for word in value.split())
    many = sum(_ROBOT_WORD.fullmatch(word) is not None for word in words) > 1
    return words if many else ()


def can_match(path: str, dialect: Dialect) -> bool:
    """Return whether there are URLs that *path*, the path of a rule, covers."""
    if not dialect.has_wildcards:
        # Ours O20: a value that no URL starts with; O19: unless it is a URL.
        return path.startswith("/") or is_absolute(path)
    # RFC 9309 2.2.2: a path begins with a slash; real files also have a wildcard there.
    return path.startswith(("/", "*"))


def is_pattern(path: str, dialect: Dialect) -> bool:
    """Return whether wildcards make *path* more than a prefix in *dialect*."""
    return dialect.has_wildcards and ("*" in path or path.endswith("$"))


def path_matches(line: Line, dialect: Dialect) -> Iterator[Match]:
    """Yield what is odd about the value of a rule."""
    end = 0
    # Revisited K2: there may be several paths.
    for path in dialect.paths(line.value):
        start = line.value.index(path, end)
        end = start + len(path)
        yield from _one_path_matches(line, start, path, dialect)


def _one_path_matches(
    line: Line, start: int, path: str, dialect: Dialect
) -> Iterator[Match]:
    """Yield what is odd about *path*, which begins at *start* in the value of a rule."""
    column = line.value_column + start
    is_allow = line.kind is LineKind.ALLOW
    if path and not path.startswith("/"):
        if not can_match(path, dialect):
            fix = _path_fix(line, start, path, dialect)
            yield kinds.PATHLESS.at(
                line.number, column, path, fix=fix, is_harmless=is_allow
            )
        elif is_absolute(path):
            yield kinds.URL_VALUE.at(line.number, column, path)
        return
    wildcard = _WILDCARD.search(path)
    if wildcard and not dialect.has_wildcards:
        # 1994 D1: a path is compared as it is written.
        place = column + wildcard.start()
        in_words = partial(_wildcard_fix, line, start, path, dialect)
        yield kinds.WILDCARD.at(line.number, place, wildcard[0], path, fix=in_words)
    next_path = _NEXT_PATH.search(path)
    if next_path:
        # 1994 D1: one path a line.
        place = column + next_path.start()
        yield kinds.PATH_LIST.at(line.number, place, path, is_harmless=is_allow)


def _by_directories(dialect: Dialect) -> str:
    """Return what to do about paths that only a wildcard can name."""
    return (
        "Name the directories that hold these paths, a line for each, or delete the "
        f"{_rule_word(dialect)}."
    )


def _rule_word(dialect: Dialect) -> str:
    """Return what to delete, so that nothing else goes with it."""
    return "path" if dialect.has_lists else "line"


def _rewritten(line: Line, start: int, path: str, new: str) -> str:
    """Return *line* with *new* in the place of *path*, which begins at *start*."""
    before, after = line.value[:start], line.value[start + len(path) :]
    return f"`{escape_control_chars(f'{line.field}: {before}{new}{after}')}`"


def _path_fix(line: Line, start: int, path: str, dialect: Dialect) -> str:
    """Return what to write in place of *path*, which does not begin with a slash."""
    if is_absolute(path):
        return kinds.URL_VALUE.fix
    if not path.strip("*"):
        rule = _rewritten(line, start, path, "/")
        return f"Write {rule}, if the whole site is meant."
    if _WILDCARD.search(path) and not dialect.has_wildcards:
        return f"{dialect.name} cannot express a wildcard. {_by_directories(dialect)}"
    rule = _rewritten(line, start, path, f"/{path}")
    if host := _HOST.match(path):
        on_host = _rewritten(line, start, path, path[host.end() :])
        return f"Write {on_host}, if it begins with the host of this site; else {rule}."
    return f"Write {rule}, if the path begins at the root of the site."


def _wildcard_fix(line: Line, start: int, path: str, dialect: Dialect) -> str:
    """Return what to write in place of *path*, which has a wildcard.

    The beginning without wildcards may cover far more than is meant; advice that closes
    a site would do harm.
    """
    beginning = _WILDCARD.split(path, maxsplit=1)[0]
    rest = path.removeprefix(beginning)
    rule = _rewritten(line, start, path, beginning)
    if not rest.strip("*"):
        whole = ", if the whole site is meant" if beginning == "/" else ""
        return f"Write {rule}{whole}: it means the same."
    if beginning == "/" and rest == "$":
        return (
            f"{dialect.name} cannot express the home page alone, and a rule for / covers "
            f"the whole site. Delete the {_rule_word(dialect)}."
        )
    if beginning == "/":
        return (
            f"{dialect.name} cannot express it: without wildcards only / covers these "
            f"paths, which is the whole site. {_by_directories(dialect)}"
        )
    why = ", which is more than the wildcard does; otherwise name the paths one by one"
    if rest == "$":
        why = f": {dialect.name} cannot express where a path ends"
    return f"Write {rule}, if it may cover all paths that begin so{why}."
