"""Colour, progress, long lists and unencodable characters at a terminal."""

from __future__ import annotations

import io
import os
import sys

import pytest

from scrapy_robots1994.commands import terminal


class Terminal(io.StringIO):
    """A text stream that looks like a terminal with ASCII encoding."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_colour_is_automatic_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert terminal.painter("auto")("x", "1") != "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.painter("auto")("x", "1") == "x"
    assert terminal.painter("never")("x", "1") == "x"
    monkeypatch.delenv("NO_COLOR")
    # Here, standard output is a file.
    monkeypatch.setattr(os, "isatty", lambda file: file != 1)
    assert terminal.painter("auto")("x", "1") == "x"
    assert terminal.painter("always")("x", "1") != "x"


def test_progress_bar_is_not_in_the_output(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, written = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(sys, "stdout", written)

    for steps in (terminal.MIN_STEPS - 1, terminal.MIN_STEPS):
        assert shown.getvalue() == ""
        with terminal.progress(steps) as step:
            terminal.print_line("caf\u00e9 \u2026")
            step()
    assert "robots.txt" in shown.getvalue()
    assert written.getvalue() == "caf\\xe9 \\u2026\n" * 2


def test_lines_above_the_maximum_are_only_counted() -> None:
    lines = ["x"] * terminal.MAX_NAMED

    assert [*terminal.capped(lines)] == lines
    assert [*terminal.capped([*lines, "y"])] == [*lines, "and 1 more"]
