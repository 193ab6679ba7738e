"""Clients of Redis by URL: one server, TLS, a Unix socket, Sentinel or Cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from scrapy_robots1994.errors import MissingExtra

if TYPE_CHECKING:
    from types import ModuleType

SCHEMES = (
    "redis",
    "rediss",
    "unix",
    "redis+sentinel",
    "redis+cluster",
    "rediss+cluster",
)


def library() -> ModuleType:
    """The client library; `MissingExtra` with the line that installs it."""
    try:
        import redis.asyncio  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = (
            "ROBOTS1994_STORE: a store in Redis needs the client of Redis: "
            "pip install 'scrapy_robots1994[redis]'"
        )
        raise MissingExtra(msg) from error
    return redis


class Clients:
    """A client for questions, and one that listens to the channel of a store.

    Made without opening a connection; raises what the library raises for a wrong URL.
    They are the same one except in a cluster, where every node hears what is published
    and a plain client listens to the one in the URL.
    """

    def __init__(self, url: str, timeout: float) -> None:
        redis = library()
        scheme, _, rest = url.partition("://")
        scheme = scheme.lower()
        options: dict[str, Any] = {
            # A command that gets no answer in time must not tie up its connection.
            "socket_timeout": timeout,
            "socket_connect_timeout": timeout,
            # A connection that the server closed while it was idle is not an outage.
            "retry": redis.asyncio.retry.Retry(redis.backoff.NoBackoff(), 1),
        }
        if scheme == "redis+sentinel":
            self.asking = _through_sentinel(redis, rest, options)
            self.listening = self.asking
        elif scheme.endswith("+cluster"):
            plain = f"{scheme.removesuffix('+cluster')}://{rest}"
            self.listening = redis.asyncio.Redis.from_url(plain, **options)
            self.asking = redis.asyncio.RedisCluster.from_url(plain, **options)
        else:
            self.asking = redis.asyncio.Redis.from_url(f"{scheme}://{rest}", **options)
            self.listening = self.asking
        pool = self.listening.connection_pool
        # An option that no connection knows would only be noticed with the first one.
        pool.connection_class(**pool.connection_kwargs)

    async def close(self) -> None:
        """Give back all connections, those to sentinels too."""
        pool = self.listening.connection_pool
        manager = getattr(pool, "sentinel_manager", None)
        for client in (self.asking, *(manager.sentinels if manager else ())):
            await client.aclose()
        if self.listening is not self.asking:
            await self.listening.aclose()
        # A client made of a pool leaves the pool open.
        await pool.disconnect()


def _through_sentinel(redis: ModuleType, rest: str, options: dict[str, Any]) -> Any:
    """The master of `[user:password@]host:port,host:port/service[/db]`.

    The library has no URL for this. The password is the server's; one of the sentinels
    themselves is the option `sentinel_password`.
    """
    credentials, _, place = rest.partition("?")[0].rpartition("@")
    hosts, _, path = place.partition("/")
    service, _, base = path.partition("/")
    user, _, password = credentials.partition(":")
    query = dict(parse_qsl(urlsplit(f"//{rest}").query))
    own = {"password": query.pop("sentinel_password", None)}
    if query or not service or not (base or "0").isdigit():
        why = "redis+sentinel://host:26379,host:26379/service/db is wanted"
        raise ValueError(why)
    nodes = [urlsplit(f"//{host}") for host in hosts.split(",")]
    sentinel = redis.asyncio.Sentinel(
        [(node.hostname, node.port or 26379) for node in nodes],
        sentinel_kwargs={**options, **own},
        **options,
    )
    return sentinel.master_for(
        service,
        db=int(base or 0),
        username=unquote(user) or None,
        password=unquote(password) or None,
    )
