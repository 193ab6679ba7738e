"""The store that the README shows keeps the contract of all stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stores.contract import StoreContract
from tests.stores.lasting import Held
from tests.support import readme

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_robots1994.stores import PolicyStore
    from tests.stores.clock import FakeClock


def shown_in_readme() -> type[PolicyStore]:
    """Run the block of the README that defines the store."""
    names: dict[str, type[PolicyStore]] = {}
    exec(readme.code("class FolderStore("), names)  # noqa: S102 - the code is ours, and this is its test
    return names["FolderStore"]


class TestFolderStore(StoreContract):
    """Copied as it stands, the example is a store like ours."""

    def new_store(self, clock: FakeClock, folder: Path) -> Held:
        """Make the example's store by its URL."""
        kind = shown_in_readme()
        store = kind.from_url(f"mypackage.stores.FolderStore://{folder}/x", timeout=2)
        return Held(store, clock)
