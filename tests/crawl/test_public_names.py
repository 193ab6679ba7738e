"""The public names of the package, and the descriptions of its commands."""

from __future__ import annotations

from importlib import import_module

import pytest

import scrapy_robots1994


def test_dir_lists_the_public_names_before_they_are_loaded() -> None:
    """A shell can complete them."""
    assert dir(scrapy_robots1994) == sorted(scrapy_robots1994.__all__)


@pytest.mark.parametrize("name", scrapy_robots1994.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    """Each is loaded from its module on first use."""
    # Not the value that an earlier use has stored in the module.
    assert scrapy_robots1994.__getattr__(name) is not None


@pytest.mark.parametrize("name", ["check", "lint", "compare", "store"])
def test_command_has_a_one_line_description(name: str) -> None:
    """It is short enough for the list that `scrapy` prints."""
    module = import_module(f"scrapy_robots1994.commands.{name}")
    command = getattr(module, f"Robots{name.title()}")()

    assert len(command.short_desc()) < 72
    assert command.syntax().isprintable()
