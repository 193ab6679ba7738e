"""`python -m tests.components.ftp_server FOLDER`: its files by FTP, for anybody."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from twisted.cred.checkers import AllowAnonymousAccess
from twisted.cred.portal import Portal
from twisted.internet import reactor as installed
from twisted.protocols.ftp import FTP, FTPFactory, FTPRealm

reactor: Any = installed
listen = partial(reactor.listenTCP, interface="127.0.0.1")

# Twisted's own of these have no annotations.
realm: Any = FTPRealm
gate: Any = Portal
factory: Any = FTPFactory
anybody: Any = AllowAnonymousAccess


class Files(FTP):
    """A connection whose files go over loopback as well."""

    listenFactory = staticmethod(listen)  # noqa: N815 - Twisted's name


def main(folder: str) -> None:
    """Listen on a free port of loopback, tell it, and serve until killed."""
    serving = factory(gate(realm(folder), [anybody()]))
    serving.protocol = Files
    print(listen(0, serving).getHost().port, flush=True)  # noqa: T201 (its interface)
    reactor.run()


if __name__ == "__main__":
    main(sys.argv[1])
