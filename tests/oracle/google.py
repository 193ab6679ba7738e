"""google/robotstxt's own program, through its Python binding; by hand only."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tests.oracle import causes
from tests.oracle.names import robot_names


def is_installed() -> bool:
    """Whether the binding can be imported."""
    return find_spec("jwm") is not None


def matcher() -> Any:
    """A new matcher of the binding."""
    return import_module("jwm.robotstxt.googlebot").RobotsMatcher()


def allowed(body: bytes, url: str, robot: str) -> bool:
    """Whether the program allows the robot, by its product token, to request the URL."""
    token = robot_names(robot)[0]
    return bool(matcher().OneAgentAllowedByRobots(body, token.encode(), url.encode()))


def of_difference(body: bytes, url: str, robot: str, ours: bool) -> str:
    """Name why the program does not give our answer."""

    def ask(text: str, to: str) -> bool:
        return allowed(text.encode("utf-8", "surrogateescape"), to, robot)

    return causes.of_difference(body, url, robot, ours, ask)
