"""`ROBOTS1994_STORE`: parse and check the URL, and show the URL without its credentials."""

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlencode

from scrapy_robots1994.errors import MissingExtra, RobotsError, SettingsError, closest
from scrapy_robots1994.escaping import escape_control_chars, redact_secrets, redact_url
from scrapy_robots1994.stores.base import PolicyStore

ValueT = TypeVar("ValueT", int, float)


_SQLITE = (
    "scrapy_robots1994.stores.sqlite.SqliteStore",
    "sqlite:///robots.db?max_bytes=1000000000",
)
_REDIS = (
    "scrapy_robots1994.stores.redis.RedisStore",
    "redis://127.0.0.1:6379/0?prefix=robots1994",
)
STORES: Final = {
    "sqlite": _SQLITE,
    **dict.fromkeys(("redis", "rediss", "unix"), _REDIS),
    **dict.fromkeys(("redis+sentinel", "redis+cluster", "rediss+cluster"), _REDIS),
}
"""The persistent stores of this package. The table maps the scheme of a store URL to the
import path of the store class and an example of a URL. A store URL can also start with
the import path of a store class that is not in the table.
"""

_EXAMPLES: Final = {scheme: example for scheme, (_, example) in STORES.items()}
_EXAMPLES["memory"] = "memory://?max_origins=100000"

OWN_OPTIONS: Final = frozenset({"in_memory", "in_memory_bytes", "timeout"})
"""Options that the crawl reads for every store, and does not pass to the store."""

MEMORY_ORIGINS: Final = 100_000
"""Default maximum number of policies in memory."""

MEMORY_BYTES: Final = 256_000_000
"""Default maximum size of the policies in memory, in bytes."""

TIMEOUT: Final = 2.0

# Each type of option has a pattern for its values, and words that describe the values. A
# count has at most 18 digits, not counting leading zeros. The size of any memory in bytes
# fits into 18 digits, and `int` converts 18 digits quickly.
_COUNT = re.compile("0{0,17}[1-9][0-9]{0,17}")
_SECONDS = re.compile(r"(?=.*[1-9])[0-9]{0,9}\.?[0-9]{0,9}")
_NUMBERS: dict[type, tuple[re.Pattern[str], str]] = {
    int: (_COUNT, "a whole number of at least 1"),
    float: (_SECONDS, "seconds, more than 0"),
}
_IMPORT_PATH = re.compile(r"([A-Za-z_]\w*\.)+[A-Za-z_]\w*", re.ASCII)
_DATABASE = re.compile(r"[\w ./-]+\.(?:db|sqlite3?)", re.ASCII)
_SECRET_NAME = re.compile("pass|pwd|secret|token|key|auth|credential", re.IGNORECASE)


# Do not generate `__repr__`, because the URL can contain a password.
@dataclass(frozen=True, slots=True, repr=False)
class UrlParts:
    """The parts of a store URL. A store reads its options from the parts."""

    scheme: str
    place: str
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def split(cls, url: str) -> "UrlParts":
        """Return the parts of *url*. Do not check the parts."""
        address, _, query = url.partition("?")
        scheme, _, place = address.partition("://")
        return cls(scheme, place, tuple(parse_qsl(query, keep_blank_values=True)))

    def refusal(self, why: str) -> SettingsError:
        """Return the exception for a URL that cannot be used. The message contains the
        reason *why* and an example of a correct URL.
        """
        # For an unknown scheme, show the URL of a persistent store, because every command
        # can use such a store.
        example = _EXAMPLES.get(self.scheme.lower(), _EXAMPLES["sqlite"])
        text = f'ROBOTS1994_STORE: {why}; write for example "{example}".'
        return SettingsError(text)

    def allow(self, *names: str) -> None:
        """Raise `SettingsError` if the URL contains an option that is not one of *names*.

        Without this check, a misspelt option would be ignored.
        """
        for name, _ in self.options:
            if name not in names:
                shown = escape_control_chars(name)
                raise self.refusal(f'{self.scheme}:// has no option "{shown}"')

    def number(self, name: str, default: ValueT) -> ValueT:
        """Return the value of the option *name*, which has the type of *default*. An `int`
        is a count, and a `float` is a number of seconds.

        Raise `SettingsError` if a value is not a number greater than 0 of that type.
        """
        kind = type(default)
        pattern, words = _NUMBERS[kind]
        # If the URL contains the option several times, check each value.
        for value in (value for key, value in self.options if key == name):
            if not pattern.fullmatch(value):
                shown = escape_control_chars(value)
                raise self.refusal(f'{name} must be {words}, not "{shown}"')
            default = kind(value)
        return default

    def without(self, *names: str) -> str:
        """Return the URL without the options in *names*."""
        rest = urlencode([pair for pair in self.options if pair[0] not in names])
        return f"{self.scheme}://{self.place}" + (f"?{rest}" if rest else "")

    def secrets(self) -> set[str]:
        """Return the credentials in this URL, both escaped and unescaped."""
        # If a password contains an unescaped "?", the first option of the URL starts
        # inside the password.
        query = "&".join(f"{name}={value}" for name, value in self.options)
        place = self.place if "@" in self.place else f"{self.place}?{query}"
        user_info = place.rpartition("@")[0]
        found = [user_info, user_info.partition(":")[2]]
        found += [part.partition("?")[0] for part in found if "?" in part]
        found += [value for name, value in self.options if _SECRET_NAME.search(name)]
        forms = (str, unquote, lambda text: quote(text, safe=""))
        return {form(text) for text in found for form in forms} - {""}


@dataclass(frozen=True, slots=True)
class StoreUrl:
    """The checked value of `ROBOTS1994_STORE`.

    At most *max_origins* policies are stored in memory. The total size of the policies in
    memory is limited to about *max_bytes* bytes. *url* is the URL of the store, or `None`.
    The store is read if the memory does not contain a fresh policy of an origin. *timeout*
    is the time limit of each call to the store, in seconds.
    """

    max_origins: int = MEMORY_ORIGINS
    max_bytes: int = MEMORY_BYTES
    # Leave the URL out of `__repr__`, because the URL can contain a password.
    url: str | None = field(default=None, repr=False)
    timeout: float = TIMEOUT

    @classmethod
    def parse(cls, url: str) -> "StoreUrl":
        """Check *url*, and return it as a `StoreUrl`. Do not open files or connections.

        Raise `SettingsError` if *url* is not the URL of a store, or if an option is
        wrong. The message of the error says what to write instead. Raise `MissingExtra`
        if the client library of the store is not installed.
        """
        parts = UrlParts.split(url)
        is_url, scheme = "://" in url, parts.scheme.lower()
        if is_url and scheme == "memory" and not parts.place.strip("/"):
            parts.allow("max_origins", "max_bytes")
            return cls(
                parts.number("max_origins", MEMORY_ORIGINS),
                parts.number("max_bytes", MEMORY_BYTES),
            )
        if not (is_url and (scheme in STORES or _IMPORT_PATH.fullmatch(scheme))):
            shown = escape_control_chars(redact_url(url))
            close = closest(parts.scheme, _EXAMPLES)
            meant = f"{close}://" if close else ""
            if _DATABASE.fullmatch(url):
                close, meant = "sqlite", f"sqlite:///{url}"
            hint = f' (did you mean "{meant}"?)' if meant else ""
            parts = UrlParts(close or "", "")
            raise parts.refusal(f'"{shown}" names no store{hint}')
        store_url = cls(
            parts.number("in_memory", MEMORY_ORIGINS),
            parts.number("in_memory_bytes", MEMORY_BYTES),
            parts.without(*OWN_OPTIONS),
            parts.number("timeout", TIMEOUT),
        )
        try:
            store_url.new_store()
        except RobotsError:
            raise
        except Exception as error:  # A user's store can raise any exception.
            why = f"{store_url} cannot be made: {store_url.describe(error)}"
            raise parts.refusal(why) from error
        return store_url

    def new_store(self) -> PolicyStore | None:
        """Return a new instance of the store at *url*. The instance has not opened any
        files or connections yet. Return `None` if policies are stored only in memory.
        """
        if self.url is None:
            return None
        scheme = UrlParts.split(self.url).scheme
        path, _ = STORES.get(scheme.lower(), (scheme, ""))
        return _store_class(path).from_url(self.url, timeout=self.timeout)

    def describe(self, error: BaseException) -> str:
        """Return the message of *error* as one printable line without credentials.

        Return the name of the exception class if the message is empty, or if `__str__` of
        *error* raises an exception.
        """
        try:
            text = " ".join(str(error).split()).rstrip(".")
        except Exception:  # noqa: BLE001 - a store may raise any exception
            text = ""
        secrets = UrlParts.split(self.url).secrets() if self.url else set()
        text = redact_secrets(text, secrets)
        return escape_control_chars(text, 300) or type(error).__name__

    def __str__(self) -> str:
        """Return the URL without credentials and options, as shown in log messages."""
        return escape_control_chars(redact_url(self.url or "memory://"))


def open_store(url: str) -> PolicyStore:
    """Return the store at *url*, for use outside a crawl.

    *url* is a value of `ROBOTS1994_STORE` other than `memory://`. The store opens files
    and connections only when one of its methods is called. The caller must close the
    store.
    """
    store = StoreUrl.parse(url).new_store()
    if store is None:
        why = "memory:// belongs to one crawl and cannot be opened"
        raise UrlParts("sqlite", "").refusal(why)
    return store


def _store_class(path: str) -> type[PolicyStore]:
    """Return the store class at the import path *path*.

    Raise `SettingsError` if *path* is not the import path of a store class. Raise
    `MissingExtra` if the client library of the store is not installed.
    """
    module, _, name = path.rpartition(".")
    try:
        store_class = getattr(import_module(module), name)
    except MissingExtra:
        raise
    except (ImportError, AttributeError) as error:
        shown = escape_control_chars(str(error))
        why = f"{path} cannot be imported: {shown}"
        raise UrlParts(path, "").refusal(why) from error
    if not (isinstance(store_class, type) and issubclass(store_class, PolicyStore)):
        raise UrlParts(path, "").refusal(f"{path} is not a PolicyStore")
    return store_class
