"""Outcomes: what each answer to GET /robots.txt means. One row is one meaning.

Everything that the package decides or says because of an answer comes from the row of
its outcome: the policy and how long it applies, the setting that may reverse it, the
words of the log, of the closing table, of `--explain`, of `robots-lint`, of
`robots-store`, of the report and of the documentation. To change a meaning, change its
row; to let the user choose a meaning, name a setting in its row, and declare the
setting in `crawl/settings.py`.

The meaning of a status is our own decision: the text of 1994 says only that the file is
at /robots.txt (M1) and that an empty file means the same as a missing file (E1). R2
(redirects), R6 (closing) and R7 (our own fault) make no policy, so they have no row.
"""

import enum
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from scrapy_robots1994.parser import Reason

SETTING_PREFIX = "ROBOTS1994_"
HOUR = 3_600.0


class Outcome(enum.Enum):
    """What an answer means; the value is the word that stats, logs and stores use."""

    PARSED = "parsed"
    RENEWED = "renewed"
    FORBIDDEN = "forbidden"
    ABSENT = "absent"
    UNREACHABLE = "unreachable"

    @property
    def row(self) -> "OutcomeRow":
        """The row of this outcome."""
        return _ROWS[self]


class AnswerGroup(NamedTuple):
    """Answers with one outcome that a report shows together.

    *name* is the word in the data of the report; *heading* and *words* are for readers,
    as in "decided by the file's text". *statuses* are HTTP statuses.
    """

    name: str
    heading: str
    words: str
    statuses: Collection[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """What the answers of *groups* mean.

    * *clause*: the decision with its words, such as "R3 (access refused)".
    * *statuses*: the answers in words, for messages.
    * *reason*: the reason of the one verdict for all URLs; `None` if the file decides.
    * *allows*: whether that verdict allows all URLs, unless *setting* (the name without
      `ROBOTS1994_`, a choice of "disallow" and "allow") says otherwise. A policy that
      disallows by default is never used past its freshness. `robots-lint` treats an
      outcome that disallows by default as a file that could not be read (exit code 3),
      whatever the setting says.
    * *max_lifetime*: the longest time that the policy applies, in seconds.
    * *reads_body*: whether the body of the answer is the policy.
    * *is_answer*: whether the origin stated the policy. Otherwise the policy is our own,
      until the origin answers.
    * *of_proxies*: the statuses of this row that proxies also send themselves. Through
      a proxy, such a status means R5 (unreachable).
    * *is_trusted*: whether an answer that came through a proxy counts as the origin's own, so
      that stores may share it.
    * *noun*: the words that `robots-lint` prints instead of a report.
    * *doc_answer*, *doc_policy*, *doc_lifetime*: the columns of the reference page.
    """

    outcome: Outcome
    clause: str
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
    noun: str = ""
    doc_answer: str
    doc_policy: str
    doc_lifetime: str

    @property
    def default(self) -> str:
        """The default of the setting: "allow" or "disallow"."""
        return "allow" if self.allows else "disallow"

    @property
    def full_setting(self) -> str:
        """The setting as a user writes it to allow all URLs; "" if there is no setting."""
        return f'{SETTING_PREFIX}{self.setting} = "allow"' if self.setting else ""

    def effect(self, *, is_open: bool, refused: str = "are refused") -> str:
        """Return in words the effect on all URLs of an origin, and the setting that
        decides.
        """
        if is_open:
            # If the outcome allows by default, no setting has decided.
            is_set = self.setting and not self.allows
            return "are allowed" + f" ({self.full_setting})" * bool(is_set)
        return refused + f" unless {self.full_setting}" * bool(self.setting)


REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses of redirects (R2), as in Scrapy's RedirectMiddleware."""

NOT_MODIFIED = 304
"""The status of an answer that confirms the policy whose validators were sent."""

OF_THE_PROXY = frozenset({407})
"""Statuses that only a proxy sends, never the origin: R7 (our own fault)."""

_TEMPORARY = frozenset({408, 421, 425, 429})
_FORBIDDEN = frozenset({401, 403})
_OTHER_4XX = frozenset(range(400, 500)) - _TEMPORARY - OF_THE_PROXY - _FORBIDDEN - {404}

ROWS = (
    # Ours R1
    OutcomeRow(
        outcome=Outcome.PARSED,
        clause="R1 (the file)",
        groups=(AnswerGroup("text", "file", "by the file's text", range(200, 300)),),
        statuses="2xx",
        reads_body=True,
        is_trusted=True,
        doc_answer="2xx",
        doc_policy="the body, parsed",
        doc_lifetime="freshness of the response within ``[ROBOTS1994_MIN_TTL, "
        "ROBOTS1994_TTL]`` (300 s, 86,400 s)",
    ),
    # Ours R1: a 304 is the answer to a conditional request, and confirms an earlier
    # answer.
    OutcomeRow(
        outcome=Outcome.RENEWED,
        clause="R1 (not modified)",
        statuses="304",
        is_trusted=True,
        doc_answer="304 to a conditional request",
        doc_policy="the stored body, fresh again",
        doc_lifetime="as above, by the headers of the 304",
    ),
    # Ours R3
    OutcomeRow(
        outcome=Outcome.FORBIDDEN,
        clause="R3 (access refused)",
        groups=(
            AnswerGroup("401", "HTTP 401", "by status 401", (401,)),
            AnswerGroup("403", "HTTP 403", "by status 403", (403,)),
        ),
        statuses="401 or 403",
        reason=Reason.FORBIDDEN,
        allows=False,
        setting="FORBIDDEN",
        max_lifetime=HOUR,  # such a status is often a mistake
        noun="access was refused",
        doc_answer="401, 403; through a proxy only if a second request gets one, too",
        doc_policy="everything disallowed",
        doc_lifetime="at most an hour, and TTL; through a proxy at most "
        "``ROBOTS1994_RETRY_AFTER``",
    ),
    # Ours R4
    OutcomeRow(
        outcome=Outcome.ABSENT,
        clause="R4 (no file)",
        groups=(
            AnswerGroup("404", "HTTP 404", "by status 404", (404,)),
            AnswerGroup("4xx", "other 4xx", "by another 4xx", _OTHER_4XX),
        ),
        statuses="404, 410 or another 4xx",
        reason=Reason.ABSENT,
        of_proxies=_OTHER_4XX - {410},
        is_trusted=True,
        noun="no file",
        doc_answer="404, 410 and, without a proxy, other 4xx but 407 (R7), 408, 421, 425 "
        "and 429 (R5)",
        doc_policy="no file: everything allowed, whatever the body says",
        doc_lifetime="TTL",
    ),
    # Ours R5
    OutcomeRow(
        outcome=Outcome.UNREACHABLE,
        clause="R5 (unreachable)",
        groups=(
            AnswerGroup(
                "temporary", "temporary 4xx", "by 408, 421, 425 or 429", _TEMPORARY
            ),
            AnswerGroup("5xx", "HTTP 5xx", "by a status 5xx", range(500, 600)),
            # This group also has every other number: 1xx, a redirect without a target,
            # and 407.
            AnswerGroup("failure", "no answer", "by a failed fetch"),
        ),
        statuses="5xx or a failed fetch, or a temporary 4xx",
        reason=Reason.UNREACHABLE,
        allows=False,
        setting="UNREACHABLE",
        is_answer=False,
        doc_answer="408, 421, 425, 429, 5xx; through a proxy every 4xx but 401, 403, 404, "
        "410 and 407 (R7); truncated or undecodable transfer; no direct connection to the "
        "origin (timeout, DNS, TLS, reset), **each only after the retries described below**",
        doc_policy="not known: the last good policy if there is one (for at most "
        "``ROBOTS1994_STALE_TTL``, 30 days, after it was fresh), else everything "
        "disallowed for now",
        doc_lifetime="``ROBOTS1994_RETRY_AFTER`` (300 s), or the server's Retry-After "
        "within bounds; then requested again",
    ),
)
"""All outcomes, in the order of tables."""

_ROWS = {row.outcome: row for row in ROWS}
GROUPS = tuple(group for row in ROWS for group in row.groups)
"""All groups of answers, in the order of tables."""

TEXT = GROUPS[0]
"""The group of answers whose file decides."""

FAILURE = GROUPS[-1]
"""The group of an origin that gave no answer, and of statuses that are in no other group."""

_GROUP_OF = {status: group for group in GROUPS for status in group.statuses}
_ROW_OF = {group: row for row in ROWS for group in row.groups}

ALLOWING = frozenset(row.outcome for row in ROWS if row.reason and row.allows)
"""The outcomes that allow everything, unless a setting says otherwise."""

_OF_REASON = {row.reason: row.outcome for row in ROWS if row.reason}


def group_of(status: int | None) -> AnswerGroup:
    """Return the group of an answer with *status*; `None` stands for no answer."""
    return FAILURE if status is None else _GROUP_OF.get(status, FAILURE)


def group_of_verdict(reason: Reason, status: int | None) -> AnswerGroup:
    """Return the group of the answer because of which all URLs have the same verdict."""
    group = group_of(status)
    # A status that a proxy may have sent does not count as an answer of the origin.
    return group if _ROW_OF[group].reason is reason else FAILURE


def outcome_of(status: int, *, via_proxy: bool = False) -> Outcome:
    """Return the outcome of *status*; R5 (unreachable) for a number without a meaning.

    *via_proxy* says that the answer came through a proxy.
    """
    row = _ROW_OF[group_of(status)]
    # Ours 3.1 (retries): this applies to https, too, because some proxies terminate TLS.
    is_of_proxy = via_proxy and status in row.of_proxies
    return Outcome.UNREACHABLE if is_of_proxy else row.outcome


def outcome_of_reason(reason: Reason) -> Outcome:
    """Return the outcome that gives a verdict its *reason*."""
    return _OF_REASON.get(reason, Outcome.PARSED)


def with_settings() -> Iterator[OutcomeRow]:
    """Yield the rows whose meaning a setting may reverse."""
    return (row for row in ROWS if row.setting)
