"""Run several crawls in one process, and list what they leave open.

`python -m tests.support.several REACTOR STORE URL` starts two crawls at once, and a third one when
the first has ended. The list is printed as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
from pathlib import Path
from typing import Any

from tests.support.child import RequestingSpider, _process

TIMEOUT_SECONDS = 20.0
"""A thread that takes longer than this to end counts as open."""


def crawl_thrice(reactor: str, store: str, url: str) -> dict[str, list[str]]:
    settings = {
        "ADDONS": {"scrapy_robots1994.Addon": 500},
        "ROBOTS1994_STORE": store,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = _process({"reactor": reactor, "settings": settings})
    result: dict[str, list[Any]] = {"fetched": [], "failed": []}

    def start(_: object = None) -> Any:
        return process.crawl(RequestingSpider, requests=[{"url": url}], result=result)

    first = start()
    start()
    if hasattr(first, "addCallback"):
        first.addCallback(start)
    else:
        first.add_done_callback(start)
    process.start()
    return {"threads": threads(), "files": files(), "tasks": tasks()}


def threads() -> list[str]:
    ours = [it for it in threading.enumerate() if it.name.startswith("robots1994")]
    for thread in ours:
        # Even an idle thread takes a moment to end.
        thread.join(TIMEOUT_SECONDS)
    return [thread.name for thread in ours if thread.is_alive()]


def files() -> list[str]:
    opened = [link.resolve() for link in Path("/proc/self/fd").iterdir()]
    return [str(path) for path in opened if "robots.db" in path.name]


def tasks() -> list[str]:
    found = [each for each in gc.get_objects() if isinstance(each, asyncio.Task)]
    return [str(task) for task in found if not task.done() and "stores" in str(task)]


if __name__ == "__main__":
    print(json.dumps(crawl_thrice(*sys.argv[1:])))  # noqa: T201 - the test reads this line
