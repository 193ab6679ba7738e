"""Puts the town on a server: each host at its own address or port of loopback."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.support import replies
from tests.support.site import Site
from tour.town_map import TOWN, Place

FRONT = "/"


@dataclass(frozen=True, slots=True)
class Opened:
    """Where the town is, and what townwalker may have of it."""

    origins: dict[str, str]
    welcome: dict[str, bool]

    @property
    def start(self) -> str:
        """The URL of the page that leads to all others."""
        return self.origins[TOWN[0].name] + FRONT

    def short(self, url: str) -> tuple[str, str]:
        """Return the name of the place and the path of ``url``."""
        names = {origin: name for name, origin in self.origins.items()}
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return names.get(f"{parts.scheme}://{parts.netloc}", parts.netloc), path


def empty_site() -> Site:
    """Return a site, not yet started, with room for every place of the town.

    The first two places are two ports of one address, the others have their own.
    """
    return Site(ports=2, addresses=len(TOWN) - 2)


def open_town(site: Site) -> Opened:
    """Script the started ``site`` as the town and return where everything is."""
    origins = {place.name: _origin(site, n) for n, place in enumerate(TOWN)}
    for place in TOWN:
        _open_place(site, place, origins)
    welcome = {
        origins[place.name] + page.path: page.welcome
        for place in TOWN
        for page in place.pages
    }
    # Scrapy takes the last link first, so this is the order of the town.
    links = "".join(f'<li><a href="{url}">{url}</a></li>' for url in reversed(welcome))
    front = f"<!doctype html><title>The town</title><ul>{links}</ul>"
    site.answer(FRONT, replies.html(front), at=_authority(origins[TOWN[0].name]))
    return Opened(origins, welcome)


def _origin(site: Site, number: int) -> str:
    """Return the origin of the place with this number."""
    ports = 2
    if number < ports:
        return site.url("", port=number)
    return site.address_url(number - ports, "")


def _authority(origin: str) -> str:
    """Return host and port of an origin, the name by which the server knows it."""
    return urlsplit(origin).netloc


def _open_place(site: Site, place: Place, origins: dict[str, str]) -> None:
    """Script one place: its robots.txt and its pages."""
    at = _authority(origins[place.name])
    policy = place.policy
    if isinstance(policy, str):
        policy = replies.redirect(origins[policy] + "/robots.txt")
    site.answer("/robots.txt", policy, at=at)
    for page in place.pages:
        site.answer(page.path, replies.html(f"<title>{place.name}</title>"), at=at)
