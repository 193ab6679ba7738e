"""Names: what a robot goes by, from a bare name or from its whole User-Agent header."""

import re
from collections.abc import Iterator
from functools import lru_cache

# Ours O9: a comment of the header is in parentheses, at its start or after white space;
# a parenthesis inside a word is part of that word.
_COMMENT_START = re.compile(r"(?:\A|(?<=\s))\(")
_PARENTHESIS = re.compile(r"[()]")
_COMPATIBLE = re.compile(r"\bcompatible;\s*([^\s/;,]+)", re.IGNORECASE)


@lru_cache(maxsize=256)
def names_of(robot: str | bytes) -> str:
    """Return the names, in lower case, that *robot* goes by; none when it says none.
    Never raises.
    """
    text = (_text(robot) if isinstance(robot, bytes) else robot).strip()
    if "/" not in text and not _COMMENT_START.search(text):
        # Ours O9: from a bare name, the name.
        return text.lower()
    words: list[str] = []
    comments: list[str] = []
    for part, is_comment in _parts(text):
        (comments if is_comment else words).append(part)
    # Ours O9: the product tokens, without version and outside comments ...
    names = [word.partition("/")[0] for part in words for word in part.split()]
    # ... and the token after `compatible;` in a comment.
    names += [name for part in comments for name in _COMPATIBLE.findall(part)]
    # No value of a line holds a line end: what is in this text is in one of the names.
    return "\n".join(dict.fromkeys(name.lower() for name in names if name))


def _text(robot: bytes) -> str:
    """Return the text of a header that came as bytes."""
    try:
        return robot.decode()
    except UnicodeDecodeError:
        return robot.decode("latin-1")


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a header in order, each with whether it is a comment (without
    its parentheses).
    """
    position = 0
    while start := _COMMENT_START.search(text, position):
        yield text[position : start.start()], False
        position = _comment_end(text, start.end())
        yield text[start.end() : position].removesuffix(")"), True
    yield text[position:], False


def _comment_end(text: str, position: int) -> int:
    """Return where the comment that opened just before *position* is over: after its
    `)`, or at the end.
    """
    depth = 1
    for parenthesis in _PARENTHESIS.finditer(text, position):
        depth += 1 if parenthesis[0] == "(" else -1
        if not depth:
            return parenthesis.end()
    return len(text)
