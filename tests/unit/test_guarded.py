"""`GuardedStore`: calls end in time, whatever the store does, and failures are reported."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import guarded as guard
from scrapy_robots1994.stores.codec import encode
from tests.stores.contract import OTHER
from tests.support.crawl import ROOT
from tests.support.fake_store import FakeStore
from tests.unit.guarded_store import guarded
from tests.unit.samples import SITE, FakeClock, parsed


def test_time_in_the_queue_does_not_count_as_timeout() -> None:
    """A store that answers each call in time does not count as failed, however many calls
    wait.
    """

    class SlowStore(FakeStore):
        def get(self, origin: Any) -> None:
            threading.Event().wait(0.3)

    # One call takes 0.3 seconds. A call on a busy machine can take up to six times as
    # long, because the store fails only after 2 seconds (the timeout and
    # `GRACE_SECONDS`). Nine calls together take longer than 2 seconds.
    store = guarded(SlowStore(), timeout=1.0)
    futures = [store.submit(store.get(SITE)) for _ in range(9)]

    for future in futures:
        assert store.result(future) is None
    store.close_and_wait()

    assert store.failures == 0


def test_store_that_hangs_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    """A store that hangs costs the crawl one timeout, one warning and one thread. A store
    that hangs is closed after the hanging call has ended.
    """
    fake = FakeStore()
    fake.hang()
    store = guarded(fake, timeout=0.25)

    assert [store.read(SITE) for _ in range(5)] == [None] * 5
    store.close_and_wait()

    assert fake.calls == ["get"]
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "no answer within 1.25 seconds" in record.message
    assert "does not call the store again" in record.message
    fake.resume.set()
    fake.wait_for("close")
    (thread,) = fake.threads
    thread.join(20)
    assert not thread.is_alive()


def test_store_that_hangs_does_not_keep_the_process() -> None:
    """The process exits, although a call to the store does not return."""
    program = (
        "from tests.unit.test_guarded import *; fake = FakeStore(); fake.hang(); "
        "guarded(fake, timeout=0.1).read(SITE)"
    )
    # A process that waits for the call would take 60 seconds.
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=40, check=True)


def test_store_that_failed_is_not_called_for_a_while() -> None:
    """After a failure, the store is not called for a while. Therefore a server that is
    down does not cause a timeout for each origin.
    """
    fake = FakeStore()
    fake.error = StoreError("down")
    store = guarded(fake)

    assert {store.read(SITE) for _ in range(5)} == {None}

    assert fake.calls == ["get"]
    store.close_and_wait()


def test_store_that_recovers_is_called_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that recovers after a failure is called again. Only the first failure is
    logged as a warning, but all failures are counted.
    """
    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    caplog.set_level("DEBUG")
    fake = FakeStore()
    store = guarded(fake)
    for number in range(5):
        fake.error = StoreError(f"cannot read file {number}")
        assert store.read(SITE) is None
        fake.error = None
        store.write(parsed())
        assert store.read(SITE) == parsed()
    store.close_and_wait()

    assert store.failures == 5
    assert [it.levelname for it in caplog.records] == ["WARNING", *["DEBUG"] * 4]
    assert caplog.text.count("The crawl continues with") == 1


def test_store_that_hangs_after_a_failure_is_a_second_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that hangs after a failure causes a second warning. Only the second warning
    says that the store is not called again.
    """
    monkeypatch.setattr(guard, "REST_SECONDS", 0.0)
    fake = FakeStore()
    store = guarded(fake, timeout=0.1)
    fake.error = StoreError("down")
    assert store.read(SITE) is None
    fake.error = None
    fake.hang()
    assert store.read(SITE) is None
    store.close_and_wait()
    fake.resume.set()

    first, second = (
        it.getMessage() for it in caplog.records if it.levelname == "WARNING"
    )
    assert "does not call the store again" not in first
    assert "does not call the store again" in second


def test_policy_is_not_read_after_its_end() -> None:
    """A policy is not used after its `keep_until`, even if the store still has the entry."""
    fake, clock = FakeStore(), FakeClock()
    store = guarded(fake, clock)
    policy = parsed()
    store.write(policy)
    clock.now = policy.keep_until - 1
    assert store.read(SITE) == policy
    clock.now = policy.keep_until
    assert store.read(SITE) is None
    store.close_and_wait()


def test_store_that_cannot_be_written_is_still_read() -> None:
    """If the disk is full, the policies that are already stored can still be read."""

    class FullStore(FakeStore):
        def put(self, stored: Any) -> None:
            raise OSError(28, "No space left on device")

    fake = FullStore()
    fake.entries_by_origin[SITE] = encode(parsed())
    store = guarded(fake)
    store.write(parsed(origin=OTHER))

    assert store.read(SITE) == parsed()
    assert store.failures == 1
    store.close_and_wait()


def test_thread_that_cannot_start_is_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """If the thread of the store cannot start, one warning is logged, and no call waits
    for the thread. A container can limit the number of threads.
    """

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    store = guarded(FakeStore())

    assert [store.read(SITE) for _ in range(3)] == [None] * 3
    store.close_and_wait()

    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "can't start new thread" in caplog.text


def test_close_takes_no_longer_than_the_timeout() -> None:
    """Closing a slow store does not wait until a thousand queued writes have finished."""

    class SlowStore(FakeStore):
        def put(self, stored: Any) -> None:
            threading.Event().wait(0.01)
            super().put(stored)

    fake = SlowStore()
    store = guarded(fake, timeout=0.1)
    for _ in range(1000):
        store.release_lease(SITE, parsed())
    fake.wait_for("put")
    store.close_and_wait()

    assert 0 < fake.calls.count("put") < 1000
    for thread in fake.threads:
        thread.join(20)
        assert not thread.is_alive()
