"""`redis://`: shared by all workers of a crawl, on whichever machines they run."""

from __future__ import annotations

import asyncio
import struct
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.address import Address
from scrapy_robots1994.stores.base import SharedStore, Stored
from scrapy_robots1994.stores.circuit_breaker import said
from scrapy_robots1994.stores.redis_client import Clients, library

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from typing_extensions import Self

EXAMPLE = 'write for example "redis://127.0.0.1:6379/0?prefix=robots1994"'
PREFIX = "robots1994"

LEASE: Final = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
UNLEASE: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
"""

BREATH = 0.5
"""Seconds before a subscription that broke is made again."""

SILENCE = 30.0
"""Seconds of silence on the channel after which the connection is looked after."""

PAGE = 500
"""Keys that a walk asks for at a time."""

MAX_STORED = 2**24
"""Bytes read of a stored entry; whoever shares the server may write longer ones."""

_END = struct.Struct(">d")

_UNESCAPED = "in user and password, / # ? and @ are written %2F %23 %3F and %40"


class RedisStore(SharedStore):
    """Answers under `prefix:policy:`, leases under `prefix:lease:`; both expire.

    The end of a lease is published under `prefix:ended`, so that who waits is woken.
    """

    def __init__(
        self,
        new_clients: Callable[[], Clients],
        *,
        prefix: str = PREFIX,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._new_clients = new_clients
        self._prefix = prefix
        self._clock = clock
        self._opened: Clients | None = None
        self._listening: asyncio.Task[None] | None = None
        self._watched: dict[str, asyncio.Event] = {}

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """A URL of the client library, `redis+cluster://` or `redis+sentinel://`.

        The option `prefix` is ours; all others are the library's.
        """
        address = Address.read(url, EXAMPLE)
        prefix = address.text("prefix", PREFIX)
        rest = [pair for pair in address.options if pair[0] != "prefix"]
        place = url.partition("?")[0] + (f"?{urlencode(rest)}" if rest else "")
        library()
        # A / or # in a password ends the host before its time; a Unix socket has none.
        host = urlsplit(place).netloc
        if host and "@" in place and "@" not in host:
            raise address.refusal(_UNESCAPED)
        try:
            Clients(place, timeout)
        # A wrong option fails wherever the library first uses it, as whatever comes of
        # that: errors of its own, of which some are no `RedisError`, and any other.
        except Exception as error:
            text = said(error)
            if text.startswith("Port "):
                # A ? does, too, and the text shows what stands in the port's place.
                why = f"the port is no number ({_UNESCAPED})"
                raise address.refusal(why) from None
            raise address.refusal(escape_control_chars(text, 300)) from error
        return cls(lambda: Clients(place, timeout), prefix=prefix)

    async def get(self, origin: Origin) -> bytes | None:
        """One GETRANGE: what others wrote is read no further than `MAX_STORED`."""
        with _told():
            value = await self._client().getrange(
                self._key("policy", origin), 0, MAX_STORED
            )
        return bytes(value)[_END.size :] if value else None

    async def put(self, stored: Stored) -> None:
        """One SET with its expiry."""
        key = self._key("policy", stored.origin)
        value = _END.pack(stored.keep_until) + stored.packed
        left = max(1, int((stored.keep_until - self._clock()) * 1000))
        with _told():
            await self._client().set(key, value, px=left)

    async def forget(self, origin: Origin) -> bool:
        """One DEL."""
        with _told():
            return bool(await self._client().delete(self._key("policy", origin)))

    async def entries(self) -> AsyncIterator[Stored]:
        """One SCAN of the server; what comes and goes meanwhile may be missed."""
        start = f"{self._prefix}:policy:"
        pattern = "".join(f"[{c}]" if c in "*?[]\\" else c for c in start) + "*"
        with _told():
            async for key in self._client().scan_iter(match=pattern, count=PAGE):
                origin = Origin.of(bytes(key)[len(start.encode()) :])
                value = await self._client().getrange(key, 0, MAX_STORED)
                if origin is not None and len(value) > _END.size:
                    (end,) = _END.unpack(value[: _END.size])
                    yield Stored(origin, bytes(value)[_END.size :], end)

    async def close(self) -> None:
        """End the subscription and give back all connections."""
        opened, self._opened = self._opened, None
        listening, self._listening = self._listening, None
        while listening is not None and not listening.done():
            # Again and again: the client swallows it while it connects.
            listening.cancel()
            await asyncio.wait({listening}, timeout=BREATH)
        if opened is not None:
            with _told():
                await opened.close()

    async def lease(self, origin: Origin, holder: str, seconds: float) -> bool:
        """One script on the server: look and take in one."""
        name = str(origin)
        # Before the question: what ends while it is under way must be heard.
        self._watched.setdefault(name, asyncio.Event())
        key, left = self._key("lease", origin), int(seconds * 1000)
        is_ours = True
        try:
            with _told():
                is_ours = bool(await self._client().eval(LEASE, 1, key, holder, left))
        finally:
            if is_ours:
                self._watched.pop(name, None)
        return is_ours

    async def unlease(self, origin: Origin, holder: str) -> None:
        """One script on the server: look, give back and tell in one."""
        key, name = self._key("lease", origin), str(origin)
        with _told():
            await self._client().eval(UNLEASE, 1, key, holder, self._channel, name)

    async def wait(self, origin: Origin, seconds: float) -> None:
        """Wait for word on the channel."""
        name = str(origin)
        ended = self._watched.setdefault(name, asyncio.Event())
        try:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(ended.wait(), seconds)
        finally:
            self._watched.pop(name, None)

    @property
    def _channel(self) -> str:
        """Where the names of origins go whose lease ended."""
        return f"{self._prefix}:ended"

    def _key(self, kind: str, origin: Origin) -> str:
        """The key of an origin; one key a command, so that a cluster can route it."""
        return f"{self._prefix}:{kind}:{origin}"

    def _client(self) -> Any:
        """The client that asks, made in the loop that uses it; and one that listens."""
        if self._opened is None:
            self._opened = self._new_clients()
            self._listening = asyncio.create_task(self._listen(self._opened.listening))
        return self._opened.asking

    async def _listen(self, client: Any) -> None:
        """Wake who waits, as long as the store is open."""
        while self._opened is not None:
            # Whoever waits looks again by himself meanwhile, a little later.
            with suppress(StoreError), _told():
                async with client.pubsub() as channel:
                    await channel.subscribe(self._channel)
                    while self._opened is not None:
                        self._hear(await channel.get_message(timeout=SILENCE))
            await asyncio.sleep(BREATH)

    def _hear(self, message: dict[str, Any] | None) -> None:
        """Wake who waits for what *message* names."""
        if message is None:
            return
        if message["type"] == "message":
            name = bytes(message["data"]).decode("utf-8", "replace")
            woken = [self._watched[name]] if name in self._watched else []
        else:
            # Subscribed, perhaps anew: nobody knows what was said before.
            woken = list(self._watched.values())
        for event in woken:
            event.set()


@contextmanager
def _told() -> Iterator[None]:
    """Whatever the client minds is a `StoreError`."""
    redis = library()
    try:
        yield
    except (redis.RedisError, OSError, asyncio.TimeoutError) as error:
        text = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(escape_control_chars(text, 300)) from error
