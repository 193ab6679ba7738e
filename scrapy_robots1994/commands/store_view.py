"""StoreView: the policies of a persistent store, as `robots-store` selects and shows them."""

from __future__ import annotations

import base64
import time
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores import PolicyStore, Stored
from scrapy_robots1994.stores.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy


@dataclass(frozen=True, slots=True)
class PolicyFilter:
    """Which policies are wanted: those that fit every condition given."""

    origins: frozenset[Origin] = frozenset()
    host: str = "*"
    outcome: str = ""
    is_fresh: bool | None = None

    def fits(self, policy: Policy, now: float) -> bool:
        """Whether *policy* is wanted, and a crawl would still use it."""
        return (
            policy.keep_until > now
            and fnmatchcase(policy.origin.host, self.host.lower())
            and self.outcome in ("", policy.outcome.value)
            and self.is_fresh in (None, policy.is_fresh(now))
        )


class StoreView:
    """The store of a project; methods raise what the store raises."""

    def __init__(self, store: PolicyStore, settings: RobotsSettings) -> None:
        self._store = store
        self._freshness = settings.freshness
        self._reader = Reader(settings.dialect, settings.reading, settings.max_bytes)

    def select(self, wanted: PolicyFilter) -> list[Policy]:
        """The policies that fit *wanted* and a crawl would still use, by origin."""
        now = time.time()
        packed: Iterable[tuple[Origin, bytes | None]]
        if wanted.origins:
            packed = ((each, self._store.get(each)) for each in wanted.origins)
        else:
            packed = ((each.origin, each.packed) for each in self._store.entries())
        found = (self._decoded(*each) for each in packed)
        fitting = [policy for policy in found if policy and wanted.fits(policy, now)]
        return sorted(fitting, key=lambda policy: policy.origin)

    def _decoded(self, origin: Origin, packed: bytes | None) -> Policy | None:
        """Return the policy that is stored as *packed*, if it is one."""
        if packed is None:
            return None
        return decode(packed, origin, reader=self._reader, freshness=self._freshness)

    def forget(self, policies: list[Policy]) -> None:
        """Remove what is stored for their origins."""
        for policy in policies:
            self._store.forget(policy.origin)

    def expire(self, policies: list[Policy]) -> None:
        """Let *policies* have run out, so that the next crawl that needs one fetches it.

        They stay as last good policies, with their validators (R1, R5).
        """
        now = time.time()
        for policy in policies:
            expired = _expired(policy, now)
            end = expired.keep_until
            if expired.is_known and end > now:
                self._store.put(Stored(policy.origin, encode(expired), end))
            else:
                self.forget([policy])


def _expired(policy: Policy, now: float) -> Policy:
    """*policy* as if it had come so long ago that it must be fetched again."""
    # What ran out long ago is old enough: it must not get younger.
    back = max(policy.stale_until - now, policy.fresh_until - now, 0.0)
    return replace(
        policy,
        fetched_at=policy.fetched_at - back,
        keep_until=policy.keep_until - back,
        is_stale_on_error=False,
    )


def as_row(policy: Policy, now: float) -> dict[str, Any]:
    """Everything about *policy* but its text, for JSON."""
    robots = policy.robots
    return {
        "origin": str(policy.origin),
        "outcome": policy.outcome.value,
        "status": policy.status,
        "is_fresh": policy.is_fresh(now),
        "stands_in": policy.is_stale_on_error,
        "fetched_at": _moment(policy.fetched_at),
        "fresh_until": _moment(policy.fresh_until),
        "keep_until": _moment(policy.keep_until),
        "etag": policy.etag,
        "last_modified": policy.last_modified,
        "final_url": policy.final_url,
        "bytes": None if robots is None else len(robots.body),
    }


def body_of(policy: Policy) -> str | None:
    """The bytes of the file of *policy*, in base64."""
    robots = policy.robots
    return None if robots is None else base64.b64encode(robots.body).decode("ascii")


def as_line(row: dict[str, Any]) -> str:
    """One printable line about the policy of *row*."""
    state = "fresh" if row["is_fresh"] else "stale"
    state += ", stands in" * row["stands_in"]
    size = "-" if row["bytes"] is None else f"{row['bytes']} bytes"
    shown = escape_control_chars(row["origin"], 300)
    return f"{row['outcome']:<11} {row['fresh_until']}  {state:<6} {size:>13}  {shown}"


def totals(policies: list[Policy], now: float) -> dict[str, Any]:
    """How many there are of each kind, and how much text."""
    outcomes = Counter(policy.outcome.value for policy in policies)
    files = [policy.robots for policy in policies if policy.robots is not None]
    return {
        "origins": len(policies),
        "fresh": sum(policy.is_fresh(now) for policy in policies),
        "stands_in": sum(policy.is_stale_on_error for policy in policies),
        "outcomes": dict(sorted(outcomes.items())),
        "bytes": sum(len(robots.body) for robots in files),
        "different_files": len({id(robots) for robots in files}),
    }


def _moment(seconds: float) -> str:
    """A time as people and programs read it; what lies beyond all calendars too."""
    try:
        moment = datetime.fromtimestamp(int(seconds), timezone.utc)
    except (OverflowError, ValueError, OSError):
        return f"{seconds:.0f}"
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
