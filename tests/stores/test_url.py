"""`ROBOTS1994_STORE`: the URLs that are accepted, and the errors for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.stores import PolicyStore, StoreUrl
from scrapy_robots1994.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self


@pytest.mark.parametrize(
    ("url", "max_origins"),
    [
        ("memory://", 100_000),
        ("memory:", 100_000),
        ("memory:///", 100_000),
        ("MEMORY://", 100_000),
        ("memory://?", 100_000),
        ("memory://?max_origins=1", 1),
        ("memory:///?max_origins=007", 7),
        ("memory://?max_origins=250000", 250_000),
        ("memory://?max_origins=" + "9" * 18, 10**18 - 1),
    ],
)
def test_memory_url_is_parsed(url: str, max_origins: int) -> None:
    """`memory://`, with or without `max_origins`, sets the number of stored origins."""
    assert StoreUrl.parse(url) == StoreUrl(max_origins=max_origins)


def test_max_bytes_limits_memory() -> None:
    """The default of `max_bytes` is 256 MB."""
    assert StoreUrl.parse("memory://?max_bytes=1000").max_bytes == 1000
    assert StoreUrl.parse("memory://").max_bytes == 256_000_000


def refusal(url: str) -> str:
    """Return the problem that the error for *url* states, without its example."""
    with pytest.raises(SettingsError) as refused:
        StoreUrl.parse(url)
    message = str(refused.value)
    assert message.startswith("ROBOTS1994_STORE: ")
    problem, _, example = message.partition("; write for example ")
    StoreUrl.parse(example.removeprefix('"').removesuffix('".'))
    assert message.isprintable()
    return problem


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "memory",
        "memory://here",
        "memory://here/and/there",
        "memory://#bound",
        "mem://",
        "robots.db",
        "http://[",
        "memory://[::1",
        "me\nmory://",
        "\x1b[31m",
    ],
)
def test_invalid_store_url_is_rejected_with_an_example(url: str) -> None:
    """The error says that the URL names no store, and has a valid example."""
    assert "names no store" in refusal(url)


@pytest.mark.parametrize(
    ("query", "name"),
    [("size=1", "size"), ("max_origins=1&x=", "x"), ("Max_Origins=1", "Max_Origins")],
)
def test_unknown_option_is_named_in_the_error(query: str, name: str) -> None:
    """An ignored option would hide a mistake."""
    assert f'has no option "{name}"' in refusal(f"memory://?{query}")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "0",
        "000",
        "-1",
        "+1",
        "1.5",
        "1e5",
        "many",
        "\u0663",
        "\u00b2",
        "1_000",
        " 1",
    ],
)
def test_limit_that_is_not_a_number_is_rejected(value: str) -> None:
    """A limit is a whole number of at least 1, in ASCII digits."""
    assert "whole number of at least 1" in refusal(f"memory://?max_origins={value}")


def test_limit_without_a_value_is_rejected() -> None:
    """An option without a value does not mean its default."""
    assert 'not ""' in refusal("memory://?max_origins")


@pytest.mark.parametrize("digits", [19, 100, 5000])
def test_huge_limit_is_rejected_with_the_same_message(
    digits: int,
) -> None:
    """A number too long for `int` does not cause Python's own error."""
    url = "memory://?max_origins=" + "1" * digits

    assert "whole number of at least 1" in refusal(url)


def test_each_repeated_option_is_checked() -> None:
    """Both values are checked, and the last one applies."""
    assert 'not "x"' in refusal("memory://?max_origins=x&max_origins=1")
    assert StoreUrl.parse("memory://?max_origins=1&max_origins=2") == StoreUrl(2)


def test_error_does_not_contain_the_password_of_the_url() -> None:
    """The error may be logged, so it leaves out the credentials of the URL."""
    message = refusal("mysql://me:secret@127.0.0.1:3306/0?password=secret")

    assert "mysql://127.0.0.1:3306/0" in message
    assert "secret" not in message


def test_parsing_a_sqlite_url_creates_no_file(tmp_path: Path) -> None:
    """Neither parsing the URL nor making the store creates its file."""
    url = f"sqlite:///{tmp_path}/robots.db"

    assert StoreUrl.parse(url) == StoreUrl(url=url)
    assert isinstance(StoreUrl.parse(url).new_store(), SqliteStore)
    assert list(tmp_path.iterdir()) == []


def test_crawl_options_are_removed_from_the_url_of_the_store() -> None:
    """`in_memory`, `in_memory_bytes` and `timeout` are ours; the store gets the rest."""
    store_url = StoreUrl.parse(
        "sqlite:///a.db?in_memory=10&in_memory_bytes=30&max_bytes=200000&timeout=0.5"
    )

    assert store_url == StoreUrl(10, 30, "sqlite:///a.db?max_bytes=200000", 0.5)


@pytest.mark.parametrize("value", ["", "0", "-1", "soon", "nan", "inf"])
def test_invalid_timeout_is_rejected(value: str) -> None:
    """A store without a timeout could block a crawl."""
    assert "timeout must be seconds" in refusal(f"sqlite:///a.db?timeout={value}")


def test_custom_store_is_named_by_its_import_path() -> None:
    """The class gets the whole URL without `timeout`, which is passed separately."""
    path = f"{__name__}.OwnStore"

    store = StoreUrl.parse(f"{path}://Host/Path?x=1&timeout=3").new_store()

    assert isinstance(store, OwnStore)
    assert (store.url, store.timeout) == (f"{path}://Host/Path?x=1", 3.0)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("no.such.module.Store", "cannot be imported"),
        ("tests.stores.clock.Nothing", "cannot be imported"),
        ("tests.stores.clock.FakeClock", "is not a PolicyStore"),
        ("json.dumps", "is not a PolicyStore"),
        (f"{__name__}.Unfinished", "cannot be made: Can't instantiate abstract class"),
    ],
)
def test_import_path_of_anything_but_a_store_is_rejected(
    path: str, expected: str
) -> None:
    """The message says what is wrong with it."""
    assert expected in refusal(f"{path}://x")


@pytest.mark.parametrize("base", ["robots", "-1", "1.5"])
def test_redis_database_that_is_not_a_number_is_rejected(base: str) -> None:
    """The client would use database 0, where another project may have its keys."""
    assert f'the database "{base}" is not a number' in refusal(f"redis://h/{base}")


class OwnStore(SqliteStore):
    """A store as a user might write one."""

    url = ""
    timeout = 0.0

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Record the arguments."""
        store = cls(url)
        store.url, store.timeout = url, timeout
        return store


class Unfinished(PolicyStore):
    """A store that lacks all methods but `from_url`."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - it fails before
        """Fail, because the class is abstract."""
        return cls()


def test_memory_url_makes_no_persistent_store() -> None:
    """`new_store` returns `None`, and the log shows the scheme."""
    assert StoreUrl.parse("memory://").new_store() is None
    assert str(StoreUrl.parse("memory://")) == "memory://"


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("sqlit:///robots.db", "sqlite"),
        ("memroy://", "memory"),
        ("Rediss+clusters://h", "rediss+cluster"),
    ],
)
def test_misspelt_scheme_is_rejected_with_a_suggestion(url: str, meant: str) -> None:
    """The error suggests the most similar scheme."""
    assert f'(did you mean "{meant}://"?)' in refusal(url)


def test_unfamiliar_scheme_has_no_suggestion() -> None:
    """An unrelated scheme is not a typing error."""
    assert "did you mean" not in refusal("postgres://h")
