"""Sphinx directive ``.. robots1994-picture:: NAME``, which draws a picture.

NAME is ``request`` (how a request is processed), ``policy`` (the states of a policy) or
``evidence`` (one decision and its record). The directive draws the picture from tables in
the code, and inserts SVG code into the page. The picture uses the colours of the page, so
it suits a light and a dark theme.
"""

from __future__ import annotations

from base64 import b32encode
from dataclasses import fields
from hashlib import sha256
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes
from docutils.parsers.rst import Directive

from scrapy_robots1994.crawl import settings as crawl_settings
from scrapy_robots1994.crawl.requests import Exemption
from scrapy_robots1994.policy.outcomes import ROWS
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

# Sizes in pixels, for a picture that is as wide as the screen of a phone.
WIDTH, STEP, EXIT_AT, EXIT, LINE, PAD, GAP = 360, 226, 254, 106, 15, 9, 26
EXIT_COLUMNS = 16


class Step(NamedTuple):
    """One step of a picture. The steps follow each other from top to bottom.

    *leads_to* is the text of a second box next to the step. *way* is the text above the
    second box. *below* is the text next to the arrow to the next step.
    """

    title: str
    lines: tuple[str, ...] = ()
    way: str = ""
    leads_to: str = ""
    below: str = ""


def default_of(name: str) -> str:
    """Return the setting *name* with its default, such as "ROBOTS1994_TTL (86,400 s)"."""
    by_name = {it.name: it for it in fields(crawl_settings.RobotsSettings)}
    default = by_name[name].metadata["default"]
    return f"{crawl_settings.PREFIX}{name.upper()} ({default:,}\N{NO-BREAK SPACE}s)"


def request() -> tuple[str, tuple[Step, ...]]:
    """Return the title and the steps of the picture of a request."""
    exempt = tuple(f"· {it.value.partition(',')[0]}" for it in Exemption)
    answers = []
    for row in ROWS:
        if not row.groups:
            continue
        meaning = "the file decides"
        if row.reason:
            meaning = row.effect(is_open=row.allows)
            meaning = f"all URLs {meaning}"
        if not row.is_answer:
            meaning = f"retried; then the last good policy decides, otherwise {meaning}"
        answers.append(f"· {row.statuses}: {meaning}")
    steps = (
        Step("Request of the crawl"),
        Step(
            "Is there a reason not to check the request?",
            exempt,
            "yes",
            "sent, unchecked",
            "no",
        ),
        Step(
            "Is the policy of the origin in memory, and fresh?",
            (),
            "yes",
            "the rules decide",
            "no",
        ),
        Step(
            "The request waits outside CONCURRENT_REQUESTS",
            (
                (
                    "the policy is looked up in the store; otherwise, robots.txt is fetched "
                    "once for all waiting requests"
                ),
            ),
            "crawl closes",
            "returned to the scheduler",
        ),
        Step(
            "What does the answer mean?",
            tuple(answers),
            "local error",
            "the request fails with the error",
        ),
        Step(
            "The rules decide",
            ("in the record for this robot, the line that covers the URL decides",),
            "disallowed",
            "refused, with record and line",
            "allowed",
        ),
        Step("Sent"),
    )
    return "The way of a request", steps


def policy() -> tuple[str, tuple[Step, ...]]:
    """Return the title and the steps of the picture of a policy."""
    stopgap = next(row for row in ROWS if not row.is_answer)
    limited = next(row for row in ROWS if row.max_lifetime < float("inf"))
    steps = (
        Step(
            "Not known",
            ("requests wait for the first fetch",),
            "no answer",
            "unreachable",
            "answer",
        ),
        Step(
            "Fresh",
            (
                "the policy decides, and robots.txt is not requested",
                (
                    f"for the time that the server states, from {default_of('min_ttl')} "
                    f"to {default_of('ttl')}"
                ),
                f"{limited.statuses}: at most {limited.max_lifetime:,.0f} s",
            ),
            below="time passes",
        ),
        Step(
            "Stale",
            (
                (
                    "the policy still decides while one request renews it; if the policy is "
                    f"older, or the answer was {limited.statuses}, requests wait for the renewal"
                ),
            ),
            "renewed",
            "fresh again",
            "no answer",
        ),
        Step(
            "Stale on error",
            (
                (
                    "the last good policy decides, for at most "
                    f"{default_of('stale_ttl')} after it was fresh"
                ),
                f"the next fetch is after {default_of('retry_after')}",
            ),
            "renewed",
            "fresh again",
            "after this time",
        ),
        Step(
            "Unreachable",
            (
                (
                    f"all URLs {stopgap.effect(is_open=False)}; the next fetch is after "
                    f"{default_of('retry_after')}"
                ),
            ),
            "answer",
            "fresh",
            "not used for a long time",
        ),
        Step(
            "Forgotten",
            (
                (
                    "memory and stores have a maximum size; the policy that was used least "
                    "recently is removed first, in any state, and must be fetched again"
                ),
            ),
        ),
    )
    return "The life of a policy", steps


def evidence() -> tuple[str, tuple[Step, ...]]:
    """Return the title and the steps of the picture of one decision and its record."""
    body, url = b"User-agent: *\nDisallow: /archive\n", "https://example.com/archive/7"
    verdict = RobotsTxt.parse(body).verdict(url, "mybot")
    digest = f"sha256:{b32encode(sha256(body).digest()).decode()[:10]}…"
    record = "urn:uuid:99a022ea…"
    settings = ", ".join(
        f"{crawl_settings.PREFIX}{name}" for name in ("FORBIDDEN", "MAX_BYTES")
    )
    steps = (
        Step(
            "A line of the journal",
            (
                f"· url: {url}",
                f"· decision: {'allowed' if verdict.allowed else 'refused'}",
                f"· reason: {verdict.reason.value}; line: {verdict.line}",
                f"· rule: {verdict.rule}",
                "· dialect: 1994",
                f"· record: {record}",
                f"· digest: {digest}",
            ),
            below="record",
        ),
        Step(
            "The response record of the WARC",
            (
                f"· WARC-Record-ID: {record}",
                f"· WARC-Payload-Digest: {digest}",
                "· HTTP/1.1 200 OK",
                *(
                    f"· line {number}: {line}"
                    for number, line in enumerate(body.decode().splitlines(), 1)
                ),
            ),
            "concurrent to",
            "the request record",
            "read again, offline",
        ),
        Step(
            "The same decision",
            (
                "· from the bytes of the record",
                "· in the dialect of the line",
                f"· with {settings} and other settings of the warcinfo record",
            ),
            "another decision",
            "a difference, with exit code 1",
        ),
    )
    return "One decision and its record", steps


def _width(text: str) -> float:
    """Return the approximate width of *text* in pixels. Capitals and digits are wide."""
    return sum(
        7.7 if it.isupper() or it in "_=" else 6.9 if it.isdigit() else 5.9
        for it in text
    )


def _fitted(text: str, width: int) -> list[str]:
    """Split *text* into lines that are at most *width* pixels wide."""
    indent = "   " if text.startswith("·") else ""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if _width(longer) > width and lines[-1].strip():
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return lines


def _wrapped(step: Step) -> tuple[list[str], list[str]]:
    """Return the lines of the title and of the text of *step*."""
    inside = STEP - 2 * PAD
    # Leave more space for the title, because the title is bold.
    title = _fitted(step.title, inside - 25)
    return title, [line for text in step.lines for line in _fitted(text, inside)]


def _box(x: int, y: int, width: int, height: int, kind: str) -> str:
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="7"/>'


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" xml:space="preserve">{escape(text)}</text>'


def draw(name: str, steps: tuple[Step, ...]) -> str:
    """Return the SVG code of the picture *name* with *steps*."""
    parts, y = [], 2
    for place, step in enumerate(steps):
        title, texts = _wrapped(step)
        height = 2 * PAD + LINE * (len(title) + len(texts))
        aside = wrap(step.leads_to, EXIT_COLUMNS)
        way = wrap(step.way, EXIT_COLUMNS)
        beside = 2 * PAD + LINE * len(aside) if aside else 0
        taken = max(height, beside + LINE * len(way))
        parts.append(_box(1, y, STEP, height, "step"))
        for number, line in enumerate(title + texts):
            kind = "title" if number < len(title) else "text"
            parts.append(_text(PAD, y + PAD + LINE * (number + 1) - 4, line, kind))
        if aside:
            top = y + LINE * len(way)
            for number, line in enumerate(way):
                parts.append(_text(EXIT_AT, y + LINE * (number + 1) - 4, line, "way"))
            parts.append(_box(EXIT_AT, top, EXIT - 1, beside, "exit"))
            for number, line in enumerate(aside):
                parts.append(
                    _text(
                        EXIT_AT + 6, top + PAD + LINE * (number + 1) - 4, line, "text"
                    )
                )
            middle = top + min(beside, y + height - top) // 2
            parts.append(
                f'<path class="arrow" d="M{STEP + 1} {middle}H{EXIT_AT - 3}"/>'
            )
        if place + 1 < len(steps):
            end = y + taken + GAP
            parts.append(
                f'<path class="arrow" d="M{STEP // 2} {y + height}V{end - 3}"/>'
            )
            if step.below:
                parts.append(_text(STEP // 2 + 8, end - GAP + 17, step.below, "way"))
        y += taken + GAP
    height = y - GAP + 2
    said = " ".join(
        f"{it.title}: {' '.join(it.lines)} {it.way} {it.leads_to}" for it in steps
    )
    return (
        f'<svg class="robots1994-picture" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="picture-{escape(name)}"><title id="picture-{escape(name)}">'
        f"{escape(said)}</title>"
        '<defs><marker id="head-'
        + escape(name)
        + '" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>'
        + "".join(parts).replace(
            'class="arrow"', f'class="arrow" marker-end="url(#head-{escape(name)})"'
        )
        + "</svg>"
    )


PICTURES: dict[str, Callable[[], tuple[str, tuple[Step, ...]]]] = {
    "request": request,
    "policy": policy,
    "evidence": evidence,
}


class Picture(Directive):
    """Insert a picture."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the picture as a node for HTML. Other formats do not show the picture."""
        self.state.document.settings.env.note_reread()
        (name,) = self.arguments
        title, steps = PICTURES[name]()
        return list(_nodes(name, title, steps))


def _nodes(name: str, title: str, steps: tuple[Step, ...]) -> Iterator[nodes.Node]:
    yield nodes.raw(
        "",
        f"<figure>{draw(name, steps)}<figcaption>{title}</figcaption></figure>",
        format="html",
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("robots1994-picture", Picture)
    return {"parallel_read_safe": True}
