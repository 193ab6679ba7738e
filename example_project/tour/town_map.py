"""The town: its hosts, their robots.txt, their pages, and which of them are welcome.

``welcome`` is what the standard of 1994 says to the robot ``townwalker``, decided here
by hand and not by any parser: the crawls are judged by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support import replies
from tour import policies

if TYPE_CHECKING:
    from tests.support.replies import Reply

SLOW = 1.5
"""Seconds that the ferry takes between the halves of its robots.txt."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its path, and whether townwalker may have it."""

    path: str
    welcome: bool


@dataclass(frozen=True, slots=True)
class Place:
    """One host of the town; ``about`` says what is special in its robots.txt.

    A ``policy`` that is a name is a redirect to the robots.txt of that place.
    """

    name: str
    about: str
    policy: Reply | str
    pages: tuple[Page, ...] = ()


def welcome(*paths: str) -> tuple[Page, ...]:
    """Return pages that townwalker may have."""
    return tuple(Page(path, welcome=True) for path in paths)


def closed(*paths: str) -> tuple[Page, ...]:
    """Return pages that townwalker must not have."""
    return tuple(Page(path, welcome=False) for path in paths)


VAULTS = tuple(f"/vault/{number}" for number in range(1, 7))

# The front page of the first place leads to every page of the town.
TOWN = (
    Place(
        "hall",
        "several records, comments, one record for townwalker by name",
        replies.text(policies.HALL),
        welcome("/", "/news", "/cellar")
        + closed("/archive", "/archive/1994.html", "/cellar/wine"),
    ),
    Place(
        "bank",
        "one record; its six closed pages are asked for at once",
        replies.text(policies.BANK),
        closed(*VAULTS) + welcome("/"),
    ),
    Place(
        "library",
        "has Allow, Crawl-delay and *, which mean nothing in 1994",
        replies.text(policies.LIBRARY),
        closed("/stacks/open", "/stacks/rare", "/cards?letter=q")
        + welcome("/", "/cards", "/map.pdf"),
    ),
    Place(
        "market",
        "a blank line splits the record",
        replies.text(policies.MARKET),
        welcome("/", "/stalls"),
    ),
    Place(
        "park",
        "404, with a body that looks like a policy",
        replies.text(policies.CLOSED, 404),
        welcome("/", "/pond"),
    ),
    Place("gate", "403", replies.status(403), closed("/")),
    Place("mill", "503", replies.status(503), closed("/", "/wheel")),
    Place(
        "post",
        "redirected to the depot, another host",
        "depot",
        closed("/parcels") + welcome("/"),
    ),
    Place(
        "ferry",
        f"takes {SLOW} s to come",
        replies.trickle(policies.FERRY.encode(), len(policies.FERRY) // 2 + 1, SLOW),
        closed("/deck") + welcome("/"),
    ),
    Place(
        "register",
        f"{len(policies.REGISTER):,} bytes, more than is read",
        replies.text(policies.REGISTER),
        closed("/early", "/entry/7") + welcome("/"),
    ),
    Place(
        "theatre",
        "an HTML page",
        replies.html(policies.THEATRE),
        welcome("/", "/stage"),
    ),
    Place("quay", "the connection is reset", replies.reset(), closed("/", "/boats")),
    Place("depot", "holds the file of the post", replies.text(policies.DEPOT)),
)
