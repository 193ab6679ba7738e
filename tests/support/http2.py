"""A server that speaks HTTP/2 over TLS, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.certificates import make_certificate
from tests.support.forked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def http2_site(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Start the server. Yield its origin, and a list that gets the requested paths at the end."""
    pem = folder / "both.pem"
    pem.write_text("".join(make_certificate()))
    command = [sys.executable, "-m", "tests.support.h2_server", str(pem)]
    paths: list[str] = []
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield f"https://127.0.0.1:{server.stdout.readline().strip()}", paths
        finally:
            server.kill()
            paths += server.stdout.read().splitlines()
