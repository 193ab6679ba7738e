"""The table of outcomes. An outcome is a possible meaning of an answer to GET /robots.txt.
Each row describes one outcome.

The row of the outcome determines everything that the package decides or says about an
answer. The row determines the policy, how long the policy applies, and which setting may
reverse the policy. The row also contains the words that the log, the closing table,
`--explain`, `robots-lint`, the report and the documentation use. To change
the meaning of an answer, change the row. To let the user choose the meaning, add the name
of a setting to the row, and declare the setting in `crawl/settings.py`.

The meaning of a status is our own decision, because the text of 1994 does not mention
statuses. According to the text of 1994, the file is at /robots.txt (M1, location). An
empty file means the same as a missing file (E1, empty file). R2 (redirects), R6 (closing)
and R7 (our own fault) have no row, because no policy follows from them.
"""

import enum
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from scrapy_robots1994.parser import Reason

SETTING_PREFIX = "ROBOTS1994_"
HOUR = 3_600.0


class Outcome(enum.Enum):
    """The meaning of an answer. The value of a member is the name of the outcome in stats,
    logs and stores.
    """

    PARSED = "parsed"
    FORBIDDEN = "forbidden"
    ABSENT = "absent"
    UNREACHABLE = "unreachable"

    row: "OutcomeRow"
    """The row of this outcome in `ROWS`."""


class AnswerGroup(NamedTuple):
    """A group of answers that a report shows together. All answers in a group have the same
    outcome.

    *name* identifies the group in the data of the report. *heading* is the name that users
    see. *words* is the end of a phrase that users see. For example, the words "by the
    file's text" complete the phrase "decided by the file's text". *statuses* are the HTTP
    statuses of the group.
    """

    name: str
    heading: str
    words: str
    statuses: Collection[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """The meaning of the answers in *groups*.

    * *statuses*: the description of the answers in messages.
    * *reason*: the reason in the verdict for every URL, or `None` if the file decides.
    * *allows*: whether every URL is allowed by default, if no file decides. If *allows*
      is `False`, `robots-lint` exits with code 3 (file could not be read), even if the
      setting is "allow".
    * *setting*: the name, without `ROBOTS1994_`, of the setting that may reverse *allows*.
      The value of the setting is "disallow" or "allow".
    * *max_lifetime*: the longest freshness lifetime of the policy, in seconds.
    * *reads_body*: whether the body of the answer states the policy.
    * *is_answer*: whether the origin stated the policy. If *is_answer* is `False`, the
      policy is our own decision and applies until the origin answers.
    * *of_proxies*: the statuses of this row that a proxy may also generate. In an answer
      that came through a proxy, a status in *of_proxies* means R5 (unreachable).
    * *is_trusted*: whether an answer that came through a proxy counts as the origin's own.
      Stores share a policy only if the answer counts as the origin's own.
    """

    outcome: Outcome
    groups: tuple[AnswerGroup, ...] = ()
    statuses: str = ""
    reason: Reason | None = None
    allows: bool = True
    setting: str = ""
    max_lifetime: float = float("inf")
    reads_body: bool = False
    is_answer: bool = True
    of_proxies: Collection[int] = ()
    is_trusted: bool = False

    @property
    def default(self) -> str:
        """The default value of the setting, which is "allow" or "disallow"."""
        return "allow" if self.allows else "disallow"

    @property
    def full_setting(self) -> str:
        """The line that a user adds to a settings file to allow all URLs, or "" if the row
        has no setting.
        """
        return f'{SETTING_PREFIX}{self.setting} = "allow"' if self.setting else ""

    def effect(self, *, is_open: bool) -> str:
        """Describe the effect of the outcome on all URLs of an origin, and the setting that
        can change the effect. *is_open* is `True` if all URLs are allowed.
        """
        if is_open:
            # Name the setting only if the setting reverses the default of the outcome.
            is_set = self.setting and not self.allows
            return "are allowed" + f" ({self.full_setting})" * bool(is_set)
        return "are refused" + f" unless {self.full_setting}" * bool(self.setting)


REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Those that Scrapy's RedirectMiddleware follows (Ours R2)."""

OF_THE_PROXY = frozenset({407})
"""Statuses that only a proxy sends (Ours R7)."""

_TEMPORARY = frozenset({408, 421, 425, 429})
_FORBIDDEN = frozenset({401, 403})
_OTHER_4XX = frozenset(range(400, 500)) - _TEMPORARY - OF_THE_PROXY - _FORBIDDEN - {404}

ROWS = (
    # Ours R1 (the file)
    OutcomeRow(
        outcome=Outcome.PARSED,
        groups=(AnswerGroup("text", "file", "by the file's text", range(200, 300)),),
        statuses="2xx",
        reads_body=True,
        is_trusted=True,
    ),
    # Ours R3 (access refused)
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
        max_lifetime=HOUR,  # A 401 or 403 is often a mistake in a configuration.
    ),
    # Ours R4 (no file)
    OutcomeRow(
        outcome=Outcome.ABSENT,
        groups=(
            AnswerGroup("404", "HTTP 404", "by status 404", (404,)),
            AnswerGroup("4xx", "other 4xx", "by another 4xx", _OTHER_4XX),
        ),
        statuses="404, 410 or another 4xx",
        reason=Reason.ABSENT,
        of_proxies=_OTHER_4XX - {410},
        is_trusted=True,
    ),
    # Ours R5 (unreachable)
    OutcomeRow(
        outcome=Outcome.UNREACHABLE,
        groups=(
            AnswerGroup(
                "temporary", "temporary 4xx", "by 408, 421, 425 or 429", _TEMPORARY
            ),
            AnswerGroup("5xx", "HTTP 5xx", "by a status 5xx", range(500, 600)),
            # This group also contains every status that does not belong to another group,
            # such as 1xx, 407, and 3xx without a usable Location header.
            AnswerGroup("failure", "no answer", "by a failed fetch"),
        ),
        statuses="5xx or a failed fetch, or a temporary 4xx",
        reason=Reason.UNREACHABLE,
        allows=False,
        setting="UNREACHABLE",
        is_answer=False,
    ),
)
"""All outcomes, in the order of tables."""

for _row in ROWS:
    _row.outcome.row = _row

GROUPS = tuple(group for row in ROWS for group in row.groups)
"""All groups, in the order of tables."""

TEXT = GROUPS[0]
"""The group of files."""

FAILURE = GROUPS[-1]
"""The group of no answer, and of statuses without a group."""

_GROUP_OF = {status: group for group in GROUPS for status in group.statuses}
_OUTCOME_OF = {
    status: row.outcome
    for row in ROWS
    for group in row.groups
    for status in group.statuses
}

ALLOWING = frozenset(row.outcome for row in ROWS if row.reason and row.allows)
"""The outcomes that allow every URL by default, without a file."""

_OF_REASON = {row.reason: row.outcome for row in ROWS if row.reason}


def group_of_verdict(reason: Reason, status: int | None) -> AnswerGroup:
    """Return the group of the answer that led to a verdict for all URLs. *reason* and
    *status* are the reason and the status in the verdict.
    """
    group = FAILURE if status is None else _GROUP_OF.get(status, FAILURE)
    # Return `FAILURE` if the outcome that *reason* names cannot have this *status*. For
    # example, a 402 that a proxy may have generated has the reason "unreachable".
    return group if group in outcome_of_reason(reason).row.groups else FAILURE


def outcome_of(status: int, *, via_proxy: bool = False) -> Outcome:
    """Return the outcome of *status*. A status that is not in any group means R5
    (unreachable).

    *via_proxy* is `True` if the answer came through a proxy.
    """
    outcome = _OUTCOME_OF.get(status, Outcome.UNREACHABLE)
    # Ours 3.1 (retries): a status that a proxy may have generated means R5 (unreachable).
    # The rule for proxies also applies to https URLs, because some proxies terminate TLS.
    is_of_proxy = via_proxy and status in outcome.row.of_proxies
    return Outcome.UNREACHABLE if is_of_proxy else outcome


def outcome_of_reason(reason: Reason) -> Outcome:
    """Return the outcome whose verdicts contain this *reason*."""
    return _OF_REASON.get(reason, Outcome.PARSED)
