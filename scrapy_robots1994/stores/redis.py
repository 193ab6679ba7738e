"""A Redis store that all workers can share. The store connects over TCP, TLS or a Unix
socket. Redis Sentinel and Redis clusters are supported.
"""

import re
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from scrapy_robots1994.errors import StoreError, needs_extra
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, Lease, SharedStore, Stored
from scrapy_robots1994.stores.url import StoreUrl, UrlParts

with needs_extra("ROBOTS1994_STORE: a store in Redis", "redis"):
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

PREFIX: Final = "robots1994"

PAGE: Final = 500
"""Approximate number of keys that one SCAN command examines."""

_END = struct.Struct(">d")

# `_UNKNOWN_OPTION` matches the message with which the library rejects an unknown option.
_UNKNOWN_OPTION = re.compile("unexpected keyword argument '(.*)'")
_UNESCAPED = (
    "in the user name and the password, write / # ? and @ as %2F %23 %3F and %40"
)


# Do not generate `__repr__`, because the URL can contain a password.
@dataclass(eq=False, repr=False)
class RedisStore(SharedStore):
    """Stores policies and leases in Redis. Redis deletes expired policies and leases.

    The key of an entry starts with `prefix:policy:`. The key of a lease starts with
    `prefix:lease:`. *prefix* is an option of the store URL.
    """

    url: str
    prefix: str = PREFIX
    timeout: float = 2.0
    clock: Callable[[], float] = time.time
    _client: Any = None

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> "RedisStore":
        """Return the store at *url*.

        *url* is a URL that the client library (redis-py) accepts, or starts with
        `redis+cluster://`, `rediss+cluster://` or `redis+sentinel://`. This package reads
        the option `prefix`, and ignores the option `max_connections`. The library reads
        all options except `prefix` and `max_connections`.
        """
        parts = UrlParts.split(url)
        scheme, _, rest = parts.without("prefix", "max_connections").partition("://")
        place = f"{scheme.lower()}://{rest}"
        options = dict(parts.options)
        try:
            _check_url(place, options, timeout)
        # If an option is wrong, the library can raise an exception of any class.
        except Exception as error:  # noqa: BLE001 - any class
            why = StoreUrl(url=place).describe(error)
            if named := _UNKNOWN_OPTION.search(why):
                why = f'{parts.scheme}:// has no option "{named[1]}"'
            # An unescaped ? in a password ends the host part too early, and the library
            # reads the start of the password as a port. Replace the message of the
            # library, because it shows the start of the password.
            if why.startswith("Port "):
                why = f"the port is not a number from 0 to 65535 ({_UNESCAPED})"
            raise parts.refusal(why) from None
        return cls(place, prefix=options.get("prefix", PREFIX), timeout=timeout)

    def get(self, origin: Origin) -> bytes | None:
        """Read the entry with one GETRANGE command, which limits how many bytes of a large
        value are read.
        """
        found = self._entry(self._key("policy", origin))
        return None if found is None else found[_END.size :]

    def put(self, stored: Stored) -> None:
        """Write the entry and its expiry time with one SET command."""
        # Limit the time until the entry expires, because the server rejects an extremely
        # long time.
        left = int(max(1, min((stored.keep_until - self.clock()) * 1000, 2**52)))
        value = _END.pack(stored.keep_until) + stored.packed
        with self._connected() as client:
            client.set(self._key("policy", stored.origin), value, px=left)

    def forget(self, origin: Origin) -> bool:
        """Delete the entry with one DEL command."""
        with self._connected() as client:
            return bool(client.delete(self._key("policy", origin)))

    def entries(self) -> Iterator[Stored]:
        """Yield all entries, which are found with SCAN commands. An entry that is added
        or deleted during the iteration might be missing.
        """
        start = f"{self.prefix}:policy:"
        pattern = "".join(f"\\{c}" if c in "*?[]\\" else c for c in start) + "*"
        with self._connected() as client:
            for key in client.scan_iter(match=pattern, count=PAGE):
                origin = Origin.of(bytes(key)[len(start.encode()) :])
                found = self._entry(key)
                if origin is not None and found is not None:
                    (end,) = _END.unpack(found[: _END.size])
                    yield Stored(origin, found[_END.size :], end)

    def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            client.close()
            # Close the connections to sentinels and to the nodes of a cluster, because
            # the method `close` of the library does not close them.
            pool = getattr(client, "connection_pool", None)
            others = getattr(getattr(pool, "sentinel_manager", None), "sentinels", ())
            nodes = client.get_nodes() if hasattr(client, "get_nodes") else ()
            for each in (*others, *(node.redis_connection for node in nodes)):
                each.connection_pool.disconnect()

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Acquire the lease of *origin* with the lock class of the library.

        If *holder* already has the lease, extend the lease to *seconds* from now.
        """
        with self._connected() as client:
            lock = self._lock(client, origin, seconds)
            if lock.acquire(blocking=False, token=holder):
                return Lease(granted=True)
            lock.local.token = holder.encode()
            try:
                return Lease(granted=lock.reacquire())
            except redis.exceptions.LockError:
                return Lease(granted=False)

    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release the lease of *origin* if *holder* has it."""
        with self._connected() as client, suppress(redis.exceptions.LockError):
            self._lock(client, origin).do_release(holder)

    def _lock(self, client: Any, origin: Origin, seconds: float | None = None) -> Any:
        """Return the lock that represents the lease of *origin*. The token of the lock is
        the name of the holder.
        """
        # Do not let the lock store a token for each thread, because each lock object is used
        # in only one thread.
        return client.lock(
            self._key("lease", origin), timeout=seconds, thread_local=False
        )

    def _key(self, kind: str, origin: Origin) -> str:
        """Return the key of *origin* for *kind*, which is "policy" or "lease".

        Each command uses only one key, so that a cluster can route the command.
        """
        return f"{self.prefix}:{kind}:{origin}"

    def _entry(self, key: str | bytes) -> bytes | None:
        """Return the value of *key*, or `None` if the value cannot be an entry of this
        package.
        """
        longest = _END.size + MAX_ENTRY_BYTES
        with self._connected() as client:
            try:
                value = client.getrange(key, 0, longest)
            except redis.ResponseError as error:
                if str(error).startswith("WRONGTYPE"):
                    return None
                raise
        is_ours = isinstance(value, bytes) and _END.size < len(value) <= longest
        return value if is_ours else None

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Yield the client, and convert errors of the library to `StoreError`.

        The first call creates the client, because the thread that uses the client must
        also create it.
        """
        try:
            if self._client is None:
                self._client = _new_client(self.url, self.timeout)
            yield self._client
        except redis.exceptions.MovedError as error:
            # Replace the message of the library, which contains only a slot number and an
            # address. The slot number and the address are different for each key.
            raise StoreError("a node of a cluster: write redis+cluster://") from error
        except (redis.RedisError, OSError) as error:
            raise StoreError(str(error) or type(error).__name__) from error


def _check_url(url: str, options: Mapping[str, str], timeout: float) -> None:
    """Raise an exception if *url* or one of its *options* is wrong. Do not connect to the
    server.
    """
    # An unescaped / or # in a password ends the host part of the URL too early. The URL of
    # a Unix socket does not have a host part.
    host, path = urlsplit(url)[1:3]
    if host and "@" in url and "@" not in host:
        raise ValueError(_UNESCAPED)
    # Check the path, because the library reads a path that is not a number as database 0.
    base = path.replace("/", "")
    if host and "+sentinel:" not in url and not (base or "0").isdecimal():
        raise ValueError(f'the database "{base}" is not a number')
    # The library interprets any value of `decode_responses` as true, even "false". With
    # `decode_responses`, the library would return strings instead of bytes. The value of
    # `retry` must be an object, which a URL cannot contain.
    for name in ("decode_responses", "retry"):
        if name in options:
            raise ValueError(f"{name} cannot be set")
    pool = _new_client(url.replace("+cluster:", ":", 1), timeout).connection_pool
    # To detect wrong options now, create a connection object, which does not connect to
    # the server yet.
    pool.connection_class(**pool.connection_kwargs)
    if "+cluster:" in url:
        if not urlsplit(url).hostname:
            raise ValueError("the host of a node of the cluster is missing")
        if pool.connection_kwargs.get("db"):
            raise ValueError("a cluster has only database 0")


def _new_client(url: str, timeout: float) -> Any:
    """Return a new client for *url*.

    *timeout* is the time limit of each call, in seconds.
    """
    scheme, _, rest = url.partition("://")
    plain, _, kind = scheme.partition("+")
    options = {
        # Connecting and waiting for one answer must together take less than the time limit.
        # With longer socket timeouts, the crawl would stop using the store before the
        # library reports that the server is slow.
        "socket_timeout": timeout * 0.4,
        "socket_connect_timeout": timeout * 0.4,
        # Retries are not necessary, because the pool replaces each idle connection that the
        # server has closed.
        "retry": Retry(NoBackoff(), 0),
    }
    if kind == "sentinel":
        return _sentinel_client(rest, options)
    if kind == "cluster":
        # The cluster client connects immediately, to find out which node stores which keys.
        return redis.RedisCluster.from_url(f"{plain}://{rest}", **options)
    options = {"max_connections": 1, "timeout": timeout * 0.4, **options}
    pool = redis.BlockingConnectionPool.from_url(f"{plain}://{rest}", **options)
    return redis.Redis.from_pool(pool)


def _sentinel_client(rest: str, options: dict[str, Any]) -> Any:
    """Return a client for the master of a Sentinel service. *rest* has the form
    `[user:password@]host,host/service[/db]`, optionally followed by options.

    This function is necessary because the library does not have a URL scheme for Sentinel.
    The password before the hosts is for the Redis server. The option `sentinel_password` is
    the password for the sentinels.
    """
    address, _, query = rest.partition("?")
    user_info, at, place = address.rpartition("@")
    hosts, _, path = place.partition("/")
    service, _, base = path.partition("/")
    if not (hosts and service) or not (base or "0").isdigit():
        why = "the form is redis+sentinel://host:26379,host:26379/service/db"
        raise ValueError(why)
    nodes = [urlsplit(f"//{host}") for host in hosts.split(",")]
    # Let the library parse the user name, the password, the database and the options.
    server = redis.connection.parse_url(f"redis://{user_info}{at}/{base}?{query}")
    own = {"password": server.pop("sentinel_password", None)}
    sentinel = redis.Sentinel(
        [(node.hostname, node.port or 26379) for node in nodes],
        sentinel_kwargs={**options, **own},
        **options,
    )
    return sentinel.master_for(service, **server)
