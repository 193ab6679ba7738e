"""The policies of this process, limited in bytes: the least recently used ones are
removed first.
"""

from collections import OrderedDict
from collections.abc import Callable

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.stores.url import MEMORY_BYTES

POLICY_BYTES = 1_200
"""Bytes of a policy without its file: the policy, its origin, and entries of caches."""


class MemoryStore:
    """Policies by origin: at most *max_origins*, of at most *max_bytes* in all.

    Files are counted with their compiled rules; a file that several origins share is
    counted once. The policy that was stored last is never removed. *clock* returns
    seconds since the epoch: at its `keep_until` a policy is removed.
    """

    def __init__(
        self,
        max_origins: int,
        clock: Callable[[], float],
        max_bytes: int = MEMORY_BYTES,
    ) -> None:
        self._clock = clock
        self._max_origins = max_origins
        self._max_bytes = max_bytes
        # Do not use `cachetools.LRUCache`: it has only one limit, and no callback for
        # evicted items.
        self._policies: OrderedDict[Origin, Policy] = OrderedDict()
        self.memory_bytes = 0
        """About how many bytes the policies take."""
        # By the identity of a file, the number of origins that share the file, and its
        # bytes.
        self._files: dict[int, tuple[int, int]] = {}

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale; `None` without one."""
        policy = self._policies.get(origin)
        if policy is None:
            return None
        if policy.keep_until <= self._clock():
            self.forget(origin)
            return None
        self._policies.move_to_end(origin)
        return policy

    def put(self, policy: Policy) -> None:
        """Store *policy*, in place of an older one of its origin."""
        self.forget(policy.origin)
        self._policies[policy.origin] = policy
        self._charge(policy, 1)
        self._shrink()

    def forget(self, origin: Origin) -> None:
        """Remove the policy of *origin*, if there is one."""
        policy = self._policies.pop(origin, None)
        if policy is not None:
            self._charge(policy, -1)

    def measure(self, policy: Policy) -> None:
        """Count the bytes of the file of *policy* again, because its rules have been
        compiled.
        """
        self._charge(policy, 0)
        self._shrink()

    def _shrink(self) -> None:
        """Remove the least recently used policies until the limits are met."""
        while len(self._policies) > self._max_origins or (
            self.memory_bytes > self._max_bytes and len(self._policies) > 1
        ):
            self.forget(next(iter(self._policies)))

    def _charge(self, policy: Policy, origins: int) -> None:
        """Add *origins* (1 or -1) to the count of *policy*; with 0, count the bytes of
        its file again.
        """
        self.memory_bytes += own_bytes_of(policy) * origins
        robots = policy.robots
        if robots is None:
            return
        shared, size = self._files.pop(id(robots), (0, 0))
        self.memory_bytes -= size
        if shared + origins:
            # Do not measure the file again for each origin that shares it: measuring is
            # slow.
            if not (size and origins):
                size = robots.memory_bytes
            self.memory_bytes += size
            self._files[id(robots)] = shared + origins, size


def own_bytes_of(policy: Policy) -> int:
    """Return about how many bytes *policy* takes with its origin, without its file."""
    # These texts are usually short, but a URL or a header may have any length.
    texts = policy.origin.host, policy.final_url, policy.etag, policy.last_modified
    return POLICY_BYTES + sum(len(text) for text in texts if text)


def bytes_of(policy: Policy) -> int:
    """Return about how many bytes *policy* takes with its origin and its file."""
    robots = policy.robots
    return own_bytes_of(policy) + (0 if robots is None else robots.memory_bytes)
