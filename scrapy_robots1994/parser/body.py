"""The body of one robots.txt: its bytes, in little memory, and the text they are."""

import re
import zlib
from sys import getsizeof

_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}

# What most files contain; the end counts most. Compressed bytes never leave the
# process, so a change makes no stored byte unreadable.
_FREQUENT = (
    b"# robots.txt\r\nSitemap: https://www.sitemap.xml\nCrawl-delay: 10\nAllow: /\n"
    b"Disallow: /*?\nDisallow: /search/\nDisallow: /admin/\nDisallow: /cgi-bin/\n"
    b"User-agent: Googlebot\nUser-Agent: Mediapartners-Google\nDisallow: /\n\n"
    b"User-agent: *\nDisallow: /wp-admin/\nDisallow: /"
)


# A `<` behind blank lines and comments; NUL, for UTF-16 without a mark has it between letters.
_MARKUP = re.compile(r"(?:[\s\0]|#[^\r\n]*[\r\n])*<")


# None of them begins a text.
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}


def compression_of(body: bytes) -> str | None:
    """Return the name of the format that *body* is compressed in; `None` for a text.

    A robots.txt that is sent compressed without a Content-Encoding has no line that means
    anything.
    """
    return next((it for mark, it in _COMPRESSED.items() if body.startswith(mark)), None)


def begins_as_markup(text: str) -> bool:
    """Return whether the decoded *text* of a file begins as a page of HTML or XML does."""
    return _MARKUP.match(text) is not None


def encoding_of(body: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that *body* begins with, perhaps empty, and the
    encoding.
    """
    # Ours O16: one mark is stripped; UTF-16 is decoded only when its mark says so.
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def decode(text: bytes) -> str:
    """Return *text* read as UTF-8, for any bytes; `encode` is the way back."""
    # Ours O17: an undecodable byte stays that byte. Dropping it could turn an
    # unknown field into a known one, replacing it would lose the rules of Latin-1 files.
    return text.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes that `decode` read *text* from; bytes for any text."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half a character of UTF-16, which no bytes decode to.
        return text.encode("utf-8", "surrogatepass")


class _Compressed(bytes):
    """A compressed body.

    One attribute has the plain or the compressed body, and its type says which: threads
    may compress and read one body at once.
    """

    __slots__ = ()


class Body:
    """The bytes of one file, and whether they are only the beginning of it."""

    __slots__ = ("_stored", "is_truncated", "size")

    def __init__(
        self, data: bytes, *, is_truncated: bool = False, limit: int | None = None
    ) -> None:
        """Store the bytes of *data* within *limit*; *is_truncated* says that *data* itself is only
        the beginning of the file.
        """
        # Ours O24: of a file over the limit, the whole lines within it are obeyed.
        if limit is not None and len(data) > limit:
            data, is_truncated = data[: max(limit, 0)], True
        self._stored = data
        self.size = len(data)
        self.is_truncated = is_truncated

    @property
    def has_whole_line(self) -> bool:
        """Whether any line can be obeyed: of a truncated file, one that has an end."""
        return not self.is_truncated or _whole_lines(self.text) > 0

    def compress(self) -> None:
        """Store the bytes compressed from now on, if that saves memory."""
        stored = self._stored
        if isinstance(stored, _Compressed):
            return
        # Level 6: 3 would save a third of the time, a sixtieth of a millisecond, but take
        # a tenth more memory. Raw deflate (-15), for a header and a checksum are of no use
        # within a process. The dictionary, for most files are too short to repeat much.
        compressor = zlib.compressobj(6, wbits=-15, zdict=_FREQUENT)
        compressed = _Compressed(compressor.compress(stored) + compressor.flush())
        # Random bytes become longer.
        if getsizeof(compressed) < getsizeof(stored):
            self._stored = compressed

    @property
    def memory_bytes(self) -> int:
        """How many bytes of memory it takes."""
        return getsizeof(self) + getsizeof(self._stored)

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        stored = self._stored
        if not isinstance(stored, _Compressed):
            return stored
        return zlib.decompressobj(wbits=-15, zdict=_FREQUENT).decompress(stored)

    @property
    def text(self) -> str:
        """The text that is obeyed, decoded.

        Without the byte order mark, and without the last line of a truncated file if
        that line has no end.
        """
        data = self.data
        mark, encoding = encoding_of(data)
        data = data.removeprefix(mark)
        # Half a character of UTF-16 has no UTF-8.
        text = decode(data) if encoding == "utf-8" else data.decode(encoding, "replace")
        # Ours O24: a line that the limit cut is not obeyed.
        return text[: _whole_lines(text)] if self.is_truncated else text


def _whole_lines(text: str) -> int:
    """Return where the last line of *text* that has an end ends."""
    return max(text.rfind("\r"), text.rfind("\n")) + 1
