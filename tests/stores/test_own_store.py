"""Tests that a store written by a user fulfils the contract of all stores."""

from __future__ import annotations

import os
from pathlib import Path

from scrapy_robots1994 import open_store
from tests.stores.contract import StoreContract, entry


class TestFolderStore(StoreContract):
    """Tests of `FolderStore`, a store that uses only documented features."""

    def url(self, folder: Path) -> str:
        """Return a store URL that begins with the import path of the store class."""
        return f"tests.support.folder_store.FolderStore://{folder}/x"


def test_files_of_others_are_no_entries(tmp_path: Path) -> None:
    """`entries` ignores other files in the folder: notes, a folder, a pipe, and
    incomplete entries.
    """
    store = open_store(f"tests.support.folder_store.FolderStore://{tmp_path}")
    store.put(entry())
    texts = ("", "{}", "[1]\n", "[" * 1_900, '["ftp://x", 1]\n', '["http://x", "y"]\n')
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.robots").write_text(text)
    (tmp_path / "notes.txt").write_text("a note")
    (tmp_path / "folder.robots").mkdir()
    os.mkfifo(tmp_path / "pipe.robots")

    assert list(store.entries()) == [entry()]
    store.close()
