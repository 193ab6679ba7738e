"""The body of one robots.txt: its bytes, stored in little memory, and their text."""

import re
import zlib
from sys import getsizeof

_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}

# The zlib dictionary: texts that most files contain, the most frequent texts last. Compressed bytes
# never leave the process, so a change of the dictionary makes no stored file unreadable.
_FREQUENT = (
    b"# robots.txt\r\nSitemap: https://www.sitemap.xml\nCrawl-delay: 10\nAllow: /\n"
    b"Disallow: /*?\nDisallow: /search/\nDisallow: /admin/\nDisallow: /cgi-bin/\n"
    b"User-agent: Googlebot\nUser-Agent: Mediapartners-Google\nDisallow: /\n\n"
    b"User-agent: *\nDisallow: /wp-admin/\nDisallow: /"
)


# A `<` after blank lines and comments. UTF-16 without a byte order mark has a NUL between letters.
_MARKUP = re.compile(r"(?:[\s\0]|#[^\r\n]*[\r\n])*<")
# Maximum number of characters that are searched for markup. A search of a whole hostile file would
# stop all threads.
_MARKUP_CHARACTERS = 100_000


# The first bytes of compressed formats. No text begins with them.
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}


def compression_of(body: bytes) -> str | None:
    """Return the name of the format that *body* is compressed in; None for a text.

    A robots.txt that is sent compressed without a Content-Encoding has no readable line.
    """
    return next((it for mark, it in _COMPRESSED.items() if body.startswith(mark)), None)


def begins_as_markup(text: str) -> bool:
    """Return whether the decoded *text* of a file begins like a page of HTML or XML."""
    return _MARKUP.match(text, 0, _MARKUP_CHARACTERS) is not None


def encoding_of(body: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that *body* begins with (b"" without one), and the encoding."""
    # Ours O16 (encoding): one mark is stripped; only a file with a mark of UTF-16 is decoded
    # as UTF-16.
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def decode(text: bytes) -> str:
    """Return *text* decoded as UTF-8. Never raises; `encode` returns the bytes again."""
    # Ours O17 (undecodable bytes): such a byte becomes a surrogate escape. Dropping the byte
    # could turn an unknown field into a known one; replacing it would lose the rules of
    # Latin-1 files.
    return text.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes from which `decode` made *text*. Never raises, for any text."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # The text has half a character of UTF-16, which `decode` never returns.
        return text.encode("utf-8", "surrogatepass")


class _Compressed(bytes):
    """A compressed body.

    `Body` stores either the plain or the compressed bytes in one attribute, and the type shows
    which. So one thread may compress a body while another thread reads it.
    """

    __slots__ = ()


class Body:
    """The bytes of one file. *is_truncated* says that the bytes are only its beginning."""

    __slots__ = ("_stored", "is_truncated", "size")

    def __init__(
        self,
        body: bytes | str,
        *,
        is_truncated: bool = False,
        limit: int | None = None,
    ) -> None:
        """Store *body*, at most *limit* bytes; *is_truncated* says that *body* is itself only the
        beginning of the file.
        """
        data = encode(body) if isinstance(body, str) else bytes(body)
        # Ours O24 (size limit): of a file over the limit, the whole lines within the limit are
        # obeyed.
        if limit is not None and len(data) > limit:
            data, is_truncated = data[: max(limit, 0)], True
        self._stored = data
        self.size = len(data)
        self.is_truncated = is_truncated

    @property
    def has_whole_line(self) -> bool:
        """Whether the file can be obeyed: a truncated file needs a line with a line end."""
        return not self.is_truncated or _whole_lines(self.text) > 0

    def compress(self) -> None:
        """Store the bytes compressed from now on, if that saves memory."""
        stored = self._stored
        if isinstance(stored, _Compressed):
            return
        # Level 6 takes a tenth less memory than level 3, and 0.02 ms more time. Raw deflate (-15)
        # has no header and no checksum, which do not help within a process. The dictionary helps
        # because most files are too short to repeat much.
        compressor = zlib.compressobj(6, wbits=-15, zdict=_FREQUENT)
        compressed = _Compressed(compressor.compress(stored) + compressor.flush())
        # Compression makes random bytes longer.
        if getsizeof(compressed) < getsizeof(stored):
            self._stored = compressed

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        stored = self._stored
        if not isinstance(stored, _Compressed):
            return stored
        return zlib.decompressobj(wbits=-15, zdict=_FREQUENT).decompress(stored)

    @property
    def text(self) -> str:
        """The decoded text that is obeyed.

        The text has no byte order mark. The text of a truncated file ends with its last line end.
        """
        data = self.data
        mark, encoding = encoding_of(data)
        data = data.removeprefix(mark)
        # "replace": half a character of UTF-16 could not be encoded as UTF-8.
        text = decode(data) if encoding == "utf-8" else data.decode(encoding, "replace")
        # Ours O24: an incomplete last line is not obeyed.
        return text[: _whole_lines(text)] if self.is_truncated else text


def _whole_lines(text: str) -> int:
    """Return the length of the whole lines of *text*, up to its last line end."""
    return max(text.rfind("\r"), text.rfind("\n")) + 1
