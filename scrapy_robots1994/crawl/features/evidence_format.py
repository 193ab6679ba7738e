"""The names and values in evidence files. The crawl writes evidence files, and
`robots-check --evidence` reads them.
"""

import json
from contextlib import suppress
from datetime import datetime, timezone
from typing import Any, NamedTuple

from scrapy_robots1994.crawl.features.usage import stated_by
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import head_of
from scrapy_robots1994.parser.usage import Statement
from scrapy_robots1994.policy.policy import Policy

ORIGIN = "Robots1994-Origin"
"""The WARC header with the origin whose robots.txt was requested. After a redirect, the
URL of the record can have a different origin.
"""

STATUS = "Robots1994-Status"
"""The WARC header with the HTTP status of a policy whose answer is not in the WARC."""

FETCHED = "Robots1994-Fetched"
"""The WARC header with the fetch time of a policy whose answer is not in the WARC."""

SOURCE = "Robots1994-Source"
"""The WARC header with the source of a policy whose answer is not in the WARC."""

VIA_PROXY = "Robots1994-Via-Proxy"
"""The WARC header that marks an answer received through a proxy. An answer received
through a proxy might come from the proxy itself.
"""

LEFT_OUT = "Robots1994-Left-Out"
"""The WARC header with the names of the HTTP headers that are left out of a record."""

UNCHECKED = "unchecked"
"""The value of "decision" if no policy applies to a request. No policy applies if the
request is not checked, or if no policy could be found.
"""

DECLINED = "declined"
"""The value of "decision" if robots.txt allows a request, but the page must not be used for
a purpose of the crawl.
"""

USAGE_VERSIONS = "usage-preferences"
"""The warcinfo field with the versions of the drafts according to which the crawl read
usage preferences.
"""

MAX_TEXT = 4_000
"""Maximum length of a rule in the journal, and of a header or field in the WARC, in
characters. A longer string is truncated.
"""


def shown_url(url: str) -> str:
    """Return *url* without its user name, password and fragment."""
    head = head_of(url)
    scheme, slashes, authority = head.partition("//")
    behind = url[len(head) :].partition("#")[0]
    return f"{scheme}{slashes}{authority.rpartition('@')[2]}{behind}"


class JournalLine(NamedTuple):
    """A line of the journal: the decision about one request."""

    time: str
    method: str
    url: str
    robot: str
    decision: str
    reason: str | None
    line: int | None
    rule: str | None
    dialect: str
    record: str | None
    digest: str | None
    stale: bool = False
    failure: str | None = None
    # `usage` maps each stated purpose to a list of two items. The items are the answer,
    # and the number of the line in robots.txt that states the answer.
    usage: dict | None = None  # type: ignore[type-arg]  # `isinstance` takes no arguments

    @classmethod
    def of(cls, values: dict[str, Any]) -> "JournalLine | None":
        """Return the journal line with *values*. Return `None` if a value is missing, has
        an unknown name or has a wrong type.
        """
        with suppress(TypeError):
            line = cls(**values)
            return line if all(map(isinstance, line, _TYPES)) else None
        return None

    @staticmethod
    def values_of(text: bytes) -> dict[str, Any]:
        """Return the values in *text*, a line of the journal. Raise `ValueError` if *text*
        cannot be converted to a dictionary.
        """
        with suppress(ValueError, TypeError, RecursionError):
            return dict(json.loads(text))
        raise ValueError("the line is damaged")


_TYPES = tuple(JournalLine.__annotations__.values())


def decision_of(
    policy: Policy,
    url: str,
    robot: str | bytes,
    settings: RobotsSettings,
) -> dict[str, Any]:
    """Return those values of a journal line that depend on *policy* and *settings*.

    The crawl writes the returned values into the journal. `robots-check --evidence` calls
    this function again, and compares the result with the values in the journal.
    """
    verdict = policy.rules(robot).verdict(url)
    values: dict[str, Any] = {
        "decision": "allowed" if verdict.allowed else "refused",
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule and verdict.rule[:MAX_TEXT],
        "usage": None,
    }
    if not settings.reads_usage:
        return values
    usage = stated_by(policy, url, robot)
    if not usage.statements:
        return values
    values["usage"] = {
        it.purpose: [it.answer.value, line_of(it)]
        for it in reversed(usage.statements)
        if it.answer is usage[it.purpose]
    }
    forbidden = usage.forbids(settings.request_purposes) if verdict.allowed else None
    if forbidden is not None:
        # The request is not sent, although the rules allow the URL.
        values |= {"decision": DECLINED, "reason": forbidden.purpose}
        values |= {"line": line_of(forbidden), "rule": forbidden.term[:MAX_TEXT]}
    return values


def line_of(statement: Statement) -> int:
    """Return the number of the line in robots.txt that contains *statement*."""
    return int(statement.where.rpartition(" ")[2])


def rfc3339(seconds: float) -> str:
    """Return a time in UTC, in the format of RFC 3339. *seconds* is the time in seconds
    since the epoch.
    """
    at = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
