"""What the resolver needs from the crawler, as protocols."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Protocol, TypeAlias, TypeVar

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    FetchResult,
    LocalFault,
    Validators,
)
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.robotstxt import Reader

ContextT_contra = TypeVar("ContextT_contra", contravariant=True)

Resolution: TypeAlias = Policy | LocalFault | Cancelled
"""The result of a wait: a policy, or the reason why there is none."""


class Waiter(Protocol):
    """The future of one waiting request."""

    def release(self, resolution: Resolution) -> None:
        """Resume the request with *resolution*.

        A second call, or a call after the wait was cancelled, has no effect. Never raises.
        """

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait for `release`."""


class Work(Protocol):
    """A coroutine that runs on its own."""

    def cancel(self) -> object:
        """Cancel it; no effect if it has ended."""


class Memory(Protocol):
    """Policies of this process (`stores.MemoryStore`)."""

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale, or `None`."""

    def put(self, policy: Policy) -> None:
        """Store *policy*."""


class Store(Protocol):
    """Policies that outlive this process, or are shared with other processes.

    It never raises and answers in bounded time: a store that fails acts as if empty.
    """

    def get(self, origin: Origin) -> Awaitable[Policy | None]:
        """Return the policy of *origin*, fresh or stale, or `None`."""

    def acquire_lease(self, origin: Origin) -> Awaitable[Policy | None]:
        """Wait until no other process fetches *origin*.

        Return the fresh policy that another process fetched meanwhile, or `None`: then this
        process fetches, and others wait until `release_lease`.
        """

    def release_lease(
        self, origin: Origin, policy: Policy | None, *, aborted: bool = False
    ) -> None:
        """Store *policy*, which our fetch made, and end our lease of *origin*.

        After an *aborted* fetch (R6) the next process takes the lease. After any other
        fetch without a policy to share, all waiting processes fetch at once. Does not wait;
        no effect without a policy and without a lease.
        """


class ResolverBackend(Protocol[ContextT_contra]):
    """The crawler as the resolver sees it; *context* is how a page request is sent."""

    reader: Reader
    """Parses the files."""

    async def fetch(
        self, origin: Origin, context: ContextT_contra, validators: Validators | None
    ) -> FetchResult:
        """Request the robots.txt of *origin* once; a failure is returned, not raised.

        Only with *validators* may the result be a 304.
        """

    async def sleep(self, seconds: float) -> None:
        """Return after *seconds*."""

    def start(self, work: Coroutine[Any, Any, None], ended: Callable[[], None]) -> Work:
        """Run *work* on its own; call *ended* once it has ended.

        *ended* is also called if *work* was cancelled before its first step.
        """

    def new_waiter(self) -> Waiter:
        """Return a new future."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    def fault_of(self, error: Exception) -> LocalFault | Cancelled:
        """Classify *error*, which was raised outside of `fetch`."""

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Called before the pause of each retry, with the result that is retried."""

    def policy_fetched(
        self,
        policy: Policy,
        result: Answer,
        context: ContextT_contra,
        last: Policy | None,
        announced: Policy | None,
    ) -> Awaitable[None]:
        """Called with every policy built from *result*, before the waiters resume.

        *policy* is already in memory, so that the callee may request pages of its
        origin. *last* is the good policy before it, which may be the store's;
        *announced* the one that an earlier call was about.
        """

    def policy_loaded(
        self, policy: Policy, context: ContextT_contra, announced: Policy | None
    ) -> Awaitable[None]:
        """Called with every policy loaded from the store, before the waiters resume."""

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Called with every fetch that ends without a policy (R6, R7)."""
