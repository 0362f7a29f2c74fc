"""The layout of the package: folders that can be looked over, rooms that are in layers."""

from __future__ import annotations

from tests.house.code_map import ROOT, layers, modules, modules_by_folder

MOST_MODULES = 20


def test_no_folder_has_too_many_modules() -> None:
    sizes = {
        str(folder.relative_to(ROOT)): len(found) for folder, found in modules_by_folder().items()
    }

    assert {name: size for name, size in sizes.items() if size > MOST_MODULES} == {}


def test_every_room_has_its_subject() -> None:
    rooms = [name for layer in layers() for name in layer]

    assert [name for name in rooms if not modules()[f"commodore_py.{name}"].summary] == []
