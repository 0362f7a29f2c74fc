"""The pages about the architecture name what is in the code: rooms, side effects, functions."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.house import pictures, room_pages
from tests.house.architecture_picture import PICTURE, picture
from tests.house.code_map import EFFECTS, PACKAGE, ROOT, layers, modules, modules_with

if TYPE_CHECKING:
    from pathlib import Path

EXPLANATION = ROOT / "docs" / "explanation"
PAGE = EXPLANATION / "architecture.md"
# Figures have a date: their pages name what was there on that day.
DATED = {"performance.md", "quality.md", "conformance.md"}
PAGES = [
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted(EXPLANATION.rglob("*.md")) if page.name not in DATED),
]
LARGE = 2000  # lines

_PLACE = re.compile(r"`((?:[a-z_]+/)*[a-z_]+\.py)(?:: ?([\w., ]+))?`")
_FOLDER = re.compile(r"`((?:[a-z_]+/)+)`")


def rows(heading: str) -> dict[str, str]:
    """The first table below a heading: second columns by first ones."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    return {cell[0].strip("`/"): cell[1] for cell in cells[1:]}


def test_every_room_has_its_row() -> None:
    rooms = {room for layer in layers() for room in layer}

    assert {name.removesuffix(".py") for name in rows("The rooms")} == rooms


@pytest.mark.parametrize("effect", sorted(EFFECTS))
def test_side_effects_are_in_the_modules_of_the_page(effect: str) -> None:
    named = re.findall(r"`([a-z_/.]+)`", rows("Side effects")[effect])
    found = modules_with(effect)

    assert sorted(file for file in found if not file.startswith(tuple(named))) == []
    assert [place for place in named if not any(f.startswith(place) for f in found)] == []


def test_the_picture_shows_the_code() -> None:
    assert PICTURE.read_text("utf-8") == picture(), "run `make docs`"


@pytest.mark.parametrize("file", pictures.pictures(), ids=lambda file: file.stem)
def test_pictures_are_drawn_from_their_text(file: Path) -> None:
    assert file.read_text("utf-8") == pictures.pictures()[file], "run `make docs`"


def test_texts_fit_into_their_boxes() -> None:
    source = tomllib.loads(pictures.SOURCE.read_text("utf-8"))

    wide = [
        text
        for one in source.values()
        for box in one["boxes"].values()
        for size, text in [(8.1, box["name"]), *((6.9, line) for line in box["lines"])]
        if 24 + size * len(text) > one["columns"][box["at"][0]]
    ]
    assert wide == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_functions_that_a_page_names_exist(page: Path) -> None:
    missing = []
    for file, names in _PLACE.findall(page.read_text("utf-8")):
        path = next((at for at in (ROOT / PACKAGE / file, ROOT / file) if at.is_file()), None)
        if path is None:
            missing.append(file)
            continue
        defined = _defined(path)
        missing += [
            f"{file}: {name}" for name in re.findall(r"[\w.]+", names) if name not in defined
        ]

    assert missing == []


def test_values_are_classes() -> None:
    named = {name for cell in rows("The values") for name in re.findall(r"[A-Z]\w+", cell)}
    known = {name for one in modules().values() for name in _defined(one.path)}

    assert sorted(named - known) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_folders_of_code_that_a_page_names_exist(page: Path) -> None:
    rooms = {room for layer in layers() for room in layer}
    named = _FOLDER.findall(page.read_text("utf-8"))
    ours = [one for one in named if one.partition("/")[0] in {*rooms, PACKAGE}]
    ours = [one for one in ours if not one.startswith("refs/commodore/")]  # refs of Git

    assert [
        one for one in ours if not any((at / one).is_dir() for at in (ROOT / PACKAGE, ROOT))
    ] == []


def _defined(path: Path) -> set[str]:
    """Functions, classes, their methods, and constants of a file."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name, body=body):
                methods = [one.name for one in body if isinstance(one, ast.FunctionDef)]
                found |= {name, *methods, *(f"{name}.{method}" for method in methods)}
            case ast.Assign(targets=targets):
                found |= {one.id for one in targets if isinstance(one, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case _:
                pass
    return found


@pytest.mark.parametrize("page", room_pages.pages(), ids=lambda page: page.stem)
def test_the_page_of_a_room_lists_its_modules(page: Path) -> None:
    assert page.read_text("utf-8") == room_pages.with_table(page), "run `make reference`"


def test_every_large_room_has_a_page() -> None:
    lines: Counter[str] = Counter()
    for module in modules().values():
        lines[module.room] += module.lines
    pages = {page.stem for page in room_pages.pages()} | {"inventory"}  # inventory-engine.md

    assert {room for room, count in lines.items() if count > LARGE} <= pages
