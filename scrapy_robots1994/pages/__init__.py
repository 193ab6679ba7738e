"""Floor 2: what a page itself says to robots, in its ROBOTS meta tags and its
X-Robots-Tag header. Pure: tags and header lines in, directives out.
"""

from scrapy_robots1994.pages.directives import (
    NO_DIRECTIVES,
    Directives,
    Said,
    directives_of,
)
from scrapy_robots1994.pages.words import is_wide, words_occur

__all__ = [
    "NO_DIRECTIVES",
    "Directives",
    "Said",
    "directives_of",
    "is_wide",
    "words_occur",
]
