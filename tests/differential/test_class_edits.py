"""Random edits of class files, judged by PyYAML: a few of those of `class_edits`."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.yaml.parts import Part, parts_of, text_of

from .class_edits import judge, paths, random_edit, varied, written_file


@given(seed=st.integers(0, 1 << 40))
def test_random_edit_changes_only_its_node(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - cases
    data = varied(draw, written_file(draw))
    root = parts_of(text_of(data, name="x"), name="x") or Part("mapping", 0, 0)
    judge(data, random_edit(draw, [path for path in paths(root) if len(path) > 1]))
