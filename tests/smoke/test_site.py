"""The scripted server does to a client exactly what its replies describe."""

from __future__ import annotations

import gzip
import http.client
import socket
import ssl
from threading import Thread
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener, urlopen

import pytest

from tests.support import replies
from tests.support.site import Site

if TYPE_CHECKING:
    from tests.support.certificates import Flaw


def get(url: str | Request, context: ssl.SSLContext | None = None) -> bytes:
    """Return the body of a page, fetched by a client that is stricter than Scrapy."""
    with urlopen(url, timeout=30, context=context) as response:
        body: bytes = response.read()
    return body


def test_unscripted_targets_are_a_page_and_a_missing_robots_txt(site: Site) -> None:
    """Without a script the server has pages but no robots.txt."""
    page = get(site.url("/any"))

    assert b"<title>127.0.0.1:" in page
    with pytest.raises(URLError, match="404"):
        get(site.url("/robots.txt"))


def test_most_exact_origin_wins(site: Site) -> None:
    """A reply for one host takes precedence over one for all hosts."""
    site.answer("/who", replies.text("all"))
    site.answer("/who", replies.text("a"), at="a.test")

    ours = get(Request(site.url("/who"), headers={"Host": "a.test"}))
    other = get(Request(site.url("/who"), headers={"Host": "b.test"}))

    assert (ours, other) == (b"a", b"all")


def test_several_replies_are_sent_in_turn(site: Site) -> None:
    """Each is sent once, and the last one repeatedly."""
    site.answer("/turn", [replies.text("one"), replies.text("two")])

    assert [get(site.url("/turn")) for _ in range(3)] == [b"one", b"two", b"two"]


def test_log_has_method_target_and_headers(site: Site) -> None:
    """The target includes the query, and header names are in lower case."""
    get(Request(site.url("/x?q=1"), headers={"X-Robot": "me"}))

    seen = site.log("/x?q=1")[0]
    assert (seen.method, seen.headers["x-robot"], seen.peer) == (
        "GET",
        "me",
        "127.0.0.1",
    )


def test_proxied_request_is_logged_under_its_origin(site: Site) -> None:
    """As a proxy, the server logs the origin in the request and that it was proxied."""
    opener = build_opener(ProxyHandler({"http": site.url("")}))

    opener.open("http://far.test/page", timeout=30).close()

    seen = site.log()[0]
    assert (seen.host, seen.target, seen.proxied) == ("far.test", "/page", True)


def test_gate_delays_a_reply(site: Site) -> None:
    """Nothing of a gated reply is sent before the gate opens."""
    site.answer("/gated", replies.text("late", gate="g"))
    bodies: list[bytes] = []
    client = Thread(target=lambda: bodies.append(get(site.url("/gated"))))
    client.start()
    site.wait("/gated")
    before = list(bodies)

    site.open("g")
    client.join()

    assert (before, bodies) == ([], [b"late"])


@pytest.mark.parametrize("early", [True, False])
def test_gate_opens_once_its_requests_have_arrived(site: Site, *, early: bool) -> None:
    """They may arrive before or after the call of `open_when`."""
    site.answer("/gated", replies.text("late", gate="g"))
    if early:
        site.open_when("g", "/other", count=2)
    get(site.url("/other"))
    get(site.url("/other"))
    if not early:
        site.open_when("g", "/other", count=2)

    assert get(site.url("/gated")) == b"late"


def test_truncated_body_ends_short_of_its_length(site: Site) -> None:
    """A truncated reply declares more bytes than it sends."""
    site.answer("/short", replies.truncated(b"Disallow", 100))

    with pytest.raises(http.client.IncompleteRead) as caught:
        get(site.url("/short"))

    assert caught.value.partial == b"Disallow"


@pytest.mark.parametrize("reply", [replies.reset(), replies.reset(b"abcd", after=2)])
def test_reset_raises_connection_reset(site: Site, reply: replies.Reply) -> None:
    """The connection is reset at once or in the middle of the body."""
    site.answer("/reset", reply)

    with pytest.raises(ConnectionResetError):
        get(site.url("/reset"))


def test_hang_up_closes_without_a_byte(site: Site) -> None:
    """A hang-up closes the connection properly, without a response."""
    site.answer("/gone", replies.hang_up())

    with pytest.raises(http.client.RemoteDisconnected):
        get(site.url("/gone"))


@pytest.mark.parametrize(
    ("reply", "received"),
    [
        (replies.black_hole(), b""),
        (replies.unclosed(b"", 9), b"Connection: close\r\n\r\n"),
    ],
)
def test_hanging_connection_stays_open(
    site: Site, reply: replies.Reply, received: bytes
) -> None:
    """A black hole sends nothing and does not close; nor does an unfinished body."""
    site.answer("/hole", reply)
    with socket.create_connection(("127.0.0.1", site.port)) as client:
        client.sendall(b"GET /hole HTTP/1.1\r\nHost: a.test\r\n\r\n")
        site.wait("/hole")
        client.settimeout(0.3)
        if received:
            assert client.recv(4096).endswith(received)
        with pytest.raises(TimeoutError):
            client.recv(4096)


def test_trickle_sends_the_whole_body_in_pieces(site: Site) -> None:
    """The body is complete, in chunks of the given size."""
    site.answer("/slow", replies.trickle(b"abcdef", chunk=2, pause=0.05))

    with urlopen(site.url("/slow"), timeout=30) as response:
        pieces = list(iter(lambda: response.read1(100), b""))

    assert pieces == [b"ab", b"cd", b"ef"]


def test_endless_body_continues(site: Site) -> None:
    """An endless reply sends far more than any limit of ours."""
    site.answer("/endless", replies.endless(b"x\n"))

    with urlopen(site.url("/endless"), timeout=30) as response:
        assert len(response.read(5_000_000)) == 5_000_000


def test_gzip_bomb_is_small_until_unpacked(site: Site) -> None:
    """A gzip bomb decompresses to about a thousand times its size."""
    site.answer("/bomb", replies.gzip_bomb(10_000_000))

    compressed = get(site.url("/bomb"))

    assert len(compressed) * 900 < len(gzip.decompress(compressed)) == 10_000_000


def test_refused_url_refuses(site: Site) -> None:
    """No server listens at the refused URL."""
    with pytest.raises(URLError, match="refused"):
        get(site.refused_url())


@pytest.mark.parametrize("flaw", ["valid", "expired", "wrong-name"])
def test_certificate_has_the_requested_flaw(flaw: Flaw) -> None:
    """A client that trusts the certificate still refuses the flawed ones."""
    with Site(tls=flaw) as site:
        trusting = ssl.create_default_context(cadata=site.certificate)
        if flaw == "valid":
            assert get(site.secure_url("/"), context=trusting)
            assert site.log()[0].scheme == "https"
        else:
            with pytest.raises(URLError, match="CERTIFICATE_VERIFY_FAILED"):
                get(site.secure_url("/"), context=trusting)


def test_many_addresses_and_ports_are_many_origins() -> None:
    """Every address and port answers, and the log has its host and port."""
    with Site(ports=2, addresses=201) as site:
        urls = [site.url(port=1), site.address_url(0), site.address_url(200)]
        for url in urls:
            get(url)

        assert [f"http://{seen.host}/" for seen in site.log()] == urls
