"""The exceptions of this package, and the hint for a misspelt word.

Parsing a robots.txt never raises any of these exceptions, whatever bytes the file has.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class RobotsError(Exception):
    """Base class of the exceptions of this package, except subclasses of Scrapy's
    exceptions.

    This class itself is never raised. `ForbiddenByRobots` and `DroppedByPage`, for example,
    are subclasses of exceptions of Scrapy, so they are not subclasses of this class.
    """


class SettingsError(RobotsError, ValueError):
    """Raised for a wrong value of a setting. The message is one sentence that says what to
    write.
    """


class MissingExtra(RobotsError, ImportError):  # noqa: N818 - named for what is missing, as users read it
    """Raised if the library of an extra is not installed. The message contains the pip
    command that installs it.
    """


@contextmanager
def needs_extra(user: str, extra: str) -> Iterator[None]:
    """Raise `MissingExtra` if an import in the block fails.

    *user* is the feature that needs the library. *extra* is the name of the extra that
    installs the library.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f"{user} needs {error.name}, which is not installed: "
            f"pip install 'scrapy_robots1994[{extra}]'"
        ) from error


class StoreError(RobotsError):
    """Raised if a policy store cannot be opened, read or written."""


class FetchAborted(RobotsError):  # noqa: N818 - named for what happened, not a bug
    """Raised if the wait for a robots.txt ended without a policy.

    The fetch was cancelled, or the crawl is closing (R6, closing). The message gives the
    cause in one printable line.
    """


def closest(word: object, known: Iterable[str]) -> str | None:
    """Return the word of *known* that is most similar to *word*; `None` if no word is
    similar.
    """
    # Import late, because the module is needed only after a mistake.
    import difflib  # noqa: PLC0415 - only for a mistake

    if not isinstance(word, str):
        return None
    by_case = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word[:100].lower(), by_case, n=1)
    return by_case[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return `; did you mean "…"?` with the word of *known* that is most similar to *word*;
    "" if no word is similar.
    """
    close = closest(word, known)
    return f'; did you mean "{close}"?' if close else ""
