"""Impact: what changes for each site when our parser takes the place of another one."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from hashlib import blake2b
from heapq import merge
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import Basis, Capture, Direction, Question
from scrapy_robots1994.parser.dialects import DIALECTS, READINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy_robots1994.parser import Verdict

MAX_SITES = 20_000
"""Sites that a report lists; of more, the counts go on."""

MAX_EXAMPLES = 3
"""Examples of each site, parser and direction."""

CHANGING = (Direction.STRICTER, Direction.LAXER)
"""Directions in which a switch to our parser opens or closes a URL."""


class Variant(NamedTuple):
    """One way in which our parser can be set up."""

    dialect: str
    reading: str


VARIANTS = tuple(Variant(*pair) for pair in product(DIALECTS, READINGS))


class Change(Enum):
    """What a switch from another parser to ours does to one site."""

    UNCHANGED = "unchanged"
    OPENED = "opened"
    CLOSED = "closed"
    BOTH = "both"

    @classmethod
    def of(cls, *, opened: object, closed: object) -> Change:
        """Return the change of a site with *opened* and *closed* URLs."""
        if opened and closed:
            return cls.BOTH
        if opened:
            return cls.OPENED
        return cls.CLOSED if closed else cls.UNCHANGED


@dataclass(frozen=True, slots=True)
class Example:
    """One question that a parser answers differently.

    *theirs* is its decision in words, *verdict* ours, *needed_lines* (from 1) are the
    lines without any of which the two agree. An example without a *verdict* has not
    been explained.
    """

    question: Question
    theirs: str
    cause: Cause | None = None
    verdict: str = ""
    needed_lines: tuple[int, ...] = ()


Stratum: TypeAlias = "tuple[str, Direction]"
"""A parser, and a direction in which it differs."""


@dataclass(slots=True)
class SiteImpact:
    """How the parsers differ about one site.

    *packed* is the compressed file of a site about which one of them differs, *own* that
    which ours reads, where the others read another one. The bits
    of *opened* and *closed* stand for a variant of ours and a parser: see `bit`.
    """

    label: str
    basis: Basis = Basis.TEXT
    status: int | None = None
    uniform: Verdict | None = None
    packed: bytes = b""
    own: bytes = b""
    counts: Counter[Stratum] = field(default_factory=Counter)
    causes: Counter[tuple[str, Direction, Cause]] = field(default_factory=Counter)
    examples: dict[Stratum, list[Example]] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    closed: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, capture: Capture) -> SiteImpact:
        """Return the impact on *capture* before any question."""
        own = b"" if capture.others is None else zlib.compress(capture.body)
        return cls(
            capture.label, capture.basis, capture.status, capture.uniform, own=own
        )

    @property
    def capture(self) -> Capture:
        """The answer that was compared; without its body if all parsers agree."""
        if not self.own:
            return Capture(self.label, self.file, self.uniform, self.status)
        own = zlib.decompress(self.own)
        return Capture(self.label, own, self.uniform, self.status, self.file)

    @property
    def file(self) -> bytes:
        """The file that the others read; empty if all parsers agree."""
        return zlib.decompress(self.packed) if self.packed else b""

    def count(self, parser: str, *directions: Direction) -> int:
        """Return how many questions *parser* answered in one of *directions*."""
        return sum(self.counts[parser, it] for it in directions or Direction)

    def change(self, parser: str) -> Change:
        """Return what a switch from *parser* does to the site."""
        return Change.of(
            opened=self.counts[parser, Direction.STRICTER],
            closed=self.counts[parser, Direction.LAXER],
        )

    def change_in(self, variant: int, parser: str) -> Change:
        """Return the same for our parser set up as `VARIANTS[variant]`."""
        return Change.of(
            opened=self.opened.get(parser, 0) >> variant & 1,
            closed=self.closed.get(parser, 0) >> variant & 1,
        )

    def main_cause(self, parser: str) -> Cause | None:
        """Return the most frequent cause, the first by name of several; None without
        any.
        """
        found = Counter[Cause]()
        for (name, _, cause), number in self.causes.items():
            if name == parser:
                found[cause] += number
        return min(found, key=lambda it: (-found[it], it.value), default=None)

    def count_causes(self) -> None:
        """Count the causes of the examples, where those of all questions are unknown."""
        self.causes = Counter(
            (parser, way, example.cause)
            for (parser, way), examples in self.examples.items()
            for example in examples
            if example.cause is not None
        )

    def keep(self, stratum: Stratum, example: Example, body: bytes) -> None:
        """Keep *example* about *body* if it is among the first by rank."""
        self.packed = self.packed or zlib.compress(body)
        self._keep(stratum, [example])

    def add(self, other: SiteImpact) -> None:
        """Add *other*, which is about the same site."""
        self.counts.update(other.counts)
        self.causes.update(other.causes)
        self.packed = self.packed or other.packed
        self.own = self.own or other.own
        for stratum, examples in other.examples.items():
            self._keep(stratum, examples)
        for mine, theirs in ((self.opened, other.opened), (self.closed, other.closed)):
            for parser, bits in theirs.items():
                mine[parser] = mine.get(parser, 0) | bits

    def _keep(self, stratum: Stratum, examples: list[Example]) -> None:
        """Merge *examples*, which are in order of their rank, each question once."""
        known = self.examples.get(stratum, [])
        merged = {it.question: it for it in merge(known, examples, key=self._rank)}
        self.examples[stratum] = list(islice(merged.values(), MAX_EXAMPLES))

    def _rank(self, example: Example) -> bytes:
        """Return what orders examples."""
        return rank(self.label, example.question.robot, example.question.url)


def rank(*parts: str) -> bytes:
    """Return a key that orders texts as if at random, in every process the same.

    The first by rank are a uniform sample, in whatever order all came.
    """
    text = "\n".join(parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


@dataclass(slots=True)
class Totals:
    """Exact counts over all sites, and the sites themselves up to `MAX_SITES`.

    *skipped* counts questions that were not compared, *unlisted* the changes of sites
    beyond that number by parser, basis and change.
    """

    captures: int = 0
    skipped: int = 0
    counts: Counter[Stratum] = field(default_factory=Counter)
    causes: Counter[tuple[str, Direction, Cause]] = field(default_factory=Counter)
    sites: dict[str, SiteImpact] = field(default_factory=dict)
    unlisted: Counter[tuple[str, Basis, Change]] = field(default_factory=Counter)
    unlisted_in: Counter[tuple[str, int, Change]] = field(default_factory=Counter)
    unlisted_sites: int = 0

    def add_site(self, site: SiteImpact, captures: int = 1) -> None:
        """Add the impact on one site."""
        self.captures += captures
        self.counts.update(site.counts)
        self.causes.update(site.causes)
        self._list(site)

    def add(self, other: Totals) -> None:
        """Add all of *other*."""
        self.captures += other.captures
        self.skipped += other.skipped
        self.counts.update(other.counts)
        self.causes.update(other.causes)
        self.unlisted.update(other.unlisted)
        self.unlisted_in.update(other.unlisted_in)
        self.unlisted_sites += other.unlisted_sites
        for site in other.sites.values():
            self._list(site)

    def _list(self, site: SiteImpact) -> None:
        """List *site*; of too many, those with the last ranks are only counted."""
        known = self.sites.get(site.label)
        if known is None:
            self.sites[site.label] = site
        else:
            known.add(site)
        # Twice as many are let in, so that few of them cause a sort.
        if len(self.sites) > 2 * MAX_SITES:
            self.trim()

    def trim(self) -> None:
        """Take the sites beyond `MAX_SITES` off the list; their changes stay counted."""
        for label in sorted(self.sites, key=rank)[MAX_SITES:]:
            site = self.sites.pop(label)
            self.unlisted_sites += 1
            for parser in {name for name, _ in site.counts}:
                self.unlisted[parser, site.basis, site.change(parser)] += 1
                for place in range(len(VARIANTS)):
                    change = site.change_in(place, parser)
                    self.unlisted_in[parser, place, change] += 1

    def changes(self, parser: str, *bases: Basis) -> Mapping[Change, int]:
        """Return how many sites change how, in a switch from *parser*."""
        numbers = dict.fromkeys(Change, 0)
        for basis in bases or Basis:
            for change in Change:
                numbers[change] += self.unlisted[parser, basis, change]
        for site in self._sites(parser, bases or tuple(Basis)):
            numbers[site.change(parser)] += 1
        return numbers

    def changes_in(self, variant: int, parser: str) -> Mapping[Change, int]:
        """Return the same for our parser set up as `VARIANTS[variant]`."""
        numbers = {it: self.unlisted_in[parser, variant, it] for it in Change}
        for site in self._sites(parser, tuple(Basis)):
            numbers[site.change_in(variant, parser)] += 1
        return numbers

    def _sites(self, parser: str, bases: tuple[Basis, ...]) -> Iterator[SiteImpact]:
        """Yield the listed sites about which *parser* answered."""
        for site in self.sites.values():
            if site.basis in bases and site.count(parser):
                yield site
