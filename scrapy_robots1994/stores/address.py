"""Store URLs, taken apart and checked: scheme, place and options."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars

# More digits than any memory has origins, and few enough for `int`.
MAX_DIGITS = 18


def without_password(url: str) -> str:
    """*url* for a log: what stands before the host is nobody's business there."""
    return escape_control_chars(re.sub("//.*@", "//", url.partition("?")[0]))


@dataclass(frozen=True, slots=True)
class Address:
    """A store URL; *example* is what to write instead of a wrong one."""

    scheme: str
    place: str
    options: tuple[tuple[str, str], ...]
    example: str

    @classmethod
    def read(cls, url: str, example: str) -> Address:
        """Take *url* apart; nothing is checked yet."""
        address, _, query = url.partition("?")
        scheme, _, place = address.partition("://")
        options = parse_qsl(query, keep_blank_values=True)
        return cls(scheme.lower(), place, tuple(options), example)

    def refusal(self, why: str) -> SettingsError:
        """The sentence for an URL that cannot be obeyed."""
        return SettingsError(f"ROBOTS1994_STORE: {why}; {self.example}.")

    def allow(self, *names: str) -> None:
        """Refuse every option but *names*: it would do nothing, silently."""
        for name, _ in self.options:
            if name not in names:
                why = f'{self.scheme}:// has no option "{escape_control_chars(name)}"'
                raise self.refusal(why)

    def count(self, name: str, default: int) -> int:
        """The option *name* as a whole number of at least 1; of several the last."""
        number = default
        for value in self._values(name):
            is_number = value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS
            if not is_number or int(value) < 1:
                why = f"{name} must be a whole number of at least 1, not "
                raise self.refusal(f'{why}"{escape_control_chars(value)}"')
            number = int(value)
        return number

    def seconds(self, name: str, default: float) -> float:
        """The option *name* as seconds, more than 0; of several the last."""
        seconds = default
        for value in self._values(name):
            try:
                seconds = float(value)
            except ValueError:
                seconds = math.nan
            if not math.isfinite(seconds) or seconds <= 0:
                why = f'{name} must be seconds, more than 0, not "{escape_control_chars(value)}"'
                raise self.refusal(why)
        return seconds

    def text(self, name: str, default: str) -> str:
        """The option *name*; of several the last."""
        return [default, *self._values(name)][-1]

    def _values(self, name: str) -> list[str]:
        """Every value that is given for *name*."""
        return [value for key, value in self.options if key == name]
