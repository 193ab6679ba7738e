"""The store that the README shows keeps the contract of all stores."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.stores.contract import StoreContract
from tests.stores.lasting import Held

if TYPE_CHECKING:
    from scrapy_robots1994.stores import PolicyStore
    from tests.stores.clock import FakeClock

README = Path(__file__).resolve().parents[2] / "README.md"


def shown_in_readme(name: str) -> type[PolicyStore]:
    """Run the block of the README that defines the class *name*."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if f"class {name}(" in block]
    names: dict[str, type[PolicyStore]] = {}
    exec(block, names)  # noqa: S102 - the code is ours, and this is its test
    return names[name]


class TestFolderStore(StoreContract):
    """Copied as it stands, the example is a store like ours."""

    def new_store(self, clock: FakeClock, folder: Path) -> Held:
        """Make the example's store by its URL."""
        kind = shown_in_readme("FolderStore")
        store = kind.from_url(f"mypackage.stores.FolderStore://{folder}/x", timeout=2)
        return Held(store, clock)
