"""What the commands of this folder run: local sites, a crawl of them, a report.

`server` serves the sites on loopback, `hosts` and `robots_files` say what they are,
`crawling` runs `scrapy crawl`, `report` prints. `python -m demo` is `./run`,
`demo.beyond` is `./beyond`, `demo.distributed` is `./distributed`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def end_with(main: Callable[[], int]) -> None:
    """End the process with what *main* returns, or with 130 at Ctrl-C."""
    try:
        code = main()
    except KeyboardInterrupt:
        print("\nInterrupted: not everything was crawled.", file=sys.stderr)
        code = 130
    sys.exit(code)
