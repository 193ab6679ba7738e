"""Exceptions that several modules share, and hints for misspelt words."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class RobotsError(Exception):
    """Base class of this package's errors.

    `ForbiddenByRobots`, `RefusedByUsage`, `DroppedByPage` and `DroppedByUsage` derive from Scrapy's
    `IgnoreRequest` or `DropItem` instead.
    """


class SettingsError(RobotsError, ValueError):
    """A setting is unknown or has an invalid value."""


class MissingExtra(RobotsError, ImportError):  # noqa: N818 - the name says what is missing
    """An optional library is missing. The message contains the pip command that installs it."""


@contextmanager
def needs_extra(user: str, extra: str) -> Iterator[None]:
    """Raise `MissingExtra` if an import in the block fails.

    *user* is the feature that needs the library, and *extra* is the extra that installs it.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f"{user} needs {error.name}, which is not installed: "
            f"pip install 'scrapy_robots1994[{extra}]'"
        ) from error


class FetchAborted(RobotsError):  # noqa: N818 - an event rather than an error
    """The fetch of a robots.txt was cancelled, or the crawl is closing (Ours R6)."""


def closest(word: object, known: Iterable[str]) -> str | None:
    """Return the word in *known* that is most similar to *word*, or None if none is similar."""
    import difflib  # noqa: PLC0415 - rarely needed

    if not isinstance(word, str):
        return None
    by_case = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word[:100].lower(), by_case, n=1)
    return by_case[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return `; did you mean "…"?` with the closest word in *known*, or ""."""
    close = closest(word, known)
    return f'; did you mean "{close}"?' if close else ""
