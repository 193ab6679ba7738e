"""`Said`, a quotation for messages."""

from dataclasses import dataclass

from scrapy_robots1994.escaping import escape_control_chars


@dataclass(frozen=True, slots=True)
class Said:
    """Text found in a page or a robots.txt, and where it was found."""

    term: str
    """As written, except that robots directives are in lower case, and that members of
    Content-Usage are normalized and have no parameters.
    """
    where: str
    """For example, "meta tag robots"."""

    def __str__(self) -> str:
        where = escape_control_chars(self.where, 80)
        return f'"{escape_control_chars(self.term, 40)}" in the {where}'
