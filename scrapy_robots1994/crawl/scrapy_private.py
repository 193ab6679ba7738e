"""All that this package uses of Scrapy and that Scrapy does not document.

Everything else comes from its documented interface. Each use says why there is no other
way, and what is lost in a Scrapy that has it no more: the crawl then goes on, obeys and
loses no page, and one warning says what is lost. `tests/unit/test_scrapy_adapter.py`
takes each of them away.
"""

from __future__ import annotations

import argparse
import time
from contextlib import suppress
from functools import reduce
from importlib import import_module
from logging import WARNING
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary, ref

from scrapy import signals

from scrapy_robots1994.crawl.log import log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from scrapy import Request
    from scrapy.crawler import Crawler

SLOT_KEY = "download_slot"
"""The meta key in which Scrapy stores the slot of a request, and users their choice."""


def optional(module: str, name: str, default: Any = None) -> Any:
    """Return *name* of *module* of Scrapy; *default* where there is none (any more)."""
    with suppress(ImportError):
        return getattr(import_module(module), name, default)
    return default


# Scrapy has this and the next one, too, but does not document them.
def load_object(path: Any) -> Any:
    """Return what *path* names, or *path* itself if it is a class or a function.

    Raise `NameError` for a module without the name, `ValueError` for a text without a
    dot, and `TypeError` for what is neither a text nor callable.
    """
    if callable(path):
        return path
    if not isinstance(path, str):
        raise TypeError(f"expected a class or its path, got {path!r}")
    module, dot, name = path.rpartition(".")
    if not dot:
        raise ValueError(f"Error loading object '{path}': not a full path")
    loaded = import_module(module)
    try:
        return getattr(loaded, name)
    except AttributeError:
        text = f"Module '{module}' doesn't define any object named '{name}'"
        raise NameError(text) from None


def class_path(kind: type) -> str:
    """Return the path by which *kind* is imported."""
    return f"{kind.__module__}.{kind.__qualname__}"


# What Scrapy does not document, and what stands for it where it is gone.
ScrapyHelpFormatter: Any = optional(
    "scrapy.commands", "ScrapyHelpFormatter", argparse.HelpFormatter
)

_warned: WeakKeyDictionary[Crawler, set[str]] = WeakKeyDictionary()


def warn_once(crawler: Crawler, name: str, lost: str) -> None:
    """Warn that this Scrapy has no *name*, and what is *lost*; once in a crawl."""
    names = _warned.setdefault(crawler, set())
    if name not in names:
        names.add(name)
        log_line(crawler, WARNING, "This Scrapy has no %s: %s", name, lost)


def is_crawling(crawler: Crawler) -> bool:
    """Return whether *crawler* crawls, and does not merely send single requests."""
    # `Crawler.crawling` is undocumented. In a shell, nothing public is different.
    with suppress(AttributeError):
        return bool(crawler.crawling)
    warn_once(crawler, "crawler.crawling", "a shell logs refusals at DEBUG")
    return True


class EngineAccess:
    """What waiting needs of the engine of one crawl."""

    @classmethod
    def of(cls, crawler: Crawler) -> EngineAccess:
        """Return the one of *crawler*, which all components share."""
        return _engines.setdefault(crawler, cls(crawler))

    def __init__(self, crawler: Crawler) -> None:
        # A weak reference: the table below has the crawler as its key.
        self._crawler_ref = ref(crawler)
        # By how much the limit is raised, and what it was set to at the last change.
        self._raised = 0
        self._limit: int | None = None
        self._while_open: Any = NO_SLOT
        crawler.signals.connect(self._opened, signals.spider_opened)

    @property
    def _crawler(self) -> Crawler:
        crawler = self._crawler_ref()
        assert crawler is not None  # noqa: S101 - its components call this
        return crawler

    def raise_limit(self) -> bool:
        """Let one more request be in the downloader; return `False` without an effect.

        The caller lowers the limit again if it was raised.
        """
        if self._change_limit(1):
            return True
        warn_once(
            self._crawler,
            "downloader.total_concurrency",
            "requests that wait for a robots.txt count towards CONCURRENT_REQUESTS",
        )
        return False

    def lower_limit(self) -> None:
        """Undo one `raise_limit` that had an effect."""
        self._change_limit(-1)

    def _change_limit(self, by: int) -> bool:
        """Add *by* to the limit of concurrent requests; return whether there is one."""
        # `Downloader.total_concurrency` is undocumented: CONCURRENT_REQUESTS as a number,
        # with which `needs_backout` compares. No setting changes it while a crawl runs.
        downloader: Any = getattr(self._crawler.engine, "downloader", None)
        limit = getattr(downloader, "total_concurrency", None)
        if not isinstance(limit, int):
            return False
        # Another component has set it since: to the limit without what we add to it.
        if limit != self._limit:
            limit += self._raised if limit else 0
        # A property may have no setter, or one that takes no such number.
        with suppress(Exception):
            self._limit = downloader.total_concurrency = limit + by if limit else 0
            self._raised += by
            return True
        return False

    def has_room(self) -> bool:
        """Return whether the engine would take a further request from the scheduler."""
        # Documented, but also what a changed engine may lack: without it, pages go on.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            is_full = engine.needs_backout()
            if isinstance(is_full, bool):
                return not is_full
        warn_once(
            self._crawler,
            "engine.needs_backout",
            "requests that waited for a robots.txt may exceed CONCURRENT_REQUESTS",
        )
        return True

    def wake(self) -> None:
        """Make the engine look for a further request now, not at its next heartbeat."""
        # `_Slot.nextcall` is private. Nothing public wakes the engine without a request.
        with suppress(Exception):
            self._slot.nextcall.schedule()
            return
        warn_once(
            self._crawler,
            "engine._slot.nextcall",
            "while requests wait for a robots.txt, others may wait up to 5 s",
        )

    def is_closing(self) -> bool:
        """Return whether the spider is closing or closed."""
        # `_Slot.closing` is private: a Deferred from the first call of `close_spider` on.
        # No signal is sent before the last request has ended.
        closing = self._closing()
        if closing and closing == self._while_open:
            warn_once(
                self._crawler,
                "engine._slot.closing",
                "requests that wait for a robots.txt when the crawl closes are finished "
                "and do not go back to the scheduler",
            )
            return False
        return bool(closing)

    def _opened(self) -> None:
        """Note what says that the spider closes, while it does not."""
        self._while_open = self._closing()

    def _closing(self) -> Any:
        """Return what says that the spider closes; `NO_SLOT` for nothing that does."""
        return getattr(self._slot, "closing", NO_SLOT)

    @property
    def _slot(self) -> Any:
        """The engine's record of the open spider; `None` before it opens and after."""
        # `ExecutionEngine._slot` is private.
        engine: Any = self._crawler.engine
        with suppress(Exception):
            return engine._slot  # noqa: SLF001 - as above
        return None

    def owns_order(self) -> bool:
        """Return whether requests that go back to the scheduler come again in its order.

        Another scheduler than Scrapy's, or one made of it, may be shared, or may drop what
        it has seen.
        """
        # Documented, but also what a changed Scrapy may lack: then they go on.
        ours = optional("scrapy.core.scheduler", "Scheduler")
        if isinstance(ours, type):
            # Not `issubclass`: to Scrapy's, each class with the methods of a scheduler is one.
            theirs = load_object(self._crawler.settings["SCHEDULER"])
            return ours in getattr(theirs, "__mro__", ())
        warn_once(
            self._crawler,
            "scrapy.core.scheduler.Scheduler",
            "requests that waited for a robots.txt may exceed CONCURRENT_REQUESTS",
        )
        return False


_engines: WeakKeyDictionary[Crawler, EngineAccess] = WeakKeyDictionary()

NO_SLOT = object()
"""What stands for `closing` of the engine's record where there is none."""


# Private limits of pools. A handler that has none of these is left as it is.
_LIMITS = (
    ("_session", "connector", "_limit"),  # aiohttp
    ("_default_client", "_transport", "_pool", "_max_connections"),  # httpx
    ("_limits", "max_connections"),  # httpx, of each pool to come: one for a proxy
)


def widen_pool(crawler: Crawler, more: int, scheme: str) -> None:
    """Make room for *more* connections in the pool for *scheme*.

    The handlers on asyncio libraries open at most `CONCURRENT_REQUESTS` connections:
    without more, so many slow robots.txt files would leave none for pages.
    """
    # `DownloadHandlers._get_handler` and the limits are private, and have no setting.
    # Without them nothing is lost but time, so there is no warning.
    engine: Any = crawler.engine
    for *path, limit in _LIMITS:
        with suppress(Exception):
            handler = engine.downloader.handlers._get_handler(scheme)  # noqa: SLF001
            pool = reduce(getattr, path, handler)
            if isinstance(size := getattr(pool, limit), int) and size:
                setattr(pool, limit, size + more)


def close_idle_connections(crawler: Crawler) -> None:
    """Close the connections that wait for a further request to their host.

    Their descriptors are free soon after.
    """
    # `_get_handler` and `_pool` are private; the pool's method is Twisted's public one.
    # Without them descriptors may run out, which fails requests with their own error.
    engine: Any = crawler.engine
    for scheme in ("http", "https"):
        with suppress(Exception):
            pool = engine.downloader.handlers._get_handler(scheme)._pool  # noqa: SLF001
            # A Deferred, for which no one has to wait.
            pool.closeCachedConnections()


def _slots_of(crawler: Crawler) -> dict[str | None, Any] | None:
    """Return the download slots of the crawl by key, if its downloader has any."""
    # `Downloader.slots` is undocumented; DOWNLOAD_SLOTS is a setting, read once.
    slots = getattr(getattr(crawler.engine, "downloader", None), "slots", None)
    return slots if isinstance(slots, dict) else None


class Pacing(Protocol):
    """A way to keep a pause between the requests of an origin."""

    def is_possible(self) -> bool:
        """Return whether this Scrapy has it; warn once if not."""

    def pace(self, request: Request, origin: Hashable, seconds: float) -> bool:
        """Keep a pause of *seconds* between requests to *origin*, 0 for none.

        Called for each of them, before it reaches the downloader. Return whether
        *request* is past the point where its pause is kept.
        """

    def abort_queued(
        self, error: Exception, is_finished: Callable[[Request], bool]
    ) -> None:
        """End with *error* the pages that wait for a pause, but for finished ones."""


def pacing_of(
    crawler: Crawler, pause_of: Callable[[Request], tuple[Hashable, float]], most: int
) -> Pacing:
    """Return how pauses are kept in this Scrapy.

    *pause_of* returns the origin of a request and its pause. The limit of concurrent
    requests is raised for at most *most* requests that wait for a pause.
    """
    if getattr(crawler, "throttler", None) is not None:
        return ScopePacing(crawler)
    return SlotPacing(crawler, pause_of, most)


class ScopePacing:
    """Pauses by the throttling scopes of Scrapy's pull request 6931."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._throttler: Any = crawler.throttler  # type: ignore[attr-defined]  # not yet
        self._scopes: dict[str, PacedScope] = {}
        crawler.signals.connect(self._downloaded, signals.response_downloaded)

    def is_possible(self) -> bool:
        """Return whether the throttler names the scopes of a request."""
        if hasattr(self._throttler, "get_applied_scopes"):
            return True
        self._warn()
        return False

    def pace(self, request: Request, origin: Hashable, seconds: float) -> bool:
        """Raise the base delay of the scopes of *request*, or restore it.

        Return whether the request had its turn before one of them got its pause.
        """
        is_late = False
        try:
            for name in self._throttler.get_applied_scopes(request):
                if seconds or name in self._scopes:
                    scope = self._scope(name)
                    scope.set_pause(origin, seconds)
                    is_late = is_late or scope.is_before_first_turn()
        # Names and arguments of a pull request may change until it is merged.
        except Exception:  # noqa: BLE001 - as above
            self._warn()
        return is_late

    def abort_queued(
        self, error: Exception, is_finished: Callable[[Request], bool]
    ) -> None:
        """Do nothing: what waits for its scope has not reached the downloader."""

    def _downloaded(self, request: Request) -> None:
        """Begin the pauses anew, whatever AutoThrottle set: they count from the last answer."""
        if not self._scopes:
            return
        try:
            for name in self._throttler.get_applied_scopes(request):
                if scope := self._scopes.get(name):
                    scope.restart()
        except Exception:  # noqa: BLE001 - as in `pace`
            self._warn()

    def _scope(self, name: str) -> PacedScope:
        """Return the scope of that name to be paced."""
        manager = self._throttler.get_scope_manager(name)
        paced = self._scopes.get(name)
        # The throttler drops an idle manager, and makes another one for its scope.
        if paced is None or paced.manager is not manager:
            paced = self._scopes[name] = PacedScope(manager)
        return paced

    def _warn(self) -> None:
        lost = "no crawl delay is applied"
        warn_once(self._crawler, "throttler with the scopes that we know", lost)


class PacedScope:
    """One scope whose requests leave one at a time, with a pause between them."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager
        self.pauses: dict[Hashable, float] = {}
        """The seconds that each origin needs between two requests."""
        self._first_turn = 0.0
        # No method changes the jitter. Without it, a pause may be half as long as stated.
        jitter = getattr(manager, "_jitter", 0.0)
        self._original = manager.get_base_delay(), manager.get_concurrency(), jitter

    def set_pause(self, origin: Hashable, seconds: float) -> None:
        """Set the pause that *origin* needs; 0 for no pause."""
        if self.pauses.get(origin, 0.0) == seconds:
            return
        self.pauses[origin] = seconds
        if not seconds:
            del self.pauses[origin]
        delay, concurrency, jitter = self._original
        pause = max(self.pauses.values(), default=0.0)
        self._first_turn = time.monotonic() + pause
        if pause:
            # The pause counts from the last request, and no answer may take longer.
            delay, concurrency, jitter = max(delay, pause), 1, 0.0
        self.manager.set_base_delay(delay, only_increase=False)
        self.manager.set_concurrency(concurrency)
        self.manager._jitter = jitter  # noqa: SLF001 - no method sets it
        # robots.txt was the last answer of this server, if it was sent through the scope.
        if getattr(self.manager, "_last_seen", None) is not None:
            self.restart()

    def is_before_first_turn(self) -> bool:
        """Return whether no request has had its turn since the pause was set."""
        return time.monotonic() < self._first_turn

    def restart(self) -> None:
        """Count the pause from now on: the server has just answered a request."""
        if self.pauses:
            delay = max(self.manager.get_base_delay(), *self.pauses.values())
            self.manager._next_allowed_time = time.monotonic() + delay  # noqa: SLF001 - no method sets it


# Whether Scrapy chose the slot that a request has in its meta: the slot, or `None` while
# it is not chosen. Like the slot, it is copied with the meta.
_SLOT_MARK = "_robots1994_slot"


class SlotPacing:
    """Pauses by the download slots of Scrapy up to its pull request 6931.

    A pause is set when a request reaches the downloader, so slots may come and go, and
    several origins may share one. A request that waits in a paced slot does not count.
    """

    def __init__(
        self,
        crawler: Crawler,
        pause_of: Callable[[Request], tuple[Hashable, float]],
        most: int,
    ) -> None:
        self._crawler = crawler
        self._pause_of = pause_of
        self._most = most
        self._engine = EngineAccess.of(crawler)
        self._slots: dict[str | None, PacedSlot] = {}
        self._raised: set[Request] = set()
        connect = crawler.signals.connect
        connect(self._choose_slot, signals.request_scheduled)
        connect(self._reached, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._lower, signals.request_left_downloader)

    def is_possible(self) -> bool:
        """Return whether the downloader has slots."""
        if _slots_of(self._crawler) is not None:
            return True
        warn_once(self._crawler, "downloader.slots", "no crawl delay is applied")
        return False

    def pace(self, request: Request, origin: Hashable, seconds: float) -> bool:  # noqa: ARG002 - by the signal
        """Let *request* have a slot of its own; its pause is set when it is there."""
        self._choose_slot(request)
        return False

    def abort_queued(
        self, error: Exception, is_finished: Callable[[Request], bool]
    ) -> None:
        """End with *error* what is in the queues of paced slots, but for finished ones."""
        # `Slot.queue` is undocumented: pairs of a request and the Deferred of its response.
        try:
            for slot in [paced.slot for paced in self._slots.values()]:
                for request, response in list(slot.queue):
                    # A cancelled one has its result, and is on its way out.
                    if not (is_finished(request) or response.called):
                        fail = response.errback
                        slot.queue.remove((request, response))
                        self._lower(request)
                        fail(error)
        except (AttributeError, TypeError, ValueError):
            lost = "a closing crawl ends at the pace of its pauses"
            warn_once(self._crawler, "queue of a download slot", lost)

    def _choose_slot(self, request: Request) -> None:
        """Let Scrapy choose the slot of *request*, unless the user has chosen it.

        Scrapy writes its choice into the meta, which redirects and spiders copy to
        requests for another host.
        """
        meta = request.meta
        if SLOT_KEY in meta and meta.get(_SLOT_MARK) != meta[SLOT_KEY]:
            meta.pop(_SLOT_MARK, None)
        else:
            meta.pop(SLOT_KEY, None)
            meta[_SLOT_MARK] = None

    def _reached(self, request: Request) -> None:
        """Pace the slot of *request*, which is about to be queued there."""
        key = request.meta.get(SLOT_KEY)
        if _SLOT_MARK in request.meta:
            request.meta[_SLOT_MARK] = key
        origin, pause = self._pause_of(request)
        slots = _slots_of(self._crawler)
        if slots is None or not (pause or key in self._slots):
            return
        try:
            paced = self._paced(key, slots)
            if paced.pauses.get(origin, 0.0) != pause:
                paced.set_pause(origin, pause)
                # robots.txt was the last answer of this server.
                paced.restart()
            paced.enforce()
        # No slot of this key, or one with other attributes.
        except Exception:  # noqa: BLE001 - as above
            lost = "no crawl delay is applied"
            warn_once(self._crawler, "delay and concurrency of a download slot", lost)
            return
        is_free = paced.pause and len(self._raised) < self._most
        if is_free and self._engine.raise_limit():
            self._raised.add(request)
            self._engine.wake()

    def _paced(self, key: str | None, slots: dict[str | None, Any]) -> PacedSlot:
        """Return the slot of *key* to be paced, and forget those that were dropped."""
        paced, slot = self._slots.get(key), slots[key]
        # The downloader drops an idle slot, and makes another one under its key.
        if paced is not None and paced.slot is slot:
            return paced
        if len(self._slots) > 2 * len(slots) + SPARE_SLOTS:
            known = self._slots.items()
            self._slots = {name: it for name, it in known if slots.get(name) is it.slot}
        self._slots[key] = PacedSlot(slot)
        return self._slots[key]

    def _downloaded(self, request: Request) -> None:
        """Begin the pause of the slot anew: its delay counts from the last answer."""
        # A downloader need not send the signal that it has left.
        self._lower(request)
        paced = self._slots.get(request.meta.get(SLOT_KEY))
        if paced is not None:
            # What cannot be set was said when it was set first.
            with suppress(Exception):
                # AutoThrottle, which listens to the same signal, may have changed it.
                paced.enforce()
                paced.restart()

    def _lower(self, request: Request) -> None:
        """Let *request* count again."""
        if request in self._raised:
            self._raised.remove(request)
            self._engine.lower_limit()


SPARE_SLOTS = 64
"""Slots beyond the downloader's own after which those that it dropped are forgotten."""

_LONGEST_AGO = 600.0
"""Seconds after which a number is no time of `lastseen` by the clock it is compared with."""


def jitter_of(slot: Any) -> float:
    """Return the part of its delay by which *slot* varies it at random."""
    if hasattr(slot, "jitter"):
        return float(slot.jitter)
    # RANDOMIZE_DOWNLOAD_DELAY, before Scrapy 2.18, is half of the delay more or less.
    return 0.5 if slot.randomize_delay else 0.0  # pragma: no cover - as above


def _set_jitter(slot: Any, jitter: float) -> None:
    # To the older attribute, any number but 0 is true.
    setattr(slot, "jitter" if hasattr(slot, "jitter") else "randomize_delay", jitter)


class PacedSlot:
    """One slot whose requests leave one at a time, with a pause between them.

    Scrapy documents what delay and concurrency of a slot are (`DOWNLOAD_SLOTS`), but not
    the attributes, which AutoThrottle changes while a crawl runs. Several origins that
    share the slot may each need a pause; the longest counts. The slot's own delay is
    never shortened, also if it was raised later, as by AutoThrottle. Without a pause the
    slot is as it was before.
    """

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self.pause = 0.0
        """The seconds between two of its requests at least; 0 for no pause."""
        self.pauses: dict[Hashable, float] = {}
        # Pauses come and go with the files; DOWNLOAD_SLOTS is the user's.
        self._original = slot.delay + 0.0, slot.concurrency + 0, jitter_of(slot)

    def set_pause(self, origin: Hashable, seconds: float) -> None:
        """Set the pause that *origin* needs; 0 for no pause."""
        # Set first: an origin without a pause may be there or not.
        self.pauses[origin] = seconds
        if not seconds:
            del self.pauses[origin]
        delay, self.slot.concurrency, jitter = self._original
        # A longer delay than our pause is not ours: AutoThrottle set it later.
        if self.slot.delay <= self.pause:
            self.slot.delay = delay
        _set_jitter(self.slot, jitter)
        self.pause = max(self.pauses.values(), default=0.0)
        self.enforce()

    def enforce(self) -> None:
        """Apply the pause, whatever else changed the slot."""
        if not self.pause:
            return
        slot = self.slot
        slot.delay = max(slot.delay, self.pause)
        # The pause counts from the last answer, so the next request must not leave before
        # that answer is there.
        slot.concurrency = 1
        # No random delay may be shorter than the pause.
        if slot.delay * (1 - jitter_of(slot)) < self.pause:
            _set_jitter(slot, 0.0)

    def restart(self) -> None:
        """Count the pause from now on: the server has just answered a request."""
        # It is 0 until the slot has sent a request: then there is nothing to pause after.
        # Without it, the pause counts from the last request.
        with suppress(Exception):
            seen = self.slot.lastseen
            # The wall clock before Scrapy 2.16. By another one, any number may be long to
            # wait for.
            for now in (time.monotonic(), time.time()):
                if self.pause and seen and 0 <= now - seen < _LONGEST_AGO:
                    self.slot.lastseen = now
