"""Store URLs with a mistake: no message, representation or traceback contains a password."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

import pytest

from scrapy_robots1994.stores.url import STORES, StoreUrl
from tests.support.crawl import ROOT

SECRET = "hunter2"  # noqa: S105 - the tests check that it does not leak

SLIPS = [
    *("redis:/:{0}@host", "redis:/me:{0}@host/0", "redis:me:{0}@host"),
    *("redis::{0}@host", ":{0}@host", "me:{0}@host:6379/0", "//me:{0}@host"),
    *("redis//me:{0}@host", "redis;//me:{0}@host", "reddis://me:{0}@host"),
    *("redis ://me:{0}@host", "redis:///me:{0}@host", "redis://me:{0}?x@host"),
    *("redis://me:x?{0}@host", "redis://me:x?a={0}@host", "redis://me:{0}#x@host"),
    *("redis://me:x#{0}@host", "redis://me:{0}/x@host", "redis://me:x/{0}@host/0"),
    *("redis://me:{0}\\x@host:port", "redis://me:x {0}@host:port"),
    *("redis://me:{0}@x@host:port", "redis://me:x@{0}@host:port"),
    *("redis://me:{0}@host:port", "redis://me:{0}@host/x"),
    *("redis://me:{0}@host/0?tmo=1", "redis://me:{0}@host/0?in_memory=x"),
    *("redis://host/0?password={0}&in_memory=x", "no.such.Store://me:{0}@host"),
    *("no.such.Store://me:x?{0}@host", "os.path://me:{0}@host"),
    *("mysql://me:x/{0}@host", "memory:me:{0}@host", "redis+sentinel://me:{0}@host"),
    *("redis+cluster://me:{0}?x@host", "my.Store://me:{0}@host"),
    *("my.Store://me:x?{0}@host", "my.Store://host?token={0}"),
]


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("secret", [SECRET, "hunter2%2Fx", "hunter2%20x"])
def test_no_message_about_a_store_url_has_its_password(slip: str, secret: str) -> None:
    """No error about a store URL contains its password. The representation of a URL does
    not contain the password either.
    """
    try:
        url = StoreUrl.parse(slip.format(secret))
    except Exception as error:  # noqa: BLE001 - of whichever class
        shown = "".join(traceback.format_exception(error)) + repr(error)
    else:
        shown = f"{url} {url!r}"
    # Also check the `repr` of a URL that was not parsed, because a traceback can
    # contain the `repr`.
    made = StoreUrl(url=slip.format(secret))

    assert SECRET not in f"{shown} {made} {made!r}"


@pytest.mark.parametrize(
    "text",
    [
        "bad password hunter2",
        "cannot connect to db://me:hunter2@db.test:99/x",
        "{'host': 'db.test', 'password': 'hunter2'}",
        "dsn host=db.test password=hunter2 user=me",
        "token hunter%2F2",
        "hunter/2 is wrong",
        # Database drivers quote their own settings in the following forms.
        "password=hunter3",
        "db.password: hunter3",
        "my_password = hunter3",
        "{'api_key': 'hunter3'}",
        "http://h/?token=hunter3",
        '"auth":"hunter3"',
    ],
)
def test_credentials_are_removed_from_error_messages(text: str) -> None:
    """Credentials of the URL are removed everywhere in a message. Other credentials are
    removed after a name such as `password`.
    """
    url = StoreUrl(url="my.Store://me:hunter2@db.test/x?token=hunter%2F2")

    assert "hunter" not in url.describe(ValueError(text))
    assert "hunter" not in str(url)


def schemes_of(path: Path) -> set[str]:
    """Return the schemes of all URLs in the file at *path*."""
    return set(re.findall(r"([a-z+]+)://", path.read_text("utf-8")))


FIRST = {row: scheme for scheme, row in reversed([*STORES.items()])}
"""The first scheme of each store."""


@pytest.mark.parametrize("scheme", FIRST.values())
def test_every_store_has_its_contract_and_its_documentation(scheme: str) -> None:
    """A module of `tests/stores` tests the contract with each store, `test_crawls.py` crawls
    with the store, and the page of stores contains every scheme.
    """
    folder, (path, example) = ROOT / "tests/stores", STORES[scheme]
    with_contract = {
        path.name
        for path in folder.glob("test_*.py")
        if re.search(
            r"^class .*StoreContract\):", path.read_text("utf-8"), re.MULTILINE
        )
    }

    assert example.startswith(f"{scheme}://")
    assert f"test_{scheme}.py" in with_contract
    assert f'"{scheme}"' in (folder / "test_crawls.py").read_text("utf-8")
    schemes = {name for name, row in STORES.items() if row[0] == path}
    assert schemes_of(ROOT / "docs/stores.rst") >= schemes
