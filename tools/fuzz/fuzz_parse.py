"""The coverage-guided fuzz target, run by hand:

    pip install atheris
    python -m tools.fuzz.fuzz_parse FOLDER -max_total_time=1200 -len_control=20

FOLDER stores the inputs that reached new code. An input that refutes a claim is written
to the working directory as `crash-…`; to repeat it, name it instead of FOLDER.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["scrapy_robots1994"]):
    from tools.fuzz.claims import CLAIMS, Question
    from tools.fuzz.words import FIELDS, PATHS, VALUES

ROBOTS = ("rex", "other", "", "M/5 (compatible; Rex/1)")
READINGS = ("literal", "cautious")
LONGEST = 500


def check_claims(data: bytes) -> None:
    """Check every claim for the file and the question that *data* encodes."""
    given = atheris.FuzzedDataProvider(data)
    reading = given.PickValueInList(list(READINGS))
    robot = given.PickValueInList(list(ROBOTS)) or given.ConsumeUnicode(12)
    target = given.PickValueInList(list(PATHS))
    place = given.ConsumeIntInRange(0, 40)
    body = given.ConsumeBytes(LONGEST)
    question = Question(body, robot, target, reading, place)
    for claim in CLAIMS:
        claim(question)


def dictionary(folder: Path) -> Path:
    """Write a dictionary of robots.txt words for libFuzzer into *folder*."""
    path = folder / "words.dict"
    words = [word.encode("utf-8") for word in (*FIELDS, *VALUES) if word]
    quoted = ("".join(f"\\x{byte:02x}" for byte in word) for word in words)
    path.write_text("".join(f'"{word}"\n' for word in quoted), "utf-8")
    return path


def main() -> None:
    """Fuzz until the limits in libFuzzer's arguments are reached."""
    with tempfile.TemporaryDirectory() as folder:
        words = dictionary(Path(folder))
        atheris.Setup(
            [*sys.argv, f"-dict={words}", f"-max_len={LONGEST}"], check_claims
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
