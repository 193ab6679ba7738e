"""Published answers of google/robotstxt and Protego, read from the JSON files in this folder.

Each program has a JSON file with robots.txt files and the expected answers for robots and URLs. The
JSON file also names the repository, commit, paths and licence of the original tests.
`otherwise.json` lists the questions that we answer differently, with the reasons.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent


class Expectation(NamedTuple):
    program: str
    case: str
    body: bytes
    kind: str
    robot: str
    url: str
    expected: Any

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.program, self.case, self.robot, self.url)))


def expanded(text: str) -> str:
    """Expand each repetition, for example `{a*3}` to `aaa`."""
    return re.sub(r"\{(.)\*(\d+)\}", lambda m: m.group(1) * int(m.group(2)), text)


def expectations() -> list[Expectation]:
    return [row for program in ("google", "protego") for row in read(program)]


def read(program: str) -> list[Expectation]:
    table = json.loads((HERE / f"{program}.json").read_text("utf-8"))
    found = []
    for case in table["cases"]:
        body = expanded(case["file"]).encode("utf-8", "surrogateescape")
        answers = [
            *(
                ("allowed", it[0], expanded(it[1]), it[2])
                for it in case.get("allowed", ())
            ),
            *(("crawl_delay", it[0], "", it[1]) for it in case.get("crawl_delay", ())),
        ]
        kinds = [it for it in ("sitemaps", "directives", "last_line") if it in case]
        answers += [(kind, "", "", case[kind]) for kind in kinds]
        found += [Expectation(program, case["id"], body, *it) for it in answers]
    return found


def decided_otherwise() -> dict[str, str]:
    """Map the name of each question that we answer differently to the reason."""
    groups = json.loads((HERE / "otherwise.json").read_text("utf-8"))
    return {expanded(name): it["why"] for it in groups for name in it["questions"]}
