"""`python -m tools.soak ORIGINS SECONDS` runs the soak test and writes its report."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.soak import report, run

HERE = Path(__file__).parent


def main(origins: int, seconds: float) -> int:
    """Run the soak test; return 1 if a request was lost or violated a policy."""
    result = run.soak(origins, seconds)
    (HERE / "README.md").write_text(report.text(result), "utf-8")
    (HERE / "rss.svg").write_text(report.image(result), "utf-8")
    sys.stdout.write(report.text(result))
    return int(bool(result.lost or result.server["against"]))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2])))
