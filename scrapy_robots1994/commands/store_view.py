"""StoreView: the policies of a persistent store, as `robots-store` selects and shows them."""

from __future__ import annotations

import base64
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.policy.reader import Reader
from scrapy_robots1994.stores import PolicyStore, Stored
from scrapy_robots1994.stores.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        """Whether *policy* is wanted."""
        return (
            (not self.origins or policy.origin in self.origins)
            and fnmatchcase(policy.origin.host, self.host.lower())
            and self.outcome in ("", policy.outcome.value)
            and self.is_fresh in (None, is_fresh(policy, now))
        )


def is_fresh(policy: Policy, now: float) -> bool:
    """Whether a crawl would use *policy* without fetching it again."""
    return policy.is_fresh(now)


class StoreView:
    """The store of a project; methods raise what the store raises."""

    def __init__(self, store: PolicyStore, settings: RobotsSettings) -> None:
        self._store = store
        self._terms = settings.freshness
        reader = Reader(settings.dialect, settings.reading, settings.max_bytes)
        self._decode = partial(decode, reader=reader, freshness=settings.freshness)

    @classmethod
    @contextmanager
    def opened(
        cls, store: PolicyStore, settings: RobotsSettings
    ) -> Iterator[StoreView]:
        """Open the store, and close it at the end of the block."""
        try:
            yield cls(store, settings)
        finally:
            store.close()

    def select(self, wanted: PolicyFilter) -> list[Policy]:
        """The policies that fit *wanted* and a crawl would still use, by origin."""
        now = time.time()
        if wanted.origins:
            got = [(self._store.get(each), each) for each in wanted.origins]
            found = [self._decode(packed, each) for packed, each in got if packed]
        else:
            found = [
                self._decode(stored.packed, stored.origin)
                for stored in self._store.entries()
            ]
        usable = [policy for policy in found if policy and policy.keep_until > now]
        return sorted(
            (policy for policy in usable if wanted.fits(policy, now)),
            key=lambda policy: policy.origin,
        )

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
            if expired.is_known and expired.keep_until > now:
                self._store.put(
                    Stored(policy.origin, encode(expired), expired.keep_until)
                )
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
        "is_fresh": is_fresh(policy, now),
        "stands_in": policy.is_stale_on_error,
        "fetched_at": _moment(policy.fetched_at),
        "fresh_until": _moment(policy.fresh_until),
        "keep_until": _moment(policy.keep_until),
        "etag": policy.etag,
        "last_modified": policy.last_modified,
        "final_url": policy.final_url,
        "bytes": None if robots is None else len(robots.body),
    }


def as_export(policy: Policy, now: float) -> dict[str, Any]:
    """The row of *policy* with the bytes of its file, in base64."""
    robots = policy.robots
    body = None if robots is None else base64.b64encode(robots.body).decode("ascii")
    return as_row(policy, now) | {"body": body}


def as_line(policy: Policy, now: float) -> str:
    """One printable line about *policy*."""
    row = as_row(policy, now)
    state = "fresh" if row["is_fresh"] else "stale"
    if policy.is_stale_on_error:
        state += ", stands in"
    size = "-" if row["bytes"] is None else f"{row['bytes']} bytes"
    shown = escape_control_chars(row["origin"], 300)
    return f"{row['outcome']:<11} {row['fresh_until']}  {state:<6} {size:>13}  {shown}"


def totals(policies: list[Policy], now: float) -> dict[str, Any]:
    """How many there are of each kind, and how much text."""
    outcomes = sorted({policy.outcome.value for policy in policies})
    files = [policy.robots for policy in policies if policy.robots is not None]
    return {
        "origins": len(policies),
        "fresh": sum(is_fresh(policy, now) for policy in policies),
        "stands_in": sum(policy.is_stale_on_error for policy in policies),
        "outcomes": {
            outcome: sum(policy.outcome.value == outcome for policy in policies)
            for outcome in outcomes
        },
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
