"""Paths of files that a crawl writes, with placeholders as in FEEDS."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from scrapy import Spider
from w3lib.url import file_uri_to_path

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape


class _Placeholders(dict[str, object]):
    """The values of the placeholders: the time, and the attributes of the spider."""

    def __init__(self, spider: Spider | type[Spider]) -> None:
        super().__init__(time=f"{datetime.now(tz=timezone.utc):%Y-%m-%dT%H-%M-%S}")
        self._spider = spider

    def __missing__(self, name: str) -> object:
        return getattr(self._spider, name)


def fill_in_path(setting: str, path: str, spider: Spider | type[Spider]) -> Path:
    """Replace the placeholders in *path*, the value of *setting*.

    Raise `SettingsError` for an unknown or malformed placeholder, or a URL that is not a `file:`
    URL.
    """
    try:
        path %= _Placeholders(spider)
    except (AttributeError, TypeError, ValueError) as error:
        raise SettingsError(
            f"{setting} has a placeholder that cannot be filled in: {error}; "
            "write %% for a percent sign."
        ) from None
    if path.startswith("file:"):
        return Path(file_uri_to_path(path))
    if re.match(r"[\w+.-]+://", path):
        raise SettingsError(
            f"{setting}: {redact_and_escape(path, 400)} is not a local path; write "
            "a path such as /data/x, or a URL such as file:///data/x."
        )
    # Not `Path.expanduser`, which raises an exception if the home directory is unknown.
    return Path(os.path.expanduser(path))  # noqa: PTH111


@contextmanager
def must_be_writable(setting: str, path: Path) -> Iterator[None]:
    """Raise `SettingsError` if the block fails to write *path*, the value of *setting*."""
    try:
        yield
    except OSError as error:
        shown = escape_control_chars(str(path), 400)
        raise SettingsError(
            f"{setting}: cannot write {shown}: {error.strerror or error}; choose "
            "a path that the crawl may write to."
        ) from None
