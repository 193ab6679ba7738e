"""Runs a spider of a deployed project, as Scrapyd does: `egg_runner.py EGG COMMAND …`.

The egg goes first on the path, its `scrapy` entry point names the settings, and Scrapy's
command line takes over.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import distribution


def main() -> None:
    """Run the command."""
    egg, *command = sys.argv[1:]
    # Replace the folder of this script, whose modules do not belong to the project.
    sys.path[0] = egg
    found = distribution("walker").entry_points.select(group="scrapy", name="settings")
    os.environ["SCRAPY_SETTINGS_MODULE"] = next(iter(found)).value
    from scrapy.cmdline import execute  # noqa: PLC0415 - with the egg on the path

    execute(["scrapy", *command])


if __name__ == "__main__":
    main()
