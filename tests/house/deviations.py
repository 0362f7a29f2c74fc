"""The page of deviations, made from its data: `python -m tests.house.deviations` writes it."""

import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "reference" / "deviations.toml"
PAGE = DATA.with_suffix(".md")

_HEAD = """\
<!-- Generated from deviations.toml by `python -m tests.house.deviations`: edit that file. -->

# Deviations from Commodore

Deliberate differences from Commodore 1.35.1, their reasons, and how to go back. Failures that are
merely clearer are not listed; neither are additions to the command line.
"""


@dataclass(frozen=True, slots=True)
class Deviation:
    """One deliberate difference; fields as explained in the data file."""

    area: str
    id: str
    title: str
    commodore: str
    ours: str
    why: str
    switch_back: str


def load(path: Path) -> tuple[Deviation, ...]:
    """The data; a missing or surplus field is a TypeError."""
    data = tomllib.loads(path.read_text("utf-8"))
    return tuple(Deviation(**fields) for fields in data["deviation"])


def page(deviations: Sequence[Deviation]) -> str:
    """The page as Markdown."""
    return "\n".join((_HEAD, *_table(deviations), *_sections(deviations)))


def _areas(deviations: Sequence[Deviation]) -> dict[str, list[Deviation]]:
    areas: dict[str, list[Deviation]] = {}
    for entry in deviations:
        areas.setdefault(entry.area, []).append(entry)
    return areas


def _table(deviations: Sequence[Deviation]) -> Iterator[str]:
    yield "| about | difference |"
    yield "|---|---|"
    for area, entries in _areas(deviations).items():
        for number, entry in enumerate(entries):
            yield f"| {'' if number else area} | [{entry.title}](#{entry.id}) |"


def _sections(deviations: Sequence[Deviation]) -> Iterator[str]:
    for area, entries in _areas(deviations).items():
        yield f"\n## {area}"
        for entry in entries:
            yield from _section(entry)
    yield ""


def _section(entry: Deviation) -> Iterator[str]:
    # The anchor is the id: titles may be reworded, links to them must hold.
    yield f'\n### <a id="{entry.id}"></a>{entry.title}\n'
    yield f"- **Commodore:** {entry.commodore}"
    yield f"- **Here:** {entry.ours}"
    yield f"- **Why:** {entry.why}"
    yield f"- **To go back:** {entry.switch_back}"


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(load(DATA)), "utf-8")
    sys.stdout.write(f"{PAGE} written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
