"""Run several crawls in one process and list what they leave open.

`python -m tests.support.several REACTOR STORE URL` starts two crawls at once, and a third one when
the first has ended. The list is printed as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.base import DelayedCall

from tests.support.child import RequestingSpider, _process

TIMEOUT_SECONDS = 20.0
"""A thread that takes longer than this to end is reported."""


def crawl_thrice(reactor: str, store: str, url: str) -> dict[str, list[str]]:
    folder = Path(store.removeprefix("sqlite:///")).parent
    settings = {
        "ADDONS": {"scrapy_robots1994.Addon": 500},
        "ROBOTS1994_STORE": store,
        "ROBOTS1994_EVIDENCE": str(folder / "evidence"),
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = _process({"reactor": reactor, "settings": settings})
    result: dict[str, list[Any]] = {"fetched": [], "failed": []}

    left: dict[str, list[str]] = {}

    def start() -> Any:
        spider, requests = RequestingSpider, [{"url": url}]
        crawling = process.crawl(spider, requests=requests, result=result)
        # List the timers now, because the event loop forgets them when it is closed.
        then(crawling, lambda: left.update(timers=timers()))
        return crawling

    first = start()
    start()
    then(first, start)
    process.start()
    return left | {"threads": threads(), "files": files(), "tasks": tasks()}


def then(crawling: Any, call: Callable[[], Any]) -> None:
    name = "addCallback" if hasattr(crawling, "addCallback") else "add_done_callback"
    getattr(crawling, name)(lambda _: call())


def threads() -> list[str]:
    ours = [it for it in threading.enumerate() if it.name.startswith("robots1994")]
    for thread in ours:
        # Even an idle thread takes a moment to end.
        thread.join(TIMEOUT_SECONDS)
    return [thread.name for thread in ours if thread.is_alive()]


def files() -> list[str]:
    opened = [link.resolve() for link in Path("/proc/self/fd").iterdir()]
    return [str(path) for path in opened if re.search("robots.db|jsonl", path.name)]


def tasks() -> list[str]:
    found = [each for each in gc.get_objects() if isinstance(each, asyncio.Task)]
    return [str(task) for task in found if not task.done() and "stores" in str(task)]


def timers() -> list[str]:
    """List the functions of this package that timers would still call."""
    found = gc.get_objects()
    handles: list[Any] = [it for it in found if isinstance(it, asyncio.TimerHandle)]
    delayed = [it for it in found if isinstance(it, DelayedCall) and it.active()]
    calls = [it._callback for it in handles if not it.cancelled()]
    calls += [it.func for it in delayed]
    return [str(it) for it in calls if "robots1994" in str(it)]


if __name__ == "__main__":
    print(json.dumps(crawl_thrice(*sys.argv[1:])))  # noqa: T201 - the test reads this line
