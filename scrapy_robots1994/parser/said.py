"""A term that a page or a robots.txt has, and where the term is."""

from dataclasses import dataclass

from scrapy_robots1994.escaping import escape_control_chars


@dataclass(frozen=True, slots=True)
class Said:
    """A term of a page or of a robots.txt, and where the term is.

    The *term* of a robots directive of a page is in lower case. *where* is a phrase such as
    "meta tag robots".
    """

    term: str
    where: str

    def __str__(self) -> str:
        """Return the term and where it is, safe to print."""
        where = escape_control_chars(self.where, 80)
        return f'"{escape_control_chars(self.term, 40)}" in the {where}'
