"""The dialects of robots.txt, each a row of `_ROWS`, and "strictest", which combines two.

The fields of the dialects are in `parser/fields.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from scrapy_robots1994.parser.fields import ALLOW, FIELDS, Field, LineKind, by_name
from scrapy_robots1994.parser.rfc9309 import octet_count
from scrapy_robots1994.parser.user_agent import (
    BY_DEFAULT,
    EVERYBODY,
    NameRank,
    equally_named,
    first_named,
    joined_names,
    listed_names,
    longest_named,
    whole_name,
)


def _whole_path(value: str) -> tuple[str, ...]:
    # 1994 D1
    return (value,)


def _listed_paths(value: str) -> tuple[str, ...]:
    # Revisited K2; 1994 D2: a line without a path disallows nothing.
    words = value.replace("\t", " ").split(" ")
    return tuple(word for word in words if word) or ("",)


class _Rule(Protocol):
    number: int
    kind: LineKind
    value: str


def _shortest_first(rule: _Rule) -> tuple[int, int]:
    # 1994 D1: each rule that covers a URL disallows it. The shortest such rule is reported.
    return len(rule.value), rule.number


def _in_file_order(rule: _Rule) -> int:
    # Ours X1: the first rule in the file that covers a URL decides.
    return rule.number


def _longest_first(rule: _Rule) -> tuple[int, bool, int]:
    # RFC 9309 2.2.2: most octets first. Allow wins a tie.
    return -octet_count(rule.value), rule.kind is not LineKind.ALLOW, rule.number


class Dialect(NamedTuple):
    """The grammar of a dialect, and how a robot chooses records and rules."""

    name: str
    # The description on the reference page
    meaning: str
    # Returns the names in the value of a User-agent line
    names: Callable[[str], tuple[str, ...]] = whole_name
    # Returns the paths in the value of a rule. A path may be empty
    paths: Callable[[str], tuple[str, ...]] = _whole_path
    # Whether a line may list several names or paths
    has_lists: bool = False
    # Returns how specifically a name addresses a robot
    rank: NameRank = first_named
    # Whether a robot obeys all records that name it with the highest rank, or only the first
    merges_named: bool = False
    # Whether a blank line ends a record
    has_blank_lines: bool = True
    # Whether a crawl delay applies only to the names in the nearest run of User-agent lines above
    # it, not to the whole record
    pauses_by_run: bool = False
    # The sort key of rules. The first rule that covers a URL decides
    order: Callable[[Any], Any] = _shortest_first
    # Whether paths may contain wildcards and are compared as in RFC 9309. If not, they are prefixes
    has_wildcards: bool = False
    # `_with_fields` fills in `fields` and `has_allow`.
    fields: Mapping[str, Field] = MappingProxyType({})
    has_allow: bool = False

    def rank_of(self, names: Iterable[str], robot: str) -> int:
        """Return the highest rank of *names* for a robot, or 0 if none addresses it.

        *robot* is the result of `joined_names`.
        """
        highest = 0
        for name in names:
            rank = BY_DEFAULT if name == EVERYBODY else self.rank(name.lower(), robot)
            highest = max(highest, rank)
        return highest

    def obeys_all(self, rank: int) -> bool:
        """Whether a robot whose highest rank is *rank* obeys all records with that rank."""
        # Ours O1, O2
        return rank == BY_DEFAULT or self.merges_named

    def choose(self, named: Iterable[Sequence[str]], robot: Sequence[str]) -> list[int]:
        """Return the indexes of the records that a robot obeys.

        *named* contains the names of each record. *robot* is the result of `robot_names`.
        """
        joined = joined_names(robot)
        ranks = [self.rank_of(names, joined) for names in named]
        highest = max(ranks, default=0)
        chosen = [place for place, rank in enumerate(ranks) if rank == highest > 0]
        return chosen if self.obeys_all(highest) else chosen[:1]


# Messages, reports and the documentation list the dialects in this order.
_ROWS = (
    Dialect(
        "1994",
        "The standard of 30 June 1994, the default.",
    ),
    # Revisited K1, K2
    Dialect(
        "revisited",
        '"Robot Exclusion Standard Revisited" by Kollar, Leavitt and Mauldin, 1996.',
        names=listed_names,
        paths=_listed_paths,
        has_lists=True,
    ),
    # Ours X1 to X8
    Dialect(
        "extended",
        "The standard of 1994 with Allow, Crawl-delay and Sitemap.",
        rank=longest_named,
        order=_in_file_order,
    ),
    Dialect(
        "rfc9309",
        "RFC 9309, the standard of 2022, with Crawl-delay and Sitemap.",
        rank=equally_named,
        merges_named=True,
        has_blank_lines=False,
        pauses_by_run=True,
        order=_longest_first,
        has_wildcards=True,
    ),
)


def _with_fields(row: Dialect) -> Dialect:
    fields = by_name(it for it in FIELDS if row.name in it.dialects)
    return row._replace(fields=fields, has_allow=ALLOW.name in fields)


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {row.name: _with_fields(row) for row in _ROWS}
)


STRICTEST = "strictest"
"""The dialect that disallows whatever 1994 or rfc9309 disallows. It has no grammar of its own, so
it is not in `DIALECTS`.
"""

DIALECT_NAMES = (*DIALECTS, STRICTEST)
"""The names that settings, commands and `RobotsTxt` accept."""


def grammars_of(name: str) -> tuple[Dialect, ...]:
    """Return the dialect called *name*. For "strictest", return both dialects that it combines,
    first the one whose records and problems it has.

    Raise `ValueError` for an unknown name.
    """
    if name == STRICTEST:
        return DIALECTS["1994"], DIALECTS["rfc9309"]
    if name not in DIALECTS:
        names = ", ".join(map(repr, DIALECT_NAMES))
        message = f"There is no dialect {name!r} of robots.txt; use one of {names}."
        raise ValueError(message)
    return (DIALECTS[name],)
