"""The exceptions of this package, and suggestions for misspelt words."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class RobotsError(Exception):
    """Base class of the public exceptions that are not subclasses of Scrapy's exceptions.

    `RobotsError` itself is never raised. `ForbiddenByRobots`, `RefusedByUsage`,
    `DroppedByPage` and `DroppedByUsage` are subclasses of Scrapy's exceptions instead.
    """


class SettingsError(RobotsError, ValueError):
    """Raised if a setting is unknown or its value is invalid. The message says what is
    wrong, and usually what to write instead.
    """


class MissingExtra(RobotsError, ImportError):  # noqa: N818 - the name says what is missing
    """Raised if an optional library is needed but not installed. The message contains the
    pip command that installs the library.
    """


@contextmanager
def needs_extra(user: str, extra: str) -> Iterator[None]:
    """Raise `MissingExtra` if an import in the block fails, which the feature *user* needs
    and *extra* installs.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f"{user} needs {error.name}, which is not installed: "
            f"pip install 'scrapy_robots1994[{extra}]'"
        ) from error


class FetchAborted(RobotsError):  # noqa: N818 - the name of an event, which is not an error
    """Raised if the wait for a robots.txt ended without a policy.

    The wait ends without a policy if the fetch is cancelled or if the crawl is closing,
    according to R6 (closing). The message states the cause in one printable line.
    """


def closest(word: object, known: Iterable[str]) -> str | None:
    """Return the word of *known* that is most similar to *word*, or None."""
    import difflib  # noqa: PLC0415 - rarely needed

    if not isinstance(word, str):
        return None
    by_case = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word[:100].lower(), by_case, n=1)
    return by_case[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return `; did you mean "…"?` with the word of *known* like *word*, or ""."""
    close = closest(word, known)
    return f'; did you mean "{close}"?' if close else ""
