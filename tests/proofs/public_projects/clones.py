"""Clones of the strangers, each at the commit it was tried at."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.proofs.public_projects.errand import Stranger


def clone(stranger: Stranger, folder: Path) -> Path:
    """The folder of a stranger's clone below *folder*, made if it is not there yet."""
    home = folder / stranger.name
    if not home.exists():
        url = f"https://github.com/{stranger.repository}.git"
        _git("clone", "--quiet", url, str(home))
        _git("-C", str(home), "checkout", "--quiet", stranger.commit)
    return home


def changed(stranger: Stranger, home: Path) -> str:
    """What a clone has that its commit has not, or nothing."""
    head = _git("-C", str(home), "rev-parse", "HEAD").strip()
    if head != stranger.commit:
        return f"is at {head}, not at {stranger.commit}"
    status = _git("-C", str(home), "status", "--porcelain", "--ignored").strip()
    return f"is not as it was cloned: {status}" if status else ""


def _git(*words: str) -> str:
    """What git prints; it must succeed."""
    command = ["git", *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
