"""The door of outputs: names and values that component code gives, as files of a catalog."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

from hypothesis import strategies as st

from commodore_py.adapters.yaml.emitter import Style
from commodore_py.catalog.assemble import without_git_folders
from commodore_py.compiler.formats import Format
from commodore_py.compiler.output import Output
from commodore_py.compiler.tags import Tags
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import Node
from commodore_py.model.tree import Entry
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, ODD, as_value, damaged

MOST = 450
VALID = {
    "a": {"apiVersion": "v1", "kind": "X", "metadata": {"name": "a"}},
    "b/c.yaml": [{"a": 1}, None, "x"],
    "d.json": {"e": [1.5, True]},
    "f.toml": {"g": {"h": "i"}},
}
PIECES = st.sampled_from(
    [
        *(
            ".git",
            ".GIT",
            "git~1",
            ".g\u200cit",
            ".g\u0131t",
            ".git ",
            ".git.",
            ".git::$INDEX",
            "GIT~1",
        ),
        *("/", "//", "..", ".", "a", "\0", "\n", "\x1b[2J", "\ud800", "ä", ".gitmodules", "a.yaml"),
    ]
)
KEYS = st.one_of(st.sampled_from(NAMES), st.lists(PIECES, max_size=5).map("".join))
CASES = st.tuples(
    st.one_of(damaged(VALID), st.dictionaries(KEYS, ODD, max_size=3)),
    st.sampled_from(["auto", "yaml", "json", "toml", "plain"]),
    st.one_of(st.sampled_from([".", "t", "/w/dependencies/t/x", "/etc", "../t", ""]), KEYS),
    st.booleans(),
)


def feed(case: tuple[Any, str, str, bool]) -> None:
    value, kind, folder, prune = as_value(case[0], most=MOST), *case[1:]
    how = Format(kind, prune, Style(), Tags())
    checkout = Path("/w/dependencies/t")
    output = Output("t", checkout)
    errors: list[CommodoreError] = []
    fields = value if isinstance(value, dict) else {"main": value}
    for key, inner in fields.items():
        try:
            name, content = how.file(key, inner)
            place = output.place(folder, name)
            output = output.with_files({place: Entry(content)})
        except CommodoreError as error:
            errors.append(error)
    without_git_folders({"t": output.tree}, {"t": Node("t", {})})
    for path in (*output.tree, *(one.relative_to(checkout) for one in output.written)):
        _check(PurePosixPath(path))
    if errors and not output.tree:
        raise errors[0]


def _check(path: PurePosixPath) -> None:
    assert not path.is_absolute()
    assert ".." not in path.parts
    assert "\0" not in str(path)
    assert not {part.lower().rstrip(". ") for part in path.parts} & {".git", "git~1"}
    assert all(len(part.encode()) <= 255 for part in path.parts)


def test_outputs() -> None:
    survives(
        feed,
        CASES,
        (VALID, "auto", ".", False),
        ({"x" * 300: 1}, "yaml", ".", True),
        ({"a/" * 3000: 1}, "yaml", ".", True),
        ({"a\0b": 1}, "yaml", ".", True),
        ({"a": "@deep:5000@"}, "json", ".", True),
        ({"a": json.loads('"\\ud800"')}, "plain", ".", False),
        (VALID, "yaml", "p" * 300, False),
        (VALID, "yaml", "a\nb\0", False),
    )
