"""Looking before one leaps: another parser decides, ours says what it would do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.compare import Decision
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.parser import Verdict

logger = logging.getLogger("scrapy_robots1994")


class DryRun:
    """Refuses what another parser forbids, as the built-in does; tells our verdict."""

    def __init__(self, crawler: Crawler, tally: StatsRecorder) -> None:
        self._crawler = crawler
        self._tally = tally

    def judge(self, request: Request, ours: Verdict, theirs: Decision) -> None:
        """Raise `IgnoreRequest` if *theirs* forbids; say so if *ours* would."""
        if not ours.allowed:
            self._tally.count(stats.WOULD_REFUSE)
            self._say("We would refuse <%s %s>: %s", request, str(ours))
        if theirs.allowed is False:
            self._tally.count(stats.FORBIDDEN)
            why = "so says the other parser (ROBOTS1994_DRY_RUN)"
            self._say("Forbidden by robots.txt: <%s %s>: %s", request, why)
            msg = "Forbidden by robots.txt"
            raise IgnoreRequest(msg)

    def _say(self, text: str, request: Request, why: str) -> None:
        """Log one line about *request*."""
        shown = escape_control_chars(redact_credentials(request.url), 500)
        extra = {"spider": self._crawler.spider}
        logger.debug(text, request.method, shown, why, extra=extra)
