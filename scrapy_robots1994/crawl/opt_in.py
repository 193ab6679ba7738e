"""Readers of the settings that opt for more than the text of 1994."""

from __future__ import annotations

import math
from typing import Any

from scrapy_robots1994.crawl.setting_types import refuse

NOINDEX = "noindex"
NOFOLLOW = "nofollow"
REL_NOFOLLOW = "rel-nofollow"

_WORDS: dict[str, bool] = {"true": True, "on": True, "false": False, "off": False}


def read_crawl_delay(name: str, value: Any) -> float | None:
    """The cap on a crawl delay: None for off, infinity for on; text, as from `-s`, is
    read.
    """
    word = value.strip().lower() if isinstance(value, str) else value
    if isinstance(word, str):
        word = _WORDS.get(word, word)
    if isinstance(word, bool):
        return math.inf if word else None
    try:
        cap = float(word)
    except (TypeError, ValueError, OverflowError):
        cap = math.nan
    if not math.isfinite(cap) or cap < 0:
        refuse(name, value, "True, False, or a cap in seconds, for example 30")
    # A cap of nothing leaves nothing.
    return cap or None


def read_pages(name: str, value: Any) -> frozenset[str]:
    """What of a page is obeyed; text, as from `-s`, is read."""
    words = {**_WORDS, "1": True, "0": False}
    if isinstance(value, str):
        value = words.get(value.strip().lower(), value)
    if isinstance(value, bool):
        return frozenset({NOINDEX, NOFOLLOW} if value else ())
    wanted = f'True, False, or a list of "{NOINDEX}", "{NOFOLLOW}", "{REL_NOFOLLOW}"'
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, (list, tuple, set, frozenset)):
        refuse(name, value, wanted)
    if not all(isinstance(part, str) for part in parts):
        refuse(name, value, wanted)
    chosen = {part.strip() for part in parts}
    if not chosen <= {NOINDEX, NOFOLLOW, REL_NOFOLLOW}:
        refuse(name, value, wanted)
    return frozenset(chosen)
