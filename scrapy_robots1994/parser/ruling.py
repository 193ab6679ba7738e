"""RobotRules: what one file says to one robot, compiled once and asked for every URL."""

from sys import getsizeof
from typing import TYPE_CHECKING

from scrapy_robots1994.origin import Origin, head_of, target_behind, target_of
from scrapy_robots1994.parser.compilation import compile_rules
from scrapy_robots1994.parser.dialects import CAUTIOUS
from scrapy_robots1994.parser.many import Many
from scrapy_robots1994.parser.matching import (
    NO_RULES,
    as_text,
    canonical,
    covers,
    is_covered,
    spelled,
)
from scrapy_robots1994.parser.names import names_of
from scrapy_robots1994.parser.records import Record, Rule, applied
from scrapy_robots1994.parser.source import Source, contents_of
from scrapy_robots1994.parser.verdict import Reason, Verdict

ROBOTS_TXT = "/robots.txt"

# For a ruling that was not asked yet: what has a `%` is never asked the short way.
NOWHERE = "%", 0

# So many rules at most are tried one after the other: as quick as a search.
_FEW = 96


class RobotRules:
    """What one robots.txt says to one robot: compiled once, asked for every URL.

    `allowed` answers from lists. `verdict` reads the file again for the line and the
    record; the two never differ.
    """

    __slots__ = (
        "_escaped",
        "_head",
        "_is_plain",
        "_many",
        "_paths",
        "_reading",
        "_source",
        "_urls",
        "robot",
    )

    def __init__(self, source: Source, reading: str, robot: str | bytes) -> None:
        """Compile what *source* says to *robot*, a bare name or a whole User-Agent
        header.
        """
        self.robot = robot
        self._source = source
        self._reading = reading
        # How the URLs that are asked about begin, with the slash of their targets, and
        # where that is: mostly all are of one origin. Found with the first of them.
        self._head = NOWHERE
        self._many: Many | None = None
        self._compile()

    def _compile(self) -> None:
        """Find the rules, and put them where questions look."""
        source = self._source
        names = names_of(self.robot)
        rules = compile_rules(source.utf8, source.dialect, self._reading, names)
        paths, self._escaped, self._urls, self._is_plain = rules
        # Of a few rules the quickest is to try them all.
        if len(paths) > _FEW:
            self._many, paths = Many(paths), ()
            self._many.prepare()
        self._paths = tuple(paths)

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the rules take, without the file."""
        lists: list[tuple[str, ...]] = [self._paths, self._escaped, self._urls]
        if self._many is not None:
            lists += [self._many.rules, *self._many.pages.values()]
        return getsizeof(self) + sum(
            getsizeof(rules) + sum(map(getsizeof, rules)) for rules in lists
        )

    @property
    def crawl_delay(self) -> float | None:
        """The seconds between two requests that the file asks for; None in a dialect
        that has no such field.
        """
        return None

    @property
    def is_open(self) -> bool:
        """Whether nothing is forbidden."""
        return not self._paths and not self._many and self._urls == NO_RULES

    def allowed(self, target: str, origin: str | None = None) -> bool:
        """Whether the path and query *target* may be retrieved.

        Disallow values that are absolute URLs count only when *origin* (`str(Origin)`)
        is given.
        """
        if "%" in target or not target.isascii():
            return self._allowed_as(canonical(target), target, origin)
        if self._cover(target) or (
            origin is not None and self._urls_cover(target, origin)
        ):
            # Ours O22: the file itself may always be read.
            return target == ROBOTS_TXT
        return True

    def allowed_url(self, url: str | bytes) -> bool:
        """Whether *url* may be retrieved: a whole URL, or a path. Never raises."""
        # What `allowed` does, without another call: this is asked for every request.
        head, start = self._head
        try:
            is_of_head = url.startswith(head)  # type: ignore[arg-type]  # bytes end below
        except TypeError:
            # To be ready for bytes like this costs nothing where none come.
            return self._allowed_afresh(as_text(url))
        if TYPE_CHECKING:
            assert isinstance(url, str)
        # Where the rules are plain, all that has no `%` is compared as it stands.
        if is_of_head and "%" not in url:
            many = self._many
            if many is None:
                if not url.startswith(self._paths, start):
                    return True
            elif (
                many.width and url[start : start + many.width] not in many.pages
            ) or not many.cover(url, start):
                return True
            # Ours O22: the file itself may always be read.
            if ROBOTS_TXT not in url:
                return False
        return self._allowed_afresh(url)

    def _allowed_afresh(self, url: str) -> bool:
        """Whether *url*, of which nothing is known yet, may be retrieved."""
        head = head_of(url)
        start = len(head)
        if self._is_plain and url.startswith("/", start):
            self._head = f"{head}/", start
            if "%" not in url:
                # Ours O22: the file itself may always be read.
                return not self._cover(url, start) or (
                    target_behind(head, url) == ROBOTS_TXT
                )
        origin = origin_of(url) if self._urls != NO_RULES else None
        return self.allowed(target_behind(head, url), origin)

    def _cover(self, url: str, start: int = 0) -> bool:
        """Whether a rule covers the canonical spelling of a target, which is *url* from
        *start* on.
        """
        if self._many is not None:
            return self._many.cover(url, start)
        return url.startswith(self._paths, start)

    def _allowed_as(self, spelling: str, target: str, origin: str | None) -> bool:
        """Whether *target*, whose canonical spelling is another, may be retrieved."""
        # Ours O22: in every spelling.
        return spelling == ROBOTS_TXT or not (
            # Ours O18: forbidden if either spelling is.
            self._cover(spelling)
            or is_covered(target, self._escaped)
            or (origin is not None and self._urls_cover(target, origin))
        )

    def _urls_cover(self, target: str, origin: str) -> bool:
        """Whether a Disallow value that is an absolute URL covers *target*."""
        # Ours O19: compared with the whole URL.
        url = f"{origin}{target}"
        # Ours O18: each spelling with its like. An escape in a rule as written may be
        # what decoding makes of another URL.
        return is_covered(spelled(url), self._urls) or is_covered(url, self._escaped)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records that apply to the robot, as the literal reading finds them."""
        return applied(contents_of(self._source).records, names_of(self.robot))

    def verdict(self, url: str | bytes) -> Verdict:
        """Return whether *url* may be retrieved, and because of what. Never raises.

        Of several rules that cover the URL it names the shortest, of equal ones the
        first.
        """
        text = as_text(url)
        target, origin = target_of(text), origin_of(text)
        if canonical(target) == ROBOTS_TXT:
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        contents = contents_of(self._source)
        names = names_of(self.robot)
        records = applied(contents.records, names)
        found = self._deciding(records, target, origin)
        if found and not found[1].allows:
            return _by_rule(Reason.RULE, *found)
        if self._reading == CAUTIOUS:
            joined = applied(contents.joined, names)
            other = self._deciding(joined, target, origin)
            if other and not other[1].allows:
                return _by_rule(Reason.SPLIT_RECORD, *other)
        if found:
            return _by_rule(Reason.RULE, *found)
        if records:
            return Verdict(allowed=True, reason=Reason.NO_RULE, record=records[0])
        # 1994 E1: an empty file is as good as none.
        reason = Reason.NO_RECORD if contents.records else Reason.EMPTY
        return Verdict(allowed=True, reason=reason)

    def _deciding(
        self, records: tuple[Record, ...], target: str, origin: str | None
    ) -> tuple[Record, Rule] | None:
        """Return the rule of *records* that decides about the URL, if one covers it,
        and its record.
        """
        covering = (
            (record, rule)
            for record in records
            for rule in record.rules
            if covers(rule.value, target, origin)
        )
        return min(covering, key=lambda found: len(found[1].value), default=None)


def origin_of(url: str) -> str | None:
    """Return the beginning of *url* as absolute rules are compared with it."""
    origin = Origin.of(url)
    return None if origin is None else str(origin)


def _by_rule(reason: Reason, record: Record, rule: Rule) -> Verdict:
    """Return the verdict that *rule* of *record* makes."""
    return Verdict(
        allowed=rule.allows,
        reason=reason,
        line=rule.line,
        rule=rule.value,
        record=record,
    )
