"""The catalog holds what the instances and the references say, or it is not made at all."""

from collections.abc import Mapping
from pathlib import PurePosixPath

import pytest

from commodore_py.catalog.assemble import assemble, names_problem
from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.model.inventory import Node
from commodore_py.model.secrets import ReferenceFile
from commodore_py.model.tree import Entry, Tree
from tests.support.builders import make_node

NONE: Mapping[str, str] = {}


def tree(*names: str, folders: tuple[str, ...] = (), files: Mapping[str, str] = NONE) -> Tree:
    """Files named alone hold their own name; empty folders on demand."""
    contents = {**{name: name for name in names}, **files}
    return Tree(
        {PurePosixPath(name): Entry(content.encode()) for name, content in contents.items()},
        frozenset(map(PurePosixPath, folders)),
    )


def reference(path: str, content: str = "secret") -> ReferenceFile:
    return ReferenceFile(path, content.encode(), "vaultkv")


def messages(
    instances: Mapping[str, Tree], references: tuple[ReferenceFile, ...] = ()
) -> list[str]:
    """The messages for the user, one for each problem."""
    with pytest.raises(CommodoreError) as raised:
        assemble(instances, references)
    error = raised.value
    errors = error.errors if isinstance(error, SeveralErrors) else (error,)
    assert all(e.where and e.hint for e in errors)
    return [f"{e.where}: {e}" for e in errors]


def test_instances_and_references_lie_side_by_side() -> None:
    instances = {"foo": tree("foo/cm.yaml"), "bar": tree("bar/ns.yaml", folders=("bar/empty",))}

    catalog = assemble(instances, (reference("t1/c1/token"),))

    assert [str(path) for path in catalog] == [
        "manifests/bar/ns.yaml",
        "manifests/foo/cm.yaml",
        "refs/t1/c1/token",
    ]
    assert catalog[PurePosixPath("refs/t1/c1/token")] == Entry(b"secret")
    assert catalog.empty_folders == {PurePosixPath("manifests/bar/empty")}


def test_nothing_compiled_is_an_empty_catalog() -> None:
    assert not assemble({}, ())


def test_a_folder_that_another_instance_fills_is_not_empty() -> None:
    catalog = assemble({"a": tree(folders=("apps",)), "b": tree("apps/x.yaml")}, ())

    assert catalog.empty_folders == frozenset()


def test_the_same_file_from_two_instances_is_one_file() -> None:
    catalog = assemble({"a": tree("crds/x.yaml"), "b": tree("crds/x.yaml", "crds/y.yaml")}, ())

    assert len(catalog) == 2


def test_different_contents_name_path_and_both_instances() -> None:
    instances = {"b": tree(files={"apps/x.yaml": "2"}), "a": tree(files={"apps/x.yaml": "1"})}

    assert messages(instances) == [
        "manifests/apps/x.yaml: instance a and instance b write different content to apps/x.yaml"
    ]


def test_different_contents_name_the_inputs_that_wrote_them() -> None:
    def node(output: str, *inputs: str) -> Node:
        entries = [
            {"output_path": output, "input_paths": list(inputs)},
            {"output_path": "elsewhere", "input_paths": ["not.this"]},
        ]
        parameters = {"_base_directory": "/w/dependencies/a", "kapitan": {"compile": entries}}
        return make_node(parameters=parameters)

    nodes = {"a": node(".", "/w/dependencies/a/main.jsonnet"), "b": node("apps/", "b/x", "b/y")}
    instances = {"b": tree(files={"apps/x.yaml": "2"}), "a": tree(files={"apps/x.yaml": "1"})}

    with pytest.raises(CommodoreError) as raised:
        assemble(instances, (), nodes)

    assert raised.value.where.splitlines() == [
        "manifests/apps/x.yaml",
        "instance a: main.jsonnet",
        "instance b: b/x, b/y",
    ]


def test_executable_bits_count() -> None:
    path = PurePosixPath("run.sh")
    instances = {"a": Tree({path: Entry(b"")}), "b": Tree({path: Entry(b"", executable=True)})}

    assert messages(instances) == [
        "manifests/run.sh: instance a and instance b write different file modes to run.sh"
    ]


@pytest.mark.parametrize("other", [tree("apps/x.yaml"), tree(folders=("apps",))])
def test_a_file_cannot_be_another_instances_folder(other: Tree) -> None:
    assert messages({"a": tree("apps"), "b": other}) == [
        "manifests/apps: apps is a file of instance a and a folder of instance b"
    ]


def test_all_collisions_are_reported_at_once() -> None:
    instances = {
        "a": tree("x", files={"y": "1", "z": "1"}),
        "b": tree("x/deep", files={"y": "2", "z": "1"}),
        "c": tree(files={"y": "3", "z": "3"}),
    }

    assert messages(instances, (reference("s"), reference("s/key"))) == [
        "manifests/y: instance a and instance b write different content to y",
        "manifests/y: instance a and instance c write different content to y",
        "manifests/z: instance a and instance c write different content to z",
        "manifests/x: x is a file of instance a and a folder of instance b",
        "refs/s: s is a file of reference s and a folder of reference s/key",
    ]


def test_one_reference_twice_is_one_file() -> None:
    assert len(assemble({}, (reference("a/b"), reference("a/b")))) == 1


def test_one_reference_with_two_contents_is_refused() -> None:
    assert messages({}, (reference("a/b", "1"), reference("a/b", "2"))) == [
        "refs/a/b: reference a/b and reference a/b write different content to a/b"
    ]


@pytest.mark.parametrize(
    "name",
    ["a/con", "CON.yaml", "a/nul.tar.gz", "x/Aux/y", "com1", "a/LPT9.yaml", "a\\b", "x./y", "x /y",
     "a/b.", "b ", "prn .txt", "com\u00b9.yaml"],
)  # fmt: skip
def test_names_that_windows_does_not_take_are_told(name: str) -> None:
    (problem,) = names_problem(tree("fine.yaml", name))

    assert repr(name) in problem.message
    assert problem.strict


def test_names_that_look_like_them_are_fine() -> None:
    names = ("config", "a/console.yaml", "common/x", "com10", "a/auxiliary", ".x", "a b/c.d",
             "nulls.yaml", "lpt", "x/com.yaml", "a/c:on", "system:x.yaml")  # fmt: skip

    assert names_problem(tree(*names)) == ()
