"""`ROBOTS1994_STORE`: what is read, and the sentence for what is not."""

from __future__ import annotations

import pytest

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.stores import Locator, locate

EXAMPLE = 'write for example "memory://?max_origins=100000".'


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
    """`memory://` with or without its one option says how many origins are held."""
    assert locate(url) == Locator(max_origins=max_origins)


def refusal(url: str) -> str:
    """Read *url* and give the sentence with which it is refused."""
    with pytest.raises(SettingsError) as refused:
        locate(url)
    sentence = str(refused.value)
    assert sentence.startswith("ROBOTS1994_STORE: ")
    assert sentence.endswith(EXAMPLE)
    assert sentence.isprintable()
    return sentence.removesuffix(EXAMPLE)


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
def test_where_no_store_is_the_sentence_says_what_to_write(url: str) -> None:
    """Anything but a memory store is refused with the address and an example."""
    assert "no store is at" in refusal(url)


@pytest.mark.parametrize(
    ("query", "name"),
    [("size=1", "size"), ("max_origins=1&x=", "x"), ("Max_Origins=1", "Max_Origins")],
)
def test_an_unknown_option_is_named(query: str, name: str) -> None:
    """An option that does nothing would be a mistake nobody sees."""
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
    assert locate("memory://?max_origins=1&max_origins=2") == Locator(2)


def test_a_password_in_a_store_url_is_not_repeated() -> None:
    """A refused URL goes to a log; the user and password in it do not."""
    sentence = refusal("redis://me:secret@127.0.0.1:6379/0")

    assert "redis://127.0.0.1:6379/0" in sentence
    assert "secret" not in sentence
