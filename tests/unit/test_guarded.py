"""`GuardedStore`: calls end in time, whatever the store does, and failures are reported."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import StoreUrl
from scrapy_robots1994.stores import guarded as guard
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.guarded import MAX_ABANDONED, MAX_REPORTED, _StoreThread
from tests.unit.clock import FakeClock
from tests.unit.fake_store import FakeStore
from tests.unit.guarded_store import Guarded, guarded, unavailable
from tests.unit.samples import NOW, SITE, parsed, unreachable

SOON = 0.1


class UnprintableError(Exception):
    """An exception that cannot be converted to text."""

    def __str__(self) -> str:
        """Fail."""
        raise ValueError


def make_every_call(store: Guarded) -> None:
    """Read, lease and write; a failing store returns nothing and raises nothing."""
    assert store.read(SITE) is None
    assert store.lease(SITE) is None
    store.write(parsed())


@pytest.mark.parametrize(
    "error",
    [
        StoreError("the disk is gone"),
        OSError(28, "no space"),
        ZeroDivisionError(),
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
        UnprintableError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_error_is_a_miss_and_is_logged_once(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception of any class causes one line in the log, without a traceback."""
    fake = FakeStore()
    fake.error = error
    store = guarded(fake)

    make_every_call(store)
    store.close_and_wait()

    assert store.failures >= 1
    assert len(caplog.records) == 1
    assert "Traceback" not in caplog.text
    assert fake.calls[-1] == "close"


@pytest.mark.parametrize(
    "answer", ["text", 5, object()], ids=["text", "number", "object"]
)
def test_result_other_than_bytes_is_a_miss(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Converting an integer by `bytes(9000000000)` would fill the memory."""

    class OddStore(FakeStore):
        def get(self, origin: Any) -> Any:
            return answer

        def acquire_lease(self, *args: Any) -> Any:
            return answer

    store = guarded(OddStore())

    make_every_call(store)
    store.close_and_wait()

    assert "returned" in caplog.text


def test_coroutine_methods_are_a_miss(caplog: pytest.LogCaptureFixture) -> None:
    """A store written for asyncio is reported, not awaited."""

    class AsyncStore(FakeStore):
        async def get(self, origin: Any) -> None:  # type: ignore[override]  # wrong on purpose
            """Return nothing."""

    store = guarded(AsyncStore())

    assert store.read(SITE) is None
    store.close_and_wait()

    assert "plain functions, not coroutines" in caplog.text


@pytest.mark.parametrize("call", ["get", "acquire_lease", "put", "close"])
def test_call_that_never_returns_costs_one_timeout(call: str) -> None:
    """The thread is abandoned, and the store closes without it."""
    fake = FakeStore()
    store = guarded(fake, timeout=SOON)
    if call == "close":
        store.read(SITE)
    fake.hang()
    match call:
        case "get":
            assert store.read(SITE) is None
        case "acquire_lease":
            assert store.lease(SITE) is None
        case "put":
            store.release_lease(SITE, parsed())
            fake.wait_for("put")
    hung = {thread for thread in fake.threads if thread.is_alive()}
    for _ in range(0 if call == "close" else 100):
        assert store.read(SITE) is None
    store.close_and_wait()

    assert store.failures == 1
    assert fake.calls.count(call) == 1
    assert all(thread.daemon for thread in hung)
    fake.resume.set()
    for thread in hung:
        thread.join(20)
    # A thread whose call returns late closes its instance: no other thread uses it.
    assert fake.calls[-1] == "close"


def test_time_in_the_queue_does_not_count_as_timeout() -> None:
    """A store that answers each call in time does not fail, however many calls wait."""

    class SlowStore(FakeStore):
        def get(self, origin: Any) -> None:
            threading.Event().wait(SOON / 5)

    store = guarded(SlowStore(), timeout=SOON)
    futures = [store.submit(store.get(SITE)) for _ in range(20)]

    for future in futures:
        assert store.result(future) is None
    store.close_and_wait()

    assert store.failures == 0


def test_number_of_abandoned_threads_is_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A store that hangs for hours does not cost a thread for each attempt."""
    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    fake = FakeStore()
    fake.hang()
    store = guarded(fake, timeout=0.02)

    for _ in range(3 * MAX_ABANDONED):
        assert store.read(SITE) is None

    assert len(fake.threads) == MAX_ABANDONED
    fake.resume.set()
    for thread in fake.threads:
        thread.join(20)
    assert store.read(SITE) is None
    assert len(fake.threads) == MAX_ABANDONED + 1
    store.close_and_wait()


def test_thread_that_cannot_start_is_retried(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A container may limit threads; no call waits for a thread that does not run."""

    def fail(_: _StoreThread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    store = guarded(FakeStore())
    with monkeypatch.context() as limited:
        limited.setattr(_StoreThread, "start", fail)
        make_every_call(store)
    store.write(parsed())

    assert store.read(SITE) == parsed()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "can't start new thread" in caplog.text
    store.close_and_wait()


def test_each_thread_has_its_own_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a timeout, a new instance is used in a new thread."""
    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    made: list[FakeStore] = []

    def make() -> FakeStore:
        made.append(FakeStore())
        if len(made) == 1:
            made[0].hang()
        return made[-1]

    store = guarded(make, timeout=SOON)
    assert store.read(SITE) is None
    assert store.read(SITE) is None
    store.close_and_wait()
    made[0].resume.set()

    assert len(made) == 2
    assert made[1].calls == ["get", "close"]
    made[0].wait_for("close")
    assert [len(each.threads) for each in made] == [1, 1]


def test_failed_store_is_not_called_for_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A hundred reads during an outage cost one call and one warning."""
    fake = FakeStore()
    fake.error = StoreError("away")
    store = guarded(fake)

    for _ in range(100):
        assert store.read(SITE) is None

    assert fake.calls == ["get"]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "away. The crawl goes on" in caplog.text
    store.close_and_wait()


def test_recovery_is_logged_and_the_store_is_used_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call that succeeds is logged."""
    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    caplog.set_level(logging.INFO)
    fake = FakeStore()
    store = guarded(fake)
    fake.error = StoreError("away")
    store.read(SITE)
    store.write(parsed())
    fake.error = None
    store.write(parsed())

    assert store.read(SITE) == parsed()

    words = [record.getMessage().split()[2] for record in caplog.records]
    assert words == ["failed:", "answers"]
    store.close_and_wait()


def test_number_of_different_failures_logged_is_limited(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A store with a file per origin may have a different error for each of them."""
    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    fake = FakeStore()
    store = guarded(fake)
    for number in range(2 * MAX_REPORTED):
        fake.error = StoreError(f"cannot read file {number}")
        assert store.read(SITE) is None
        fake.error = None
        assert store.read(SITE) is None
    store.close_and_wait()

    assert store.failures == 2 * MAX_REPORTED
    assert [it.levelname for it in caplog.records] == ["WARNING"] * MAX_REPORTED


def test_store_that_cannot_write_is_still_read() -> None:
    """Reading and writing fail separately: a file can be read-only."""

    class ReadOnlyStore(FakeStore):
        def put(self, stored: Any) -> None:
            raise StoreError("read-only")

    fake = ReadOnlyStore()
    fake.entries_by_origin[SITE] = encode(parsed())
    store = guarded(fake)
    store.write(parsed())

    assert store.failures == 1
    assert store.read(SITE) == parsed()
    store.close_and_wait()


def test_store_whose_leases_fail_is_still_written_to(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A server may not permit scripts; that is logged once, and writes continue."""
    caplog.set_level(logging.INFO, "scrapy_robots1994")

    class LeaselessStore(FakeStore):
        def acquire_lease(self, *_: Any) -> Any:
            raise StoreError("no scripts")

    fake = LeaselessStore()
    store = guarded(fake)
    assert store.lease(SITE) is None
    store.write(parsed())

    assert store.read(SITE) == parsed()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    store.close_and_wait()


@pytest.mark.parametrize(
    "text",
    [
        "bad password hunter2",
        "cannot connect to db://me:hunter2@db.test:99/x",
        "{'host': 'db.test', 'password': 'hunter2'}",
        "dsn host=db.test password=hunter2 user=me",
        "token hunter%2F2",
        "hunter/2 is wrong",
    ],
)
def test_credentials_are_removed_from_error_messages(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception may contain them in any place, decoded or as in the URL."""
    url = StoreUrl(url="my.Store://me:hunter2@db.test/x?token=hunter%2F2")

    shown = url.describe(ValueError(text))

    assert "hunter" not in shown
    assert "hunter" not in str(url)


def test_control_characters_of_error_messages_are_escaped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours O25 applies to the error messages of stores."""
    fake = FakeStore()
    fake.error = StoreError("bad\n\x1b[31mnews")
    store = guarded(fake)
    store.read(SITE)
    store.close_and_wait()

    assert "bad \\x1b[31mnews" in caplog.text


def test_store_that_cannot_be_made_is_a_miss(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """`from_url` runs again for each thread, and may fail there."""

    def make() -> FakeStore:
        raise RuntimeError("gone")

    store = guarded(make)

    assert store.read(SITE) is None
    store.close_and_wait()
    assert "gone" in caplog.text


def test_expired_policy_is_neither_stored_nor_returned() -> None:
    """A policy past its `keep_until` is neither put nor returned."""
    clock = FakeClock()
    fake = FakeStore()
    store = guarded(fake, clock)
    store.write(unavailable())
    assert store.read(SITE) is not None

    clock.now = NOW + 300
    assert store.read(SITE) is None
    store.write(unavailable())

    assert fake.entries_by_origin == {}
    store.close_and_wait()


def test_network_failure_is_not_stored() -> None:
    """§3.1: other workers may be able to reach the origin."""
    fake = FakeStore()
    store = guarded(fake)

    store.write(unreachable())

    assert fake.entries_by_origin == {}
    store.close_and_wait()


def test_close_waits_for_pending_writes() -> None:
    """A policy released just before the close is stored."""
    fake = FakeStore()
    store = guarded(fake)
    store.release_lease(SITE, parsed())
    store.close_and_wait()

    assert fake.entries_by_origin == {SITE: encode(parsed())}
    assert fake.calls[-1] == "close"


def test_close_takes_no_longer_than_the_timeout() -> None:
    """The close does not wait for a thousand queued writes to a slow store."""

    class SlowStore(FakeStore):
        def put(self, stored: Any) -> None:
            threading.Event().wait(0.01)
            super().put(stored)

    fake = SlowStore()
    store = guarded(fake, timeout=SOON)
    for _ in range(1000):
        store.release_lease(SITE, parsed())
    store.close_and_wait()

    assert 0 < fake.calls.count("put") < 1000
    for thread in fake.threads:
        thread.join(20)
        assert not thread.is_alive()


def test_closed_store_is_not_reopened() -> None:
    """A read after the close is a miss."""
    fake = FakeStore()
    store = guarded(fake)
    store.close_and_wait()

    assert store.read(SITE) is None
    assert fake.calls == []
