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
    """A policy that was found or fetched. *cause* is the exception that the robots.txt
    request raised, or `None`. *cause* is always `None` if the origin or a last good policy
    decides.
    """

    policy: Policy
    cause: Exception | None = None


Resolution: TypeAlias = Resolved | LocalFault | Cancelled
"""The result of a wait. The result is a policy, or the reason why no policy is available."""


class Waiter(Protocol):
    """The future that one waiting request awaits."""

    def release(self, resolution: Resolution) -> None:
        """Resume the waiting request with *resolution*.

        A second call, or a call after the wait was cancelled, has no effect. The method
        never raises.
        """

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait until `release` is called, and return the resolution."""


class Memory(Protocol):
    """The policies in the memory of this process (`stores.memory.MemoryStore`)."""

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, even if the policy is stale. Return `None` if the
        memory does not contain a policy of *origin*.
        """

    def put(self, policy: Policy) -> None:
        """Store *policy*."""

    def measure(self, policy: Policy) -> None:
        """Measure the size of *policy* again, because compiling the rules of *policy* has
        changed the size.
        """


class Source(Protocol):
    """A store or Scrapy's HTTP cache. Policies are read from a source without a fetch.

    A source never raises, and answers in bounded time. A source that fails behaves like an
    empty source.
    """

    def get(self, origin: Origin) -> Awaitable[Policy | None]:
        """Return the policy of *origin*, even if the policy is stale. Return `None` if the
        source does not contain a policy of *origin*.
        """


class Store(Source, Protocol):
    """A source that outlives this process or is shared by several processes
    (`stores.guarded.GuardedStore`).
    """

    def acquire_lease(self, origin: Origin) -> Awaitable[Policy | None]:
        """Wait until no other process fetches the policy of *origin*. The wait is bounded.

        Return the fresh policy that another process fetched meanwhile, or `None`. If the
        result is `None`, this process must fetch the policy. Other processes then wait
        until this process calls `release_lease`. The other processes wait only slightly
        longer than one request may take.
        """

    def release_lease(self, origin: Origin, policy: Policy | None) -> None:
        """Store *policy*, which this process fetched, and end the lease of *origin*.

        The method does not wait. If *policy* is `None` and this process has no lease, the
        call has no effect.
        """


class ResolverBackend(Protocol[ContextT_contra]):
    """The interface through which the resolver uses the crawler. A context describes how a
    page request is sent.
    """

    reader: Reader
    """The reader that parses robots.txt files."""

    cancelled: Classes
    """The subclasses of `Exception` that a wait may raise if the wait is cancelled (R6,
    closing).
    """

    def new_fetch(
        self, origin: Origin, last: Policy | None
    ) -> Callable[[ContextT_contra], Awaitable[FetchResult]]:
        """Return a function that requests the robots.txt of *origin* once. The resolver
        calls the function for each attempt of a fetch.

        The function never raises. If the request fails, the function returns the failure.
        *last* is the last good policy. The result is a 304 only if *last* has validators.
        All attempts of one fetch share the cookies that the answers set.
        """

    async def sleep(self, seconds: float) -> None:
        """Wait for *seconds*."""

    def start(
        self, work: Coroutine[Any, Any, None], ended: Callable[[], None]
    ) -> Callable[[], object]:
        """Run *work* in the background, and call *ended* once *work* has ended.

        *ended* is also called if *work* was cancelled before its first step. Return a
        function that cancels *work*. The returned function has no effect once *work* has
        ended.
        """

    def cancel_later(self, cancel: Callable[[], object]) -> None:
        """Call *cancel* once a fetch has taken the longest time that a closing crawl
        permits.
        """

    def new_waiter(self) -> Waiter:
        """Return a new future for one waiting request."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    def retries_of(self, context: ContextT_contra) -> int:
        """Return how many times the page request of *context* was retried."""

    def count_retries(self, context: ContextT_contra, retries: int) -> None:
        """Add *retries*, the number of retries of a failed fetch, to the retries of the
        page request of *context* (Ours 3.1, retries).
        """

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Called before each retry, at the beginning of the pause. *pause* is the length of
        the pause in seconds. *result* is the failure that causes the retry.
        """

    def policy_fetched(
        self,
        policy: Policy,
        result: Answer,
        last: Policy | None,
        known: Policy | None,
        context: ContextT_contra,
    ) -> Awaitable[None]:
        """Called with every policy that was built from a fetched *result*, before the
        waiters resume.

        *last* is the last good policy. *known* is the policy that this crawl used before,
        or `None`. *context* is the context of the last attempt. *policy* is already in
        memory, so this method may request pages of the origin.
        """

    def policy_loaded(
        self, policy: Policy, known: Policy | None, context: ContextT_contra
    ) -> Awaitable[None]:
        """Called with every policy that was loaded from a source, before the waiters
        resume.
        """

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Called for every fetch that ends without a policy, because of R6 (closing) or R7
        (our own fault).
        """
