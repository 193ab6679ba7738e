"""Characters that an author cannot see, or takes for others, and field names that are
likely slips; for reports alone, nothing of it is ever obeyed.
"""

import re
import unicodedata
from difflib import get_close_matches

# A no-break space of Latin-1, which as UTF-8 is undecodable (Ours O17).
_LATIN_SPACE = "\udca0"
_INVISIBLE = frozenset(("Cf", "Zs", "Zl", "Zp"))

# Longer words are not a slip of the finger.
_LONGEST = 24
# What may stand between the letters of a name; anything else makes it no name at all.
_NAME = re.compile(r"[a-z][a-z _.-]*")
_NO_LETTERS = re.compile(r"[^a-z]+")
# About one wrong letter in eight.
_SIMILARITY = 0.87


def is_odd(character: str) -> bool:
    """Whether *character* is invisible, or looks like one that has a meaning."""
    if character.isascii():
        return False
    return (
        character == _LATIN_SPACE
        or unicodedata.category(character) in _INVISIBLE
        or unicodedata.normalize("NFKC", character) in {":", "#", "*", "/"}
    )


def first_odd(text: str) -> int:
    """Return the position of the first odd character of *text*; -1 if it has none."""
    if text.isascii():
        return -1
    return next((at for at, each in enumerate(text) if is_odd(each)), -1)


def without_odd(text: str) -> str:
    """Return *text* as its author sees it: spaces plain, invisible marks left out."""
    return "".join(_plain(it) if is_odd(it) else it for it in text)


def _plain(character: str) -> str:
    """Return what an author sees of one odd character."""
    if unicodedata.category(character) == "Cf":
        return ""
    plain = unicodedata.normalize("NFKC", character)
    return plain if plain in {":", "#", "*", "/"} else " "


def name_of(character: str) -> str:
    """Return what to call *character* in a message."""
    if character == _LATIN_SPACE:
        return "a no-break space (byte A0)"
    name = unicodedata.name(character, "an invisible character").lower()
    return f"a {name} (U+{ord(character):04X})".replace("a an ", "an ")


def letters(field: str) -> str:
    """Return the letters of *field* in lower case; empty if it is not a name."""
    name = field[: _LONGEST + 1].lower()
    is_name = len(name) <= _LONGEST and _NAME.fullmatch(name)
    return _NO_LETTERS.sub("", name) if is_name else ""


def likely_field(field: str, fields: tuple[str, ...]) -> str | None:
    """Return which of *fields* the unknown *field* is likely a slip of."""
    by_letters = {letters(it): it for it in fields}
    close = get_close_matches(letters(field), by_letters, n=1, cutoff=_SIMILARITY)
    return by_letters[close[0]] if close else None
