"""A program that runs a Scrapy command in a deployed project: `egg_runner.py EGG COMMAND …`.

The program works like Scrapyd. First, the program adds the egg to the module path. Then the
program reads the name of the settings module from the egg, and starts Scrapy's command
line.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import distribution


def main() -> None:
    """Run the command with the egg first on the module path."""
    egg, *command = sys.argv[1:]
    # Replace the first entry, the folder of this script, because the modules in this
    # folder do not belong to the project.
    sys.path[0] = egg
    found = distribution("walker").entry_points.select(group="scrapy", name="settings")
    os.environ["SCRAPY_SETTINGS_MODULE"] = next(iter(found)).value
    from scrapy.cmdline import execute  # noqa: PLC0415 - needs the egg on the path

    execute(["scrapy", *command])


if __name__ == "__main__":
    main()
