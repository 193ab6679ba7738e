"""Which files the arguments of a command mean."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.commands.compare_inputs import CompareInputs
from scrapy_robots1994.commands.inputs import PolicySource, expand
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

if TYPE_CHECKING:
    from pathlib import Path


def test_one_bad_entry_of_a_folder_hides_no_other(tmp_path: Path) -> None:
    """A link to itself stands for itself, so that it is reported."""
    (tmp_path / "a.txt").touch()
    (tmp_path / "loop.txt").symlink_to("loop.txt")

    names = [str(tmp_path / name) for name in ("a.txt", "loop.txt")]
    assert expand([str(tmp_path)]) == names


def test_of_a_file_that_no_memory_holds_the_beginning_is_read(tmp_path: Path) -> None:
    """As of an answer: it takes no more memory than the limit (O24)."""
    file = tmp_path / "disk.img"
    file.touch()
    os.truncate(file, 2**40)

    reader = Reader("1994", "literal", 100)
    source = PolicySource.from_file(str(file), reader)
    (capture,) = CompareInputs([str(file)], reader)

    assert isinstance(source.rules, RobotsTxt)
    assert source.rules.is_truncated
    assert source.rules.size == 100
    assert len(capture.body) <= 100


def test_a_folder_means_all_files_under_it_that_are_not_hidden(tmp_path: Path) -> None:
    """The same for every command: in order, each once, and no pipe that never ends."""
    for name in ("b/robots.txt", "a/c/robots.txt", ".git/robots.txt", "z.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / ".hidden").touch()
    os.mkfifo(tmp_path / "pipe")

    found = expand([str(tmp_path), "-", str(tmp_path / "z.txt"), str(tmp_path)])

    names = ("z.txt", "a/c/robots.txt", "b/robots.txt")
    assert found == [*(str(tmp_path / name) for name in names), "-"]


@pytest.mark.parametrize("name", ["", "http://", "HTTP://h:99999/", "https://[::1/"])
def test_what_is_neither_a_file_nor_a_url_is_wrong_use(name: str) -> None:
    """A variable of a shell may be empty; no file of such a name is looked for."""
    with pytest.raises(WrongUse, match="is neither a file nor a URL: write https://"):
        expand([name])
