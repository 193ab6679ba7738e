"""Fetching what is to be compared, as the crawl would: see `commands.asking`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.commands.fetch_policies import WHO_ASKS, Inquiry, ask, leave_out
from scrapy_robots1994.compare import Capture
from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from scrapy.crawler import CrawlerProcess

    from scrapy_robots1994.commands.fetch_policies import Found


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was found at URLs, and a line for each where nothing was."""

    captures: tuple[Capture, ...] = ()
    unread: tuple[str, ...] = ()


def fetch(urls: list[str], spider: str | None, process: CrawlerProcess) -> Fetched:
    """What is at the robots.txt of *urls*, fetched with the project's settings.

    Where the status decides, the others are asked about an empty file: the body of such
    an answer is not kept. Raises `RobotsError` when the crawl that fetches cannot run,
    `UsageError` for a *spider* that the project does not have.
    """
    if not urls:
        leave_out(process, spider, WHO_ASKS)
        return Fetched()
    inquiry = Inquiry(list(dict.fromkeys(urls)))
    ask(process, inquiry, spider)
    if inquiry.error:
        raise RobotsError(inquiry.error)
    captures, unread = [], []
    for url, found in inquiry.found.items():
        capture = _capture(found)
        if capture is None:
            unread.append(
                f"{escape_control_chars(url, 300)}: robots.txt could not be had"
            )
        else:
            captures.append(capture)
    return Fetched(tuple(captures), tuple(unread))


def _capture(found: Found) -> Capture | None:
    """What *found* says, if the origin said it."""
    if isinstance(found, Exception) or not found.is_known:
        return None
    label = str(found.origin)
    if found.robots is not None:
        return Capture(label, found.robots.body)
    return Capture(label, b"", found.rules("").verdict(f"{label}/"))
