"""Measure how long hostile files stall the event loop, compared with a busy thread.

`python -m tools.bench.stalls [NAME ...]` passes each file through the middleware,
from the end of its download to the verdict about a page, and records the longest CPU time
between two turns of the event loop. It does the same with a thread that only computes,
alternating with the file. It prints the medians of five rounds in milliseconds, and
exits with 0 if no file stalls the loop for 10 ms longer than the busy thread.
"""

from __future__ import annotations

import asyncio
import gzip
import sys
import zlib
from functools import partial
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

from tools.answered import AnsweredMiddleware
from tools.proofs.large_files import body as random_rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LIMIT = 511_000
ROUNDS = 5
MAX_STALL_MS = 10.0
BUSY_SECONDS = 0.3

Payload = tuple[bytes, tuple[str, ...]]


def repeated(unit: str) -> bytes:
    """Fill a file with *unit*, in which `{0}` is a number."""
    count = LIMIT // len(unit.format(100_000))
    return "".join(unit.format(number) for number in range(count)).encode()


def files() -> dict[str, Payload]:
    """Return each input by its name."""
    plain = {
        "random rules": random_rules(LIMIT),
        "records": repeated("User-agent: {0}\nDisallow: /\n\n"),
        "records for all": repeated("User-agent: *\nDisallow: /{0}\n\n"),
        "records split": repeated("User-agent: *\n\nDisallow: /{0}\n\n"),
        "short records": repeated("User-agent:*\nDisallow:/\n"),
        "unknown fields": repeated("Disalow: /{0}\n"),
        "orphans": repeated("Disallow: /{0}\n"),
        "no colon": repeated("Disallow /{0}\n"),
        "wildcards": b"User-agent: *\n" + repeated("Disallow: /*{0}*$\n"),
        "full URLs": b"User-agent: *\n" + repeated("Disallow: http://a{0}.test/\n"),
        "nested": b"User-agent: *\n"
        + b"".join(b"Disallow: /" + b"a" * length + b"\n" for length in range(1000)),
        "agents": repeated("User-agent: {0}\n") + b"Disallow: /\n",
        "sitemaps": repeated("Sitemap: http://a.test/{0}.xml\n"),
        "one line": b"User-agent: *\nDisallow: /" + b"a" * LIMIT,
        "empty lines": b"\n" * LIMIT,
        "hyphens": b"-" * LIMIT,
        "carriage returns": b"\r" * LIMIT,
        "not UTF-8": b"User-agent: *\n" + repeated("Disallow: /\xe9{0}\n"),
        "a page": repeated("<a href={0}>:</a>\n"),
    }
    found: dict[str, Payload] = {name: (body, ()) for name, body in plain.items()}
    return found | packed(plain["records"], plain["random rules"])


def packed(records: bytes, noise: bytes) -> dict[str, Payload]:
    """Return inputs whose content coding is hostile."""
    zeros = zlib.compress(b"\n" * 50_000_000)
    found: dict[str, Payload] = {
        "gzip": (gzip.compress(records), ("gzip",)),
        "gzip of noise": (gzip.compress(noise), ("gzip",)),
        "deflate bomb": (zeros, ("deflate",)),
        "deflate, four layers": (nested(records, zlib.compress, 4), ("deflate",) * 4),
        "gzip members": (gzip.compress(b"#\n") * 20_000, ("gzip",)),
        "short gzip members": (gzip.compress(b"") * 25_000, ("gzip",)),
    }
    try:
        import brotli  # type: ignore[import-untyped]  # noqa: PLC0415 - may be missing
        from backports import zstd  # noqa: PLC0415 - as above
    except ImportError:
        return found
    frames = b"".join(zstd.compress(bytes([at % 256])) for at in range(999))
    many = b"".join(zstd.compress(b"#") for _ in range(30_000))
    skipped = b"\x50\x2a\x4d\x18\x00\x00\x00\x00" * 60_000
    wide = b"\n" * 50_000_000
    inner = nested(gzip.compress(frames), zstd.compress, 3)
    return found | {
        "zstd": (zstd.compress(records), ("zstd",)),
        "zstd frames": (many[:LIMIT], ("zstd",)),
        "zstd skippable frames": (skipped, ("zstd",)),
        "zstd in gzip in zstd": (inner, ("gzip", "zstd", "zstd", "zstd")),
        "brotli": (brotli.compress(records), ("br",)),
        "brotli of noise": (brotli.compress(noise), ("br",)),
        "brotli bomb": (brotli.compress(wide, quality=5), ("br",)),
        "brotli, wide window": (brotli.compress(wide, quality=5, lgwin=24), ("br",)),
    }


def nested(body: bytes, pack: Callable[[bytes], bytes], times: int) -> bytes:
    """Compress *body* several times."""
    for _ in range(times):
        body = pack(body)
    return body


async def longest_turn(work: Callable[[], Awaitable[object]]) -> float:
    """Return the longest turn of the event loop during *work*, in CPU milliseconds."""
    longest, last = 0.0, process_time()
    running = asyncio.ensure_future(work())
    while not running.done():
        await asyncio.sleep(0)
        now = process_time()
        longest, last = max(longest, now - last), now
    await running
    return longest * 1000


async def busy() -> None:
    """Keep a thread busy for BUSY_SECONDS."""

    def compute() -> None:
        end = process_time() + BUSY_SECONDS
        while process_time() < end:
            pass

    await asyncio.to_thread(compute)


async def measure(name: str, answer: Payload) -> dict[str, Any]:
    """Return the medians of one input."""
    stalls, plain = [], []
    for number in range(ROUNDS + 1):
        middleware = AnsweredMiddleware(lambda _: answer)
        url = f"http://site-{number}.test/page"
        stall = await longest_turn(partial(middleware.permits, url))
        alone = await longest_turn(busy)
        if number:
            # The first round includes one-time work.
            stalls.append(stall)
            plain.append(alone)
    row = {"stall_ms": median(stalls), "busy_thread_ms": median(plain)}
    is_met = row["stall_ms"] <= row["busy_thread_ms"] + MAX_STALL_MS
    return {"name": name, **row, "is_met": is_met}


def main() -> int:
    """Print a row for each input; return the exit code."""
    wanted = sys.argv[1:]
    rows = []
    for name, answer in files().items():
        if not wanted or name in wanted:
            rows.append(asyncio.run(measure(name, answer)))
            row = rows[-1]
            sys.stdout.write(
                f"{name:24}{len(answer[0]):>8} bytes {row['stall_ms']:7.1f} ms, "
                f"busy thread {row['busy_thread_ms']:5.1f} ms"
                f"{'' if row['is_met'] else '  TOO LONG'}\n"
            )
            sys.stdout.flush()
    return 0 if all(row["is_met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
