"""Draw the pictures of `docs/explanation/pictures.toml`: `python -m tests.house.pictures`."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from tests.house.code_map import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

SOURCE = ROOT / "docs" / "explanation" / "pictures.toml"

_MARGIN = 12
_GAP = (48, 40)
_LINE = 17
_HEAD = 26
_STYLE = """
  text { font-family: system-ui, sans-serif; font-size: 13px; fill: #475569 }
  rect { fill: #f8fafc; stroke: #94a3b8; rx: 8 }
  .main rect { fill: #e0f2fe; stroke: #0284c7; stroke-width: 1.5 }
  .name { font-size: 14px; font-weight: 600; fill: #0f172a }
  .arrow { fill: none; stroke: #64748b; stroke-width: 1.5 }
  marker path { fill: #64748b }
  @media (prefers-color-scheme: dark) {
    text { fill: #cbd5e1 } .name { fill: #f1f5f9 }
    rect { fill: #1e293b; stroke: #64748b }
    .main rect { fill: #0c4a6e; stroke: #38bdf8 }
    .arrow { stroke: #94a3b8 } marker path { fill: #94a3b8 }
  }
"""
_HEAD_OF_ARROW = (
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
    ' orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
)


@dataclass(frozen=True, slots=True)
class Box:
    """A box in a picture."""

    at: tuple[int, int]
    name: str
    lines: Sequence[str]
    main: bool
    x: float
    y: float
    width: float
    height: float


def main() -> int:
    """Write the pictures."""
    for file, content in pictures().items():
        file.write_text(content, "utf-8")
    return 0


def pictures() -> dict[Path, str]:
    """All pictures as SVG, by file."""
    source = tomllib.loads(SOURCE.read_text("utf-8"))
    return {SOURCE.with_name(f"{name}.svg"): _picture(one) for name, one in source.items()}


def _picture(source: Mapping[str, Any]) -> str:
    boxes = _boxes(source["columns"], source["boxes"])
    width = max(box.x + box.width for box in boxes.values()) + _MARGIN
    height = max(box.y + box.height for box in boxes.values()) + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">',
            f"<title>{escape(source['title'])}</title>",
            f"<style>{_STYLE}</style>",
            f"<defs>{_HEAD_OF_ARROW}</defs>",
            *(line for box in boxes.values() for line in _drawn(box)),
            *(
                _arrow(boxes[start], boxes[end])
                for start, ends in source["arrows"].items()
                for end in ends
            ),
            "</svg>",
            "",
        ]
    )


def _boxes(widths: Sequence[int], source: Mapping[str, Any]) -> dict[str, Box]:
    """Boxes on a grid; all boxes of a row are as high as the highest."""
    rows = max(one["at"][1] for one in source.values()) + 1
    heights = [
        _HEAD
        + 14
        + _LINE * max(len(one["lines"]) for one in source.values() if one["at"][1] == row)
        for row in range(rows)
    ]
    boxes = {}
    for name, one in source.items():
        column, row = one["at"]
        x = _MARGIN + sum(widths[:column]) + column * _GAP[0]
        y = _MARGIN + sum(heights[:row]) + row * _GAP[1]
        main = one.get("main", False)
        at = (column, row)
        size = widths[column], heights[row]
        boxes[name] = Box(at, one["name"], one["lines"], main, x, y, *size)
    return boxes


def _drawn(box: Box) -> Iterator[str]:
    yield '<g class="main">' if box.main else "<g>"
    size = f'width="{box.width:.0f}" height="{box.height:.0f}"'
    yield f'<rect x="{box.x:.0f}" y="{box.y:.0f}" {size}/>'
    x, y = box.x + 12, box.y + _HEAD
    yield f'<text class="name" x="{x:.0f}" y="{y:.0f}">{escape(box.name)}</text>'
    for number, line in enumerate(box.lines, 1):
        yield f'<text x="{x:.0f}" y="{y + number * _LINE + 2:.0f}">{escape(line)}</text>'
    yield "</g>"


def _arrow(start: Box, end: Box) -> str:
    """From side to side between columns, from below to above in one column."""
    if start.at[0] == end.at[0]:
        x = start.x + start.width / 2
        return _path(x, start.y + start.height, x, end.y)
    forward = start.at[0] < end.at[0]
    x = start.x + start.width if forward else start.x
    to = end.x if forward else end.x + end.width
    return _path(x, start.y + start.height / 2, to, end.y + end.height / 2)


def _path(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (x + to_x) / 2
    curve = f"C{middle:.0f} {y:.0f} {middle:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}"
    line = f"L{to_x:.0f} {to_y:.0f}" if x == to_x or y == to_y else curve
    return f'<path class="arrow" marker-end="url(#head)" d="M{x:.0f} {y:.0f} {line}"/>'


if __name__ == "__main__":
    sys.exit(main())
