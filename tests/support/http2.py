"""A server for HTTP/2 over TLS that runs in its own process."""

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
    """Run the HTTP/2 server. Yield the origin of the server, and a list of paths.

    The list is empty until the server exits. Then the list contains the requested paths.
    """
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
