"""Load the other parsers that are chosen in settings and command-line options."""

from collections.abc import Iterable
from functools import partial

from scrapy.crawler import Crawler

from scrapy_robots1994.compare.parsers import Parse
from scrapy_robots1994.crawl.setting_types import load_parser
from scrapy_robots1994.errors import needs_extra


def peers(
    wanted: Iterable[str | type], crawler: Crawler, setting: str = "ROBOTS1994_COMPARE"
) -> dict[str, Parse]:
    """Return a dict that maps the class name of each parser in *wanted* to the parser.

    *wanted* is the value of *setting*. Each item is a parser class, the import path of a
    parser class, or the name of a parser of Scrapy. Raise `SettingsError` for any other
    item. Raise `MissingExtra` if the library of a parser is not installed.
    """
    found: dict[str, Parse] = {}
    for path in wanted:
        kind = load_parser(path, crawler.settings, setting)
        with needs_extra(kind.__name__, "report"):
            try:
                kind.from_crawler(crawler, b"")
            except ImportError:
                raise
            except Exception:  # noqa: BLE001, S110 - errors are counted for each file later
                pass
        found[kind.__name__] = partial(kind.from_crawler, crawler)
    return found
