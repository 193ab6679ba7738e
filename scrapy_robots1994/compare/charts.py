"""Charts of a report, as SVG without script: needs the extra `report`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pygal
from pygal.style import Style

from scrapy_robots1994.compare.parsers import Direction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.compare.report import ComparisonReport

# pygal leaves an importer for its maps behind, of a kind that Python no longer asks and
# before 3.12 warns of at each import that fails, anybody's. We draw no maps.
sys.meta_path[:] = [
    it for it in sys.meta_path if not isinstance(it, pygal.PluginImportFixer)
]

# Distinguishable in light and dark and for most colour-blind readers (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#e69f00", "#cc79a7", "#009e73", "#56b4e9")
OTHERS = ("#8b6cc4", "#a6761d", "#7f7f7f", "#c44e52", "#5f9e3f", "#b8b03a")

_WIDTH = 680
_HEIGHT_OF_ROW = 34
_HEIGHT_OF_REST = 44


@dataclass(frozen=True, slots=True)
class Drawn:
    """One chart: its caption, its SVG, and the name and colour of each of its parts."""

    caption: str
    svg: str
    legend: tuple[tuple[str, str], ...]


def charts(report: ComparisonReport) -> Iterator[Drawn]:
    """Yield each chart."""
    yield _agreement(report)
    if report.causes_found:
        yield _causes(report)


def _agreement(report: ComparisonReport) -> Drawn:
    """Return how often each parser agrees, in per cent."""
    parsers = _names(report)
    ways = [way for way in Direction if any(report.count(it, way) for it in parsers)]
    chart = _chart(report)
    for way in ways:
        values = [
            100 * report.count(it, way) / (report.count(it) or 1) for it in parsers
        ]
        chart.add(way.value, values)
    chart.value_formatter = "{:.0f} %".format
    chart.range = (0, 100)
    caption = "Answers of each parser beside ours, in per cent"
    return _drawn(caption, chart, [way.value for way in ways])


def _causes(report: ComparisonReport) -> Drawn:
    """Return how many disagreements of each parser have which cause."""
    chart = _chart(report)
    for cause in report.causes_found:
        values = [report.caused(cause, it) for it in _names(report)]
        chart.add(cause.title, values)
    chart.value_formatter = "{:,.0f}".format
    of = "sampled disagreements" if report.is_sampled else "disagreements"
    caption = f"Causes of the {of} of each parser"
    return _drawn(caption, chart, [cause.title for cause in report.causes_found])


def _drawn(caption: str, chart: Any, names: list[str]) -> Drawn:
    """Return *chart* as text, with what its colours mean."""
    legend = tuple(zip(names, (*COLOURS, *OTHERS), strict=False))
    return Drawn(caption, chart.render(is_unicode=True), legend)


def _names(report: ComparisonReport) -> tuple[str, ...]:
    """Return the parsers as a chart with its first row at the bottom wants them."""
    return tuple(reversed(report.parsers))


def _chart(report: ComparisonReport) -> Any:
    """Return an empty chart with a row for each parser, in the page's own colours."""
    chart = pygal.HorizontalStackedBar(
        style=_style(),
        js=(),
        disable_xml_declaration=True,
        explicit_size=False,
        no_prefix=False,
        width=_WIDTH,
        height=_HEIGHT_OF_REST + _HEIGHT_OF_ROW * max(len(report.parsers), 2),
        # The page has a legend of its own, which wraps on a phone.
        show_legend=False,
        truncate_label=-1,
        print_values=False,
        show_y_guides=True,
        spacing=12,
        margin=6,
        margin_right=24,
    )
    # The tables have the whole names; here they leave the bars more room.
    names = _names(report)
    chart.x_labels = [name.removesuffix("RobotParser") or name for name in names]
    chart.add_xml_filter(_without_scripts)
    return chart


def _style() -> Style:
    """Return the colours and sizes; those of the page are its own variables."""
    return Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--text)",
        foreground_strong="var(--text)",
        foreground_subtle="var(--line)",
        guide_stroke_color="var(--line)",
        major_guide_stroke_color="var(--line)",
        font_family="inherit",
        opacity="1",
        opacity_hover="1",
        transition="none",
        label_font_size=13,
        major_label_font_size=13,
        legend_font_size=13,
        colors=(*COLOURS, *OTHERS),
    )


def _without_scripts(root: Any) -> Any:
    """Return the chart without the settings for scripts that it does not load."""
    for parent in root.iter():
        for child in [it for it in parent if str(it.tag).endswith("script")]:
            parent.remove(child)
    return root
