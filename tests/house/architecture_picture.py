"""Draw the rooms, their layers and what each imports: `python -m tests.house.architecture_picture`.

`make docs` runs this, so the picture shows the code as it is. `model` and `errors` are not listed
among the imports: every room uses them.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from tests.house.code_map import ROOT, imports_between_rooms, layers, modules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PICTURE = ROOT / "docs" / "explanation" / "architecture.svg"

_WIDTH = 1180
_MARGIN = 20
_GAP = 14
_LAYER_GAP = 12
_LINE = 13
_HEAD = 22
_CHARACTER = 5.9  # average width of a character of the small text
_EVERYBODY_USES = {"model", "errors"}
_STYLE = """
  text { font-family: system-ui, sans-serif; fill: #1f2937 }
  .room rect { fill: #f8fafc; stroke: #64748b; rx: 6 }
  .room .name { font-size: 14px; font-weight: 600 }
  .room .about, .room .inside { font-size: 11px }
  .room .inside { fill: #0369a1 }
  .room .uses { font-size: 11px; fill: #64748b }
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb } .room rect { fill: #1e293b; stroke: #94a3b8 }
    .room .inside { fill: #7dd3fc } .room .uses { fill: #94a3b8 }
  }
"""


@dataclass(frozen=True, slots=True)
class Box:
    """A room in the picture."""

    name: str
    lines: Sequence[tuple[str, str]]
    x: float
    y: float
    width: float
    height: float


def main() -> int:
    """Write the picture; with `--check`, only compare it."""
    content = picture()
    if "--check" in sys.argv[1:]:
        return int(PICTURE.read_text("utf-8") != content)
    PICTURE.write_text(content, "utf-8")
    return 0


def picture() -> str:
    """The picture as SVG."""
    boxes = list(_boxes())
    height = max(box.y + box.height for box in boxes) + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}">',
            "<title>Rooms of commodore_py by layer, and the rooms that each imports</title>",
            f"<style>{_STYLE}</style>",
            *(line for box in boxes for line in _drawn(box)),
            "</svg>",
            "",
        ]
    )


def _boxes() -> Iterator[Box]:
    y: float = _MARGIN
    for layer in layers():
        width = (_WIDTH - 2 * _MARGIN - (len(layer) - 1) * _GAP) / len(layer)
        words = int((width - 16) / _CHARACTER)
        texts = [_texts(name, words) for name in layer]
        height = _HEAD + 8 + max(map(len, texts)) * _LINE
        for number, (name, lines) in enumerate(zip(layer, texts, strict=True)):
            x = _MARGIN + number * (width + _GAP)
            yield Box(name, lines, x, y, width, height)
        y += height + _LAYER_GAP


def _texts(room: str, words: int) -> list[tuple[str, str]]:
    """The lines in a box, each with its kind."""
    about = textwrap.wrap(modules()[f"commodore_py.{room}"].summary, words)
    parts = {"about": about, "inside": _inside(room, words), "uses": _uses(room, words)}
    return [(kind, line) for kind, lines in parts.items() for line in lines]


def _inside(room: str, words: int) -> list[str]:
    """The sub-packages of a room."""
    folder = ROOT / "commodore_py" / room
    names = [path.parent.name for path in sorted(folder.glob("*/__init__.py"))]
    return textwrap.wrap("  ".join(f"{name}/" for name in names), words)


def _uses(room: str, words: int) -> list[str]:
    """The rooms below that it imports, in the order of the layers."""
    used = {target for source, target in imports_between_rooms() if source == room}
    names = [name for layer in layers() for name in layer if name in used - _EVERYBODY_USES]
    return textwrap.wrap(f"\N{RIGHTWARDS ARROW} {', '.join(names)}", words) if names else []


def _drawn(box: Box) -> Iterator[str]:
    x = box.x + 8
    y = box.y + 17
    yield '<g class="room">'
    yield (
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}"/>'
    )
    yield f'<text class="name" x="{x:.0f}" y="{y:.0f}">{box.name}</text>'
    for kind, line in box.lines:
        y += _LINE
        yield f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{escape(line)}</text>'
    yield "</g>"


if __name__ == "__main__":
    sys.exit(main())
