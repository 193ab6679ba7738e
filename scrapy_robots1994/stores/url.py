"""`ROBOTS1994_STORE` read: which store, and how large."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from urllib.parse import urlencode

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.stores.address import Address, without_password
from scrapy_robots1994.stores.base import PolicyStore
from scrapy_robots1994.stores.memory import MAX_ORIGINS
from scrapy_robots1994.stores.redis_client import SCHEMES

EXAMPLE = 'write for example "memory://?max_origins=100000"'

STORES = {
    "sqlite": "scrapy_robots1994.stores.sqlite.SqliteStore",
    **dict.fromkeys(SCHEMES, "scrapy_robots1994.stores.redis.RedisStore"),
}
"""Our lasting stores by the scheme of their URL; any import path is a scheme too."""

_IMPORT_PATH = re.compile(r"([A-Za-z_]\w*\.)+[A-Za-z_]\w*", re.ASCII)

TIMEOUT = 2.0
"""Seconds that a lasting store may take for one answer, unless the URL says so."""


@dataclass(frozen=True, slots=True)
class StoreUrl:
    """Where policies rest: in memory, at most *max_origins* of them.

    Beyond that in the lasting store at *url*, where there is one, which may take
    *timeout* seconds for an answer.
    """

    max_origins: int = MAX_ORIGINS
    url: str | None = None
    timeout: float = TIMEOUT

    def new_store(self) -> PolicyStore | None:
        """The lasting store, opened when it is first asked; `None` without one.

        Raises `SettingsError` if the URL is wrong, `MissingExtra` where a library is
        wanted that is not installed.
        """
        if self.url is None:
            return None
        scheme = self.url.partition("://")[0]
        kind = _store_class(STORES.get(scheme.lower(), scheme))
        return kind.from_url(self.url, timeout=self.timeout)

    def __str__(self) -> str:
        """The store for a log, without a password."""
        return "memory://" if self.url is None else without_password(self.url)


def locate(url: str) -> StoreUrl:
    """Read a store URL; opens nothing.

    Raises `SettingsError`, with a sentence that says what to write, for anything else.
    """
    address = Address.read(url, EXAMPLE)
    if re.fullmatch("memory:/*", url.partition("?")[0], re.IGNORECASE):
        address.allow("max_origins")
        return StoreUrl(max_origins=address.count("max_origins", MAX_ORIGINS))
    if "://" not in url or not (
        address.scheme in STORES or _IMPORT_PATH.fullmatch(url.partition("://")[0])
    ):
        raise address.refusal(f'no store is at "{without_password(url)}"')
    # Two options belong to us, whatever the store: they are not handed on.
    ours = {"in_memory", "timeout"}
    rest = urlencode([pair for pair in address.options if pair[0] not in ours])
    locator = StoreUrl(
        max_origins=address.count("in_memory", MAX_ORIGINS),
        url=url.partition("?")[0] + (f"?{rest}" if rest else ""),
        timeout=address.seconds("timeout", TIMEOUT),
    )
    locator.new_store()
    return locator


def _store_class(path: str) -> type[PolicyStore]:
    """The class at an import path; a `SettingsError` if none is there."""
    module, _, name = path.rpartition(".")
    try:
        kind = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        why = f"{path} cannot be imported: {escape_control_chars(str(error))}"
        raise Address("", "", (), EXAMPLE).refusal(why) from error
    if not (isinstance(kind, type) and issubclass(kind, PolicyStore)):
        raise Address("", "", (), EXAMPLE).refusal(f"{path} is no PolicyStore")
    return kind
