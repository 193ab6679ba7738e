"""Spelling: which field of 1994 a misspelt one is likely to be; for reports alone, a
misspelt field is never obeyed.
"""

import re
from collections.abc import Iterator
from string import ascii_lowercase

# Longer words are no slip of the finger.
_LONGEST = 24

# What stands between the letters of a name; anything else makes it no name at all.
_NAME = re.compile(r"[a-z][a-z _.-]*")
_NO_LETTERS = re.compile(r"[^a-z]+")
_RUN = re.compile(r"(.)\1+")


def plain(field: str) -> str:
    """Return the letters of *field* in lower case; none of what is no name."""
    name = field[: _LONGEST + 1].lower()
    is_name = len(name) <= _LONGEST and _NAME.fullmatch(name)
    return _NO_LETTERS.sub("", name) if is_name else ""


def likely_field(field: str) -> str | None:
    """Return the field of 1994 that *field*, which is none, is likely to be a slip of.

    It is when their letters differ by one slip, doubled letters apart.
    """
    return _SLIPS.get(_RUN.sub(r"\1", plain(field)))


def _slips(word: str) -> Iterator[str]:
    """Yield *word* and what one slip makes of it: a letter lost, added, mistaken, or
    two exchanged.
    """
    yield word
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            yield before + letter + after[1:]


_SLIPS = {
    _RUN.sub(r"\1", slip): field
    for field in ("User-agent", "Disallow")
    for slip in _slips(_RUN.sub(r"\1", plain(field)))
}
