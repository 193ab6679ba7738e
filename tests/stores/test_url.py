"""`ROBOTS1994_STORE`: what is read, and the sentence for what is not."""

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
def test_a_memory_store_is_read(url: str, max_origins: int) -> None:
    """`memory://` with or without its one option sets the number of stored origins."""
    assert StoreUrl.parse(url) == StoreUrl(max_origins=max_origins)


def test_memory_is_bounded_in_bytes() -> None:
    """`max_bytes` says how many; 256 MB if it does not."""
    assert StoreUrl.parse("memory://?max_bytes=1000").max_bytes == 1000
    assert StoreUrl.parse("memory://").max_bytes == 256_000_000


def refusal(url: str) -> str:
    """Read *url* and give the sentence with which it is refused."""
    with pytest.raises(SettingsError) as refused:
        StoreUrl.parse(url)
    sentence = str(refused.value)
    assert sentence.startswith("ROBOTS1994_STORE: ")
    said, _, example = sentence.partition("; write for example ")
    StoreUrl.parse(example.removeprefix('"').removesuffix('".'))
    assert sentence.isprintable()
    return said


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
def test_error_for_a_wrong_store_url_says_what_to_write(url: str) -> None:
    """Anything but a memory store is refused with the address and an example."""
    assert "names no store" in refusal(url)


@pytest.mark.parametrize(
    ("query", "name"),
    [("size=1", "size"), ("max_origins=1&x=", "x"), ("Max_Origins=1", "Max_Origins")],
)
def test_an_unknown_option_is_named(query: str, name: str) -> None:
    """An option without effect would hide a mistake."""
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
def test_a_bound_that_is_no_number_is_refused(value: str) -> None:
    """A bound is a whole number of at least 1 in plain digits."""
    assert "whole number of at least 1" in refusal(f"memory://?max_origins={value}")


def test_a_bound_without_its_value_is_refused() -> None:
    """An option that was begun and not ended is no default."""
    assert 'not ""' in refusal("memory://?max_origins")


@pytest.mark.parametrize("digits", [19, 100, 5000])
def test_a_bound_beyond_all_memory_is_refused_with_the_same_sentence(
    digits: int,
) -> None:
    """No number is so long that Python's own words for it would come out."""
    url = "memory://?max_origins=" + "1" * digits

    assert "whole number of at least 1" in refusal(url)


def test_the_last_of_two_bounds_cannot_hide_a_wrong_first() -> None:
    """Each option is checked, though the last of two counts."""
    assert 'not "x"' in refusal("memory://?max_origins=x&max_origins=1")
    assert StoreUrl.parse("memory://?max_origins=1&max_origins=2") == StoreUrl(2)


def test_a_password_in_a_store_url_is_not_repeated() -> None:
    """A refused URL goes to a log; the user and password in it do not."""
    sentence = refusal("mysql://me:secret@127.0.0.1:3306/0?password=secret")

    assert "mysql://127.0.0.1:3306/0" in sentence
    assert "secret" not in sentence


def test_a_lasting_store_is_named_and_not_opened(tmp_path: Path) -> None:
    """`sqlite://` is read, with memory before it; no file is made."""
    url = f"sqlite:///{tmp_path}/robots.db"

    assert StoreUrl.parse(url) == StoreUrl(url=url)
    assert isinstance(StoreUrl.parse(url).new_store(), SqliteStore)
    assert list(tmp_path.iterdir()) == []


def test_options_of_the_crawl_are_read_for_every_store() -> None:
    """`in_memory`, `in_memory_bytes` and `timeout`; the store gets the rest."""
    locator = StoreUrl.parse(
        "sqlite:///a.db?in_memory=10&in_memory_bytes=30&max_bytes=200000&timeout=0.5"
    )

    assert locator == StoreUrl(10, 30, "sqlite:///a.db?max_bytes=200000", 0.5)


@pytest.mark.parametrize("value", ["", "0", "-1", "soon", "nan", "inf"])
def test_a_timeout_that_is_no_time_is_refused(value: str) -> None:
    """A store without a time limit could hold up a crawl."""
    assert "timeout must be seconds" in refusal(f"sqlite:///a.db?timeout={value}")


def test_a_store_of_ones_own_is_named_by_its_import_path() -> None:
    """The class makes the store of the whole URL, without our two options."""
    path = f"{__name__}.OwnStore"

    store = StoreUrl.parse(f"{path}://Host/Path?x=1&timeout=3").new_store()

    assert isinstance(store, OwnStore)
    assert (store.url, store.timeout) == (f"{path}://Host/Path?x=1", 3.0)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("no.such.module.Store", "cannot be imported"),
        ("tests.stores.clock.Nothing", "cannot be imported"),
        ("tests.stores.clock.FakeClock", "is not a PolicyStore"),
        ("json.dumps", "is not a PolicyStore"),
        (f"{__name__}.Unfinished", "cannot be made: Can't instantiate abstract class"),
    ],
)
def test_an_import_path_to_no_store_is_refused(path: str, said: str) -> None:
    """The sentence says what is wrong with it."""
    assert said in refusal(f"{path}://x")


@pytest.mark.parametrize("base", ["robots", "-1", "1.5"])
def test_a_redis_database_that_is_no_number_is_refused(base: str) -> None:
    """The library would take database 0, where another project may have its keys."""
    assert f'the database "{base}" is not a number' in refusal(f"redis://h/{base}")


class OwnStore(SqliteStore):
    """A store as a user might write one."""

    url = ""
    timeout = 0.0

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Note what is handed over."""
        store = cls(url)
        store.url, store.timeout = url, timeout
        return store


class Unfinished(PolicyStore):
    """A store whose other methods are still to be written."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - it fails before
        """Fail, for the class is abstract."""
        return cls()


def test_memory_is_no_lasting_store() -> None:
    """There is nothing to open, and the log calls it by its scheme."""
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
def test_a_misspelt_scheme_is_refused_with_the_likely_one(url: str, meant: str) -> None:
    """As names of settings are."""
    assert f'(did you mean "{meant}://"?)' in refusal(url)


def test_a_scheme_unlike_any_other_has_no_suggestion() -> None:
    """The example says what to write."""
    assert "did you mean" not in refusal("postgres://h")
