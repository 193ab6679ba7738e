"""What `robots-compare` compares: files, folders, WARC files, and URLs it fetches.

Of a WARC file, each answer to GET /robots.txt, read within limits.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from scrapy_robots1994.commands import inputs
from scrapy_robots1994.commands.warc import OnFault, answers_in
from scrapy_robots1994.compare.parsers import Capture, obeyed_body
from scrapy_robots1994.crawl.features.comparison import capture_of
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

NOWHERE = "http://localhost"
"""The origin of a file whose name does not say one."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)


@dataclass(slots=True)
class CompareInputs:
    """The files *names* and what was fetched; *unread* has a line for each fault.

    Of all of them *reader* says what is obeyed, and so compared; *freshness*, what the
    status of an answer means.
    """

    names: list[str]
    reader: Reader
    freshness: FreshnessSettings
    fetched: list[Capture] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add_fetched(self, source: inputs.PolicySource) -> None:
        """Add what was fetched, if the origin itself answered."""
        self.fetched += self._captures(source)

    def _captures(self, source: inputs.PolicySource) -> Iterator[Capture]:
        """Yield the capture that *source* is, if it was read."""
        if not source.is_known:
            self.unread.append(f"{redact_and_escape(source.name, 100)}: {source.why}")
            return
        # The body of an answer without rules is not stored: the others read an empty file.
        rules = source.rules
        body = obeyed_body(rules) if isinstance(rules, RobotsTxt) else b""
        if source.policy is None:
            yield Capture(label_of(source.name), body)
        else:
            yield capture_of(source.policy, body)

    @property
    def count(self) -> int | None:
        """How many files there are; None where an archive does not say."""
        if any(map(inputs.is_archive, self.names)):
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
            if inputs.is_archive(name):
                yield from captures_in(
                    Path(name), self.reader, self.freshness, self.unread.append
                )
            else:
                source = inputs.PolicySource.from_file(name, self.reader)
                yield from self._captures(source)


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
    return str(Origin.of(capture.label) or NOWHERE)


def captures_in(
    path: Path, reader: Reader, freshness: FreshnessSettings, on_fault: OnFault
) -> Iterator[Capture]:
    """Yield each answer to GET /robots.txt in a WARC file, as `answers_in` does.

    It is judged as a crawl with *reader* and *freshness* does that knows nothing from
    before (R1 to R5).
    """
    for origin, answer in answers_in(path, reader.limit, on_fault):
        policy = Policy.from_response(origin, answer, reader, 0.0, freshness)
        robots = reader.read(answer.body, is_truncated=answer.is_truncated)
        yield capture_of(policy, obeyed_body(robots))
