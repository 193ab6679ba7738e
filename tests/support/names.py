"""Host names that tests can resolve without a DNS server."""

from __future__ import annotations

import socket
from typing import Any


def resolve_test_names() -> None:
    """Make host names under `test` resolve to 127.0.0.1, and lookups under `invalid` fail.

    Twisted and asyncio both use the patched functions.
    """
    real_info, real_name = socket.getaddrinfo, socket.gethostbyname

    def local(host: Any) -> Any:
        name = host.decode("ascii") if isinstance(host, bytes) else host
        if name and name.endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return "127.0.0.1" if name and name.rstrip(".").endswith(".test") else host

    def info(host: Any, *rest: Any, **options: Any) -> Any:
        return real_info(local(host), *rest, **options)

    socket.getaddrinfo = info
    socket.gethostbyname = lambda host: real_name(local(host))
