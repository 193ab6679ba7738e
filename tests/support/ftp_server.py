"""`python -m tests.support.ftp_server FOLDER`: serve its files by anonymous FTP."""

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

# These classes of Twisted have no annotations.
realm: Any = FTPRealm
portal: Any = Portal
factory: Any = FTPFactory
anonymous_access: Any = AllowAnonymousAccess


class Files(FTP):
    """FTP connection that also transfers files over loopback."""

    listenFactory = staticmethod(listen)  # noqa: N815 - Twisted's name


def main(folder: str) -> None:
    """Listen on a free port of loopback, print it, and serve until killed."""
    server = factory(portal(realm(folder), [anonymous_access()]))
    server.protocol = Files
    print(listen(0, server).getHost().port, flush=True)  # noqa: T201 (its interface)
    reactor.run()


if __name__ == "__main__":
    main(sys.argv[1])
