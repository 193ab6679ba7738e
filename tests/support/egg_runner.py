"""Run a Scrapy command in a deployed project, as Scrapyd does: `egg_runner.py EGG COMMAND …`."""

from __future__ import annotations

import os
import sys
from importlib import metadata


def hide_metadata() -> None:
    """Hide the metadata of this package, as on a server where only the egg contains the package."""
    find = metadata.distribution

    def distribution(distribution_name: str) -> metadata.Distribution:
        if distribution_name == "scrapy_robots1994":
            raise metadata.PackageNotFoundError(distribution_name)
        return find(distribution_name)

    metadata.distribution = distribution


def main() -> None:
    egg, *command = sys.argv[1:]
    hide_metadata()
    # Remove the folder of this script from the path: its modules are not part of the project.
    sys.path[0] = egg
    found = metadata.distribution("walker").entry_points.select(
        group="scrapy", name="settings"
    )
    os.environ["SCRAPY_SETTINGS_MODULE"] = next(iter(found)).value
    from scrapy.cmdline import execute  # noqa: PLC0415 - needs the egg on the path

    execute(["scrapy", *command])


if __name__ == "__main__":
    main()
