"""What `robots-compare` compares: files, folders, WARC files, and URLs it fetches."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from scrapy_robots1994.commands.inputs import expand, is_url, what_failed
from scrapy_robots1994.commands.warc import captures_in, is_archive
from scrapy_robots1994.compare.parsers import Capture
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.commands.url_verdict import PolicySource

CompareInput: TypeAlias = "Path | Capture"
"""A file that is still to be read, or what was found at /robots.txt of an origin."""

NOWHERE = "http://localhost"
"""The origin of a file whose name does not say one."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


@dataclass(slots=True)
class CompareInputs:
    """Everything that the arguments name; *unread* has a line for each fault."""

    files: list[Path]
    captures: list[Capture] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, args: list[str]) -> CompareInputs:
        """Return the files that *args* name, those of folders included."""
        names = [arg for arg in args if not is_url(arg)]
        for name in names:
            # A misspelt argument is wrong use, and known before hours of work.
            Path(name).stat()
        return cls([Path(it) for it in expand(names)])

    def add_fetched(self, sources: list[PolicySource]) -> None:
        """Add what was fetched, as far as the origin itself answered."""
        for source in sources:
            capture = capture_of_source(source)
            if capture is None:
                self.unread.append(f"{source.name}: {source.why}")
            else:
                self.captures.append(capture)

    @property
    def count(self) -> int | None:
        """How many files there are; None where an archive does not say."""
        if any(map(is_archive, self.files)):
            return None
        return len(self.files) + len(self.captures)

    @property
    def has_answers(self) -> bool:
        """Whether statuses are compared, too, and not files alone."""
        return bool(self.captures) or any(map(is_archive, self.files))

    def __iter__(self) -> Iterator[CompareInput]:
        """Yield all of them; of an archive each capture of a robots.txt in it."""
        yield from self.captures
        for path in self.files:
            if is_archive(path):
                yield from captures_in(path, self.unread.append)
            else:
                yield path


def capture_of_source(source: PolicySource) -> Capture | None:
    """Return what an origin answered; None where it did not.

    Where the status decides, the other parsers read an empty file: the body of such an
    answer is not stored.
    """
    policy = source.policy
    if policy is None or not source.is_known:
        return None
    label = str(policy.origin)
    if policy.robots is not None:
        return Capture(label, policy.robots.body)
    uniform = policy.rules("").verdict(f"{label}/")
    return Capture(label, b"", uniform, policy.status)


def capture_of(found: CompareInput) -> Capture:
    """Return what *found* holds; a file is read as the answer of the host it is named
    by.
    """
    if isinstance(found, Capture):
        return found
    host = _host(found)
    label = f"http://{host}" if host else str(found)
    return Capture(label, found.read_bytes())


def origin_of(capture: Capture) -> str:
    """Return the origin to ask about; a label that is not one has a stand-in."""
    origin = Origin.of(capture.label)
    return NOWHERE if origin is None else str(origin)


def _host(path: Path) -> str | None:
    """Return the host that *path* is named by, as `example.org`, or by its folder, as
    `example.org/robots.txt`.
    """
    stem = path.stem if path.suffix.lower() == ".txt" else path.name
    for name in (stem, path.absolute().parent.name):
        if _HOST.fullmatch(unquote(name)):
            return name
        if stem.lower() != "robots":
            break
    return None


def read_here(inputs: CompareInputs) -> Iterator[Capture]:
    """Yield all of *inputs*, files read: workers elsewhere may not have them."""
    for found in inputs:
        try:
            yield capture_of(found)
        except OSError as error:  # noqa: PERF203 - of one file among many
            inputs.unread.append(what_failed(error))
