"""Count the changes for each site if our parser replaces another parser."""

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple, TypeAlias

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.parsers import Capture, Direction, Question
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.policy.outcomes import AnswerGroup

MAX_SITES = 20_000
"""The maximum number of sites that a report lists. Further sites are only counted."""

MAX_EXAMPLES = 3
"""The maximum number of examples that are stored for each combination of a site, a parser
and a direction.
"""

CHANGING = frozenset({Direction.STRICTER, Direction.LAXER})
"""The directions in which a switch to our parser changes whether a URL is allowed."""


class Variant(NamedTuple):
    """A dialect of our parser."""

    dialect: str


VARIANTS = tuple(map(Variant, DIALECT_NAMES))


class Change(NamedTuple):
    """The effect that a switch from another parser to our parser has on one site.

    *name* is the code of the change for programs, and *title* is the name of the change
    in tables. *meaning* describes the change for URLs.
    """

    name: str
    title: str
    meaning: str


# The index of a change in `CHANGES` is a bit mask. Bit 0 means that URLs become allowed.
# Bit 1 means that URLs become disallowed.
CHANGES = (
    Change("unchanged", "unchanged", "the answer is the same for each URL"),
    Change("opened", "only opened", "URLs become allowed"),
    Change("closed", "only closed", "URLs become disallowed"),
    Change(
        "both", "both", "some URLs become allowed, and other URLs become disallowed"
    ),
)


@dataclass(frozen=True, slots=True)
class Example:
    """One question that another parser answers differently from our parser.

    *theirs* is the decision of the other parser. *verdict* describes our verdict in words.
    Together, *causes* explain the difference, but reports count only the first cause. If
    *causes* is empty, the difference has not been explained. *needed_lines* are the numbers
    (from 1) of a minimal set of lines that cause the difference.
    """

    question: Question
    theirs: str
    causes: tuple[Cause, ...] = ()
    verdict: str = ""
    needed_lines: tuple[int, ...] = ()


Stratum: TypeAlias = tuple[str, Direction]
"""A pair that consists of the name of a parser and a direction."""

CauseCounts: TypeAlias = Counter[tuple[str, Direction, Cause]]
"""The number of differing answers for each parser, direction and cause."""


Switch: TypeAlias = tuple[str, AnswerGroup | Variant, Change]
"""The key under which sites are counted. A key describes a switch from another parser to
our parser, and the effect of the switch.

The first item is the name of the other parser, and the third item is the effect. If the
second item is an `AnswerGroup`, only the sites of that group are counted, for the dialect
of the comparison. If the second item is a `Variant`, all sites are counted, for the
dialect of the variant.
"""


@dataclass(slots=True, kw_only=True)
class Answers:
    """The number of answers for each parser and direction, and the number of differences
    for each cause.

    *stuck* lists each parser that did not answer the questions about the robots.txt of a
    site. Each item of *stuck* contains the name of the parser and the label of the site.
    """

    counts: Counter[Stratum] = field(default_factory=Counter)
    causes: CauseCounts = field(default_factory=Counter)
    stuck: list[tuple[str, str]] = field(default_factory=list)

    def count(self, parser: str, *directions: Direction) -> int:
        """Return the number of answers of *parser* in *directions*. Without *directions*,
        count all answers of *parser*.
        """
        return sum(self.counts[parser, it] for it in directions or Direction)

    def caused(self, cause: Cause, parser: str, *directions: Direction) -> int:
        """Return how many differing answers of *parser* have *cause*. Without *directions*,
        count the answers in all directions.
        """
        return sum(self.causes[parser, it, cause] for it in directions or Direction)

    def causes_of(self, *parsers: str) -> list[Cause]:
        """Return the causes of the differences of *parsers*, the most frequent cause first.
        Equally frequent causes are sorted by their codes.
        """
        found = Counter[Cause]()
        for (name, _, cause), number in self.causes.items():
            if name in parsers:
                found[cause] += number
        return sorted(+found, key=lambda it: (-found[it], it.value))

    def add_answers(self, other: "Answers") -> None:
        """Add the counts of *other* to the counts of this object."""
        self.counts.update(other.counts)
        self.causes.update(other.causes)
        self.stuck += other.stuck


@dataclass(slots=True)
class SiteImpact(Answers):
    """The differences between our parser and each parser that was compared with it, for
    one site.

    *capture* is the capture that was compared, without its file. If another parser
    differs from our parser, *packed* is the compressed file of the capture. *variants*
    contains tuples of the name of a parser, a direction and a variant. Each tuple in
    *variants* means that the parser differs in that direction from our parser in the
    dialect of the variant.
    """

    capture: Capture
    packed: bytes = b""
    examples: dict[Stratum, list[Example]] = field(default_factory=dict)
    variants: set[tuple[str, Direction, Variant]] = field(default_factory=set)

    @classmethod
    def of(cls, capture: Capture) -> "SiteImpact":
        """Return the impact on the site of *capture*, with all counts at zero."""
        return cls(replace(capture, body=b""))

    @property
    def whole_capture(self) -> Capture:
        """The capture that was compared. If all parsers agree, the file of the capture is
        empty.
        """
        body = zlib.decompress(self.packed) if self.packed else b""
        return replace(self.capture, body=body)

    def pack(self, capture: Capture) -> None:
        """Store the file of *capture*. A comparison can have many thousands of files, so
        the stored files are compressed.
        """
        self.packed = self.packed or zlib.compress(capture.body)

    def change(self, parser: str, variant: Variant) -> Change:
        """Return the effect on the site of a switch from *parser* to our parser. *variant*
        is the dialect of our parser.
        """
        opened = (parser, Direction.STRICTER, variant) in self.variants
        closed = (parser, Direction.LAXER, variant) in self.variants
        return CHANGES[opened + 2 * closed]

    def changes(self, ours: Variant) -> Iterator[Switch]:
        """Yield the keys under which this site is counted, for each parser with answers.
        *ours* is the dialect of the comparison.
        """
        for parser in {name for name, _ in +self.counts}:
            yield parser, self.capture.basis, self.change(parser, ours)
            for variant in VARIANTS:
                yield parser, variant, self.change(parser, variant)

    def count_causes(self) -> None:
        """Replace the counts of causes with counts that include only the examples.

        Call this method if not all differences were diagnosed.
        """
        self.causes = Counter(
            (parser, way, example.causes[0])
            for (parser, way), examples in self.examples.items()
            for example in examples
            if example.causes
        )

    def add(self, other: "SiteImpact") -> None:
        """Add the counts and examples of *other*, which is an impact on this site."""
        self.add_answers(other)
        self.variants |= other.variants
        self.packed = self.packed or other.packed
        # Leave out the examples for another file, because the report shows one file for
        # each site.
        if other.packed == self.packed:
            for stratum, examples in other.examples.items():
                for example in examples:
                    self.keep(stratum, example)

    def keep(self, stratum: Stratum, example: Example) -> None:
        """Store *example*. Only the first `MAX_EXAMPLES` examples of *stratum* are stored,
        and only one example for each question.
        """
        known = self.examples.setdefault(stratum, [])
        is_known = any(it.question == example.question for it in known)
        if not is_known and len(known) < MAX_EXAMPLES:
            known.append(example)


@dataclass(slots=True)
class Totals(Answers):
    """Exact counts over all sites, and a list of at most `MAX_SITES` sites.

    *ours* is the dialect of our parser. *skipped* is the number of questions
    that were not compared. *unlisted_sites* is the number of sites that are not in the
    list, and *unlisted* counts the changes of the unlisted sites. *is_interrupted* is true
    if the comparison did not finish.
    """

    ours: Variant
    captures: int = 0
    skipped: int = 0
    sites: dict[str, SiteImpact] = field(default_factory=dict)
    unlisted: Counter[Switch] = field(default_factory=Counter)
    unlisted_sites: int = 0
    is_interrupted: bool = False

    def add_site(self, site: SiteImpact, captures: int) -> None:
        """Add the impact on one site, and add *captures* to the number of captures."""
        self.captures += captures
        self.add_answers(site)
        label = site.capture.label
        if label in self.sites:
            self.sites[label].add(site)
        elif len(self.sites) < MAX_SITES:
            self.sites[label] = site
        else:
            self.unlisted.update(site.changes(self.ours))
            self.unlisted_sites += captures

    def changes(self) -> Counter[Switch]:
        """Return the number of sites for each key, including the sites not in the list."""
        listed = (site.changes(self.ours) for site in self.sites.values())
        return self.unlisted + Counter(chain.from_iterable(listed))
