"""Load the other parsers that settings and command-line options name."""

from collections.abc import Iterable
from functools import partial

from scrapy.crawler import Crawler

from scrapy_robots1994.compare.parsers import Parser
from scrapy_robots1994.crawl.setting_types import load_parser
from scrapy_robots1994.errors import needs_extra


def peers(
    wanted: Iterable[str | type], crawler: Crawler, setting: str = "ROBOTS1994_COMPARE"
) -> list[Parser]:
    """Return the parsers that *wanted* names, without duplicates.

    *wanted* is the value of *setting*. Raise `SettingsError` for a value that does not name
    a parser. Raise `MissingExtra` for a parser whose library is not installed.
    """
    found = []
    kinds = (load_parser(path, crawler.settings, setting) for path in wanted)
    for kind in dict.fromkeys(kinds):
        with needs_extra(kind.__name__, "report"):
            try:
                kind.from_crawler(crawler, b"")
            except ImportError:
                raise
            except Exception:  # noqa: BLE001, S110 - errors are counted for each file later
                pass
        found.append(Parser(kind.__name__, partial(kind.from_crawler, crawler)))
    return found
