"""Which files the arguments of a command mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.commands.inputs import files_in

if TYPE_CHECKING:
    from pathlib import Path


def test_one_bad_entry_of_a_folder_hides_no_other(tmp_path: Path) -> None:
    """A link to itself stands for itself, so that it is told; a folder is left out."""
    (tmp_path / "a.txt").touch()
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    (tmp_path / "inner").mkdir()

    names = [str(tmp_path / name) for name in ("a.txt", "loop.txt")]
    assert files_in([str(tmp_path)]) == names
