"""The class `Body`, which represents the body of one robots.txt. A `Body` stores the bytes
of a file, can compress the bytes, and decodes the text of the file.
"""

import re
import zlib
from sys import getsizeof

_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}

# Match a `<` if there are only white space, NULs and comments before it. If UTF-16
# without a byte order mark is decoded as UTF-8, the decoded text contains NULs between
# the letters.
_MARKUP = re.compile(r"(?:[\s\0]|#[^\r\n]*[\r\n])*<")
# The maximum number of characters that are searched for markup. Searching a whole hostile
# file would block all threads.
_MARKUP_CHARACTERS = 100_000


# `_COMPRESSED` maps the first bytes of each compressed format to the name of the format. A
# text never begins with the first bytes of a compressed format.
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}


def compression_of(body: bytes) -> str | None:
    """Return the name of the format in which *body* is compressed. Return None if *body*
    does not begin like a file in a known compressed format.

    If a server sends a compressed robots.txt without a Content-Encoding header, no line of
    the file is readable.
    """
    for mark, name in _COMPRESSED.items():
        if body.startswith(mark):
            return name
    return None


def begins_as_markup(text: str) -> bool:
    """Return whether the decoded *text* of a file begins like an HTML or XML document."""
    return _MARKUP.match(text, 0, _MARKUP_CHARACTERS) is not None


def encoding_of(body: bytes) -> tuple[bytes, str]:
    """Return the byte order mark at the start of *body*, and the encoding of *body*. The
    mark is b"" if *body* does not begin with a byte order mark.
    """
    # Ours O16 (encoding): one byte order mark is stripped. A file is decoded as UTF-16 only
    # if the file begins with a byte order mark of UTF-16.
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def decode(text: bytes) -> str:
    """Return *text* decoded as UTF-8. Never raises. `encode` turns the decoded text back
    into the original bytes.
    """
    # Ours O17 (undecodable bytes): each undecodable byte becomes a surrogate escape. If
    # undecodable bytes were dropped, an unknown field could become a known field. If
    # undecodable bytes were replaced, the paths in the rules of a Latin-1 file would be
    # lost.
    return text.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes from which `decode` made *text*. Never raise an exception,
    whatever *text* contains.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # *text* contains a lone surrogate that is not a surrogate escape.
        return text.encode("utf-8", "surrogatepass")


class _Compressed(bytes):
    """A compressed body.

    `Body` stores either the plain or the compressed bytes in a single attribute. The type
    of the stored object shows whether the bytes are compressed, so that one thread can
    compress a body while another thread reads it.
    """

    __slots__ = ()


class Body:
    """The bytes of one file. *is_truncated* is `True` if only the beginning of the file is
    stored.
    """

    __slots__ = ("_stored", "is_truncated", "size")

    def __init__(
        self,
        body: bytes | str,
        *,
        is_truncated: bool = False,
        limit: int | None = None,
    ) -> None:
        """Store at most *limit* bytes of *body*. *is_truncated* must be `True` if *body*
        itself is only the beginning of the file.
        """
        data = encode(body) if isinstance(body, str) else bytes(body)
        # Ours O24 (size limit): if a file exceeds the limit, only the whole lines within
        # the limit are obeyed.
        if limit is not None and len(data) > limit:
            data, is_truncated = data[: max(limit, 0)], True
        self._stored = data
        self.size = len(data)
        self.is_truncated = is_truncated

    def compress(self) -> None:
        """Compress the stored bytes if compression saves memory."""
        stored = self._stored
        if isinstance(stored, _Compressed):
            return
        # Compared with level 3, level 6 saves a tenth of the memory and takes 0.02 ms
        # longer.
        compressed = _Compressed(zlib.compress(stored, 6))
        # Compare the sizes, because compression makes some bodies longer, such as random
        # bytes.
        if getsizeof(compressed) < getsizeof(stored):
            self._stored = compressed

    @property
    def data(self) -> bytes:
        """The stored bytes of the file, uncompressed."""
        stored = self._stored
        if not isinstance(stored, _Compressed):
            return stored
        return zlib.decompress(stored)

    @property
    def text(self) -> str:
        """The part of the decoded text that is obeyed.

        The text does not include a byte order mark. The text of a truncated file ends with
        the last complete line.
        """
        data = self.data
        mark, encoding = encoding_of(data)
        data = data.removeprefix(mark)
        # Replace invalid UTF-16, because UTF-8 cannot encode half of a surrogate pair.
        text = decode(data) if encoding == "utf-8" else data.decode(encoding, "replace")
        if not self.is_truncated:
            return text
        # Ours O24 (size limit): an incomplete last line is not obeyed.
        return text[: max(text.rfind("\r"), text.rfind("\n")) + 1]
