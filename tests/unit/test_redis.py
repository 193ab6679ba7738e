"""The client that the Redis store creates."""

from __future__ import annotations

import sys

import pytest

from scrapy_robots1994 import MissingExtra
from scrapy_robots1994.stores.redis import RedisStore, _new_client
from scrapy_robots1994.stores.url import StoreUrl


def test_sentinel_url_has_the_options_of_the_client_library() -> None:
    """A Sentinel URL may contain a user, a password, a database and other options of the
    client library. Our option `sentinel_password` is the password for the sentinels.
    """
    url = "redis+sentinel://me:hunter%2F2@h:1,i/main/3?sentinel_password=x&health_check_interval=7"

    pool = _new_client(url, 2.0).connection_pool

    known = {"username": "me", "password": "hunter/2", "db": 3}
    assert known.items() <= pool.connection_kwargs.items()
    assert pool.connection_kwargs["health_check_interval"] == 7
    sentinels = [each.connection_pool for each in pool.sentinel_manager.sentinels]
    assert [each.connection_kwargs["port"] for each in sentinels] == [1, 26379]
    assert {each.connection_kwargs["password"] for each in sentinels} == {"x"}


def test_missing_client_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the client library is missing, the error contains the command that installs the
    extra.
    """
    for name in [it for it in sys.modules if it.split(".")[0] == "redis"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, RedisStore.__module__)

    with pytest.raises(MissingExtra, match=r"pip install 'scrapy_robots1994\[redis\]'"):
        StoreUrl.parse("redis://127.0.0.1:6379/0")
