"""`python -m tools.faults` writes the README of this folder anew."""

from __future__ import annotations

import sys

from tools.faults import report, table

if __name__ == "__main__":
    outcomes = table.whole_table()
    report.README.write_text(report.text(outcomes), "utf-8")
    for fault, outcome in outcomes.wrong:
        sys.stdout.write(f"wrong: {fault.slug}, {fault.what}: {outcome}\n")
