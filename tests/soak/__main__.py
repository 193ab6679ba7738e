"""`python -m tests.soak ORIGINS SECONDS` soaks, and writes figures and picture anew."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.soak import report, run

HERE = Path(__file__).parent


def main(origins: int, seconds: float) -> int:
    """Soak; 1 when anything was lost or fetched against a policy."""
    soaked = run.soak(origins, seconds)
    (HERE / "README.md").write_text(report.text(soaked), "utf-8")
    (HERE / "rss.svg").write_text(report.picture(soaked), "utf-8")
    sys.stdout.write(report.text(soaked))
    return int(bool(soaked.lost or soaked.judge["against"]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2])))
