"""Processes that start fast, because they do not import Scrapy again.

Each pytest worker has a server process, which imports Scrapy once, without installing a reactor.
Crawls and commands run in forks of the server.

`python -m tests.support.forked PATH` runs the server at the Unix socket PATH. A client sends three
file descriptors and a line of JSON. The server answers with the process id of the fork and,
when the fork ends, its exit code.
"""

from __future__ import annotations

import atexit
import builtins
import gc
import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
REACTOR = "twisted.internet.reactor"
TIMEOUT_SECONDS = 120.0

PRELOADED = (
    # This module must come first, because it replaces the clock that the other modules use.
    "tests.support.clock",
    "scrapy.cmdline",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "scrapy.core.scheduler",
    "scrapy.crawler",
    "scrapy.pqueues",
    "scrapy.squeues",
    "scrapy_robots1994.crawl.addon",
    "scrapy_robots1994.crawl.middleware",
    "tests.support.child",
    "tests.support.components",
    "tests.support.hooks",
)
INSTALLING = "scrapy.core.downloader.handlers.ftp"
"""Before Scrapy 2.16, importing this module installs a reactor."""

COMPONENTS = (
    "DOWNLOADER_MIDDLEWARES_BASE",
    "DOWNLOAD_HANDLERS_BASE",
    "EXTENSIONS_BASE",
    "SPIDER_MIDDLEWARES_BASE",
)


HIDDEN = [
    "DeprecationWarning",
    "ImportWarning",
    "PendingDeprecationWarning",
    "ResourceWarning",
]
"""The warnings that Python does not print by default."""


class ForkedProcess:
    """A fork of the server that calls *target* (`module:name`) in *folder*.

    Its stdin, stdout and stderr are copies of the file descriptors *files*.
    """

    def __init__(
        self,
        target: str,
        *argv: str,
        files: tuple[int, int, int],
        folder: Path = ROOT,
        env: Mapping[str, str] | None = None,
        warn: bool = True,
    ) -> None:
        """If not *warn*, the process hides the warnings that Python hides by default."""
        known = dict(os.environ if env is None else env)
        order = {"target": target, "argv": argv, "folder": str(folder), "env": known}
        order["hidden"] = [] if warn else HIDDEN
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(_server())
        socket.send_fds(self._socket, [b"\0"], files)
        self._socket.sendall(json.dumps(order).encode() + b"\n")
        self._answers = b""
        self.pid = int(self._answer())
        self._code: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, or raise `subprocess.TimeoutExpired` after *timeout* seconds."""
        if self._code is None:
            self._socket.settimeout(timeout)
            try:
                self._code = int(self._answer())
            except TimeoutError:
                raise subprocess.TimeoutExpired("fork", timeout or 0.0) from None
            self._socket.close()
        return self._code

    def has_ended(self) -> bool:
        try:
            self.wait(0.001)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def _answer(self) -> bytes:
        while b"\n" not in self._answers:
            received = self._socket.recv(100)
            if not received:
                raise RuntimeError("the server of tests.support.forked has ended")
            self._answers += received
        line, _, self._answers = self._answers.partition(b"\n")
        return line


def run_to_its_end(
    target: str,
    *argv: str,
    folder: Path,
    env: Mapping[str, str],
    typed: str = "",
    warn: bool = True,
) -> tuple[int, str, str]:
    """Run a `ForkedProcess` with *typed* as stdin and return its exit code, stdout and stderr."""
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin.write(typed.encode())
        stdin.seek(0)
        files = (stdin.fileno(), stdout.fileno(), stderr.fileno())
        process = ForkedProcess(
            target, *argv, files=files, folder=folder, env=env, warn=warn
        )
        try:
            code = process.wait(TIMEOUT_SECONDS)
        finally:
            process.kill()
        stdout.seek(0)
        stderr.seek(0)
        return code, stdout.read().decode(), stderr.read().decode()


@cache
def _server() -> str:
    """Start the server of this pytest worker and return the path of its socket."""
    folder = tempfile.TemporaryDirectory(prefix="fork-")
    path = f"{folder.name}/socket"
    # Keep the user's PYTHONPATH, which may select another version of Scrapy.
    given = os.environ.get("PYTHONPATH")
    path_of_modules = os.pathsep.join(filter(None, (str(ROOT), given)))
    process = subprocess.Popen(
        [sys.executable, "-W", "always", "-m", "tests.support.forked", path],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path_of_modules},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError("the server of tests.support.forked did not start")

    def end() -> None:
        process.communicate()  # The server ends when its stdin closes.
        folder.cleanup()

    atexit.register(end)
    return path


def _preload() -> None:
    """Import what every crawl and command imports, except modules that install a reactor."""
    from scrapy import version_info  # noqa: PLC0415 - only the server needs it
    from scrapy.settings import default_settings  # noqa: PLC0415 - only the server needs it
    from scrapy.utils.misc import walk_modules  # noqa: PLC0415 - only the server needs it

    components = {
        path.rpartition(".")[0]
        for name in COMPONENTS
        for path in _paths(getattr(default_settings, name))
    }
    if version_info < (2, 16):
        components.remove(INSTALLING)
    for name in [*PRELOADED, *sorted(components)]:
        import_module(name)
    # To run a command, Scrapy imports all commands, even those of plugins.
    walk_modules("scrapy.commands")
    for command in entry_points(group="scrapy.commands"):
        command.load()
    assert REACTOR not in sys.modules, "a preloaded module installs a reactor"
    # Load the public suffix list, which Scrapy needs for cookies. In a new environment without a
    # network, tldextract would log a traceback for each URL from which it cannot download the list.
    logging.disable(logging.CRITICAL)
    import_module("tldextract").TLDExtract(include_psl_private_domains=True)("h.test")
    logging.disable(logging.NOTSET)
    gc.collect()
    gc.freeze()


def _paths(components: dict[str, Any]) -> Iterator[str]:
    """Yield the import paths in *components*: the values if they are strings, or else the keys."""
    for key, value in components.items():
        yield value if isinstance(value, str) else key


def _serve(path: str) -> dict[str, Any] | None:
    """Fork for each connection. In a fork, return what the client wants it to run.

    In the server itself, return None when it ends.
    """
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(100)
        print("ready", flush=True)  # noqa: T201 - `_server` waits for this line
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                return _watch(connection)
            connection.close()
            _reap()
    return None


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _watch(connection: socket.socket) -> dict[str, Any]:
    """Fork again, and return in the new fork what the client wants it to run.

    The first fork sends the client the process id of the new one, and its exit code when it ends.
    """
    _, files, *_ = socket.recv_fds(connection, 1, 3)
    with connection.makefile() as lines:
        order: dict[str, Any] = json.loads(lines.readline())
    pid = os.fork()
    if pid == 0:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        return order
    for file in files:
        os.close(file)
    connection.sendall(b"%d\n" % pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    connection.sendall(b"%d\n" % code)
    os._exit(0)


def _run(order: dict[str, Any]) -> Any:
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["env"])
    for name in order["hidden"]:
        warnings.simplefilter("ignore", getattr(builtins, name))
    sys.argv[:] = [order["target"], *order["argv"]]
    sys.path[0] = order["folder"]
    module, _, name = order["target"].partition(":")
    return getattr(import_module(module), name)()


if __name__ == "__main__":
    _preload()
    ordered = _serve(sys.argv[1])
    sys.exit(_run(ordered) if ordered else 0)
