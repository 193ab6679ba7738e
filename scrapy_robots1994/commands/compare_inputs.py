"""What `robots-compare` compares: files, folders, WARC files, and URLs it fetches."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from scrapy_robots1994.commands.inputs import read_bytes, what_failed
from scrapy_robots1994.commands.warc import captures_in, is_archive
from scrapy_robots1994.compare.parsers import Capture
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.commands.url_verdict import PolicySource

NOWHERE = "http://localhost"
"""The origin of a file whose name does not say one."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


@dataclass(slots=True)
class CompareInputs:
    """The files *names* and what was fetched; *unread* has a line for each fault."""

    names: list[str]
    fetched: list[Capture] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add_fetched(self, source: PolicySource) -> None:
        """Add what was fetched, if the origin itself answered."""
        policy = source.policy
        if policy is None or not source.is_known:
            self.unread.append(f"{source.name}: {source.why}")
            return
        label = str(policy.origin)
        if policy.robots is not None:
            self.fetched.append(Capture(label, policy.robots.body))
            return
        # The body of such an answer is not stored: the others read an empty file.
        uniform = policy.rules("").verdict(f"{label}/")
        self.fetched.append(Capture(label, b"", uniform, policy.status))

    @property
    def count(self) -> int | None:
        """How many files there are; None where an archive does not say."""
        if any(is_archive(Path(name)) for name in self.names):
            return None
        return len(self.names) + len(self.fetched)

    @property
    def has_answers(self) -> bool:
        """Whether statuses are compared, too, and not files alone."""
        return bool(self.fetched) or self.count is None

    def __iter__(self) -> Iterator[Capture]:
        """Yield all captures: each file is one, an archive has one for each answer."""
        yield from self.fetched
        for name in self.names:
            if is_archive(Path(name)):
                yield from captures_in(Path(name), self.unread.append)
                continue
            try:
                capture = Capture(label_of(name), read_bytes(name))
            except OSError as error:
                self.unread.append(what_failed(error))
            else:
                yield capture


def label_of(name: str) -> str:
    """Return the origin that a file is named by, as `example.org`, or by its folder, as
    `example.org/robots.txt`; else the name.
    """
    path = Path(name)
    stem = path.stem if path.suffix.lower() == ".txt" else path.name
    for part in (stem, path.absolute().parent.name):
        if _HOST.fullmatch(unquote(part)):
            return f"http://{part}"
        if stem.lower() != "robots":
            break
    return name


def origin_of(capture: Capture) -> str:
    """Return the origin of the questions; a label that is not one has a stand-in."""
    origin = Origin.of(capture.label)
    return NOWHERE if origin is None else str(origin)
