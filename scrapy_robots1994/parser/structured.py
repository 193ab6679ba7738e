"""Read dictionaries exactly as RFC 9651 (Structured Field Values for HTTP) specifies.

The package `http-sf` 1.5.0 also reads dictionaries, but rejects a dictionary that
contains a date outside the years 1 to 9999. RFC 9651 also allows dates outside the years
1 to 9999. If `http-sf` were used, an unknown member with a date in the year 10000 would
hide a disallow in the same dictionary. Lint must report the same problems with a
dictionary in every installation. If `http-sf` were an optional dependency, the reported
problems would depend on whether it is installed.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

_KEY = r"[a-z*][a-z0-9_.*-]*"
# The first character of a bare item shows its kind.
_NUMBER = r"-?[0-9]{1,12}\.[0-9]{1,3}|-?[0-9]{1,15}"
_STRING = r'"(?:[ !#-\[\]-~]|\\["\\])*"'
_WORD = r"[A-Za-z*][!#$%&'*+.^_`|~:/0-9A-Za-z-]*"
# The padding of Base64 is optional.
_OCTETS = r":(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?:"
_DISPLAY_STRING = r'%"(?:[ !#$&-~]|%[0-9a-f]{2})*"'
_ITEM = (
    rf"{_NUMBER}|{_STRING}|{_WORD}|{_OCTETS}|\?[01]|@-?[0-9]{{1,15}}|{_DISPLAY_STRING}"
)
_PARAMETERS = rf"(?:;[ ]*{_KEY}(?:=(?:{_ITEM}))?)*"
_LIST = rf"\([ ]*(?:(?:{_ITEM}){_PARAMETERS}(?:[ ]+|(?=\))))*\)"
_MEMBER = re.compile(rf"({_KEY})(?:=({_LIST}|{_ITEM}))?({_PARAMETERS})", re.ASCII)
MAX_LENGTH = 16_384
"""The maximum number of characters in a dictionary. All threads wait while a dictionary is
parsed. Parsing 500,000 characters would stop a crawl for a tenth of a second.
"""

_SEPARATOR = re.compile(r"[ \t]*,[ \t]*")
_SPACE = " \t"
_DISPLAY = re.compile(r'%"([^"]*)"')


class Member(NamedTuple):
    """A member of a dictionary.

    *key*, *value* and *text* do not include the parameters of the member. *text* is the
    member as written. If the member has no value, *value* is empty, although RFC 9651
    defines the value as true. *offset* is the index of the first character of the key in
    the text of the dictionary.
    """

    key: str
    value: str
    text: str
    offset: int


class NotADictionaryError(ValueError):
    """Raised for a text that is not a dictionary. *offset* is the index of the character
    in the text at which the error was found. The message gives the reason.
    """

    def __init__(self, offset: int, why: str) -> None:
        self.offset = offset
        super().__init__(why)


def members_of(text: str) -> list[Member]:
    """Return all members of the dictionary *text*, in order. If several members have the
    same key, the caller must use only the last of them.

    The time that `members_of` takes is linear in the length of *text*. Raise
    `NotADictionaryError` if *text* is not a dictionary, or if it is longer than
    `MAX_LENGTH`.
    """
    if len(text) > MAX_LENGTH:
        raise NotADictionaryError(0, f"it has more than {MAX_LENGTH:,} characters")
    found: list[Member] = []
    place, end = len(text) - len(text.lstrip(_SPACE)), len(text.rstrip(_SPACE))
    while place < end:
        member = _MEMBER.match(text, place, end)
        if member is None:
            raise NotADictionaryError(place, _why_no_key(text[place]))
        if not _is_utf8(member[0]):
            raise NotADictionaryError(place, "a display string is not UTF-8")
        written = member[0].removesuffix(member[3])
        found.append(Member(member[1], member[2] or "", written, place))
        place = member.end()
        if place == end:
            break
        separator = _SEPARATOR.match(text, place, end)
        if separator is None:
            raise NotADictionaryError(place, _why_no_end(text, place))
        if separator.end() == end:
            raise NotADictionaryError(place, "nothing follows the last comma")
        place = separator.end()
    return found


def _is_utf8(member: str) -> bool:
    """Return whether each display string in the text *member* is valid UTF-8."""
    octets = map(unquote_to_bytes, _DISPLAY.findall(member) if '%"' in member else ())
    try:
        b" ".join(octets).decode()
    except UnicodeDecodeError:
        return False
    return True


def _why_no_key(character: str) -> str:
    """Return the reason why a key cannot begin with *character*."""
    if character == ",":
        return "there is nothing between two commas"
    if "A" <= character <= "Z":
        return "a label has no capital letters"
    return "a label begins with a letter from a to z"


def _why_no_end(text: str, place: int) -> str:
    """Return the reason why *text* cannot be read at the index *place*, where a comma
    is expected after a member.
    """
    rest = text[place:]
    if rest.lstrip(_SPACE).startswith("="):
        return "there must be no space around `=`"
    if rest[0] in _SPACE:
        return "a comma is missing"
    if "A" <= rest[0] <= "Z":
        return "a label has no capital letters"
    return "the value cannot be read"
