"""Impact: what changes for each site when our parser takes the place of another one."""

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import NamedTuple, TypeAlias

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import Capture, Direction, Question
from scrapy_robots1994.parser.dialects import DIALECTS, READINGS
from scrapy_robots1994.policy.outcomes import AnswerGroup

MAX_SITES = 20_000
"""Sites that a report lists; of more, the counts go on."""

MAX_EXAMPLES = 3
"""Examples of each site, parser and direction."""

CHANGING = frozenset({Direction.STRICTER, Direction.LAXER})
"""Directions in which a switch to our parser opens or closes a URL."""


class Variant(NamedTuple):
    """One way in which our parser can be set up."""

    dialect: str
    reading: str


VARIANTS = tuple(Variant(*pair) for pair in product(DIALECTS, READINGS))


class Change(NamedTuple):
    """What a switch from another parser to ours does to one site.

    *name* is for machines, *title* for a table, *meaning* is what that means for URLs.
    """

    name: str
    title: str
    meaning: str


# In this order: see `SiteImpact.change`.
CHANGES = (
    Change("unchanged", "unchanged", "no URL changes"),
    Change("opened", "only opened", "URLs become allowed"),
    Change("closed", "only closed", "URLs become refused"),
    Change("both", "both", "some URLs of each"),
)


@dataclass(frozen=True, slots=True)
class Example:
    """One question that a parser answers differently.

    *theirs* is its decision in words, *verdict* ours. *causes* are those that together make
    the difference; the first names it. *needed_lines* (from 1) are the lines without any of
    which the two agree. An example without *causes* has not been explained.
    """

    question: Question
    theirs: str
    causes: tuple[Cause, ...] = ()
    verdict: str = ""
    needed_lines: tuple[int, ...] = ()


Stratum: TypeAlias = tuple[str, Direction]
"""A parser, and a direction in which it differs."""

CauseCounts: TypeAlias = Counter[tuple[str, Direction, Cause]]
"""How many answers of a parser differ in a direction, by cause."""


Switch: TypeAlias = tuple[str, AnswerGroup | int | None, Change]
"""A switch from a parser to ours, and what it changes. The second item is `None` for all
sites, a basis for those of that basis, or the number of a variant: our parser set up as
`VARIANTS[number]`.
"""


@dataclass(slots=True, kw_only=True)
class Answers:
    """How the answers of each parser compare with ours, and why they differ, in counts.

    *stuck* has each parser that did not answer in time, and the file.
    """

    counts: Counter[Stratum] = field(default_factory=Counter)
    causes: CauseCounts = field(default_factory=Counter)
    stuck: list[tuple[str, str]] = field(default_factory=list)

    def count(self, parser: str, *directions: Direction) -> int:
        """Return how many questions *parser* answered in one of *directions*."""
        return sum(self.counts[parser, it] for it in directions or Direction)

    def caused(self, cause: Cause, parser: str, *directions: Direction) -> int:
        """Return how many disagreements of *parser* have *cause*."""
        return sum(self.causes[parser, it, cause] for it in directions or Direction)

    def causes_of(self, *parsers: str) -> list[Cause]:
        """Return the causes of *parsers*, the most frequent first, then by name."""
        found = Counter[Cause]()
        for (name, _, cause), number in self.causes.items():
            if name in parsers:
                found[cause] += number
        return sorted(+found, key=lambda it: (-found[it], it.value))

    def add_answers(self, other: "Answers") -> None:
        """Add those of *other*."""
        self.counts.update(other.counts)
        self.causes.update(other.causes)
        self.stuck += other.stuck


@dataclass(slots=True)
class SiteImpact(Answers):
    """How the parsers differ about one site.

    *answer* is what was compared, without its file: that is compressed in *packed*, if
    a parser differs about it. The bits of *variants* stand for `VARIANTS`: those of ours
    that differ from a parser in a direction.
    """

    answer: Capture
    packed: tuple[bytes, ...] = ()
    examples: dict[Stratum, list[Example]] = field(default_factory=dict)
    variants: Counter[Stratum] = field(default_factory=Counter)

    @classmethod
    def of(cls, capture: Capture) -> "SiteImpact":
        """Return the impact on *capture* before any question."""
        return cls(replace(capture, body=b"", others=None))

    @property
    def label(self) -> str:
        """The label of what was compared."""
        return self.answer.label

    @property
    def capture(self) -> Capture:
        """What was compared; without its file if all parsers agree."""
        body, *others = list(map(zlib.decompress, self.packed)) or [b""]
        return replace(self.answer, body=body, others=others[0] if others else None)

    def change(self, parser: str, variant: int | None = None) -> Change:
        """Return what a switch from *parser* does to the site: to our parser as it was
        compared, or set up as `VARIANTS[variant]`.
        """
        opened, closed = (
            self.counts[parser, way]
            if variant is None
            else self.variants[parser, way] >> variant & 1
            for way in (Direction.STRICTER, Direction.LAXER)
        )
        return CHANGES[bool(opened) + 2 * bool(closed)]

    def changes(self) -> Iterator[Switch]:
        """Yield what each switch from a parser that answered does to the site."""
        for parser in {name for name, _ in +self.counts}:
            change = self.change(parser)
            yield parser, None, change
            yield parser, self.answer.basis, change
            for place in range(len(VARIANTS)):
                yield parser, place, self.change(parser, place)

    def count_causes(self) -> None:
        """Count the causes of the examples, where those of all questions are unknown."""
        self.causes = Counter(
            (parser, way, example.causes[0])
            for (parser, way), examples in self.examples.items()
            for example in examples
            if example.causes
        )

    def keep(self, stratum: Stratum, example: Example, capture: Capture) -> None:
        """Keep *example* about *capture* if it is one of the first."""
        if not self.packed:
            files = (capture.body, capture.others)
            self.packed = tuple(zlib.compress(it) for it in files if it is not None)
        self._keep(stratum, [example])

    def add(self, other: "SiteImpact") -> None:
        """Add *other*, which is about the same site."""
        self.add_answers(other)
        self.packed = self.packed or other.packed
        for stratum, examples in other.examples.items():
            self._keep(stratum, examples)
        for stratum, bits in other.variants.items():
            self.variants[stratum] |= bits

    def _keep(self, stratum: Stratum, examples: list[Example]) -> None:
        """Keep the first of the known examples and *examples*, each question once."""
        known = self.examples.get(stratum, [])
        merged = {it.question: it for it in (*known, *examples)}
        self.examples[stratum] = list(merged.values())[:MAX_EXAMPLES]


@dataclass(slots=True)
class Totals(Answers):
    """Exact counts over all sites, and the sites themselves up to `MAX_SITES`.

    *skipped* counts questions that were not compared, *unlisted* the changes of sites
    beyond that number. *is_interrupted* says that not all was compared.
    """

    captures: int = 0
    skipped: int = 0
    sites: dict[str, SiteImpact] = field(default_factory=dict)
    unlisted: Counter[Switch] = field(default_factory=Counter)
    unlisted_sites: int = 0
    is_interrupted: bool = False

    def add_site(self, site: SiteImpact, captures: int = 1) -> None:
        """Add the impact on one site."""
        one = Totals(captures, sites={site.label: site})
        one.add_answers(site)
        self.add(one)

    def add(self, other: "Totals") -> None:
        """Add all of *other*."""
        self.captures += other.captures
        self.skipped += other.skipped
        self.add_answers(other)
        self.unlisted.update(other.unlisted)
        self.unlisted_sites += other.unlisted_sites
        for label, site in other.sites.items():
            if label in self.sites:
                self.sites[label].add(site)
            elif len(self.sites) < MAX_SITES:
                self.sites[label] = site
            else:
                self.unlisted.update(site.changes())
                self.unlisted_sites += 1

    def changes(self) -> Counter[Switch]:
        """Return how many sites each switch changes in which way."""
        listed = (site.changes() for site in self.sites.values())
        return self.unlisted + Counter(chain.from_iterable(listed))
