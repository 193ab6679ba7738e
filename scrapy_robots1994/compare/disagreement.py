"""Disagreements: where another parser answers otherwise than ours, and why."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from scrapy_robots1994.compare.parsers import Capture, Direction, Question

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_robots1994.compare.causes import Cause
    from scrapy_robots1994.parser import Verdict

Stratum: TypeAlias = "tuple[str, Direction, Cause | None]"
"""Parser, direction and cause (None: not looked for yet): samples are drawn in each."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One question that *parser* answers otherwise than we do.

    *theirs* is its opinion in a word. *packed* is the file, compressed; *blanket* our
    verdict where the status decided.
    """

    parser: str
    direction: Direction
    cause: Cause | None
    label: str
    question: Question
    theirs: str
    packed: bytes
    blanket: Verdict | None = None

    @property
    def stratum(self) -> Stratum:
        """The stratum it is drawn from."""
        return self.parser, self.direction, self.cause

    @property
    def capture(self) -> Capture:
        """What was found at the origin."""
        return Capture(self.label, zlib.decompress(self.packed), self.blanket)


def rank(label: str, question: Question) -> bytes:
    """Return what orders questions as if at random, in every process the same.

    The first of them by rank are a uniform sample of all different ones, however they
    came and were put together.
    """
    text = f"{label}\n{question.robot}\n{question.url}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


Ranked: TypeAlias = "tuple[bytes, Disagreement]"


@dataclass(slots=True)
class Totals:
    """Exact counts, and samples of at most *most* disagreements in each stratum."""

    most: int
    captures: int = 0
    unasked: int = 0
    counts: Counter[tuple[str, Direction]] = field(default_factory=Counter)
    causes: Counter[tuple[str, Direction, Cause]] = field(default_factory=Counter)
    samples: dict[Stratum, list[Ranked]] = field(default_factory=dict)

    def wants(self, stratum: Stratum, place: bytes) -> bool:
        """Whether a disagreement of that rank belongs to the sample, as it is now."""
        held = self.samples.get(stratum, [])
        if any(place == other for other, _ in held):
            return False
        return len(held) < self.most or place < held[-1][0]

    def keep(self, place: bytes, disagreement: Disagreement) -> None:
        """Take a disagreement that is wanted; one with a later rank may have to go."""
        held = self.samples.setdefault(disagreement.stratum, [])
        held.append((place, disagreement))
        held.sort(key=_place)
        del held[self.most :]

    def add(self, other: Totals) -> None:
        """Take over what *other* counted and sampled."""
        self.captures += other.captures
        self.unasked += other.unasked
        self.counts.update(other.counts)
        self.causes.update(other.causes)
        for stratum, theirs in other.samples.items():
            held = self.samples.get(stratum, [])
            both = dict(merge(held, theirs, key=_place))
            self.samples[stratum] = list(islice(both.items(), self.most))

    def sampled(self) -> Iterable[Disagreement]:
        """Yield all samples, stratum by stratum, in an order that does not vary."""
        for stratum in sorted(self.samples, key=_order):
            yield from (disagreement for _, disagreement in self.samples[stratum])


def _place(ranked: Ranked) -> bytes:
    """Return the rank."""
    return ranked[0]


def _order(stratum: Stratum) -> tuple[str, str, str]:
    """Return what strata are sorted by."""
    parser, direction, cause = stratum
    return parser, direction.value, cause.value if cause else ""
