"""Serve the hosts in `demo.hosts`, each on its own port."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from demo import server
from demo.hosts import HOSTS, Host
from demo.server import LocalSites, Response


@dataclass(frozen=True, slots=True)
class Served:
    """`origins` maps host names to origins. `allowed` maps the URL of each page to whether it is
    allowed.
    """

    origins: dict[str, str]
    allowed: dict[str, bool]

    @property
    def start(self) -> str:
        """The URL of a front page with links to all pages."""
        return f"{self.origins[HOSTS[0].name]}/"

    def short(self, url: str) -> tuple[str, str]:
        """Return the name of the host that serves *url*, and the path with the query."""
        names = {origin: name for name, origin in self.origins.items()}
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return names.get(f"{parts.scheme}://{parts.netloc}", parts.netloc), path


def serve(sites: LocalSites) -> Served:
    origins = {host.name: at for host, at in zip(HOSTS, sites.origins, strict=True)}
    for host in HOSTS:
        _serve_host(sites, host, origins)
    allowed = {
        origins[host.name] + page.path: page.allowed
        for host in HOSTS
        for page in host.pages
    }
    # Scrapy requests the last link first, so reverse the links.
    links = "".join(f'<li><a href="{url}">{url}</a></li>' for url in reversed(allowed))
    front = f"<!doctype html><title>All pages</title><ul>{links}</ul>"
    sites.respond(origins[HOSTS[0].name], "/", server.html(front))
    return Served(origins, allowed)


def _serve_host(sites: LocalSites, host: Host, origins: dict[str, str]) -> None:
    robots, origin = host.robots, origins[host.name]
    if isinstance(robots, str):
        target = f"{origins[robots]}/robots.txt"
        robots = Response(302, headers=(("Location", target),))
    sites.respond(origin, "/robots.txt", robots)
    for page in host.pages:
        path = page.path.partition("?")[0]
        sites.respond(origin, path, server.html(f"<title>{host.name}</title>"))
