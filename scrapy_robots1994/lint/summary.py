"""Summary: how many files have which problem."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.lint.report import Report


@dataclass(slots=True)
class Summary:
    """Counts over all files that were added."""

    files: int = 0
    clean: int = 0
    by_file: Counter[str] = field(default_factory=Counter)
    by_place: Counter[str] = field(default_factory=Counter)

    def add(self, report: Report) -> None:
        """Count the problems of one more file."""
        codes = [problem.code for problem in report.problems]
        self.files += 1
        self.clean += not codes
        self.by_file.update(set(codes))
        self.by_place.update(codes)

    def table(self) -> Iterator[str]:
        """Yield the lines of the table: each code that was found, by its number."""
        yield f"{'code':5} {'files':>7} {'places':>9}  {'severity':8} clause  problem"
        for kind in KINDS:
            if self.by_file[kind.code]:
                yield (
                    f"{kind.code:5} {self.by_file[kind.code]:7,} "
                    f"{self.by_place[kind.code]:9,}  {kind.severity:8} "
                    f"{kind.clause:7} {kind.title}"
                )
        yield f"{self.files:,} files, {self.clean:,} of them without a problem"
