"""The layout of the package, and the code that cached results depend on."""

from __future__ import annotations

import pytest

from commodore_py.cache.program import _ROOMS
from commodore_py.checks.documents import ROOMS as OF_CHECKS
from tests.house.code_map import PACKAGE, ROOT, modules, modules_by_folder, room_of
from tests.support.builders import git

MOST_MODULES = 20
LARGE = 400_000


def test_no_folder_has_too_many_modules() -> None:
    sizes = {
        str(folder.relative_to(ROOT)): len(found) for folder, found in modules_by_folder().items()
    }

    assert {name: size for name, size in sizes.items() if size > MOST_MODULES} == {}


@pytest.mark.parametrize(
    ("made_by", "rooms"),
    [
        (("adapters", "compiler", "postprocess"), set(_ROOMS)),
        (("checks", "manifests"), {*_ROOMS, *OF_CHECKS}),
    ],
)
def test_cached_results_depend_on_all_the_code_that_makes_them(
    made_by: tuple[str, ...], rooms: set[str]
) -> None:
    imported = {
        room_of(name)
        for module in modules().values()
        if module.room in made_by
        for name in module.imports_at_run_time
    }
    single_files = {path.stem for path in (ROOT / PACKAGE).glob("*.py")}

    assert {*imported, *made_by} - single_files - rooms == set()


def test_no_file_is_large() -> None:
    # A package downloaded by hand was committed once, and every clone would have brought it.
    files = git(ROOT, "ls-files", "-z").split("\0")

    assert [file for file in files if file and (ROOT / file).lstat().st_size > LARGE] == []
