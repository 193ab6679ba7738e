"""The error for a wrong `ROBOTS1994_STORE` is one sentence with an example and no password."""

from __future__ import annotations

import traceback

import pytest

from scrapy_robots1994 import SettingsError, open_store
from tests.support.folder_store import FolderStore

FOLDER = "tests.support.folder_store.FolderStore"
STORES = "tests.support.stores"

WRONG = [
    *(
        (url, "no store")
        for url in ("", " ", "memory", "memory://here", "http://[", "me\nm://")
    ),
    ("sqlit:///robots.db", 'did you mean "sqlite"?'),
    ("memroy://", 'did you mean "memory"?'),
    ("robots.db", "cannot be imported"),
    ("sqlite://robots.db", "a path must follow sqlite:///"),
    ("sqlite:///", "a path must follow sqlite:///"),
    ("sqlite:///nosuch/robots.db", "in an existing folder, unlike /"),
    (f"sqlite:///{'x' * 150}/robots.db", f"/{'x' * 150}/robots.db; write"),
    ("sqlite:////tmp", "unlike /tmp; write"),
    (
        "sqlite:///a.db?timeout=1&timeout=soon",
        "timeout must be a number of seconds above 0",
    ),
    ("sqlite:///a.db?max_bytes=999999", "max_bytes must be at least 1000000"),
    ("sqlite:///a.db?size=5", 'no option "size"'),
    ("memory://?max_orgins=1", 'no option "max_orgins"; did you mean "max_origins"?'),
    *(
        (f"memory://?max_origins={value}", "whole number of at least 1")
        for value in ("", "0", "-1", "1.5", "\u0663", "1_000", "1" * 5000)
    ),
    *(
        (
            f"sqlite:///a.db?timeout={value}",
            "timeout must be a number of seconds above 0",
        )
        for value in ("", "0", "0.0", "-1", "soon", "nan", "inf", "1e1")
    ),
    ("redis://h/robots", "the database must be a number"),
    ("redis://h:many/0", "Port could not be cast"),
    ("redis://h?colour=red", "colour"),
    ("redis://h?socket_timeout=soon", "socket_timeout"),
    ("redis://h?protocol=9", "protocol"),
    *(
        (f"redis://me:hunter2{mark}x@127.0.0.1:1/0", "write /?#@ as %2F%3F%23%40")
        for mark in "/?#"
    ),
    (
        "mysql://me:hunter2@127.0.0.1/0?password=hunter2",
        '"mysql://127.0.0.1/0": no store',
    ),
    ("no.such.module.Store://x", "cannot be imported"),
    (f"{STORES}.Nothing", "cannot be imported"),
    ("json.dumps://x", "or coroutines: from_url, get, put, close"),
    (f"{STORES}.Asynchronous", "missing or coroutines: get"),
    (f"{STORES}.Telling://me:p%40ss@host/0", "no login with ***"),
]


@pytest.mark.parametrize(
    ("url", "problem"), WRONG, ids=[repr(it)[:60] for it, _ in WRONG]
)
def test_wrong_url_is_refused_in_one_sentence(url: str, problem: str) -> None:
    with pytest.raises(SettingsError) as refused:
        open_store(url)

    message = str(refused.value)
    assert message.startswith("ROBOTS1994_STORE")
    assert problem in message
    assert "; write for example " in message
    assert message.isprintable()
    assert len(message) < 600
    shown = "".join(traceback.format_exception(refused.value))
    assert not any(secret in shown for secret in ("hunter2", "p@ss"))


def test_memory_cannot_be_opened() -> None:
    with pytest.raises(SettingsError, match="belongs to one crawl"):
        open_store("memory://")


@pytest.mark.parametrize(
    ("written", "passed"),
    [
        (FOLDER, FOLDER),
        (
            f"{FOLDER}://Host/Path?timeout=9&x=1&timeouts=3&timeout=3",
            f"{FOLDER}://Host/Path?x=1&timeouts=3",
        ),
    ],
)
def test_class_of_a_user_gets_its_url_without_the_timeout(
    written: str, passed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import path alone, without `://…`, is a valid value too."""
    calls = []

    def from_url(url: str, *, timeout: float) -> FolderStore:
        calls.append((url, timeout))
        return FolderStore("x")

    monkeypatch.setattr(FolderStore, "from_url", from_url)

    assert isinstance(open_store(written), FolderStore)
    assert calls[-1] == (passed, 3.0 if "timeout" in written else 2.0)
