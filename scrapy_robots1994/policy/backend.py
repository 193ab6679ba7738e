"""What the resolver needs from the crawler, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Generator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.fetch_result import (
        Cancelled,
        FetchError,
        FetchResult,
        LocalFault,
        RobotsResponse,
        Validators,
    )
    from scrapy_robots1994.policy.policy import Policy
    from scrapy_robots1994.robotstxt import RobotsTxt

ContextT_contra = TypeVar("ContextT_contra", contravariant=True)

Resolution: TypeAlias = "Policy | LocalFault | Cancelled"
"""What a wait ends with: a policy, or why there is none."""


class Waiter(Protocol):
    """The future of one waiting request."""

    def release(self, resolution: Resolution) -> None:
        """Let the request go on with *resolution*.

        Of no effect a second time, or when the wait was cancelled; never raises.
        """

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait for `release`."""


class Work(Protocol):
    """A coroutine that runs on its own."""

    def cancel(self) -> object:
        """End it now; of no effect when it has ended."""


class Memory(Protocol):
    """Policies of this process (`stores.MemoryStore`)."""

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale, or `None`."""

    def put(self, policy: Policy) -> None:
        """Store *policy*."""


class Store(Protocol):
    """Policies that outlast this process, or are shared with others.

    It never raises and answers in bounded time: a store that fails knows nothing.
    """

    async def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale, or `None`."""

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until no other process fetches *origin*.

        Return a fresh policy that another one made meanwhile, or `None`: then it is for
        this process to fetch, and others wait until `release_lease`.
        """

    def release_lease(
        self, origin: Origin, policy: Policy | None, *, aborted: bool = False
    ) -> None:
        """Store *policy*, which our fetch made, and end our lease of *origin*.

        After an *aborted* fetch (R6) the next process takes the lease. After any other
        fetch without a policy to share, all who wait fetch at once. Does not wait; of
        no effect without a policy and without a lease.
        """


class ResolverBackend(Protocol[ContextT_contra]):
    """The crawler as the resolver sees it; *context* is how a page request leaves."""

    async def fetch(
        self, origin: Origin, context: ContextT_contra, validators: Validators | None
    ) -> FetchResult:
        """Request the robots.txt of *origin* once; a failure is returned, not raised.

        Only with *validators* may the result be a 304.
        """

    async def sleep(self, seconds: float) -> None:
        """Return after *seconds*."""

    async def read(self, response: RobotsResponse) -> RobotsTxt:
        """Parse the body of *response*."""

    def start(self, work: Coroutine[Any, Any, None], ended: Callable[[], None]) -> Work:
        """Run *work* on its own; call *ended* once it has ended.

        Also when it was cancelled before its first step: nothing of *work* runs then.
        """

    def new_waiter(self) -> Waiter:
        """Return a new future."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    def fault_of(self, error: Exception) -> LocalFault | Cancelled:
        """Return what *error*, raised outside of `fetch`, means."""

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Called before the pause of each retry, with what makes it necessary."""

    def policy_fetched(
        self,
        policy: Policy,
        result: RobotsResponse | FetchError,
        context: ContextT_contra,
        last: Policy | None,
    ) -> Awaitable[None]:
        """Called with every policy built from *result*, before waiters go on.

        *policy* is in memory by then, so that the callee may request pages of its
        origin. *last* is the good policy that was there before.
        """

    def policy_loaded(
        self, policy: Policy, context: ContextT_contra
    ) -> Awaitable[None]:
        """Called with every policy that the store gave, before waiters go on."""

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Called with every fetch that ends without a policy (R6, R7)."""
