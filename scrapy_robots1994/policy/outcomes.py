"""The meaning of each answer to GET /robots.txt.

The standard of 1994 mentions no status codes, so each row is our decision (Ours R1, R3, R4, R5).
"""

import enum
from collections.abc import Collection
from typing import NamedTuple

from scrapy_robots1994.parser import Reason

SETTING_PREFIX = "ROBOTS1994_"
"""Unknown settings with this prefix are errors."""

HOUR = 3_600.0


class Outcome(enum.Enum):
    """What an answer to GET /robots.txt means. The values appear in stats, logs and evidence."""

    PARSED = "parsed"
    FORBIDDEN = "forbidden"
    ABSENT = "absent"
    UNREACHABLE = "unreachable"

    row: "OutcomeRow"


class AnswerGroup(NamedTuple):
    """A group of answers with the same outcome, counted together in reports."""

    name: str
    """The name in JSON reports."""
    heading: str
    words: str
    """What decided, in words for reports."""
    statuses: Collection[int] = ()


class OutcomeRow(NamedTuple):
    """The meaning of the answers in *groups*."""

    outcome: Outcome
    groups: tuple[AnswerGroup, ...] = ()
    statuses: str = ""
    """If there is a *setting*, the answers as a phrase for reports, such as "401 or 403"."""
    reason: Reason | None = None
    """The reason that verdicts give, or None if the file decides."""
    allows: bool = True
    """Whether URLs are allowed by default when no file decides."""
    setting: str = ""
    """The setting, without `ROBOTS1994_`, that may reverse *allows*."""
    max_lifetime: float = float("inf")
    """The longest freshness lifetime, in seconds."""
    reads_body: bool = False
    is_answer: bool = True
    """Whether the answer states a policy."""
    of_proxies: Collection[int] = ()
    """Statuses that mean "unreachable" if they came through a proxy, which may have sent them."""
    is_trusted: bool = False
    """Whether the answer counts as the origin's own even if it came through a proxy."""

    @property
    def default(self) -> str:
        return "allow" if self.allows else "disallow"

    @property
    def full_setting(self) -> str:
        """The line in `settings.py` that allows all URLs, or "" if there is no such setting."""
        return f'{SETTING_PREFIX}{self.setting} = "allow"' if self.setting else ""

    def effect(self, *, is_open: bool) -> str:
        """Say what happens to all URLs of the origin, and name the setting that allows them."""
        if is_open:
            is_set = self.setting and not self.allows
            return "are allowed" + f" ({self.full_setting})" * bool(is_set)
        return "are refused" + f" unless {self.full_setting}" * bool(self.setting)


REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses that Scrapy's RedirectMiddleware follows (Ours R2)."""

OF_THE_PROXY = frozenset({407})
"""Statuses that only a proxy sends (Ours R7)."""

_TEMPORARY = frozenset({408, 421, 425, 429})
_FORBIDDEN = frozenset({401, 403})
_OTHER_4XX = frozenset(range(400, 500)) - _TEMPORARY - OF_THE_PROXY - _FORBIDDEN - {404}

ROWS = (
    # Ours R1
    OutcomeRow(
        outcome=Outcome.PARSED,
        groups=(AnswerGroup("text", "file", "by the file's text", range(200, 300)),),
        reads_body=True,
        is_trusted=True,
    ),
    # Ours R3
    OutcomeRow(
        outcome=Outcome.FORBIDDEN,
        groups=(
            AnswerGroup("401", "HTTP 401", "by status 401", (401,)),
            AnswerGroup("403", "HTTP 403", "by status 403", (403,)),
        ),
        statuses="401 or 403",
        reason=Reason.FORBIDDEN,
        allows=False,
        setting="FORBIDDEN",
        # A server may send a 403 by mistake.
        max_lifetime=HOUR,
    ),
    # Ours R4
    OutcomeRow(
        outcome=Outcome.ABSENT,
        groups=(
            AnswerGroup("404", "HTTP 404", "by status 404", (404,)),
            AnswerGroup("4xx", "other 4xx", "by another 4xx", _OTHER_4XX),
        ),
        reason=Reason.ABSENT,
        of_proxies=_OTHER_4XX - {410},
        is_trusted=True,
    ),
    # Ours R5
    OutcomeRow(
        outcome=Outcome.UNREACHABLE,
        groups=(
            AnswerGroup(
                "temporary", "temporary 4xx", "by 408, 421, 425 or 429", _TEMPORARY
            ),
            AnswerGroup("5xx", "HTTP 5xx", "by a 5xx status", range(500, 600)),
            # This group includes all other statuses, such as 1xx, 407 and unusable 3xx.
            AnswerGroup("failure", "no answer", "by a failed fetch"),
        ),
        statuses="5xx, a temporary 4xx, or a failed fetch",
        reason=Reason.UNREACHABLE,
        allows=False,
        setting="UNREACHABLE",
        is_answer=False,
    ),
)
"""All outcomes, in the order in which reports list them."""

for _row in ROWS:
    _row.outcome.row = _row

GROUPS = tuple(group for row in ROWS for group in row.groups)

TEXT = GROUPS[0]
"""Answers with a file."""

FAILURE = GROUPS[-1]
"""No answer, and statuses that are in no other group."""

_GROUP_OF = {status: group for group in GROUPS for status in group.statuses}
_OUTCOME_OF = {
    status: row.outcome
    for row in ROWS
    for group in row.groups
    for status in group.statuses
}

_OF_REASON = {row.reason: row.outcome for row in ROWS if row.reason}


def group_of_verdict(reason: Reason, status: int | None) -> AnswerGroup:
    """Return the answer group for the *reason* and *status* of a verdict."""
    group = FAILURE if status is None else _GROUP_OF.get(status, FAILURE)
    # The group of *status* may belong to another outcome. For example, a 402 through a proxy means
    # "unreachable", but the group of 402 means "absent".
    return group if group in outcome_of_reason(reason).row.groups else FAILURE


def outcome_of(status: int, *, via_proxy: bool = False) -> Outcome:
    """Return the outcome of *status*. Statuses without a group mean "unreachable"."""
    outcome = _OUTCOME_OF.get(status, Outcome.UNREACHABLE)
    # Ours 3.1, even for https, because some proxies terminate TLS.
    is_of_proxy = via_proxy and status in outcome.row.of_proxies
    return Outcome.UNREACHABLE if is_of_proxy else outcome


def outcome_of_reason(reason: Reason) -> Outcome:
    return _OF_REASON.get(reason, Outcome.PARSED)
