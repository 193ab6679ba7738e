"""Floor 3: what the keeper needs from outside, and what it hands to those who wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from scrapy_robots1994.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Generator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Answer, FetchError, RobotsResponse, Validators
    from scrapy_robots1994.robotstxt import RobotsTxt

WayT_contra = TypeVar("WayT_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class FetchAborted:
    """A wait ended without a policy (R6); *why* is one printable line."""

    why: str


Found: TypeAlias = Policy | FetchAborted


class Waiter(Protocol):
    """The waiting object of one request; awaiting it gives what it is released with."""

    def release(self, found: Found) -> None:
        """Let the one who waits go on with *found*.

        Of no effect a second time, or when the wait was cancelled; never raises.
        """

    def __await__(self) -> Generator[Any, Any, Found]:
        """Wait for `release`."""


class Memory(Protocol):
    """Policies of this process (`stores.MemoryStore`)."""

    def get(self, origin: Origin) -> Policy | None:
        """The policy held, fresh or stale, or `None`."""

    def put(self, policy: Policy) -> None:
        """Hold *policy*."""


class Store(Protocol):
    """Policies that outlast this process, or are shared with others.

    It never raises and answers in bounded time: a store that fails knows nothing.
    """

    async def get(self, origin: Origin) -> Policy | None:
        """The policy held, fresh or stale, or `None`."""

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until no other process is fetching *origin*.

        A fresh policy that another one made meanwhile, or `None`: then it is for us to
        fetch, and others wait until `release_lease`.
        """

    def release_lease(self, origin: Origin, made: Policy | None) -> None:
        """Our fetch of *origin* ended: hold the policy it made, let the next one go.

        Does not wait; of no effect where nothing was made and it was not our turn.
        """


class ResolverBackend(Protocol[WayT_contra]):
    """What the keeper needs from outside; *way* is how the page request leaves."""

    async def fetch(
        self, origin: Origin, way: WayT_contra, validators: Validators | None
    ) -> Answer:
        """Ask *origin* for its robots.txt once; a failure is an answer, not raised.

        Only where *validators* are given may the answer be a renewal.
        """

    async def read(self, answer: RobotsResponse) -> RobotsTxt:
        """Parse the body of *answer*."""

    def start(self, work: Coroutine[Any, Any, None], ended: Callable[[], None]) -> None:
        """Run *work* beside everything else; call *ended* once it ended.

        Also when it was cancelled before its first step: nothing of *work* runs then.
        """

    def new_waiter(self) -> Waiter:
        """A fresh waiting object."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def settled(
        self,
        policy: Policy,
        answer: RobotsResponse | FetchError,
        way: WayT_contra,
        last: Policy | None,
    ) -> Awaitable[None]:
        """Told of each policy that an answer made, before anyone uses it.

        *last* is the good policy that was held before.
        """

    def recalled(self, policy: Policy, way: WayT_contra) -> Awaitable[None]:
        """Told of each policy that the store held, before anyone uses it."""

    def released(self, origin: Origin, why: str) -> None:
        """Told that a fetch of *origin* ended without a policy."""
