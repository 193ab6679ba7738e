"""The path of a report: it may name attributes of the spider, as a URI of FEEDS may."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from w3lib.url import file_uri_to_path


class _Values:
    """The values of `%(name)s`: the time, else an attribute of the spider."""

    def __init__(self, spider: object) -> None:
        now = datetime.now(tz=timezone.utc).replace(microsecond=0, tzinfo=None)
        self._time = now.isoformat().replace(":", "-")
        self._spider = spider

    def __getitem__(self, key: str) -> Any:
        """Return the value of *key*; raise `KeyError` if the spider has none."""
        if key == "time":
            return self._time
        try:
            return getattr(self._spider, key)
        except AttributeError:
            raise KeyError(key) from None


def filled(path: str, spider: object) -> Path:
    """Return *path* with its names replaced; raise `ValueError` if one is unknown."""
    try:
        text = path % _Values(spider)
    except KeyError as error:
        msg = f"the spider has no attribute {error}"
        raise ValueError(msg) from None
    except (TypeError, ValueError) as error:
        msg = f"{error}; write %% for a per cent sign"
        raise ValueError(msg) from None
    if text.startswith("file:"):
        text = file_uri_to_path(text)
    return Path(text)
