"""The program google/robotstxt, called by its Python binding. No test uses this module."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tests.oracle.names import robot_names
from tools.oracle import causes


def is_installed() -> bool:
    """Return whether the binding can be imported."""
    return find_spec("jwm") is not None


def matcher() -> Any:
    """Return a new matcher of the binding."""
    return import_module("jwm.robotstxt.googlebot").RobotsMatcher()


def allowed(body: bytes, url: str, robot: str) -> bool:
    """Return whether the program allows the URL to the product token of the robot."""
    token = next(iter(robot_names(robot)), "")
    return bool(matcher().OneAgentAllowedByRobots(body, token.encode(), url.encode()))


def of_difference(body: bytes, url: str, robot: str, ours: bool) -> str:
    """Return the cause why the program answers differently."""

    def ask(text: str, to: str) -> bool:
        return allowed(text.encode("utf-8", "surrogateescape"), to, robot)

    return causes.of_difference(body, url, robot, ours, ask)
