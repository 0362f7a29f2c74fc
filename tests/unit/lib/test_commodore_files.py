"""Functions of the commodore library that read files; all but one are the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.jsonnet.evaluate import JsonnetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.unit.lib.conftest import Evaluate

DOCUMENTS = """\
{kind: A, metadata: {name: a, namespace: old}}
---
---
{kind: B}
---
{kind: List, metadata: {name: l}, items: [{kind: A}]}
"""
A = {"kind": "A", "metadata": {"name": "a", "namespace": "old"}}
B = {"kind": "B"}
LIST = {"kind": "List", "metadata": {"name": "l"}, "items": [{"kind": "A"}]}


def _patched(document: Mapping[str, object]) -> dict[str, object]:
    metadata = document.get("metadata", {})
    assert isinstance(metadata, dict)
    return {**document, "metadata": {**metadata, "namespace": "n"}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "documents.yaml"
    file.write_text(DOCUMENTS)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "manifests"
    (folder / "below").mkdir(parents=True)
    (folder / "one.yaml").write_text("{kind: A, metadata: {name: a}}\n")
    (folder / "two.d.yml").write_text("{kind: A, metadata: {name: b}}\n---\n---\nkind: B\n")
    (folder / ".hidden.json").write_text("{}")
    (folder / "bare").write_text("")
    return folder


def test_yaml_load_while_compiling_gives_text(file: Path, compiling: Evaluate) -> None:
    file.write_text("a: 1\n")

    assert compiling(f"com.yaml_load('{file}')") == '{"a": 1}'


def test_yaml_load_in_a_filter_gives_the_value(file: Path, filtering: Evaluate) -> None:
    file.write_text("a: [1, 010, yes]\n")

    assert filtering(f"com.yaml_load('{file}')") == {"a": [1, 8, True]}
    assert filtering(f"com.yaml_load(file='{file}')") == {"a": [1, 8, True]}


def test_yaml_load_all_keeps_empty_documents(file: Path, anywhere: Evaluate) -> None:
    assert anywhere(f"com.yaml_load_all('{file}')") == [A, None, B, LIST]


def test_list_dir_names_files_only(folder: Path, anywhere: Evaluate) -> None:
    names = [".hidden.json", "bare", "one.yaml", "two.d.yml"]

    assert anywhere(f"std.sort(com.list_dir('{folder}'))") == names
    assert anywhere(f"std.sort(com.list_dir(dir='{folder}', basename=true))") == names


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [_patched(A), _patched(B), _patched(LIST)]),
        (", ['B', 'A']", [_patched(A), _patched(B), LIST]),
        (", kinds=[]", [A, B, LIST]),
        (", exclude_objects=[{ kind: 'A', name: 'a' }]", [A, _patched(B), _patched(LIST)]),
        (
            ", exclude_objects=[{ kind: 'A', name: 'b' }, { kind: 'List', name: 'l' }]",
            [_patched(A), _patched(B), LIST],
        ),
        (", ['A', 'B'], [{ kind: 'A', name: 'a' }]", [A, _patched(B), LIST]),
    ],
)
def test_patch_namespace(options: str, expected: object, file: Path, anywhere: Evaluate) -> None:
    assert anywhere(f"com.patchNamespace('{file}', 'n'{options})") == expected


@pytest.mark.parametrize(
    ("document", "options"),
    [
        ("[1]", ""),
        ("{metadata: null}", ""),
        ("{metadata: {}}", ", ['A']"),
        ("{metadata: {}}", ", exclude_objects=[{ kind: 'A', name: 'a' }]"),
        ("{kind: A}", ", exclude_objects=[{ kind: 'A', name: 'a' }]"),
        ("{kind: A, metadata: {name: a}}", ", exclude_objects=[{ kind: 'A' }]"),
        ("{kind: A, metadata: {name: a}}", ", exclude_objects=[{ name: 'a' }]"),
    ],
)
def test_patch_namespace_refuses_what_it_cannot_judge(
    document: str, options: str, file: Path, anywhere: Evaluate
) -> None:
    file.write_text(document)

    with pytest.raises(JsonnetError):
        anywhere(f"com.patchNamespace('{file}', 'n'{options})")


def test_add_namespace_to_helm_output(folder: Path, anywhere: Evaluate) -> None:
    assert anywhere(f"com.addNamespaceToHelmOutput('{folder}', 'n')") == {
        "": [],
        ".hidden": [{"metadata": {"namespace": "n"}}],
        "one": [{"kind": "A", "metadata": {"name": "a", "namespace": "n"}}],
        "two.d": [
            {"kind": "A", "metadata": {"name": "b", "namespace": "n"}},
            {"kind": "B", "metadata": {"namespace": "n"}},
        ],
    }


def test_add_namespace_to_helm_output_excludes(folder: Path, anywhere: Evaluate) -> None:
    (folder / ".hidden.json").unlink()

    namespaces = anywhere(
        f"local files = com.addNamespaceToHelmOutput(template_dir='{folder}', namespace='n',"
        " exclude_objects=[{ kind: 'A', name: 'a' }]);"
        " { [f]: [std.get(o.metadata, 'namespace') for o in files[f]]"
        " for f in std.objectFields(files) }"
    )

    assert namespaces == {"": [], "one": [None], "two.d": ["n", "n"]}


def test_fixup_dir(folder: Path, anywhere: Evaluate) -> None:
    (folder / ".hidden.json").unlink()

    fixed = anywhere(
        f"com.fixupDir('{folder}', function(o) if o.kind == 'B' then null else o {{ x: 1 }})"
    )

    assert fixed == {
        "": [],
        "one": [{"kind": "A", "metadata": {"name": "a"}, "x": 1}],
        "two.d": [{"kind": "A", "metadata": {"name": "b"}, "x": 1}, None],
    }


def test_files_are_found_by_name_while_compiling(folder: Path, compiling: Evaluate) -> None:
    (folder / ".hidden.json").unlink()

    assert compiling("com.list_dir('manifests')") == ["bare", "one.yaml", "two.d.yml"]
    assert compiling("com.list_dir('manifests', false)")[1:] == [  # type: ignore[index] # a list
        "manifests/one.yaml",
        "manifests/two.d.yml",
    ]
    assert compiling("com.fixupDir('manifests', function(o) o.kind)") == {
        "": [],
        "one": ["A"],
        "two.d": ["A", "B"],
    }
