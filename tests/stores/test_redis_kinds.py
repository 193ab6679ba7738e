"""Tests of the Redis store with a Unix socket, TLS, Cluster and Sentinel."""

from __future__ import annotations

import gc
import os
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from scrapy_robots1994 import Origin, StoreError, open_store
from scrapy_robots1994.stores.base import SharedStore
from tests.stores.contract import SITE, entry
from tests.support.certificates import make_certificate
from tests.support.redis_server import RedisServer, free_port, sentinel_of, wait_for

pytestmark = pytest.mark.redis


def assert_shared(url: str) -> None:
    """Assert that two workers share entries and leases through *url*. Also assert that
    both workers close their connections.
    """
    before = open_sockets()
    # Disable the garbage collector, because it would close a forgotten connection.
    gc.disable()
    with closing(open_store(url)) as one, closing(open_store(url)) as two:
        assert isinstance(one, SharedStore)
        assert isinstance(two, SharedStore)
        one.put(entry())
        assert two.get(SITE) == entry().packed
        assert list(two.entries()) == [entry()]
        assert one.acquire_lease(SITE, "one", 30).granted
        assert not two.acquire_lease(SITE, "two", 30).granted
        one.release_lease(SITE, "one")
        assert two.acquire_lease(SITE, "two", 30).granted
        assert two.forget(SITE)
    assert open_sockets() <= before
    gc.enable()


def open_sockets() -> set[str]:
    """Return the names of the sockets that this process has open."""
    folder = "/proc/self/fd"
    found = set()
    for name in os.listdir(folder):  # noqa: PTH208 - the listing itself is an open file
        with suppress(OSError):
            found.add(os.readlink(f"{folder}/{name}"))  # noqa: PTH115 - the target is no path
    return {it for it in found if it.startswith("socket:")}


def test_unix_socket(tmp_path: Path) -> None:
    """A socket path may contain an `@`. The store does not take the part of the path
    before the `@` for a password. With a small `max_connections`, no worker waits for a
    connection.
    """
    with RedisServer("--unixsocket", f"{tmp_path}/red@is.sock"):
        assert_shared(f"unix://{tmp_path}/red@is.sock?db=0&max_connections=1")


def test_tls(tmp_path: Path) -> None:
    """`rediss://` connects with TLS. The certificate of the server is verified with the
    certificate file in the URL.
    """
    key, certificate = make_certificate()
    (tmp_path / "key").write_text(key)
    (tmp_path / "certificate").write_text(certificate)
    # Use a further free port for TLS.
    port = free_port() + 10_000
    options = ["--tls-port", str(port), "--tls-auth-clients", "no"]
    options += ["--tls-cert-file", f"{tmp_path}/certificate"]
    options += ["--tls-key-file", f"{tmp_path}/key"]

    with RedisServer(*options):
        assert_shared(
            f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={tmp_path}/certificate"
        )


def test_cluster() -> None:
    """`redis+cluster://` works with a Redis cluster. Each command has only one key, so
    the client can send the command to the right node.
    """
    with RedisServer("--cluster-enabled", "yes") as server:
        with server.client() as known:
            client: Any = known
            client.execute_command("CLUSTER", "ADDSLOTS", *range(16384))
            wait_for(lambda: "ok" in str(client.execute_command("CLUSTER INFO"))[:40])

        assert_shared(server.url.replace("redis://", "redis+cluster://"))


@pytest.mark.long
def test_redis_url_of_a_cluster_node_is_an_error() -> None:
    """A `redis://` URL of one node of a cluster is an error, because one node stores
    only some of the keys. The error message is the same for every key that another node
    stores.
    """
    with (
        RedisServer("--cluster-enabled", "yes") as one,
        RedisServer("--cluster-enabled", "yes") as two,
        one.client() as client,
        two.client() as other,
    ):
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 8191)
        other.execute_command("CLUSTER", "ADDSLOTSRANGE", 8192, 16383)
        client.execute_command("CLUSTER", "MEET", "127.0.0.1", two.port)
        wait_for(lambda: "ok" in str(client.execute_command("CLUSTER INFO"))[:40])
        with (
            closing(open_store(one.url)) as store,
            pytest.raises(StoreError, match=r"^a node of a cluster: write redis\+cl"),
        ):
            [store.get(Origin("http", f"{n}.example", 80)) for n in range(100)]


def test_master_is_found_through_sentinel(tmp_path: Path) -> None:
    """With `redis+sentinel://`, the store asks the sentinels which server is the master."""
    with RedisServer() as server, sentinel_of(server, tmp_path) as port:
        assert_shared(f"redis+sentinel://127.0.0.1:{port}/main/0")
