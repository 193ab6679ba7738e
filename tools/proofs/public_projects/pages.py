"""Small test pages for the spiders of the public projects.

They have the structure that the spiders check for, and no text of the real sites.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from tools.proofs.public_projects.spider_run import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

XML = "application/xml"
PIXEL = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c000000000100010000020144003b"
)
"""A GIF of one pixel, for pipelines that open images."""


def html(body: str, *links: str, items: Iterable[str] = ()) -> Page:
    """Make an HTML page."""
    whole = f"<!doctype html><html><body>{body}</body></html>"
    return Page(whole.encode(), links=links, items=tuple(items))


def anchors(links: Iterable[str]) -> str:
    """Return the HTML of links."""
    return "".join(f'<a href="{link}">there</a>' for link in links)


def quotes(site: str, pages: int) -> dict[str, Page]:
    """Make pages of two quotes each, one linking to the next."""
    results = {}
    urls = [site, *(f"{site}page/{number}/" for number in range(2, pages + 1))]
    for url, after in zip(urls, [*urls[1:], ""], strict=True):
        texts = [f"quote {number} at {url}" for number in (1, 2)]
        shown = "".join(
            f'<div class="quote"><span class="text">{text}</span><span>by '
            '<small class="author">A. Nonymous</small></span><div class="tags">'
            '<a class="tag" href="/tag/plain/">plain</a></div></div>'
            for text in texts
        )
        ahead = [after] if after else []
        pager = f'<ul><li class="next">{anchors(ahead)}</li></ul>' if after else ""
        results[url] = html(shown + pager, *ahead, items=texts)
    return results


def book(title: str, image: str = "") -> Page:
    """Make the page of one book, with its cover if there is an *image*."""
    shown = f'<div class="item active"><img src="{image}"></div>' if image else ""
    return html(
        '<ul class="breadcrumb"><li><a href="/">all</a></li><li class="active">'
        f'{title}</li></ul>{shown}<div class="product_main"><h1>{title}</h1>'
        '<p class="price_color">£1.00</p><p class="availability">3 left</p></div>',
        *([image] if image else []),
        items=[title],
    )


def shelf(
    url: str, titles: Sequence[str], after: str = "", *, covers: str = ""
) -> dict[str, Page]:
    """Make a list of books at a URL, the page of each, and a link to the next list.

    *covers* is the path of their images, if they have any.
    """
    paths = [f"/catalogue/{title}/index.html" for title in titles]
    pods = "".join(
        f'<article class="product_pod"><h3>{anchors([path])}</h3></article>'
        for path in paths
    )
    ahead = [after] if after else []
    pager = f'<ul><li class="next">{anchors(ahead)}</li></ul>'
    results = {url: html(pods + pager, *paths, *ahead)}
    for path, title in zip(paths, titles, strict=True):
        image = f"{covers}{title}.gif" if covers else ""
        results[urljoin(url, path)] = book(title, image)
        if image:
            results[urljoin(url, image)] = Page(PIXEL, "image/gif")
    return results


def feeds(urls: Iterable[str]) -> dict[str, Page]:
    """Make RSS feeds of two entries each."""
    results = {}
    for url in urls:
        titles = [f"{url} {number}" for number in (1, 2)]
        entries = "".join(
            f"<item><title>{title}</title><link>{url}</link><description>d"
            "</description><dc:date>1994-06-30</dc:date><category>c</category></item>"
            for title in titles
        )
        body = (
            '<?xml version="1.0"?><rss xmlns:dc="http://purl.org/dc/elements/1.1/" '
            f'xmlns:media="http://search.yahoo.com/mrss/"><channel>{entries}'
            "</channel></rss>"
        )
        results[url] = Page(body.encode(), XML, items=tuple(titles))
    return results


def sitemap(tag: str, entry: str, links: Sequence[str]) -> Page:
    """Make a sitemap, or an index of sitemaps."""
    rows = "".join(f"<{entry}><loc>{link}</loc></{entry}>" for link in links)
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    body = f'<?xml version="1.0"?><{tag} xmlns="{schema}">{rows}</{tag}>'
    return Page(body.encode(), XML, links=tuple(links))


def directory(names: Mapping[str, str]) -> Page:
    """Make a page of a directory, of sites by name and description.

    The project drops entries about politics, so they are not items.
    """
    shown = "".join(
        '<div class="site-item"><div class="title-and-desc"><a href="http://example.com">'
        f'<div class="site-title">{name}</div></a><div class="site-descr">{about}</div>'
        "</div></div>"
        for name, about in names.items()
    )
    items = [name for name, about in names.items() if "politics" not in about]
    return html(f'<div id="site-list-content">{shown}</div>', items=items)


def headlines(front: str, numbers: Iterable[int]) -> dict[str, Page]:
    """Make a front page with topics, and the page of each."""
    paths = [f"/pickup/{number}" for number in numbers]
    results = {front: html(f'<ul class="topics">{anchors(paths)}</ul>', *paths)}
    for path, number in zip(paths, count(1)):
        title = f"headline {number}"
        body = f'<h2 class="newsTitle">{title}</h2><p class="hbody">so</p>'
        results[urljoin(front, path)] = html(body, items=[title])
    return results


def examples(index: str, names: Iterable[str]) -> dict[str, Page]:
    """Make an index of examples, the page of each, and the file it links to."""
    paths = [f"/examples/{name}.html" for name in names]
    listed = f'<div class="toctree-wrapper compound">{anchors(paths)}</div>'
    results = {index: html(listed, *paths)}
    for path in paths:
        file = path.replace("/examples/", "/files/").replace(".html", ".py")
        url = urljoin(index, path)
        body = f'<a class="reference external" href="{file}">source</a>'
        results[url] = html(body, file, items=[f"['{urljoin(index, file)}']"])
        results[urljoin(index, file)] = Page(b"pass\n", "text/plain")
    return results
