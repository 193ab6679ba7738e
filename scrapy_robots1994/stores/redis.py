"""`redis://`, `rediss://` and `unix://`: a store that many workers share."""

import time
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from scrapy_robots1994.errors import needs_extra
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES

with needs_extra("ROBOTS1994_STORE: a store in Redis", "redis"):
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

PREFIX: Final = "robots1994"
"""The default of the option `prefix`."""


class RedisStore:
    """A store in Redis. The keys, `PREFIX:policy:ORIGIN` and `PREFIX:lease:ORIGIN`, expire."""

    def __init__(self, client: Any, prefix: str = PREFIX) -> None:
        self._client = client
        self._prefix = prefix

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> "RedisStore":
        """All options of *url* except `prefix` are passed to the client library."""
        address, _, query = url.partition("?")
        options = dict(parse_qsl(query, keep_blank_values=True))
        prefix = options.pop("prefix", PREFIX)
        # A `/`, `?` or `#` in the password would end the netloc too early, and part of the password
        # would be taken for the port.
        place = urlsplit(address)
        if "@" in url and "@" not in place.netloc and place.scheme != "unix":
            raise ValueError(
                "in the user name, password and options, write /?#@ as %2F%3F%23%40"
            )
        # The library would read a path that is not a number as database 0.
        if place.scheme != "unix" and not (place.path.strip("/") or "0").isdecimal():
            raise ValueError(f'the database must be a number, not "{place.path}"')
        client = redis.Redis.from_url(
            f"{address}?{urlencode(options)}",
            # Half the time each, because one call may both connect and query.
            socket_timeout=timeout / 2,
            socket_connect_timeout=timeout / 2,
            retry=Retry(NoBackoff(), 0),
        )
        pool = client.connection_pool
        # This raises an exception for invalid options, but does not connect.
        pool.connection_class(**pool.connection_kwargs)
        return cls(client, prefix)

    def get(self, origin: str) -> bytes | None:
        """Return the entry of *origin*, or None if it is missing, too long, or not a string."""
        try:
            value = self._client.getrange(
                self._key("policy", origin), 0, MAX_ENTRY_BYTES
            )
        except redis.ResponseError as error:
            # Another program may have stored something else, such as a list, under this key.
            if str(error).startswith("WRONGTYPE"):
                return None
            raise
        return value if 0 < len(value) <= MAX_ENTRY_BYTES else None

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        # Limited, because Redis has no infinite expiry.
        seconds = int(max(1, min(keep_until - time.time(), 2**32)))
        self._client.set(self._key("policy", origin), entry, ex=seconds)

    def lease(self, origin: str, seconds: float) -> bool:
        key = self._key("lease", origin)
        return bool(self._client.set(key, b"", nx=True, px=int(seconds * 1000)))

    def release(self, origin: str) -> None:
        self._client.delete(self._key("lease", origin))

    def close(self) -> None:
        self._client.close()

    def _key(self, kind: str, origin: str) -> str:
        return f"{self._prefix}:{kind}:{origin}"
