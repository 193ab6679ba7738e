"""Parsers of somebody's own that comparisons load by their path."""

from __future__ import annotations

import os
import signal


class OpenParser:
    """Allows everything."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        """Read anything."""
        return cls()

    def allowed(self, *_: object) -> bool:
        """Say yes."""
        return True


class InterruptingParser(OpenParser):
    """Interrupts the command, as Ctrl-C does, once, at the file that asks for it."""

    waiting = True

    @classmethod
    def from_crawler(cls, *given: object) -> InterruptingParser:
        """Read anything; tell the process that began the comparison to stop."""
        body = given[1]
        if isinstance(body, bytes) and b"# interrupt-" in body and cls.waiting:
            cls.waiting = False
            beginner = os.getppid() if b"parent" in body else os.getpid()
            os.kill(beginner, signal.SIGINT)
        return cls()
