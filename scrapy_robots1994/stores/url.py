"""Check the URL of a store, open the store, and hide credentials in messages."""

import re
from collections.abc import Mapping
from importlib import import_module
from inspect import iscoroutinefunction as is_async
from typing import Final, NamedTuple, cast
from urllib.parse import parse_qsl, unquote, urlencode

from scrapy_robots1994.errors import MissingExtra, SettingsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars, redact_secrets, redact_url
from scrapy_robots1994.stores.base import Store

_MEMORY: Final = {"max_origins": 100_000, "max_bytes": 200_000_000}
MEMORY_URL: Final = f"memory://?{urlencode(_MEMORY)}"
_REDIS = ("redis.RedisStore", "redis://127.0.0.1:6379/0?timeout=2")
_STORES: Final = {
    "memory": ("", MEMORY_URL),
    "sqlite": ("sqlite.SqliteStore", "sqlite:///robots.db?max_bytes=1000000000"),
    **dict.fromkeys(("redis", "rediss", "unix"), _REDIS),
}
"""The class and an example URL of each scheme."""

_METHODS = ("from_url", "get", "put", "close")
_IMPORT_PATH = r"(?a)([A-Za-z_]\w*\.)+[A-Za-z_]\w*"
# Limited, because `int` rejects thousands of digits with a different message.
_COUNT = re.compile("[1-9][0-9]{0,17}")
_SECONDS = r"(?=.*[1-9])[0-9]{1,9}(\.[0-9]{1,9})?"


class StoreUrl(NamedTuple):
    """The checked value of `ROBOTS1994_STORE`."""

    max_origins: int = _MEMORY["max_origins"]
    """The maximum number of policies in memory."""
    max_bytes: int = _MEMORY["max_bytes"]
    """The maximum total size of the policies in memory, in bytes."""
    url: str | None = None
    """The URL for `Store.from_url`, or None if policies stay in memory."""
    timeout: float = 2.0
    """Seconds that a call to the store may take."""

    @classmethod
    def parse(cls, url: str) -> "StoreUrl":
        """Check *url*, without opening files or connections.

        Raise `SettingsError` if *url* or one of its options is invalid, and `MissingExtra` if the
        store's client library is not installed.
        """
        scheme = _scheme_of(url)
        try:
            parsed = cls._read(url, scheme)
            parsed.new_store()
        except MissingExtra:
            raise
        except Exception as error:  # noqa: BLE001 - a user's class may raise anything
            wrong = cls(url=url)
            example = _STORES.get(scheme, _STORES["sqlite"])[1]
            raise SettingsError(
                f'ROBOTS1994_STORE, "{wrong}": {wrong.describe(error)}; '
                f'write for example "{example}".'
            ) from None
        return parsed

    @classmethod
    def _read(cls, url: str, scheme: str) -> "StoreUrl":
        address, _, query = url.partition("?")
        if address == "memory://":
            counts = read_counts(query, _MEMORY)
            return cls(counts["max_origins"], counts["max_bytes"])
        is_known = scheme in _STORES and address.startswith(f"{scheme}://")
        if scheme == "memory" or not (is_known or re.fullmatch(_IMPORT_PATH, scheme)):
            raise ValueError(f"no store{did_you_mean(scheme, _STORES)}")
        options = query.split("&") if query else []
        rest = [it for it in options if not it.startswith("timeout=")]
        timeouts = [it.partition("=")[2] for it in options if it not in rest]
        if not all(re.fullmatch(_SECONDS, it) for it in timeouts):
            raise ValueError("timeout must be a number of seconds above 0")
        url = address + ("?" + "&".join(rest) if rest else "")
        timeout = float(timeouts[-1]) if timeouts else cls().timeout
        return cls(url=url, timeout=timeout)

    def new_store(self) -> Store | None:
        """Return the store without opening it, or None for `memory://`."""
        if self.url is None:
            return None
        store_class = _class_of(_scheme_of(self.url))
        return store_class.from_url(self.url, timeout=self.timeout)

    def describe(self, error: Exception) -> str:
        """Return the message of *error* as one printable line without credentials."""
        text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        user = (self.url or "").partition("://")[2].rpartition("@")[0]
        parts = {user, user.partition(":")[2]} - {""}
        secrets = {form for part in parts for form in (part, unquote(part))}
        return escape_control_chars(redact_secrets(text, secrets), 300)

    def __str__(self) -> str:
        """Return the URL without credentials or options, for logs."""
        url = "memory://" if self.url is None else self.url
        return escape_control_chars(redact_url(url))

    def __repr__(self) -> str:
        return str(self)


def open_store(url: str) -> Store:
    """Return the store at *url*, a value of `ROBOTS1994_STORE`, for use outside of crawls.

    Raise `SettingsError` if *url* is invalid, or is `memory://`, whose policies belong to one
    crawl. Raise `MissingExtra` if the store's client library is not installed.
    """
    store = StoreUrl.parse(url).new_store()
    if store is None:
        raise SettingsError("memory:// belongs to one crawl and cannot be opened")
    return store


def read_counts(query: str, defaults: Mapping[str, int]) -> dict[str, int]:
    """Return *defaults* updated with the options in *query*.

    Raise `ValueError` for an unknown option, or a value that is not a whole number of at least 1.
    """
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, value in options.items():
        if name not in defaults:
            raise ValueError(f'no option "{name}"{did_you_mean(name, defaults)}')
        if not _COUNT.fullmatch(value):
            why = f'{name} must be a whole number of at least 1, not "{value}"'
            raise ValueError(why)
    return {**defaults, **{name: int(value) for name, value in options.items()}}


def _scheme_of(url: str) -> str:
    return url.partition("?")[0].partition("://")[0]


def _class_of(scheme: str) -> type[Store]:
    name, _ = _STORES.get(scheme, (None, None))
    path = f"{__package__}.{name}" if name else scheme
    module, _, name = path.rpartition(".")
    try:
        store_class = getattr(import_module(module), name)
    except MissingExtra:
        raise
    except (ImportError, AttributeError) as error:
        raise ValueError(f"it cannot be imported: {error}") from error
    methods = {name: getattr(store_class, name, None) for name in _METHODS}
    lacks = [name for name, it in methods.items() if not callable(it) or is_async(it)]
    if lacks:
        why = "it is not a store: these methods are missing or coroutines"
        raise ValueError(f"{why}: {', '.join(lacks)}")
    return cast("type[Store]", store_class)
