"""Diffs as Markdown that are longer than forges accept."""

from __future__ import annotations

from commodore_py.catalog.diff.objects import object_diff
from commodore_py.cli.output.differences import as_markdown
from commodore_py.model.catalog import Change, FileChange

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '{value}'}}\n"


def test_long_markdown_diff_counts_omitted_entries() -> None:
    files = (
        FileChange(
            "added",
            f"{n}.yaml",
            f"{n}.yaml",
            b"",
            MAP.format(name="é" * 40 + str(n), value=n).encode(),
        )
        for n in range(3000)
    )

    text = as_markdown.object_diff(object_diff(Change(tuple(files))))

    lines = text.splitlines()
    shown = sum(line.startswith("- created") for line in lines)
    assert 50_000 < len(text.encode()) <= as_markdown.LONGEST
    assert lines[2] == "**objects: 3000 created (3000 none)**"
    assert lines[-1] == (
        f"_Omitted because of the size limit: {3000 - shown} entries ({3000 - shown} none)._"
    )
