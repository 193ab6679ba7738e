"""Which files the arguments of a command stand for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scrapy_robots1994.commands.compare_inputs import CompareInputs
from scrapy_robots1994.commands.inputs import PolicySource, expand
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.policy import FreshnessSettings
from scrapy_robots1994.robotstxt import Reader, RobotsTxt


def test_link_to_itself_does_not_hide_other_files(tmp_path: Path) -> None:
    """The link is listed too, so that the command reports it."""
    (tmp_path / "a.txt").touch()
    (tmp_path / "loop.txt").symlink_to("loop.txt")

    names = [str(tmp_path / name) for name in ("a.txt", "loop.txt")]
    assert expand([str(tmp_path)]) == names


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """As with a response, no more bytes than the limit are read (O24)."""
    file = tmp_path / "disk.img"
    file.write_bytes(b"User-agent: *\n")
    os.truncate(file, 2**40)

    reader = Reader("1994", "literal", 100)
    source = PolicySource.from_file(str(file), reader)
    (capture,) = CompareInputs([str(file)], reader, FreshnessSettings())

    assert isinstance(source.rules, RobotsTxt)
    assert source.rules.is_truncated
    assert source.rules.size == 100
    assert len(capture.body) <= 100


def test_folder_stands_for_all_visible_files_under_it(tmp_path: Path) -> None:
    """Sorted and each once; a named pipe, which might never end, is left out."""
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
def test_argument_that_is_neither_file_nor_url_is_wrong_use(name: str) -> None:
    """An empty shell variable, and URLs without a valid host or port."""
    with pytest.raises(WrongUse, match="is neither a file nor a URL: write https://"):
        expand([name])
