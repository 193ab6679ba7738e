"""Content codings are decoded completely or not at all, and never past the limit."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import brotli  # type: ignore[import-untyped]  # it has no annotations
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots1994.policy.unpacking import (
    MAX_LAYERS,
    MAX_MEMBERS,
    Undecodable,
    unpack,
)
from tests.support.zstandard import zstd

LIMIT = 4_000
COMPRESSORS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
codings = st.lists(st.sampled_from(sorted(COMPRESSORS)), max_size=MAX_LAYERS)
bodies = st.binary(max_size=LIMIT) | st.integers(0, LIMIT).map(lambda n: b"#\n" * n)


def packed(body: bytes, layers: list[str]) -> bytes:
    """Compress *body* with each coding in *layers*. The first coding is the innermost
    layer.
    """
    for coding in layers:
        body = COMPRESSORS[coding](body)
    return body


@given(body=bodies, layers=codings)
def test_compressed_body_is_decompressed(body: bytes, layers: list[str]) -> None:
    """Any permitted sequence of content codings is decoded."""
    sent = packed(body, layers)

    assert unpack(sent, layers, 10 * LIMIT, is_truncated=False) == (body, False)


@given(body=bodies, coding=st.sampled_from(sorted(COMPRESSORS)))
def test_ours_o24_decompression_stops_at_the_limit(body: bytes, coding: str) -> None:
    """Decompression stops one byte after the limit. The byte after the limit shows that
    the file is longer than the limit.
    """
    sent = packed(body, [coding])

    assert unpack(sent, [coding], 99, is_truncated=False) == (
        body[:100],
        len(body) > 99,
    )


@given(
    body=bodies.filter(bool),
    coding=st.sampled_from(sorted(COMPRESSORS)),
    data=st.data(),
)
def test_incomplete_body_is_undecodable(
    body: bytes, coding: str, data: st.DataObject
) -> None:
    """A truncated compressed body is an error (R5, unreachable), unless our limit truncated
    the body.
    """
    sent = packed(body, [coding])
    part = sent[: data.draw(st.integers(1, len(sent) - 1))]

    with pytest.raises(Undecodable):
        unpack(part, [coding], 10 * LIMIT, is_truncated=False)


@given(noise=st.binary(max_size=500), layers=codings, is_truncated=st.booleans())
def test_arbitrary_bytes_are_decoded_or_undecodable(
    noise: bytes, layers: list[str], *, is_truncated: bool
) -> None:
    """Decoding arbitrary bytes raises `Undecodable`, or returns a result of bounded
    length.
    """
    try:
        out, _ = unpack(noise, layers, LIMIT, is_truncated=is_truncated)
    except Undecodable:
        return
    assert len(out) <= max(LIMIT + 1, len(noise))


def test_too_many_layers_are_undecodable() -> None:
    """Too many layers of content coding are an error, because each layer takes memory.
    A hostile header can name thousands of layers.
    """
    with pytest.raises(Undecodable, match="5 content codings"):
        unpack(b"x", ["gzip"] * (MAX_LAYERS + 1), LIMIT, is_truncated=False)


TINY = {"gzip": gzip.compress(b"", mtime=0), "zstd": zstd.compress(b"")}


@pytest.mark.parametrize("coding", TINY)
def test_too_many_members_are_undecodable(coding: str) -> None:
    """Too many members in a compressed body are an error, because each member needs a new
    decompressor. No honest file has thousands of members.
    """
    most = TINY[coding] * MAX_MEMBERS

    assert unpack(most, [coding], LIMIT, is_truncated=False) == (b"", False)
    with pytest.raises(Undecodable, match="members") as refused:
        unpack(most + TINY[coding], [coding], LIMIT, is_truncated=False)
    assert refused.value.is_final


@pytest.mark.parametrize("coding", COMPRESSORS)
@pytest.mark.parametrize("layers", [1, 2])
def test_decompression_bomb_takes_little_memory(coding: str, layers: int) -> None:
    """Decompression takes little more memory than the limit, whatever the decompressed size
    would be.
    """
    body = b"#\n" * 20_000_000
    sent = packed(body, [coding] * layers)
    del body
    tracemalloc.start()
    try:
        out, is_truncated = unpack(sent, [coding] * layers, LIMIT, is_truncated=False)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (len(out), is_truncated) == (LIMIT + 1, True)
    assert peak < 2_000_000


def test_nested_decompression_bomb_is_undecodable() -> None:
    """A nested bomb is an error, because the size and the number of members are limited for
    each layer.
    """
    body = TINY["zstd"] * 60_000
    layers = ["zstd", "zstd", "zstd", "gzip"]
    sent = packed(body, layers[1:])
    assert len(sent) < 1_000

    with pytest.raises(Undecodable, match="members"):
        unpack(sent, layers, 600_000, is_truncated=False)
