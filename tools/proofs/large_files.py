"""Measure the memory of a process that reads many large, incompressible files.

`python -m tools.proofs.large_files [--origins 5000] [--bytes 511000]` passes files of
that size through the middleware, from the end of each download to the verdict,
and prints resident megabytes after each fifth of the origins as JSON. It exits with 0
if memory grows by less than a tenth after the first fifth.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import sys
import time
from typing import Any

from scrapy_robots1994.origin import Origin
from tools.answered import AnsweredMiddleware
from tools.proofs.million import resident

AT_ONCE = 16
"""Origins whose pages are requested at the same time."""

PATH_BYTES = 40


def body(size: int) -> bytes:
    """Make a file of about *size* bytes with as many random rules as fit."""
    noise = base64.urlsafe_b64encode(os.urandom(size * 3 // 4))
    width = PATH_BYTES + len(b"Disallow: /\n")
    rules = (
        b"Disallow: /" + noise[at : at + PATH_BYTES]
        for at in range(0, PATH_BYTES * ((size - 14) // width), PATH_BYTES)
    )
    return b"User-agent: *\n" + b"\n".join(rules) + b"\n"


async def crawl(origins: int, size: int) -> dict[str, Any]:
    """Request a page of each origin, a few at a time."""
    middleware = AnsweredMiddleware(lambda _: (body(size), ()))
    numbers = iter(range(origins))
    megabytes: list[int] = []
    allowed = 0

    async def check_all() -> None:
        nonlocal allowed
        for number in numbers:
            origin = Origin("http", f"site-{number}.test", 80)
            is_allowed = await middleware.permits(f"{origin}/page")
            allowed += is_allowed
            if (number + 1) % (origins // 5) == 0:
                megabytes.append(resident() // 10**6)
                sys.stderr.write(f"{number + 1} origins: {megabytes[-1]} MB\n")

    began = time.monotonic()
    await asyncio.gather(*(check_all() for _ in range(AT_ONCE)))
    memory = middleware._resolver.memory
    return {
        "origins": origins,
        "bytes": size,
        "allowed": allowed,
        "in_memory": len(memory._policies),  # type: ignore[attr-defined]  # ours
        "counted_mb": memory.memory_bytes // 10**6,  # type: ignore[attr-defined]
        "resident_mb_by_fifths": megabytes,
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> int:
    """Measure, print, and return 0 if memory does not grow."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--origins", type=int, default=5_000)
    parser.add_argument("--bytes", type=int, default=511_000)
    opts = parser.parse_args()
    measured = asyncio.run(crawl(opts.origins, opts.bytes))
    print(json.dumps(measured))  # noqa: T201 - its interface
    first, *later = measured["resident_mb_by_fifths"]
    return 0 if max(later) < 1.1 * first else 1


if __name__ == "__main__":
    sys.exit(main())
