"""Paths that are put together at once are those of `pathlib`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.tuning.paths import _parsed

if TYPE_CHECKING:
    import pytest

_SEPARATED = st.lists(st.sampled_from(["a", "b.c", ".", "..", "", "/", ".d", " ", "\0", "é"]))
_TEXTS = _SEPARATED.map("/".join) | st.text()

_VALUES = r"""
import os, pathlib, pickle
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from commodore_py.tuning import paths
paths.put_together_at_once()
parse = vars(PurePath).get("_parse_args")
assert (getattr(parse, "__module__", "") == "commodore_py.tuning.paths") is PATCHED

class Text(str):
    pass

texts = ["", "/", "//", "///", ".", "..", "a", "a/", "/a", "//a", "///a/b", "a//b", "a/./b", "./a",
         "a/.", "a/../b", ".a", "a.b.c", "a\0b", "a b"]
made = [kind(text) for text in texts for kind in (PurePosixPath, PureWindowsPath, Path, Text)]
made = [one if isinstance(one, PurePath) else PurePosixPath(one) for one in made]
for one in made:
    print(repr(one), one.parts, one.root, one.drive, one.name, one.parent, one.suffixes, hash(one)
          == hash(type(one)(str(one))))
    print(PurePosixPath(one), PureWindowsPath(one), one / "x", "x" / one, one / one, one.joinpath())
    print(pickle.loads(pickle.dumps(one)) == one, os.fspath(one), one.is_absolute())
    print([one == other for other in made], sorted(map(repr, {one, *made})) == sorted(
        map(repr, set(made))))
    for other in ("a", "/", one):
        try:
            print(one.relative_to(other), one.is_relative_to(other))
        except ValueError as error:
            print(error)
print(sorted(one for one in made if isinstance(one, PurePosixPath)))
for wrong in (b"a", 1, None):
    try:
        print(Path(wrong))
    except TypeError as error:
        print(error)
"""
_OLD = sys.version_info < (3, 12)


@given(_TEXTS.filter(lambda text: not text.startswith("//")))
def test_the_parts_are_the_same(text: str) -> None:
    path = PurePosixPath("", text)  # of two texts: by `pathlib` itself
    assert _parsed(text) == (path.drive, path.root, [*path.parts])


def test_paths_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = []
    for tuning in ("", "off"):
        monkeypatch.setenv("COMMODORE_TUNING", tuning)
        code = f"PATCHED = {_OLD and not tuning}\n{_VALUES}"
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        printed.append(ran.stdout)
    assert printed[0] == printed[1]
    assert "PurePosixPath('/a')" in printed[0]
