"""A term that was found in a page or a robots.txt, and the place of the term."""

from dataclasses import dataclass

from scrapy_robots1994.escaping import escape_control_chars


@dataclass(frozen=True, slots=True)
class Said:
    """A term that was found in a page or a robots.txt, and the place of the term.

    If *term* is a robots directive of a page, it is in lower case. *where* is a phrase
    that describes the place, such as "meta tag robots".
    """

    term: str
    where: str

    def __str__(self) -> str:
        """Return the term and its place as text that is safe to print."""
        where = escape_control_chars(self.where, 80)
        return f'"{escape_control_chars(self.term, 40)}" in the {where}'
