"""Protocols that the crawler and the stores implement for the policy resolver."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    Classes,
    FetchResult,
    LocalFault,
)
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.robotstxt import Reader

ContextT_contra = TypeVar("ContextT_contra", contravariant=True)


class Resolved(NamedTuple):
    """A policy that was found or fetched. If the fetch failed and no last good policy is
    known (R5, unreachable), *cause* is the exception of the fetch.
    """

    policy: Policy
    cause: Exception | None = None


Resolution: TypeAlias = Resolved | LocalFault | Cancelled
"""The result of a wait: a policy, or the reason why no policy is available."""


class Waiter(Protocol):
    """The future that one waiting request awaits."""

    def release(self, resolution: Resolution) -> None:
        """Resume the request with *resolution*.

        A second call, or a call after the wait was cancelled, has no effect. Never raises.
        """

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait until `release` is called, and return the resolution."""


class Memory(Protocol):
    """The policies in the memory of this process (`stores.memory.MemoryStore`)."""

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin* if it is in memory, fresh or stale, or `None`."""

    def put(self, policy: Policy) -> None:
        """Store *policy*."""

    def measure(self, policy: Policy) -> None:
        """Measure the size of *policy* again, because the rules of *policy* have been
        compiled.
        """


class Source(Protocol):
    """A source of policies that do not need a fetch. A source is a store or Scrapy's HTTP
    cache.

    A source never raises, and answers in bounded time. A source that fails acts like an
    empty source.
    """

    def get(self, origin: Origin) -> Awaitable[Policy | None]:
        """Return the policy of *origin* if the source has it, fresh or stale, or `None`."""


class Store(Source, Protocol):
    """A source that outlives this process or is shared by several processes
    (`stores.guarded.GuardedStore`).
    """

    def acquire_lease(self, origin: Origin) -> Awaitable[Policy | None]:
        """Wait, for a bounded time, until no other process fetches the policy of *origin*.

        Return the fresh policy that another process fetched meanwhile, or `None`. If the
        result is `None`, this process must fetch the policy. Other processes then wait
        until this process calls `release_lease`, but not much longer than one request may
        take.
        """

    def release_lease(self, origin: Origin, policy: Policy | None) -> None:
        """Store *policy*, which this process fetched, and end the lease of *origin*.

        Does not wait. If *policy* is `None` and this process has no lease, the call has
        no effect.
        """


class ResolverBackend(Protocol[ContextT_contra]):
    """The interface through which the resolver uses the crawler. A *context* describes how
    a page request is sent.
    """

    reader: Reader
    """The reader that parses robots.txt files."""

    cancelled: Classes
    """The subclasses of `Exception` that a cancelled wait may raise (R6, closing)."""

    def new_fetch(
        self, origin: Origin, last: Policy | None
    ) -> Callable[[ContextT_contra], Awaitable[FetchResult]]:
        """Return a function that requests the robots.txt of *origin* once. The resolver
        calls the function for each attempt of a fetch.

        The function never raises, and returns a failure as its result. The result may be a
        304 only if *last*, the last good policy, has validators. All attempts of one fetch
        share the cookies that the answers set.
        """

    async def sleep(self, seconds: float) -> None:
        """Wait for *seconds*."""

    def start(
        self, work: Coroutine[Any, Any, None], ended: Callable[[], None]
    ) -> Callable[[], object]:
        """Run *work* in the background, and call *ended* once *work* has ended.

        *ended* is also called if *work* was cancelled before its first step. Return a
        function that cancels *work*. Calling the function after *work* has ended has no
        effect.
        """

    def cancel_later(self, cancel: Callable[[], object]) -> None:
        """Call *cancel* after the longest time that a fetch may take in a closing crawl."""

    def new_waiter(self) -> Waiter:
        """Return a new future for one waiting request."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    def retries_of(self, context: ContextT_contra) -> int:
        """Return how often the page request of *context* was retried."""

    def count_retries(self, context: ContextT_contra, retries: int) -> None:
        """Add *retries*, the number of retries of a failed fetch, to the retries of the
        page request of *context* (Ours 3.1, retries).
        """

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Called before the pause that precedes each retry. *result* is the failure that
        causes the retry.
        """

    def policy_fetched(
        self,
        policy: Policy,
        result: Answer,
        last: Policy | None,
        known: Policy | None,
        context: ContextT_contra,
    ) -> Awaitable[None]:
        """Called with every policy built from *result*, before the waiters resume.

        *last* is the last good policy. *known* is the policy that this crawl had before.
        *context* is the context of the last attempt. *policy* is already in memory, so this
        method may request pages of the origin.
        """

    def policy_loaded(
        self, policy: Policy, known: Policy | None, context: ContextT_contra
    ) -> Awaitable[None]:
        """Called with every policy loaded from a source, before the waiters resume."""

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Called for every fetch that ends without a policy (R6, closing; R7, our own
        fault).
        """
