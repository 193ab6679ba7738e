"""The rules of one file for one robot (`RobotRules`), with which any URL can be checked."""

import re
from typing import Protocol

from scrapy_robots1994.origin import head_of, target_behind
from scrapy_robots1994.parser.body import Body, decode
from scrapy_robots1994.parser.clients import Clients, other_spellings
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.rfc9309 import BEYOND, LongestTable
from scrapy_robots1994.parser.robot_reading import RobotReading
from scrapy_robots1994.parser.rule_table import (
    ALLOW,
    NO_RULE,
    SPLIT,
    PrefixTable,
    RuleTable,
)
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.parser.verdict import Reason, RecordReference, Verdict

ROBOTS_TXT = "/robots.txt"

# A URL that matches this pattern and contains no dot segment has only one spelling,
# whichever client sends the URL. The pattern follows from Ours O18 (percent-encodings), O26
# (fragments) and O27 (spellings), and from RFC 9309 2.2.2. Clients can change a `;`, two
# slashes at the start of the path, and a `?` at the end. Therefore, the pattern does not
# match a URL with any of these three parts.
_PLAIN_URL = re.compile(
    r"https?://[^/?#\\]+(/(?!/)[A-Za-z0-9._~:/?@!&'()+,=-]*)(?<!\?)(?:#.*)?", re.DOTALL
)

# `_decision` returns `_ITSELF` as the number for the URL of robots.txt itself.
_ITSELF = -3

# 1994 E1 (empty file): an empty file has the same meaning as a missing file.
_EMPTY = Verdict(allowed=True, reason=Reason.EMPTY)
_NO_RECORD = Verdict(allowed=True, reason=Reason.NO_RECORD)
_ROBOTS_TXT_ITSELF = Verdict(allowed=True, reason=Reason.ROBOTS_TXT)


class Rules(Protocol):
    """The rules of one origin for one robot, with which any URL can be checked.

    `RobotRules` contains the rules of a file. `UniformRules` represents a policy without a
    file, and gives the same answer for every URL.
    """

    @property
    def crawl_delay(self) -> float | None:
        """The number of seconds that the robot should wait between two requests, or None if
        no delay applies.
        """

    def allowed(self, url: str, clients: Clients = (), /) -> bool:
        """Return whether the robot may retrieve *url*. *clients* are the HTTP clients that
        might send *url*. Never raises.
        """

    def verdict(self, url: str, clients: Clients = (), /) -> Verdict:
        """Return whether the robot may retrieve *url*, and the reason. *clients* are the
        HTTP clients that might send *url*. Never raises.
        """


class RobotRules:
    """The rules of one robots.txt for one robot, with which any URL can be checked.

    `allowed` and `verdict` never raise, and always give the same answer for the same URL
    and clients. A `RobotRules` object never changes, so several threads may share the
    object.
    """

    __slots__ = (
        "_body",
        "_dialect",
        "_has_any",
        "_rules",
        "_table",
        "crawl_delay",
        "has_wildcards",
        "names",
        "robot",
    )

    def __init__(
        self,
        reading: RobotReading,
        body: Body,
        dialect: Dialect,
        robot: str | bytes,
        table: RuleTable | None = None,
    ) -> None:
        """Compile the rules in *reading*, which is the result of a parse of *body* for
        *robot*. *robot* is a bare name or a whole User-Agent header. If *table* is given,
        *table* replaces the rule table of the *dialect*.
        """
        self.robot = robot
        self.names = robot_names(robot)
        self.crawl_delay = reading.crawl_delay
        self._body = body
        self._dialect = dialect
        self._has_any = reading.has_any
        self._table: RuleTable
        if table is not None:
            self._table = table
        elif dialect.has_wildcards:
            self._table = LongestTable(reading.rules)
        else:
            self._table = PrefixTable(reading.rules, is_first=dialect.has_allow)
        self._rules = reading.rules
        # `has_wildcards` is `True` if a path contains `*` or `$`, even if neither character
        # is a wildcard in the dialect.
        self.has_wildcards = reading.rules.has_wildcards

    def allowed(self, url: str | bytes, clients: Clients = ()) -> bool:
        """Return whether the robot may retrieve *url*, which is an absolute URL or a path.
        *clients* are the HTTP clients that might send *url*.
        """
        text = url if isinstance(url, str) else decode(url)
        # Fast path: a crawl calls `allowed` for every request, and most URLs are plain.
        plain = _PLAIN_URL.fullmatch(text)
        if plain and "/." not in text:
            is_permitted = self._table.permit(plain[1])
            if is_permitted is not None:
                # Ours O22 (robots.txt itself): a robots.txt may always be retrieved.
                return is_permitted or plain[1] == ROBOTS_TXT
        return self._decision(text, clients)[0] >= ALLOW

    def verdict(self, url: str | bytes, clients: Clients = ()) -> Verdict:
        """Return whether the robot may retrieve *url*, and the reason. *url* is an absolute
        URL or a path. *clients* are the HTTP clients that might send *url*.
        """
        kind, number, spelling = self._decision(url, clients)
        rules = self._rules
        if number == _ITSELF:
            return _ROBOTS_TXT_ITSELF
        if number == BEYOND:
            # Ours O28 (bounded matching): a URL that cannot be compared with all rules is
            # disallowed.
            return Verdict(allowed=False, reason=Reason.WILDCARDS, spelling=spelling)
        if not rules.names:
            return _NO_RECORD if self._has_any else _EMPTY
        # If no rule decides, the verdict refers to the first record that the robot obeys.
        record = 0 if number == NO_RULE else rules.record(number)
        source = RecordReference(
            rules.first_lines[record], rules.names[record], self._body, self._dialect
        )
        if number == NO_RULE:
            return Verdict(allowed=True, reason=Reason.NO_RULE, source=source)
        return Verdict(
            allowed=kind >= ALLOW,
            reason=Reason.SPLIT_RECORD if kind & SPLIT else Reason.RULE,
            line=rules.lines[number],
            rule=rules.values[number],
            spelling=spelling,
            source=source,
        )

    def _decision(
        self, url: str | bytes, clients: Clients
    ) -> tuple[int, int, str | None]:
        """Return the kind and the number of the rule that decides whether *url* is allowed.
        Also return the spelling of the target that the rule covers, or None if the rule
        covers the target as written.

        If no rule decides, the number is `_ITSELF`, `BEYOND` or `NO_RULE`. In that case,
        the kind is `ALLOW` if *url* is allowed, and 0 if *url* is disallowed.
        """
        text = url if isinstance(url, str) else decode(url)
        plain = None if "/." in text else _PLAIN_URL.fullmatch(text)
        targets: tuple[str, ...]
        if plain:
            head, target = text[: plain.start(1)], plain[1]
            targets = (target,)
        else:
            head = head_of(text)
            target = target_behind(len(head), text)
            targets = target, *other_spellings(target, clients)
        rules, table = self._rules, self._table
        decision = ALLOW, NO_RULE, target
        for each in targets:
            # The target of a plain URL is its own normal spelling.
            spelling = each if plain else table.spelling(each)
            # Ours O22: robots.txt itself may always be retrieved.
            is_itself = spelling == ROBOTS_TXT
            number = _ITSELF if is_itself else table.decide(head, each, spelling)
            kind = rules.kind(number) if number >= 0 else ALLOW * (number != BEYOND)
            # Ours O27: a URL is disallowed if at least one of its spellings is disallowed.
            # Ours O5 (readings): a rule that the literal reading obeys takes precedence
            # over a rule that only the cautious reading obeys.
            if each == target or kind < min(decision[0], ALLOW):
                decision = kind, number, each
        kind, number, covered = decision
        return kind, number, None if covered == target else covered
