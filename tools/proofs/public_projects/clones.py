"""Clones of the public projects, each at its tested commit."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tools.proofs.public_projects.spider_run import PublicProject


def clone(project: PublicProject, folder: Path) -> Path:
    """Return the clone of a project below *folder*, made if it does not exist."""
    home = folder / project.name
    if not home.exists():
        url = f"https://github.com/{project.repository}.git"
        _git("clone", "--quiet", url, str(home))
        _git("-C", str(home), "checkout", "--quiet", project.commit)
    return home


def changed(project: PublicProject, home: Path) -> str:
    """Return how a clone differs from its commit, or an empty string."""
    head = _git("-C", str(home), "rev-parse", "HEAD").strip()
    if head != project.commit:
        return f"is at {head}, not at {project.commit}"
    status = _git("-C", str(home), "status", "--porcelain", "--ignored").strip()
    return f"is not as it was cloned: {status}" if status else ""


def _git(*words: str) -> str:
    """Run git, which must succeed, and return its output."""
    command = ["git", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
