"""Clients of Redis by URL: one server, TLS, a Unix socket, Sentinel or Cluster."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from scrapy_robots1994.errors import MissingExtra, StoreError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


def library() -> ModuleType:
    """Return the client library, or raise `MissingExtra` with its pip command."""
    try:
        import redis  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = (
            "ROBOTS1994_STORE: a store in Redis needs the client of Redis: "
            "pip install 'scrapy_robots1994[redis]'"
        )
        raise MissingExtra(msg) from error
    return redis


def new_client(url: str, timeout: float) -> Any:
    """Return a client with a bounded pool, which waits for a free connection."""
    if _is_cluster(url):
        # It connects at once, to learn which node has which keys.
        return library().RedisCluster.from_url(_plain(url), **_options(timeout))
    return _server_client(url, timeout)


def close_client(client: Any) -> None:
    """Close the connections of *client*, to sentinels, too."""
    client.close()
    # A cluster has a client for each node, made from a pool that it does not close.
    nodes = client.get_nodes() if hasattr(client, "get_nodes") else ()
    for each in [client, *(node.redis_connection for node in nodes)]:
        pool = getattr(each, "connection_pool", None)
        if pool is not None:
            pool.disconnect()
        manager = getattr(pool, "sentinel_manager", None)
        for sentinel in manager.sentinels if manager else ():
            sentinel.close()


def check_url(url: str, timeout: float) -> None:
    """Raise what the library raises for a wrong *url*, without connecting."""
    pool = _server_client(url, timeout).connection_pool
    # A wrong option would be noticed with the first connection only.
    connection = pool.connection_class(**pool.connection_kwargs)
    if not isinstance(connection.retry, library().retry.Retry):
        raise ValueError("retry cannot be set")  # noqa: TRY004 - in a URL all is text
    if _is_cluster(url):
        if not urlsplit(url).hostname:
            raise ValueError("a node of the cluster must be named")
        if pool.connection_kwargs.get("db"):
            raise ValueError("a cluster has database 0 only")


def _is_cluster(url: str) -> bool:
    """Return whether *url* names a node of a cluster."""
    return "+cluster:" in url.lower()


def _plain(url: str) -> str:
    """Return *url* as the library writes it."""
    scheme, _, rest = url.partition("://")
    return f"{scheme.lower().removesuffix('+cluster')}://{rest}"


def _options(timeout: float) -> dict[str, Any]:
    """Return the options of every connection."""
    redis = library()
    return {
        # Connecting and one answer fit into the time limit, so that a slow server is
        # an error with a reason, not an abandoned thread.
        "socket_timeout": timeout * 0.4,
        "socket_connect_timeout": timeout * 0.4,
        # A failure is reported at once. The pool replaces connections that the server
        # closed while they were idle, before it hands them out.
        "retry": redis.retry.Retry(redis.backoff.NoBackoff(), 0),
    }


def _server_client(url: str, timeout: float) -> Any:
    """Return a client of the one server at *url*, or of one that sentinels name."""
    redis, options = library(), _options(timeout)
    if url.lower().startswith("redis+sentinel:"):
        return _sentinel_client(redis, url.partition("://")[2], options)
    # One connection for calls, and one for messages.
    options = {"max_connections": 2, "timeout": timeout * 0.4, **options}
    pool = redis.BlockingConnectionPool.from_url(_plain(url), **options)
    return redis.Redis.from_pool(pool)


def _sentinel_client(redis: ModuleType, rest: str, options: dict[str, Any]) -> Any:
    """Return a client of the master of `[user:password@]host,host/service[/db]`.

    The library has no URL for this. The password is the server's; the one of the
    sentinels is the option `sentinel_password`.
    """
    credentials, _, place = rest.partition("?")[0].rpartition("@")
    hosts, _, path = place.partition("/")
    service, _, base = path.partition("/")
    user, _, password = credentials.partition(":")
    query = dict(parse_qsl(urlsplit(f"//{rest}").query))
    own = {"password": query.pop("sentinel_password", None)}
    if query or not service or not (base or "0").isdigit():
        why = "redis+sentinel://host:26379,host:26379/service/db is the form"
        raise ValueError(why)
    nodes = [urlsplit(f"//{host}") for host in hosts.split(",")]
    sentinel = redis.Sentinel(
        [(node.hostname, node.port or 26379) for node in nodes],
        sentinel_kwargs={**options, **own},
        **options,
    )
    login = {"username": unquote(user) or None, "password": unquote(password) or None}
    return sentinel.master_for(service, db=int(base or 0), **login)


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn the errors of the client into `StoreError`."""
    redis = library()
    try:
        yield
    except (redis.RedisError, OSError) as error:
        text = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(escape_control_chars(text, 300)) from error
