"""The exceptions of this package, and the hint they give about a misspelt word.

A broken robots.txt raises none of them: any bytes can be parsed.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class RobotsError(Exception):
    """Base class of every exception of this package that is not one of Scrapy's, too.

    Never raised itself. `ForbiddenByRobots` and `DroppedByPage` are Scrapy's.
    """


class SettingsError(RobotsError, ValueError):
    """A setting has a wrong value; the message is one sentence that says what to write."""


class MissingExtra(RobotsError, ImportError):  # noqa: N818 - named for what is missing, as users read it
    """A library of an extra is not installed; the message holds the pip command."""


@contextmanager
def needs_extra(user: str, extra: str) -> Iterator[None]:
    """Raise `MissingExtra` if an import of the block fails.

    *user* says what needs the library, *extra* which extra brings it.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f"{user} needs {error.name}, which is not installed: "
            f"pip install 'scrapy_robots1994[{extra}]'"
        ) from error


class StoreError(RobotsError):
    """A policy store cannot be opened, read or written."""


class FetchAborted(RobotsError):  # noqa: N818 - named for what happened, not a bug
    """The wait for a robots.txt ended without a policy: cancelled, or closing (R6).

    The message says by what, in one printable line.
    """


def closest(word: object, known: Iterable[str]) -> str | None:
    """Return the one of *known* that is most like *word*, if any is."""
    # Imported here: only a mistake needs it.
    import difflib  # noqa: PLC0415 - as above

    if not isinstance(word, str):
        return None
    by_case = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word[:100].lower(), by_case, n=1)
    return by_case[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return `; did you mean "…"?` for the closest of *known*; "" where none is."""
    close = closest(word, known)
    return f'; did you mean "{close}"?' if close else ""
