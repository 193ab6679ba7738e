"""`ROBOTS1994_STORE` read: which store, and how large."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.printable import printable
from scrapy_robots1994.stores.memory import MAX_ORIGINS

EXAMPLE = 'write for example "memory://?max_origins=100000"'


@dataclass(frozen=True, slots=True)
class Locator:
    """Where policies rest: in memory, at most *max_origins* of them."""

    max_origins: int = MAX_ORIGINS


def locate(url: str) -> Locator:
    """Read a store URL.

    Raises `SettingsError`, with a sentence that says what to write, for anything else.
    """
    parts = urlsplit(url)
    if parts.scheme != "memory" or parts.netloc or parts.path.strip("/"):
        msg = f'ROBOTS1994_STORE: no store is at "{printable(url)}"; {EXAMPLE}.'
        raise SettingsError(msg)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    max_origins = options.pop("max_origins", str(MAX_ORIGINS))
    if options:
        name = printable(min(options))
        msg = f'ROBOTS1994_STORE: memory:// has no option "{name}"; {EXAMPLE}.'
        raise SettingsError(msg)
    if not max_origins.isascii() or not max_origins.isdigit() or int(max_origins) < 1:
        msg = (
            "ROBOTS1994_STORE: max_origins must be a whole number of at least 1, not "
            f'"{printable(max_origins)}"; {EXAMPLE}.'
        )
        raise SettingsError(msg)
    return Locator(max_origins=int(max_origins))
