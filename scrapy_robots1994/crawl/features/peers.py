"""Load the parsers that settings and command-line options choose for a comparison."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from scrapy.crawler import Crawler
from scrapy.utils.python import global_object_name

from scrapy_robots1994.compare.parsers import Parse
from scrapy_robots1994.crawl.setting_types import load_parser
from scrapy_robots1994.errors import MissingExtra, needs_extra


def peers(
    wanted: Iterable[str | type],
    crawler: Crawler,
    setting: str = "ROBOTS1994_COMPARE",
    *,
    skips_missing: bool = False,
) -> dict[str, Parse]:
    """Return a dict that maps the name of each parser in *wanted* to the parser.

    *wanted* is the value of *setting*. Each item is a parser class, the import path of a
    parser class, or the name of a parser of Scrapy. Raise `SettingsError` if an item does
    not name a parser. The name of a parser is the name of its class. If several classes
    have equal names, the name of each parser is the import path of its class.

    If the library of a parser is not installed, raise `MissingExtra`, or skip the parser
    if *skips_missing* is true.
    """
    ignored = (MissingExtra,) if skips_missing else ()
    kinds = dict.fromkeys(load_parser(it, crawler.settings, setting) for it in wanted)
    numbers = Counter(kind.__name__ for kind in kinds)
    found: dict[str, Parse] = {}
    for kind in kinds:
        with suppress(*ignored):
            with needs_extra(kind.__name__, "report"):
                try:
                    kind.from_crawler(crawler, b"")
                except ImportError:
                    raise
                except Exception:  # noqa: BLE001, S110 - errors are counted for each file later
                    pass
            is_only = numbers[kind.__name__] == 1
            name = kind.__name__ if is_only else global_object_name(kind)
            found[name] = partial(kind.from_crawler, crawler)
    return found
