"""Terms of pages and files, with their places."""

from dataclasses import dataclass

from scrapy_robots1994.escaping import escape_control_chars


@dataclass(frozen=True, slots=True)
class Said:
    """A term of a page or a robots.txt."""

    term: str
    """A robots directive is in lower case."""
    where: str
    """The place, such as "meta tag robots"."""

    def __str__(self) -> str:
        """Return the term and its place, safe to print."""
        where = escape_control_chars(self.where, 80)
        return f'"{escape_control_chars(self.term, 40)}" in the {where}'
