"""Find misspelt fields, invisible characters, and look-alike characters.

An odd character is an invisible or look-alike character. The functions of this module
suggest a correction for a report. A crawl never obeys the corrected text.
"""

import re
import unicodedata
from difflib import get_close_matches
from functools import lru_cache

from scrapy_robots1994.parser.dialects import DIALECTS, Dialect
from scrapy_robots1994.parser.fields import FIELDS, Field

# Ours O17 (undecodable bytes): the text of a file contains a surrogate escape for each
# undecodable byte. The byte A0 is the no-break space in Latin-1.
UNDECODABLE = re.compile("[\udc80-\udcff]")
_LATIN_SPACE = "\udca0"
_SOFT_HYPHEN = "\xad"

# A name with more than this number of characters is never reported as a misspelt field.
_LONGEST = 24
# `_FIELD` matches a letter, and then letters, underscores, spaces, dots and hyphens.
# `_FIELD` accepts letters of all alphabets, because some Greek and Cyrillic letters look
# like Latin letters.
_FIELD = re.compile(rf"[^\W\d_](?:[^\W\d]|[ .-]){{,{_LONGEST - 1}}}")
_NO_LETTERS = re.compile(r"[^a-z]+")
# `_BEFORE` matches characters that authors put before a line or a name, such as bullets,
# numbers, quotes, opening brackets and Markdown marks. `_BEFORE` does not match `//`, `;`
# or `--`, because `//`, `;` and `--` begin a comment in other languages.
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\xab\xbb"
_DECORATION = f"*_{_QUOTES}"
_BEFORE = re.compile(
    r"(?:[-+>\u2022\xb7\u2013\u2014](?![-+>])[ \t]*|[0-9]{1,3}[.)][ \t]+"
    rf"|[{_DECORATION}\[({{]+[ \t]*)+"
)
# `_CLOSING` contains the characters that may end a quoted line or a member of a JSON
# object.
_CLOSING = "\"'`,;\u2019\u201d\xbb \t"
# A misspelt field must be at least this similar to a known field. With this value, a name
# is recognised even if about one letter in eight is wrong.
_SIMILARITY = 0.87


def _seen(character: str) -> str:
    """Return the text that an author sees in place of *character*.

    A special space becomes a space, and a dash becomes `-`. A variant of `:`, `#`, `*` or
    `/`, such as a fullwidth colon, becomes the ASCII character. An invisible mark becomes
    "". Any other character is returned unchanged.
    """
    if character.isascii():
        return character
    category = unicodedata.category(character)
    # Some authors type a dash in place of the hyphen in a name such as User-agent.
    if category == "Pd" or character == _SOFT_HYPHEN:
        return "-"
    if category == "Cf":
        return ""
    plain = unicodedata.normalize("NFKC", character)
    if plain in {":", "#", "*", "/"}:
        return plain
    is_space = category in {"Zs", "Zl", "Zp"} or character == _LATIN_SPACE
    return " " if is_space else character


def _is_odd(character: str) -> bool:
    """Return whether *character* is invisible, or only looks like an ASCII character."""
    return _seen(character) != character


def first_odd(text: str, *, at_ends: bool = False) -> int:
    """Return the position of the first odd character in *text*, or -1 if *text* has no odd
    character.

    If *at_ends* is true, look only at the first and at the last character.
    """
    if text.isascii():
        return -1
    places = (0, len(text) - 1) if at_ends else range(len(text))
    return next((at for at in places if _is_odd(text[at])), -1)


def without_odd(text: str) -> str:
    """Return *text* as the author of the file sees it."""
    return "".join(map(_seen, text))


def without_odd_ends(text: str) -> str:
    """Like `without_odd`, but leave odd characters in the middle of *text* unchanged."""
    plain = [at for at, it in enumerate(text) if it not in " \t" and not _is_odd(it)]
    if not plain:
        return without_odd(text)
    start, end = plain[0], plain[-1] + 1
    return without_odd(text[:start]) + text[start:end] + without_odd(text[end:])


def name_of(character: str) -> str:
    """Return the Unicode name and the code of *character*, for a message."""
    if character == _LATIN_SPACE:
        return "a no-break space (byte A0)"
    name = unicodedata.name(character, "an invisible character").lower()
    return f"a {name} (U+{ord(character):04X})".replace("a an ", "an ")


def undecorated(name: str) -> str:
    """Return *name* without the quotes, brackets, bullets and Markdown marks around it."""
    start = _BEFORE.match(name)
    return (name[start.end() :] if start else name).rstrip(f"{_DECORATION})]}}")


def undecorated_value(name: str, value: str) -> str:
    """Return *value* without quotes and separators at either end if *name* begins with a
    quote.

    If *name* does not begin with a quote, return *value* unchanged. *name* is the name of
    the field.
    """
    return value.strip(_CLOSING) if name[0] in _QUOTES else value


def letters(name: str) -> str:
    """Return the letters a to z of *name*, in lower case.

    Return "" if *name* does not look like the name of a field.
    """
    name = undecorated(name)
    if not name.isascii():
        # Remove accents before the call to `lower`. Otherwise, `lower` would change a
        # capital I with a dot into two characters.
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
    """Return the field whose name has the same letters as *name*. The field may belong to
    any dialect or to no dialect.

    Return None if no field has the same letters.
    """
    return _LETTERED.get(letters(name))


def likely_field(name: str, dialect: Dialect) -> Field | None:
    """Return the field of *dialect* that the author of *name* probably meant, or None."""
    return _closest(letters(name), dialect.name)


# Cache the result, because a file often repeats a misspelt field.
@lru_cache(maxsize=256)
def _closest(name: str, dialect: str) -> Field | None:
    """Return the field of *dialect* whose letters are most similar to *name*, or None if no
    field is similar enough.
    """
    by_letters = {letters(it.name): it for it in DIALECTS[dialect].fields.values()}
    close = get_close_matches(name, by_letters, n=1, cutoff=_SIMILARITY)
    return by_letters[close[0]] if close else None
