"""`redis://`: shared by all workers of a crawl, on any machines."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.base import (
    MAX_ENTRY_BYTES,
    Lease,
    SharedStore,
    Stored,
)
from scrapy_robots1994.stores.redis_client import (
    check_url,
    close_client,
    library,
    new_client,
    store_errors,
)
from scrapy_robots1994.stores.url import UrlParts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typing_extensions import Self

PREFIX: Final = "robots1994"

# A key of another type, or without an end, is not a lease of ours, and is replaced.
LEASE: Final = """
local holder = redis.pcall('GET', KEYS[1])
if type(holder) == 'string' and holder ~= ARGV[1] then
    local left = redis.call('PTTL', KEYS[1])
    if left >= 0 then return {holder == '' and 'failed' or 'taken', left} end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {'granted', 0}
"""
UNLEASE: Final = """
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return end
if ARGV[2] == '0' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], '', 'PX', ARGV[2]) end
redis.call('PUBLISH', ARGV[3], ARGV[4])
"""

FAILED_MARK: Final = b"!"
"""Stands before an origin on the channel if its fetch failed."""

MESSAGE_SECONDS: Final = 0.001
"""Seconds to wait for a message that has begun to come."""

PAGE: Final = 500
"""Keys of one round trip."""

_END = struct.Struct(">d")

_UNESCAPED = "in user and password, / # ? and @ are written %2F %23 %3F and %40"


class RedisStore(SharedStore):
    """Entries are under `prefix:policy:`, leases under `prefix:lease:`. Both expire.

    The end of a lease is published on `prefix:ended`.
    """

    def __init__(
        self,
        url: str,
        *,
        prefix: str = PREFIX,
        timeout: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._url = url
        self._prefix = prefix
        self._timeout = timeout
        self._clock = clock
        self._client: Any = None
        self._messages: Any = None

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Take a URL of the client library, `redis+cluster://` or `redis+sentinel://`.

        The option `prefix` is ours; all others are the library's.
        """
        parts = UrlParts.split(url)
        place = parts.without("prefix")
        library()
        # A / or # in a password ends the host too early; a Unix socket has no host.
        host = urlsplit(place).netloc
        if host and "@" in place and "@" not in host:
            raise parts.refusal(_UNESCAPED)
        try:
            check_url(place, timeout)
        # The library raises errors of many classes for a wrong option, where it first
        # uses it.
        except Exception as error:
            text = " ".join(str(error).split()).rstrip(".")
            if text.startswith("Port "):
                # A ? ends the host, too, and the text shows what is in the port's place.
                why = f"the port is not a number ({_UNESCAPED})"
                raise parts.refusal(why) from None
            text = redact_credentials(text) or type(error).__name__
            raise parts.refusal(escape_control_chars(text, 300)) from error
        return cls(place, prefix=parts.text("prefix", PREFIX), timeout=timeout)

    def get(self, origin: Origin) -> bytes | None:
        """Read with one GETRANGE: what others wrote is read up to its bound only."""
        found = self._entry(self._key("policy", origin))
        return None if found is None else found[_END.size :]

    def put(self, stored: Stored) -> None:
        """Write with one SET and its expiry."""
        left = max(1, int((stored.keep_until - self._clock()) * 1000))
        value = _END.pack(stored.keep_until) + stored.packed
        with store_errors():
            self._connected().set(self._key("policy", stored.origin), value, px=left)

    def forget(self, origin: Origin) -> bool:
        """Delete with one DEL."""
        with store_errors():
            return bool(self._connected().delete(self._key("policy", origin)))

    def entries(self) -> Iterator[Stored]:
        """SCAN the server. An entry that comes or goes meanwhile may be missing."""
        start = f"{self._prefix}:policy:"
        pattern = "".join(f"[{c}]" if c in "*?[]\\" else c for c in start) + "*"
        with store_errors():
            for key in self._connected().scan_iter(match=pattern, count=PAGE):
                origin = Origin.of(bytes(key)[len(start.encode()) :])
                found = self._entry(key)
                if origin is not None and found is not None:
                    (end,) = _END.unpack(found[: _END.size])
                    yield Stored(origin, found[_END.size :], end)

    def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            with store_errors():
                self._unsubscribe()
                close_client(client)

    def lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Look and take in one script on the server."""
        key, milliseconds = self._key("lease", origin), int(seconds * 1000)
        with store_errors():
            word, left = self._connected().eval(LEASE, 1, key, holder, milliseconds)
        return Lease(word == b"granted", word == b"failed", int(left) / 1000)

    def renew(self, origins: Sequence[Origin], holder: str, seconds: float) -> None:
        """Run one script for each, many in one round trip."""
        milliseconds = int(seconds * 1000)
        for first in range(0, len(origins), PAGE):
            with store_errors():
                # Independent commands: a cluster can route each.
                pipeline = self._connected().pipeline(transaction=False)
                for origin in origins[first : first + PAGE]:
                    key = self._key("lease", origin)
                    # `pipeline.eval` does not exist for a cluster.
                    pipeline.execute_command(
                        "EVAL", LEASE, 1, key, holder, milliseconds
                    )
                pipeline.execute()

    def unlease(self, origin: Origin, holder: str, *, failed_for: float = 0.0) -> None:
        """Look, give back and publish in one script on the server."""
        key, failed = self._key("lease", origin), int(failed_for * 1000)
        name = (FAILED_MARK if failed else b"") + str(origin).encode()
        with store_errors():
            client = self._connected()
            client.eval(UNLEASE, 1, key, holder, failed, self._channel, name)

    def ended(self) -> list[tuple[Origin | None, bool]]:
        """Read what was published since the last call; the first one subscribes."""
        found: list[tuple[Origin | None, bool]] = []
        # Without messages a worker looks again by itself, a little later.
        with suppress(StoreError), store_errors():
            try:
                self._subscribe()
                while message := self._messages.get_message(timeout=MESSAGE_SECONDS):
                    data = message["data"]
                    if message["type"] != "message":
                        # Subscribed, perhaps not for the first time.
                        found.append((None, False))
                    elif origin := Origin.of(data.removeprefix(FAILED_MARK)):
                        found.append((origin, data.startswith(FAILED_MARK)))
            except BaseException:
                self._unsubscribe()
                raise
        return found

    def _subscribe(self) -> None:
        """Subscribe to the channel, with a connection of its own."""
        if self._messages is None:
            self._messages = self._connected().pubsub()
            self._messages.subscribe(self._channel)

    def _unsubscribe(self) -> None:
        """Give the connection of the channel back."""
        messages, self._messages = self._messages, None
        if messages is not None:
            messages.close()

    @property
    def _channel(self) -> str:
        """The channel of origins whose lease ended."""
        return f"{self._prefix}:ended"

    def _key(self, kind: str, origin: Origin) -> str:
        """Return the key of an origin. One key a command: a cluster can route it."""
        return f"{self._prefix}:{kind}:{origin}"

    def _connected(self) -> Any:
        """Return the client, made in the thread that uses it."""
        if self._client is None:
            self._client = new_client(self._url, self._timeout)
        return self._client

    def _entry(self, key: str | bytes) -> bytes | None:
        """Return the value of *key*; `None` if it cannot be an entry of ours."""
        longest = _END.size + MAX_ENTRY_BYTES
        with store_errors():
            try:
                value = self._connected().getrange(key, 0, longest)
            except library().ResponseError as error:
                if str(error).startswith("WRONGTYPE"):
                    return None
                raise
        is_ours = isinstance(value, bytes) and _END.size < len(value) <= longest
        return value if is_ours else None
