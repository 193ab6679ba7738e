"""The guard of a store: in time, whatever the store does, and reported once."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import threading
from typing import Any

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import Lease, StoreUrl, worker
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.guarded import MAX_ABANDONED
from scrapy_robots1994.stores.leases import PolicyThread
from scrapy_robots1994.stores.worker import MAX_REPORTED
from tests.policy.samples import NOW, SITE, parsed, unreachable
from tests.stores.clock import FakeClock
from tests.stores.lasting import Guarded, busy, guarded
from tests.stores.stubborn import StubbornStore

SOON = 0.1


class SpeechlessError(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        """Fail."""
        raise ValueError


def use_everything(store: Guarded) -> None:
    """Read, lease and write; the store knows nothing, and stops nothing."""
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
        SpeechlessError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_error_of_a_store_is_a_miss_and_reported_once(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception of any class goes no further than one line of the log."""
    stubborn = StubbornStore()
    stubborn.error = error
    store = guarded(stubborn)

    use_everything(store)
    store.end()

    assert store.failures >= 1
    assert len(caplog.records) == 1
    assert "Traceback" not in caplog.text
    assert stubborn.calls[-1] == "close"


@pytest.mark.parametrize(
    "answer", ["text", 5, object()], ids=["text", "number", "object"]
)
def test_a_store_that_returns_anything_else_than_bytes_is_a_miss(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """`bytes(9000000000)` of an integer would fill the memory."""

    class OddStore(StubbornStore):
        def get(self, origin: Any) -> Any:
            return answer

        def acquire_lease(self, *args: Any) -> Any:
            return answer

    store = guarded(OddStore())

    use_everything(store)
    store.end()

    assert "returned" in caplog.text


def test_a_lease_without_its_seconds_is_a_failure_of_the_store(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is reported once as any other failure, and no traceback of ours is logged."""

    class TimelessStore(StubbornStore):
        def acquire_lease(self, *_: Any) -> Lease:
            return Lease(granted=False, seconds_left=None)  # type: ignore[arg-type]  # wrong on purpose

    store = guarded(TimelessStore())

    use_everything(store)
    store.end()

    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "seconds_left of a lease must be a number, not NoneType" in caplog.text


def test_coroutine_methods_are_a_miss(caplog: pytest.LogCaptureFixture) -> None:
    """A store written for asyncio is reported, not awaited."""

    class AsyncStore(StubbornStore):
        async def get(self, origin: Any) -> None:  # type: ignore[override]  # wrong on purpose
            """Return nothing."""

    store = guarded(AsyncStore())

    assert store.read(SITE) is None
    store.end()

    assert "plain functions, not coroutines" in caplog.text


@pytest.mark.parametrize("call", ["get", "acquire_lease", "put", "close"])
def test_a_call_that_never_returns_costs_the_time_limit_once(call: str) -> None:
    """The thread is abandoned, and the crawl ends without it."""
    stubborn = StubbornStore()
    store = guarded(stubborn, timeout=SOON)
    if call == "close":
        store.read(SITE)
    stubborn.hang()
    match call:
        case "get":
            assert store.read(SITE) is None
        case "acquire_lease":
            assert store.lease(SITE) is None
        case "put":
            store.release_lease(SITE, parsed())
            stubborn.wait_for("put")
    hung = {thread for thread in stubborn.threads if thread.is_alive()}
    for _ in range(0 if call == "close" else 100):
        assert store.read(SITE) is None
    store.end()

    assert store.failures == 1
    assert stubborn.calls.count(call) == 1
    assert all(thread.daemon for thread in hung)
    stubborn.go_on.set()
    for thread in hung:
        thread.join(20)
    # Whose call returns late closes its instance, for no other thread uses it.
    assert stubborn.calls[-1] == "close"


def test_time_in_our_own_queue_is_not_the_stores() -> None:
    """A store that answers each call in time is no outage, however many wait."""

    class SlowStore(StubbornStore):
        def get(self, origin: Any) -> None:
            threading.Event().wait(SOON / 5)

    store = guarded(SlowStore(), timeout=SOON)
    futures = [store.get(SITE) for _ in range(20)]

    for future in futures:
        assert store.result(future) is None
    store.end()

    assert store.failures == 0


def test_threads_that_never_return_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A store that hangs for hours does not cost a thread each time it is tried."""
    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    stubborn = StubbornStore()
    stubborn.hang()
    store = guarded(stubborn, timeout=0.02)

    for _ in range(3 * MAX_ABANDONED):
        assert store.read(SITE) is None

    assert len(stubborn.threads) == MAX_ABANDONED
    stubborn.go_on.set()
    for thread in stubborn.threads:
        thread.join(20)
    assert store.read(SITE) is None
    assert len(stubborn.threads) == MAX_ABANDONED + 1
    store.end()


def test_a_thread_that_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A container may have a limit: no wait is for a thread that does not run."""

    def fail(_: PolicyThread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    store = guarded(StubbornStore())
    with monkeypatch.context() as limited:
        limited.setattr(PolicyThread, "start", fail)
        use_everything(store)
    store.write(parsed())

    assert store.read(SITE) == parsed()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "can't start new thread" in caplog.text
    store.end()


def test_an_instance_belongs_to_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a call that did not return in time a new instance is used."""
    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    made: list[StubbornStore] = []

    def make() -> StubbornStore:
        made.append(StubbornStore())
        if len(made) == 1:
            made[0].hang()
        return made[-1]

    store = guarded(make, timeout=SOON)
    assert store.read(SITE) is None
    assert store.read(SITE) is None
    store.end()
    made[0].go_on.set()

    assert len(made) == 2
    assert made[1].calls == ["get", "close"]
    made[0].wait_for("close")
    assert [len(each.threads) for each in made] == [1, 1]


def test_a_store_that_failed_rests(caplog: pytest.LogCaptureFixture) -> None:
    """A hundred reads during an outage cost one call, and one warning."""
    stubborn = StubbornStore()
    stubborn.error = StoreError("away")
    store = guarded(stubborn)

    for _ in range(100):
        assert store.read(SITE) is None

    assert stubborn.calls == ["get"]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "away. The crawl goes on" in caplog.text
    store.end()


def test_a_store_that_recovers_is_used_again_and_reported(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call finds out; the log says that it answers again."""
    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    caplog.set_level(logging.INFO)
    stubborn = StubbornStore()
    store = guarded(stubborn)
    stubborn.error = StoreError("away")
    store.read(SITE)
    store.write(parsed())
    stubborn.error = None
    store.write(parsed())

    assert store.read(SITE) == parsed()

    words = [record.getMessage().split()[2] for record in caplog.records]
    assert words == ["failed:", "answers"]
    store.end()


def test_failures_with_ever_new_texts_are_a_bounded_number_of_warnings(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A file for each origin, some of them unreadable: each error names another one."""
    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    stubborn = StubbornStore()
    store = guarded(stubborn)
    for number in range(2 * MAX_REPORTED):
        stubborn.error = StoreError(f"cannot read file {number}")
        assert store.read(SITE) is None
        stubborn.error = None
        assert store.read(SITE) is None
    store.end()

    assert store.failures == 2 * MAX_REPORTED
    assert [it.levelname for it in caplog.records] == ["WARNING"] * MAX_REPORTED


def test_a_store_that_cannot_write_is_still_read() -> None:
    """Reading and writing fail apart: a file can be read-only."""

    class ReadOnlyStore(StubbornStore):
        def put(self, stored: Any) -> None:
            raise StoreError("read-only")

    stubborn = ReadOnlyStore()
    stubborn.entries_by_origin[SITE] = encode(parsed())
    store = guarded(stubborn)
    store.write(parsed())

    assert store.failures == 1
    assert store.read(SITE) == parsed()
    store.end()


def test_a_store_without_leases_is_still_written_to(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A server may run no scripts: that is reported once, however often it is written."""
    caplog.set_level(logging.INFO, "scrapy_robots1994")

    class LeaselessStore(StubbornStore):
        def acquire_lease(self, *_: Any) -> Lease:
            raise StoreError("no scripts")

    stubborn = LeaselessStore()
    store = guarded(stubborn)
    assert store.lease(SITE) is None
    store.write(parsed())

    assert store.read(SITE) == parsed()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    store.end()


@pytest.mark.parametrize(
    "hides", [False, True], ids=["says so", "hides it, as SQLite does"]
)
def test_a_limit_of_this_process_is_no_outage(
    hides: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call is repeated, and nothing fails if a descriptor becomes free in time."""
    calls = []

    class Short(StubbornStore):
        def get(self, origin: Any) -> bytes:
            calls.append(origin)
            if len(calls) < 4:
                if hides:
                    raise StoreError("unable to open database file")
                raise StoreError("refused") from OSError(errno.EMFILE, "too many")
            return encode(parsed())

    def no_descriptor(*_: object) -> int:
        raise OSError(errno.EMFILE, "too many")

    if hides:
        monkeypatch.setattr(os, "open", no_descriptor)
    store = guarded(Short())

    assert store.read(SITE) == parsed()
    assert store.failures == 0
    store.end()


def test_a_limit_of_this_process_that_lasts_is_reported_as_such(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Once, and not as a failure of the store."""
    stubborn = StubbornStore()
    stubborn.error = OSError(errno.EMFILE, "Too many open files")
    store = guarded(stubborn, timeout=2 * SOON)

    use_everything(store)
    store.end()

    assert store.failures == 0
    assert len(caplog.records) == 1
    assert "could not be used for a limit of this process" in caplog.text


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
def test_no_credentials_of_a_store_are_logged(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever an exception repeats them, decoded or as written."""
    url = StoreUrl(url="my.Store://me:hunter2@db.test/x?token=hunter%2F2")

    shown = url.describe(ValueError(text))

    assert "hunter" not in shown
    assert "hunter" not in str(url)


def test_the_log_shows_no_text_of_a_store_raw(caplog: pytest.LogCaptureFixture) -> None:
    """Ours O25 holds for error messages as well."""
    stubborn = StubbornStore()
    stubborn.error = StoreError("bad\n\x1b[31mnews")
    store = guarded(stubborn)
    store.read(SITE)
    store.end()

    assert "bad \\x1b[31mnews" in caplog.text


def test_a_store_that_cannot_be_made_is_a_miss(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """`from_url` runs again for each thread, and may fail then."""

    def make() -> StubbornStore:
        raise RuntimeError("gone")

    store = guarded(make)

    assert store.read(SITE) is None
    store.end()
    assert "gone" in caplog.text


def test_a_mistake_of_ours_ends_no_wait(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The future is done, the thread goes on, and the log has the traceback."""

    def broken(*_: object, **__: object) -> None:
        raise TypeError("ours")

    stubborn = StubbornStore()
    stubborn.entries_by_origin[SITE] = encode(parsed())
    store = guarded(stubborn)
    monkeypatch.setattr(PolicyThread, "_read", broken)

    assert store.read(SITE) is None
    assert store.read(SITE) is None
    store.end()

    assert "TypeError: ours" in caplog.text


def test_expired_policy_is_neither_stored_nor_returned() -> None:
    """Past its end a policy is neither put nor got, whatever the store still has."""
    clock = FakeClock()
    stubborn = StubbornStore()
    store = guarded(stubborn, clock)
    store.write(busy())
    assert store.read(SITE) is not None

    clock.now = NOW + 300
    assert store.read(SITE) is None
    store.write(busy())

    assert stubborn.entries_by_origin == {}
    store.end()


def test_a_failure_of_the_network_is_not_stored() -> None:
    """§3.1: other workers may reach the origin."""
    stubborn = StubbornStore()
    store = guarded(stubborn)

    store.write(unreachable())

    assert stubborn.entries_by_origin == {}
    store.end()


def test_closing_waits_for_what_is_being_written() -> None:
    """A policy that is on its way to the store at the end of a crawl arrives."""
    stubborn = StubbornStore()
    store = guarded(stubborn)
    store.release_lease(SITE, parsed())
    store.end()

    assert stubborn.entries_by_origin == {SITE: encode(parsed())}
    assert stubborn.calls[-1] == "close"


def test_closing_takes_no_longer_than_the_time_limit() -> None:
    """Also with a thousand writes of a slow store in the queue."""

    class SlowStore(StubbornStore):
        def put(self, stored: Any) -> None:
            threading.Event().wait(0.01)
            super().put(stored)

    stubborn = SlowStore()
    store = guarded(stubborn, timeout=SOON)
    for _ in range(1000):
        store.release_lease(SITE, parsed())
    store.end()

    assert 0 < stubborn.calls.count("put") < 1000
    for thread in stubborn.threads:
        thread.join(20)
        assert not thread.is_alive()


def test_a_closed_store_is_not_opened_again() -> None:
    """What comes after the end of the crawl is a miss."""
    stubborn = StubbornStore()
    store = guarded(stubborn)
    store.end()

    assert store.read(SITE) is None
    assert stubborn.calls == []
    assert not Lease(granted=False).granted
