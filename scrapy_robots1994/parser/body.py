"""The bytes and the text of one robots.txt."""

import zlib

_SMALL = 512
"""In bytes. Smaller files are not worth compressing."""

_MARKS = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


def encoding_of(body: bytes) -> tuple[bytes, str]:
    """Return the byte order mark (b"" if there is none) and the encoding of *body*."""
    # Ours O16
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return mark, encoding
    return b"", "utf-8"


def decode(text: bytes) -> str:
    """Decode UTF-8. Never raises. `encode` restores the bytes."""
    # Ours O17
    return text.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Reverse `decode`. Never raises."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # A lone surrogate that is not a surrogate escape
        return text.encode("utf-8", "surrogatepass")


class _Compressed(bytes):
    """The compressed bytes of a file. `Body` recognizes compressed bytes by this type, so it can
    replace the plain bytes in one assignment, without a lock.
    """

    __slots__ = ()


class Body:
    """The bytes of one file, or of its beginning if *is_truncated* is true."""

    __slots__ = ("_stored", "is_truncated", "size")

    def __init__(
        self,
        body: bytes | str,
        *,
        is_truncated: bool = False,
        limit: int | None = None,
    ) -> None:
        """Store at most *limit* bytes of *body*."""
        data = encode(body) if isinstance(body, str) else body
        if type(data) is not bytes:
            # `bytes(data)` would accept a `Path` and return the path, not the file.
            data = bytes(memoryview(data))
        # Ours O24
        if limit is not None and len(data) > limit:
            data, is_truncated = data[: max(limit, 0)], True
        self._stored = data
        self.size = len(data)
        self.is_truncated = is_truncated

    def compress(self) -> None:
        """Compress the stored bytes, unless the file is small."""
        if self.size >= _SMALL and not isinstance(self._stored, _Compressed):
            self._stored = _Compressed(zlib.compress(self._stored, 6))

    @property
    def data(self) -> bytes:
        stored = self._stored
        if not isinstance(stored, _Compressed):
            return stored
        return zlib.decompress(stored)

    @property
    def text(self) -> str:
        """The decoded text, without the byte order mark or the incomplete last line of a truncated
        file.
        """
        data = self.data
        mark, encoding = encoding_of(data)
        data = data.removeprefix(mark)
        # A lone surrogate in UTF-16 becomes U+FFFD, because UTF-8 cannot encode it.
        text = decode(data) if encoding == "utf-8" else data.decode(encoding, "replace")
        if not self.is_truncated:
            return text
        # Ours O24
        return text[: max(text.rfind("\r"), text.rfind("\n")) + 1]
