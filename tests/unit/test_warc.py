"""Reading WARC files: the time of an answer."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.commands.warc import answers_in

if TYPE_CHECKING:
    from pathlib import Path

RECORD = """WARC/1.1\r
WARC-Type: response\r
WARC-Record-ID: <urn:uuid:1>\r
WARC-Target-URI: http://a.test/robots.txt\r
{date}Content-Type: application/http; msgtype=response\r
Content-Length: 19\r
\r
HTTP/1.1 200 OK\r
\r
\r
\r
"""


@pytest.mark.parametrize(
    ("date", "at"),
    [
        ("1970-01-02T00:00:01Z", 86_401),
        ("1970-01-02T00:00:01.123456789Z", 86_401),
        ("1970-01-02", 86_400),
        ("yesterday", 0),
        ("0001-01-01T00:00:00Z" * 100_000, 0),
        ("", 0),
    ],
    ids=range(6),
)
def test_answer_of_a_warc_is_as_old_as_its_record(
    tmp_path: Path, date: str, at: float
) -> None:
    """The time of an answer is the date of its WARC record. According to WARC 1.1, a date
    may omit its last parts, such as the seconds. A missing or wrong date counts as 0.
    """
    path = tmp_path / "x.warc.gz"
    header = f"WARC-Date: {date[:5_000]}\r\n" if date else ""
    path.write_bytes(gzip.compress(RECORD.format(date=header).encode()))
    faults: list[str] = []
    (found,) = answers_in(path, 500, faults.append)

    assert faults == []
    assert found.at == at
