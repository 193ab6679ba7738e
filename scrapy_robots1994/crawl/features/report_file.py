"""Where a report goes: its name may have fields of the spider in it."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from w3lib.url import file_uri_to_path


class _Holes:
    """What fills `%(name)s`: the time, else an attribute of the spider, as in FEEDS."""

    def __init__(self, spider: object) -> None:
        now = datetime.now(tz=timezone.utc).replace(microsecond=0, tzinfo=None)
        self._time = now.isoformat().replace(":", "-")
        self._spider = spider

    def __getitem__(self, key: str) -> Any:
        """The value for one hole; `KeyError` when the spider has none."""
        if key == "time":
            return self._time
        try:
            return getattr(self._spider, key)
        except AttributeError:
            raise KeyError(key) from None


def filled(path: str, spider: object) -> Path:
    """*path* with its holes filled; `ValueError` says which one cannot be."""
    try:
        text = path % _Holes(spider)
    except KeyError as error:
        msg = f"the spider has no attribute {error}"
        raise ValueError(msg) from None
    except (TypeError, ValueError) as error:
        msg = f"{error}; write %% for a per cent sign"
        raise ValueError(msg) from None
    if text.startswith("file:"):
        text = file_uri_to_path(text)
    return Path(text)
