"""Characters that an author cannot see, or takes for others, and fields with a slip of the
finger. Nothing of it is ever obeyed.
"""

import re
import unicodedata
from difflib import get_close_matches
from functools import lru_cache

from scrapy_robots1994.parser.dialects import Dialect, dialect_named
from scrapy_robots1994.parser.fields import FIELDS, Field

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
# What authors put around a line, or around a name: bullets, numbers, quotes, and marks of
# Markdown; but not what begins a comment elsewhere, such as `//`, `;` and `--`.
_QUOTES = "\"'`*_\u2018\u2019\u201c\u201d\xab\xbb"
_BEFORE = re.compile(
    r"(?:[-+>\u2022\xb7\u2013\u2014](?![-+>])[ \t]*|[0-9]{1,3}[.)][ \t]+"
    rf"|[{_QUOTES}\[({{]+[ \t]*)+"
)
# What closes a quoted line or a member of JSON.
_CLOSING = "\"'`,;\u2019\u201d\xbb \t"
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


def without_odd_ends(text: str) -> str:
    """Return *text* with its ends as its author sees them: inside a path an odd character may be
    meant, and percent-encoding preserves it.
    """
    plain = [at for at, it in enumerate(text) if it not in " \t" and not is_odd(it)]
    if not plain:
        return without_odd(text)
    start, end = plain[0], plain[-1] + 1
    return without_odd(text[:start]) + text[start:end] + without_odd(text[end:])


def name_of(character: str) -> str:
    """Return what to call *character* in a message."""
    if character == _LATIN_SPACE:
        return "a no-break space (byte A0)"
    name = unicodedata.name(character, "an invisible character").lower()
    return f"a {name} (U+{ord(character):04X})".replace("a an ", "an ")


def undecorated(name: str) -> str:
    """Return *name* without quotes, bullets and marks of Markdown around it."""
    start = _BEFORE.match(name)
    return (name[start.end() :] if start else name).rstrip(f"{_QUOTES})]}}")


def undecorated_value(name: str, value: str) -> str:
    """Return *value* without what closes that which was opened before the *name* of its field."""
    is_quoted = name[:1] in _QUOTES and name[:1] not in "*_" and name[:1] != ""
    return value.strip(_CLOSING) if is_quoted else value


def letters(name: str) -> str:
    """Return the letters a to z of *name* in lower case; empty if no field looks like it."""
    name = undecorated(name)
    if not name.isascii():
        # Without accents: a capital I with a dot is one, and has another lower case.
        plain = unicodedata.normalize("NFKD", name)
        name = "".join(it for it in plain if not unicodedata.combining(it))
    name = name.lower()
    return _NO_LETTERS.sub("", name) if _FIELD.fullmatch(name) else ""


def is_latin(text: str) -> bool:
    """Return whether all letters of *text* are Latin."""
    letters_of = (it for it in text if it.isalpha() and not it.isascii())
    return all(unicodedata.name(it, "").startswith("LATIN") for it in letters_of)


_LETTERED = {letters(field.name): field for field in FIELDS}


def field_of_letters(name: str) -> Field | None:
    """Return the field that has the letters of *name*, in whatever dialect."""
    return _LETTERED.get(letters(name))


def likely_field(name: str, dialect: Dialect) -> Field | None:
    """Return the field of *dialect* that the unknown *name* is likely a slip of."""
    return _closest(letters(name), dialect.name)


# A misspelling seldom comes alone.
@lru_cache(maxsize=256)
def _closest(name: str, dialect: str) -> Field | None:
    """Return the field of *dialect* with letters like those of *name*."""
    by_letters = {letters(it.name): it for it in dialect_named(dialect).fields.values()}
    close = get_close_matches(name, by_letters, n=1, cutoff=_SIMILARITY)
    return by_letters[close[0]] if close else None
