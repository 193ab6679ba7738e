"""The names and values in files of evidence, for the crawl that writes the files and the
command that reads the files.
"""

import json
from base64 import b32encode
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_robots1994.origin import head_of
from scrapy_robots1994.parser.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy_robots1994.parser.usage import Statement, Usage

ORIGIN = "Robots1994-Origin"
"""The header of each record with the origin whose robots.txt was requested. After a
redirect, the URL of the record may have another origin.
"""

STATUS = "Robots1994-Status"
"""The header of a policy that this crawl did not fetch: the status of its answer."""

FETCHED = "Robots1994-Fetched"
"""The header of a policy that this crawl did not fetch: the time when it was fetched."""

SOURCE = "Robots1994-Source"
"""The header of a policy that this crawl did not fetch: where the policy comes from."""

VIA_PROXY = "Robots1994-Via-Proxy"
"""The header of an answer that came through a proxy: the proxy may have sent it itself."""

LEFT_OUT = "Robots1994-Left-Out"
"""The header with the names of the HTTP headers that a record leaves out."""

CLIENT = "client-"
"""The prefix of the field of a warcinfo with the client for a scheme, such as
`client-https`.
"""

UNCHECKED = "unchecked"
"""The decision about a request for which no policy was found."""

DECLINED = "declined"
"""The decision about a request that robots.txt allows, but not for a purpose of the crawl."""

USAGE_VERSIONS = "usage-preferences"
"""The field of a warcinfo with the versions of the drafts by which usage preferences were
read.
"""

MAX_TEXT = 4_000
"""Characters of a rule or a header in the journal; the rest is cut off."""


def shown_url(url: str) -> str:
    """Return *url* without user name, password and fragment."""
    head = head_of(url)
    scheme, slashes, authority = head.partition("//")
    behind = url[len(head) :].partition("#")[0]
    return f"{scheme}{slashes}{authority.rpartition('@')[2]}{behind}"


class JournalLine(NamedTuple):
    """A decision about a request, as a line of the journal has it."""

    time: str
    method: str
    url: str
    robot: str
    decision: str
    reason: str | None
    line: int | None
    rule: str | None
    dialect: str
    reading: str
    record: str | None
    digest: str | None
    stale: bool = False
    failure: str | None = None
    client: str | None = None
    # For each purpose, the answer and the line of robots.txt that states it.
    usage: dict | None = None  # type: ignore[type-arg]  # `isinstance` takes no arguments

    @classmethod
    def of(cls, values: dict[str, Any]) -> "JournalLine | None":
        """Return the line with these *values*; `None` if they are not the values of a
        decision.
        """
        with suppress(TypeError):
            line = cls(**values)
            return line if all(map(isinstance, line, _TYPES)) else None
        return None

    @staticmethod
    def values_of(text: bytes) -> dict[str, Any]:
        """Return the values in *text*; raise `ValueError` if *text* is not a line of the
        journal.
        """
        with suppress(ValueError, TypeError, RecursionError):
            return dict(json.loads(text))
        raise ValueError("it is damaged")


_TYPES = tuple(JournalLine.__annotations__.values())


def decision_of(verdict: Verdict) -> dict[str, Any]:
    """Return the values of a journal line for *verdict*; verification compares them."""
    return {
        "decision": "allowed" if verdict.allowed else "refused",
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule and verdict.rule[:MAX_TEXT],
    }


def usage_of(
    usage: "Usage | None", verdict: Verdict, purposes: "Collection[str]"
) -> dict[str, Any]:
    """Return the values of a journal line for *usage*, the statements of robots.txt about
    the use of a URL.

    They are added to the values of *verdict*. If the page must not be used for one of
    *purposes*, they replace the decision, because the request is not sent.
    """
    if usage is None or not usage.statements:
        return {"usage": None}
    stated = {
        it.purpose: [it.answer.value, line_of(it)]
        for it in reversed(usage.statements)
        if it.answer is usage[it.purpose]
    }
    values: dict[str, Any] = {"usage": stated}
    forbidden = usage.forbids(purposes) if verdict.allowed else None
    if forbidden is not None:
        values |= {"decision": DECLINED, "reason": forbidden.purpose}
        values |= {"line": line_of(forbidden), "rule": forbidden.term[:MAX_TEXT]}
    return values


def line_of(statement: "Statement") -> int:
    """Return the number of the line in robots.txt where *statement* stands."""
    return int(statement.where.rpartition(" ")[2])


def unchecked(reason: str) -> dict[str, Any]:
    """Return the values of a journal line for a request that no policy decides about."""
    return {"decision": UNCHECKED, "reason": reason, "line": None, "rule": None}


def digest_text(digest: Any) -> str:
    """Return *digest*, a hash object of `hashlib`, in the format of WARC files."""
    return f"{digest.name}:{b32encode(digest.digest()).decode()}"


def rfc3339(at: datetime | float) -> str:
    """Return a time, or seconds since the epoch, as a date of RFC 3339 in UTC."""
    if isinstance(at, datetime):
        at = at.astimezone(timezone.utc)
    else:
        at = datetime.fromtimestamp(at, tz=timezone.utc)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
