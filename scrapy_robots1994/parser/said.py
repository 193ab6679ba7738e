"""A term that a page or a robots.txt has, and where it stands."""

from dataclasses import dataclass

from scrapy_robots1994.escaping import escape_control_chars


@dataclass(frozen=True, slots=True)
class Said:
    """A term of a page or of a robots.txt, and where it stands. That of a robots directive of a
    page is in lower case.
    """

    term: str
    where: str

    def __str__(self) -> str:
        """Return both, safe to print."""
        where = escape_control_chars(self.where, 80)
        return f'"{escape_control_chars(self.term, 40)}" in the {where}'
