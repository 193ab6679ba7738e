"""Colour and progress bars at a terminal, and output without a terminal."""

from __future__ import annotations

import io
import sys

import pytest

from scrapy_robots1994.commands import terminal


class Terminal(io.StringIO):
    """A text stream that claims to be an ASCII terminal."""

    encoding = "ascii"

    def isatty(self) -> bool:
        """Return True."""
        return True


def test_colour_is_automatic_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour is on at a terminal. Colour is off if NO_COLOR is set, or if the user chose
    `never`.
    """
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert terminal.painter("auto")("x", "1") != "x"

    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.painter("auto")("x", "1") == "x"
    assert terminal.painter("never")("x", "1") == "x"


def test_progress_bar_is_shown_for_many_steps_and_not_in_the_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For many steps, a progress bar is written to stderr. The output does not contain the
    bar, so that `robots-check --urls urls.txt > out.txt` works.
    """
    shown, written = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(sys, "stdout", written)

    with terminal.progress(terminal.MIN_STEPS - 1) as step:
        step()
    assert shown.getvalue() == ""
    with terminal.progress(terminal.MIN_STEPS) as step:
        terminal.print_line("allowed")
        step()
    assert "robots.txt" in shown.getvalue()
    assert "allowed" not in shown.getvalue()
    assert written.getvalue() == "allowed\n"


def test_unencodable_output_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters that an ASCII terminal cannot encode are escaped, and do not make the
    command fail.
    """
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)

    terminal.print_line("caf\u00e9 \u2026")

    assert shown.getvalue() == "caf\\xe9 \\u2026\n"
