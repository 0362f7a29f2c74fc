"""What is known of a folder never changes what may be read below it."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.files.reach import Reach
from commodore_py.errors import CommodoreError

NAMES = ("a", "b", ".git", "GIT~1", "a\\.git", ".env", ".hidden", "dependencies", ".repos")
PATHS = ["/".join(path) for length in (1, 2, 3) for path in product(NAMES, repeat=length)]
PLACES = ("work/", "work/dependencies/", "outside/", "outside/private/", "")


def _outcome(reach: Reach, path: str) -> bytes | str:
    try:
        return reach.read(path)
    except (OSError, CommodoreError) as error:
        return f"{type(error).__name__} {getattr(error, 'errno', error)}"


@given(
    order=st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(PATHS)), max_size=12),
    links=st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(NAMES)), max_size=3),
)
def test_a_file_is_judged_as_if_it_was_the_first(
    order: list[tuple[str, str]], links: list[tuple[str, str]]
) -> None:
    with TemporaryDirectory() as folder:
        for place in PLACES:
            Path(folder, place).mkdir(parents=True, exist_ok=True)
        for target, name in links:
            with suppress(FileExistsError):
                Path(folder, "work", name).symlink_to(f"{folder}/{target}")
        files = [f"{folder}/{place}{path}" for place, path in order]
        for file in files:
            with suppress(OSError):  # one of them may be a folder of another
                Path(file).parent.mkdir(parents=True, exist_ok=True)
                Path(file).touch()

        def reach() -> Reach:
            allowed = (f"{folder}/work", f"{folder}/outside")
            return Reach(allowed, work=[allowed[0]], private=[f"{folder}/OUTSIDE/private"])

        experienced = reach()
        assert [_outcome(experienced, file) for file in files] == [
            _outcome(reach(), file) for file in files
        ]


def test_very_many_folders_in_each_other_are_a_path_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Reach((tmp_path,)).read(f"{tmp_path}{'/a' * 1500}/file")


def test_threads_may_judge_the_same_folders(tmp_path: Path) -> None:
    files = [tmp_path.joinpath(*"abcdefgh"[:depth], "file") for depth in range(1, 9)] * 20
    files[7].parent.mkdir(parents=True)
    for file in files:
        file.touch()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for _ in range(20):
                reach = Reach((tmp_path,))
                assert {*threads.map(reach.read, map(str, files))} == {b""}
    finally:
        sys.setswitchinterval(before)
