"""Generate files with each form of each kind of problem, among other lines."""

from __future__ import annotations

import random

FORMS: dict[str, tuple[str, ...]] = {
    "R001": ("{D}: {p}\n", "\n{D}: {p}\n", "\n\n{D}: {p}\n{D}: {p}\n"),
    "R002": ("{U}: {n}\n\n{D}: {p}\n", "{U}: {n}\n \n\t\n# x\n{D}: {p}\n\n{D}: {p}\n"),
    "R003": (
        "\n{U}: {n}\n\n",
        "\n{U}: {n}\nCrawl-delay: 5\n\n",
        "\n{U}: {n}\nFoo: x\n\n",
    ),
    "R004": ("{U}:\n{D}: {p}\n", "{U}: # x\n"),
    "R005": (
        "{D}: {w}\n",
        '{D}: "{p}"\n',
        "{D}: '{p}'\n",
        "{D}: .{p}\n",
        "{D}: ..{p}\n",
        "{D}:: {p}\n",
        "{D}: ={p}\n",
        "{D}: - {p}\n",
        "{D}: <{p}>\n",
        "{D}: ({p})\n",
        "{D}: \\{w}\n",
        "{D}: *{p}\n",
        "{D}: ?q=\n",
        "{D}: *\n",
        "{D}: www.h.test{p}\n",
        "{D}: `{p}` # x\n",
        "{D}: \u201c{p}\u201d\n",
    ),
    "R006": ("thank you\n", "= = =\n", ":\n", "  *\n"),
    "R007": (
        "{U}: {n}\n{D}: {p}\n{U}: {n}\n{D}: {p}\n",
        "{U}: {n}\nHost: x\n{U}: {n}\n{D}: {p}\n",
    ),
    "R008": ("{U}: *\n{D}: {p}\n\n{U}: *\n{D}: {p}\n",),
    "R009": ("{U}: {n}\n{D}:\n{D}: {p}\n", "{U}: {n}\n{D}: {p}\n{D}: # x\n"),
    "R010": (
        "Fields: {p}\n",
        "X-Y: z\n",
        "- thing: x\n",
        "// {D}: {p}\n",
        "; {D}: {p}\n",
    ),
    "R011": (" {D}: {p}\n", "{D} : {p}\n", "\t{U}: {n} # x\n{D}: {p}\n"),
    "R013": ("{D}: {p}\udce9\n", "# \udcff\n"),
    "R015": (
        "{D}: {p}*\n",
        "{D}: {p}$\n",
        "{D}: /*{p}\n",
        "{D}: {p}/*{p}$\n",
        "{D}: /*\n",
        "{D}: /$\n",
        "{D}: {p}/**\n",
    ),
    "R016": ("{U}: {n}\n{D}: /q\nAllow: /q/x\n", "{U}: {n}\n{D}: /\nAllow: /{w}$\n"),
    "R017": ("Crawl-delay: 5\n",),
    "R018": ("Sitemap: https://h.test/s.xml\n",),
    "R019": (
        "License: https://h.test/rsl.xml\n",
        "Host: h.test\n",
        "DisallowAITraining: /\n",
    ),
    "R020": (
        "Disalow: {p}\n",
        "- {D}: {p}\n",
        '"{D}": "{p}",\n',
        '"{D}: {p}"\n',
        "* {D}: {p}\n",
        "**{D}**: {p}\n",
        "1. {D}: {p}\n",
        "> {D}: {p}\n",
        "D\u0130SALLOW: {p}\n",
        "User agent: {n}\n{D}: {p}\n",
        '"{U}: {n}"\n{D}: {p}\n',
        "`{U}`: {n}\n{D}: {p}\n",
        "(User-agents): {n}\n{D}: {p}\n",
        "Dis\u00e1llow: {p}\n",
    ),
    "R021": (
        "{D} {p}\n",
        "{D}={p}\n",
        "User-agent {n}\n{D}: {p}\n",
        "{D} https://h.test{p}\n",
        "{D} {p}:b\n",
        "user agent {n}\n",
        "- {D} {p}\n",
    ),
    "R022": ("{U}: {n}\n{D}: /q\n{D}: /q\n", "{U}: {n}\n{D}: /%71\n{D}: /q\n"),
    "R023": ("{U}: {n}\n{D}: /q\n{D}: /q/r\n", "{U}: {n}\n{D}: /q/*s\n{D}: /q\n"),
    "R024": ("\n{U}: rex\n{D}: {p}\n\n{U}: rexbot\n{D}: {p}/z\n",),
    "R026": ("\n{U}: {n}\nAllow: {p}\n\n", "\n{U}: {n}\nAllow: /\n\n"),
    "R028": ("{D}: {p}\u200bx\n", "{D}: {p}\x01x\n", "{D}: {p}\x7fx # y\n"),
    "R029": (
        "{U}: rex, max\n{D}: {p}\n",
        "{U}: GPTBot; ClaudeBot\n{D}: {p}\n",
        "{U}: cohere-ai anthropic-ai\n{D}: {p}\n",
        "{U}: * GPTBot\n{D}: {p}\n",
        "{U}: abot/1.0 | bbot\n{D}: {p}\n",
        "{U}: abot and bbot\n{D}: {p}\n",
        "{U}: abot, bot\n{D}: {p}\n",
        "{U}: abot/2.0;+http://h.test/x, bbot\n{D}: {p}\n",
    ),
    "R030": ("{U}: rex*\n{D}: {p}\n", "{U}: *max\n{D}: {p}\n", "{U}: re*x\n{D}: {p}\n"),
    "R031": ("{U}: rex/1.0\n{D}: {p}\n", "{U}: rex/1.0 Unix\n{D}: {p}\n"),
    "R032": ("{D}: {p}#x\n", "{U}: {n}#x\n{D}: {p}\n"),
    "R033": (
        "{D}: http://h.test{p}\n",
        "{D}: https://other.test/\n",
        "{D}: http://h.test\n",
    ),
    "R034": ("{D}: {p} {p}\n", "{D}: {p}  {p}/x {p}\n"),
    "R035": ("Crawl-delay: soon\n", "Crawl-delay: 5s\n", "Crawl-delay: 1,5\n"),
    "R036": ("{U}: {n}\n{D}: /q\nAllow: /q/x\n",),
    "R037": ("{U}: {n}\nAllow: /q\n{D}: /q/x\n", "{U}: {n}\nAllow: /q\n{D}: /q\n"),
    "R038": (
        "{D}\uff1a {p}\n",
        "\xa0{D}: {p}\n",
        "\u200b{U}: {n}\n{D}: {p}\n",
        "Dis\u0430llow: {p}\n",
        "\u00a0\n",
        "{D}: {p}\u200b\n",
        "{D}: {p}\u200bx\u200b\n",
        "{U}: {n}\u00a0\n{D}: {p}\n",
    ),
    "R039": (
        "{U}: {n} {D}: {p}\n",
        "{D}: {p} {D}: {p}\n",
        "{D}: /Sitemap: https://h.test/s.xml\n",
        "{D}: /User-agent: {n}\n{D}: {p}\n",
        "Sitemap: https://h.test/s.xmlUser-agent: {n}\n{D}: {p}\n",
        "{D}: {p}{D}: {p}Sitemap: https://h.test/x\n",
        "{D}: {p}\\n{D}: {p}\n",
        "{D}: {p}<br>{D}: {p}\n",
        "Crawl-delay: 10{U}: {n}\n{D}: {p}\n",
        "Host: h.test{U}: {n}\n{D}: {p}\n",
    ),
    "R041": ("{D}: /#!{p}\n", "{D}: /#\n"),
    "R042": (
        '{U}: "rex"\n{D}: {p}\n',
        "{U}: rex:\n{D}: {p}\n",
        "{U}: [max]\n{D}: {p}\n",
        '{U}: "*"\n{D}: {p}\n',
        "{U}: max (max@h.test)\n{D}: {p}\n",
        "{U}: max [NC,OR]\n{D}: {p}\n",
    ),
    "R043": (
        "{U}: {n}\nCrawl-delay: 5\n\n{U}: {n}\n{D}: /\n",
        "{U}: {n}\n\n{U}: {n}\n{D}: {p}\n",
        "{U}: {n}\nSitemap: https://h.test/s.xml\n{U}: {n}\n{D}: /\nAllow: {p}\n",
    ),
    "R044": ("{p}\n", "https://h.test/sitemap.xml\n", "  {p}/x\n"),
    "R045": ("{U}: Echobot Bot\n{D}: {p}\n", "{U}: Dow Jones\n{D}: {p}\n"),
    "R046": (
        "{D}: {{ base }}{p}\n",
        "{D}: ${BASE}{p}\n",
        "{D}: <%= x %>{p}\n",
        "{U}: {{ agent }}\n{D}: {p}\n",
        "{D}: {%if%}{p}\n",
        "Sitemap: {{ base }}/s.xml\n",
    ),
    "R047": ("Sitemap: /s.xml\n", "Sitemap:\n", "Sitemap: www.h.test/s.xml\n"),
    "R049": (
        "{D}: /* */\n",
        "{D}: {p} ***\n",
        "{D}: {p} x\n",
        "{D}: /my {w} (old)\n",
        "{D}: {p}\tx\n",
    ),
    "R050": ("{U}: /*\n{D}: {p}\n", "{U}: /{w}\n{D}: {p}\n"),
    "R051": (
        "{U}: {n}\nContent-Usage: Train-AI=n, search=y\n",
        "{U}: {n}\nContent-Usage: train-ai=n,\n",
        "{U}: {n}\nContent-Usage: train-ai = n\n",
        "{U}: {n}\ncontent-usage: {p} search=y train-ai=n\n{D}: {p}\n",
        "{U}: {n}\nContent-Usage: x=é\n",
    ),
    "R052": (
        "{U}: {n}\nContent-Usage: train-ai=no, search=y\n",
        '{U}: {n}\nContent-Usage: train-ai=?0, search="n", search\n',
        "{U}: {n}\nContent-Signal: ai-input=maybe,,ai-train\n{D}: {p}\n",
        "{U}: {n}\nContent-Signals: search=y\n",
    ),
    "R053": (
        "{U}: {n}\nContent-Usage: ai=n\n",
        "{U}: {n}\nContent-Usage: {p} bots=n;x=1\n",
        "{U}: {n}\nContent-Signal: train-ai=no\n",
    ),
    "R054": (
        "{U}: {n}\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n\n",
        "{U}: {n}\nContent-Signal: ai-train=yes\nHost: x\nContent-Signal: ai-train=no\n",
    ),
    "R055": (
        "{U}: {n}\nContent-Usage: train-ai=n\nContent-Usage: {p} search=n\n",
        "{U}: {n}\nContent-Usage: /a/b search=y\nContent-Usage: /a train-ai=n\n",
    ),
    "R056": (
        "{U}: {n}\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\n",
        "{U}: {n}\nContent-Signal: search=yes\n{D}: {p}\nContent-Usage: search=n\n",
    ),
    "R057": ("Content-Signal: ai-train=no\n", "Content-Usage: train-ai=n\n\n"),
    "R058": ("License: /rsl.xml\n", "{U}: {n}\nLicense:\n", "license: www.h.test/x\n"),
}
"""For each problem code, lines that have the problem. `{D}`, `{U}`, `{n}`, `{p}` and `{w}`
are placeholders.
"""

WHOLE: dict[str, tuple[bytes, ...]] = {
    "R012": (b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n",),
    "R025": (
        b"<html>\n<p>x: y\n",
        b"\xef\xbb\xbf\n# x\n<?xml version='1.0'?>\nDisallow: /\n",
    ),
    "R027": (b"User-agent: *\rDisallow: /a\r",),
    "R040": ("User-agent: *\nDisallow: /\n".encode("utf-16-le"),),
    "R048": (
        b'{"message": "Not found"}\n',
        b'[{"a": 1}]',
        b"404 page not found\n",
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xff",
        b"Access denied: your address is blocked",
        b"Dear robots\nwelcome to our site\nplease be kind\n",
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n",
    ),
}
"""For each problem code, files that have the problem. A file can also have other
problems.
"""

NAMES = ("rex", "max", "*", "rexbot", "Googlebot", "SemrushBot")
PATHS = (
    "/a",
    "/a/b",
    "/private",
    "/c.html",
    "/d/",
    "/caf\u00e9",
    "/x%20y",
    "/e?f=g",
    "/q",
)
OTHER = (
    "",
    "",
    "# a comment",
    "Disallow: /tmp",
    "Disallow:",
    "Allow: /tmp/x",
    "User-agent: rex",
    "User-agent: *",
    "Crawl-delay: 1",
    "Sitemap: https://h.test/map.xml",
)


def form_file(seed: str) -> tuple[str, list[str]]:
    """Return a file with one to three problems among other lines. Also return the codes
    of the problems.
    """
    dice = random.Random(seed)  # noqa: S311 - the same files every time
    codes = dice.sample(sorted(FORMS), dice.choice((1, 1, 2, 3)))
    parts = []
    for code in codes:
        parts += dice.choices(OTHER, k=dice.choice((0, 0, 1, 2, 3)))
        parts.append(filled(dice.choice(FORMS[code]), dice))
    parts += dice.choices(OTHER, k=dice.choice((0, 1, 2)))
    if dice.random() < 0.6:
        parts.insert(0, f"User-agent: {dice.choice(NAMES)}")
    ending = dice.choice(("\n", "\n", "\r\n"))
    text = "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)
    return text.replace("\n", ending), codes


def filled(form: str, dice: random.Random) -> str:
    """Return *form* with names, paths and words in place of its placeholders."""
    for mark, values in (("{n}", NAMES), ("{p}", PATHS), ("{w}", ("old", "img.png"))):
        while mark in form:
            form = form.replace(mark, dice.choice(values), 1)
    fields = {
        "{D}": ("Disallow",) * 4 + ("disallow",),
        "{U}": ("User-agent",) * 4 + ("User-Agent",),
    }
    for mark, names in fields.items():
        form = form.replace(mark, dice.choice(names))
    return form
