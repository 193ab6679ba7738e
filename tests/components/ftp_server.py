"""`python -m tests.components.ftp_server FOLDER`: its files by FTP, for anybody."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from twisted.cred.checkers import AllowAnonymousAccess
from twisted.cred.portal import Portal
from twisted.internet import reactor
from twisted.protocols.ftp import FTP, FTPFactory, FTPRealm

LISTEN: Any = partial(reactor.listenTCP, interface="127.0.0.1")  # type: ignore[attr-defined]  # its type says nothing


class Files(FTP):
    """A connection whose files go over loopback as well."""

    listenFactory = staticmethod(LISTEN)  # noqa: N815 - Twisted's name


def main(folder: str) -> None:
    """Listen on a free port of loopback, tell it, and serve until killed."""
    factory = FTPFactory(Portal(FTPRealm(folder), [AllowAnonymousAccess()]))
    factory.protocol = Files
    print(LISTEN(0, factory).getHost().port, flush=True)  # noqa: T201 (its interface)
    reactor.run()  # type: ignore[attr-defined]  # see LISTEN


if __name__ == "__main__":
    main(sys.argv[1])
