"""The commands of the example project, in place and in a copy."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import scrapy

from tests.support.redis_server import RedisServer

EXAMPLE = Path(__file__).resolve().parents[2] / "example_project"
TIME_LIMIT = 300
USER = {key: os.environ[key] for key in os.environ if key != "PYTHONPATH"}
USER["ROBOTS1994_PYTHON"] = sys.executable
"""The environment of a user who has installed the package."""


def run(
    *command: str | Path, folder: Path = Path("/"), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command and check that no line without a URL exceeds 100 columns."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=USER | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=TIME_LIMIT,
    )
    if "--json" not in command and "--serve" not in command:
        wide = [line for line in done.stdout.split("\n") if len(line) > 100]
        assert [line for line in wide if "http" not in line] == []
    return done


def test_run_fetches_exactly_the_allowed_pages_and_prints_both_crawls() -> None:
    done = run(EXAMPLE / "run")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(
        "Right: scrapy_robots1994 fetched every allowed page, and no other.\n"
    )
    rows = {
        line[:26].strip(): line[26:].split()
        for line in done.stdout.partition("built-in\n")[2].split("\n")[:5]
    }
    assert {name: ours for name, (ours, _) in rows.items()} == {
        "pages fetched": "16",
        "of them disallowed": "0",
        "allowed pages missed": "0",
        "pages refused": "21",
        "requests for robots.txt": "13",
    }
    assert int(rows["of them disallowed"][1]) >= 4


@pytest.mark.parametrize(
    "arguments", [pytest.param([], marks=pytest.mark.long), ["--serve"]]
)
def test_ctrl_c_ends_the_run_with_a_sentence(arguments: list[str]) -> None:
    """In a terminal, Ctrl-C interrupts the whole process group."""
    with subprocess.Popen(
        [EXAMPLE / "run", *arguments],
        env=USER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        # The first line is printed when the sites are ready.
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=TIME_LIMIT)

    assert process.returncode == 130
    assert errors == "\nInterrupted: not everything was crawled.\n"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns(".*", "__pycache__", "compared.*", "venv*")
    return shutil.copytree(EXAMPLE, tmp_path / "mine", ignore=ignore)


def test_copy_crawls_with_the_installed_package(copied: Path) -> None:
    with subprocess.Popen(
        ["./run", "--serve"],
        cwd=copied,
        env=USER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as serving:
        assert serving.stdout is not None
        where = json.loads(serving.stdout.readline())
        crawl = ("-m", "scrapy", "crawl", "pages", "-a", f"start={where['start']}")
        to = ("-O", "pages.json")
        done = run(sys.executable, *crawl, *to, folder=copied)
        serving.communicate("\n")

    assert done.returncode == serving.returncode == 0, done.stderr
    assert len(set(where["origins"].values())) == 13
    items = json.loads((copied / "pages.json").read_text("utf-8"))
    assert sum("status" in item for item in items) == 16
    assert sum("refused" in item for item in items) == 21


@pytest.mark.parametrize("name", ["run", "compare_builtin"])
def test_command_without_the_clone_says_what_to_do(name: str, copied: Path) -> None:
    """Outside a clone, `run` cannot install the package, and `compare_builtin` has no scenarios."""
    python = "" if name == "run" else sys.executable

    done = run(f"./{name}", folder=copied, ROBOTS1994_PYTHON=python)

    assert (done.returncode, done.stdout) == (2, "")
    assert "clone of scrapy_robots1994" in done.stderr
    assert not (copied / ".venv").exists()


@pytest.mark.long
def test_beyond_finds_all_five_crawls_right() -> None:
    done = run(EXAMPLE / "beyond")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Right: all five.\n")
    assert "  refused  /archive/1996\n" in done.stdout
    assert "  sitemaps  /sitemap.xml\n" in done.stdout
    assert "  items of /  /leaf  /note\n" in done.stdout


@pytest.mark.long
@pytest.mark.redis
def test_workers_request_each_robots_txt_once() -> None:
    with RedisServer() as server:
        done = run(EXAMPLE / "distributed", "--workers", "3", REDIS_URL=server.url)
        with server.client() as client:
            left = list(client.scan_iter())

    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(re.findall(r"([a-z-]+) (\d+)", done.stdout.partition(" hosts:")[2]))
    # Policies of unreachable hosts are not shared, so a second worker may request robots.txt too.
    assert int(counts.pop("reset")) in {1, 2}
    assert int(counts.pop("unavailable")) in {1, 2}
    assert len(counts) == 11
    assert set(counts.values()) == {"1"}
    assert "Right: each robots.txt was requested once" in done.stdout
    assert left == []


@pytest.mark.long
def test_our_side_is_right_and_the_built_in_has_each_known_fault() -> None:
    done = run(EXAMPLE / "compare_builtin")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "ours 15 of 15. Scrapy " in done.stdout
    if scrapy.__version__.startswith("2.19."):
        assert "Right: built-in 0, " in done.stdout


@pytest.mark.long
def test_one_scenario_is_printed_as_a_table() -> None:
    done = run(EXAMPLE / "compare_builtin", "--only", "15")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT OK: " in done.stdout
    assert " ok: " in done.stdout
    assert "ours 1 of 1. Scrapy " in done.stdout
    wrong = run(EXAMPLE / "compare_builtin", "--only", "99")
    assert (wrong.returncode, wrong.stdout) == (2, "")
