"""All our settings: name, default, what is accepted, and the one place that reads them.

A wrong value or an unknown `ROBOTS1994_` name raises `SettingsError`, one sentence that
says what to write, before the crawl starts.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.crawl import setting_types as readers
from scrapy_robots1994.crawl.compare_settings import peers_wanted, report_wanted
from scrapy_robots1994.crawl.opt_in import read_crawl_delay, read_pages
from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.dialects import DIALECTS, READINGS
from scrapy_robots1994.policy import FreshnessSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.settings import BaseSettings

    from scrapy_robots1994.stores import StoreUrl

PREFIX = "ROBOTS1994_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its default, the reader that checks it, and its meaning."""

    default: Any
    read: Callable[[str, Any], Any]
    meaning: str


SETTINGS: dict[str, Setting] = {
    "DIALECT": Setting(
        "1994",
        readers.one_of(*DIALECTS),
        "Grammar by which files are read: `1994`, the text of 30 June 1994; "
        "`revisited`, that of Kollar, Leavitt and Mauldin, 1996 (K1 to K7); "
        "`extended`, 1994 with Allow, Crawl-delay and Sitemap (X1 to X8).",
    ),
    "READING": Setting(
        "literal",
        readers.one_of(*READINGS),
        "`literal`: a blank line ends a record, also in its middle; `cautious` obeys a "
        "record that a blank line split, too (O5).",
    ),
    "TTL": Setting(
        86_400,
        readers.seconds,
        "Longest time a policy is fresh, in seconds; also where the server says "
        "nothing.",
    ),
    "MIN_TTL": Setting(
        300,
        readers.seconds,
        "Shortest time a policy is fresh, in seconds, whatever the server says.",
    ),
    "STALE_TTL": Setting(
        2_592_000,
        readers.seconds,
        "Longest time, in seconds past its freshness, that the last good policy stands "
        "when it cannot be renewed (R5).",
    ),
    "RETRY_AFTER": Setting(
        300,
        readers.seconds,
        "Seconds until an origin whose robots.txt could not be had is asked again "
        "(R5).",
    ),
    "FORBIDDEN": Setting(
        "disallow",
        readers.one_of("disallow", "allow"),
        "What 401 and 403 for robots.txt mean for all URLs of the origin: `disallow` "
        "or `allow` (R3).",
    ),
    "UNREACHABLE": Setting(
        "disallow",
        readers.one_of("disallow", "allow"),
        "What an unknown policy means for all URLs of the origin, for now: `disallow` "
        "or `allow` (R5).",
    ),
    "MAX_BYTES": Setting(
        512_000,
        readers.size,
        "Bytes of a robots.txt that are obeyed; the download stops there (O24).",
    ),
    "TIMEOUT": Setting(
        30,
        readers.timeout,
        "Seconds a robots.txt request may take, for each hop of a redirect.",
    ),
    "MAX_REDIRECTS": Setting(
        5, readers.redirects, "Redirects of a robots.txt that are followed (R2)."
    ),
    "MAX_WAITING": Setting(
        10_000,
        readers.seats,
        "Requests that may wait for a robots.txt, and fetches of one, that do not "
        "count towards `CONCURRENT_REQUESTS`; past it they count again.",
    ),
    "MAX_FETCHES": Setting(
        800,
        readers.places,
        "Fetches of a robots.txt under way at once; each takes a connection.",
    ),
    "STORE": Setting(
        "memory://?max_origins=100000", readers.store, "Where policies rest, as a URL."
    ),
    "PROPAGATE_META": Setting(
        (),
        readers.meta_keys,
        "Further request meta keys, beside `proxy` and `bindaddress`, that the "
        "robots.txt request takes over from the page request.",
    ),
    "CLOSE_WHEN_DENIED": Setting(
        False,  # noqa: FBT003 - the default of a setting, not an argument to guess at
        readers.flag,
        "Whether a crawl whose every start request was refused closes with the reason "
        "`robotstxt_denied`, not `finished`.",
    ),
    "COMPARE": Setting(
        (),
        peers_wanted,
        "Parsers that are asked beside ours, which decides: `True` (that of "
        "`ROBOTSTXT_PARSER`) or a list of paths.",
    ),
    "COMPARE_REPORT": Setting(
        None,
        report_wanted,
        "Where the comparison is written at the close: a path that ends in `.html`, "
        "`.json` or `.csv`; `%(name)s` and `%(time)s` work as in `FEEDS`.",
    ),
    "WATCH": Setting(
        False,  # noqa: FBT003 - the default of a setting, not an argument to guess at
        readers.flag,
        "`True`: the first parser of `ROBOTS1994_COMPARE` decides, ours only watches "
        "and says what it would refuse.",
    ),
    "CRAWL_DELAY": Setting(
        False,  # noqa: FBT003 - the default of a setting, not an argument to guess at
        read_crawl_delay,
        "`True` keeps the Crawl-delay of the `extended` dialect in the download slot "
        "of its origin; a number of seconds does, and is the longest that is kept.",
    ),
    "PAGES": Setting(
        False,  # noqa: FBT003 - the default of a setting, not an argument to guess at
        read_pages,
        "`True` obeys what pages say of themselves: items of a NOINDEX page are "
        "dropped, requests made from a NOFOLLOW page are dropped. A list chooses: "
        '`"noindex"`, `"nofollow"`, `"rel-nofollow"` (links that say so).',
    ),
}


@dataclass(frozen=True, slots=True)
class RobotsSettings:
    """Our settings, read and checked once; the names are those of `SETTINGS`."""

    dialect: str
    reading: str
    terms: FreshnessSettings
    max_bytes: int
    timeout: float
    max_redirects: int
    max_waiting: int
    max_fetches: int
    store: StoreUrl
    propagate_meta: tuple[str, ...]
    close_when_denied: bool
    compare: tuple[str | type, ...]
    compare_report: str | None
    watch: bool
    crawl_delay: float | None
    pages: frozenset[str]

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> RobotsSettings:
        """Read *settings*.

        Raises `SettingsError` for an unknown `ROBOTS1994_` name or a wrong value.
        """
        _refuse_unknown(settings)
        values = {
            name: setting.read(
                PREFIX + name, settings.get(PREFIX + name, setting.default)
            )
            for name, setting in SETTINGS.items()
        }
        _refuse_contradictions(values)
        return cls(
            dialect=values["DIALECT"],
            reading=values["READING"],
            terms=_terms(values),
            max_bytes=values["MAX_BYTES"],
            timeout=values["TIMEOUT"],
            max_redirects=values["MAX_REDIRECTS"],
            max_waiting=values["MAX_WAITING"],
            max_fetches=values["MAX_FETCHES"],
            store=values["STORE"],
            propagate_meta=values["PROPAGATE_META"],
            close_when_denied=values["CLOSE_WHEN_DENIED"],
            compare=values["COMPARE"],
            compare_report=values["COMPARE_REPORT"],
            watch=values["WATCH"],
            crawl_delay=values["CRAWL_DELAY"],
            pages=values["PAGES"],
        )


def _terms(values: dict[str, Any]) -> FreshnessSettings:
    """Return the terms that the *values* of all settings are."""
    return FreshnessSettings(
        ttl=values["TTL"],
        min_ttl=values["MIN_TTL"],
        stale_ttl=values["STALE_TTL"],
        retry_after=values["RETRY_AFTER"],
        forbidden_allows=values["FORBIDDEN"] == "allow",
        unreachable_allows=values["UNREACHABLE"] == "allow",
    )


def _refuse_unknown(settings: BaseSettings) -> None:
    """A misspelt name would do nothing, silently; so it stops the crawl."""
    for name in settings:
        if not name.upper().startswith(PREFIX):
            continue
        if name.removeprefix(PREFIX) in SETTINGS:
            continue
        known = ", ".join(PREFIX + setting for setting in SETTINGS)
        # Without the prefix, which would make any two names look alike.
        close = difflib.get_close_matches(name.upper().removeprefix(PREFIX), SETTINGS)
        hint = f"; did you mean {PREFIX}{close[0]}?" if close else f"; known: {known}."
        msg = f"{escape_control_chars(name)} is no setting of scrapy_robots1994{hint}"
        raise SettingsError(msg)


def _refuse_contradictions(values: dict[str, Any]) -> None:
    """Two settings that cannot both be meant stop the crawl."""
    if values["MIN_TTL"] > values["TTL"]:
        msg = (
            f"ROBOTS1994_MIN_TTL ({values['MIN_TTL']:g}) must not be more than "
            f"ROBOTS1994_TTL ({values['TTL']:g}): lower the first or raise the "
            "second."
        )
        raise SettingsError(msg)
    if values["WATCH"] and not values["COMPARE"]:
        msg = (
            "ROBOTS1994_WATCH lets another parser decide, and none is named: set "
            "ROBOTS1994_COMPARE = True."
        )
        raise SettingsError(msg)
