"""Words: a first look at the bytes of a page, so that most pages need no second."""

_FORBIDDING = (b"noindex", b"nofollow", b"none")
_START = 64


def is_wide(body: bytes) -> bool:
    """Whether *body* is likely in an encoding that writes ASCII with NUL between, as
    UTF-16 does; then its words cannot be seen in the bytes.
    """
    return b"\0" in body[:_START]


def words_occur(body: bytes, names: str) -> bool:
    """Whether a meta tag for a robot that goes by *names* (see `names_of`) can stand in
    *body* and forbid something.
    """
    # Pages P7: what does not stand there in plain letters is not there.
    seen = body.lower()
    return any(
        name in seen
        for name in (b"robots", *(it.encode() for it in names.split("\n") if it))
    ) and any(word in seen for word in _FORBIDDING)
