"""Warnings about applications and versions, which are errors under `--strict`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.component_warnings import component_warnings
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import Instance, Inventory, Node
from tests.support.builders import make_config, make_dependency, make_node

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.dependency import Dependency
    from commodore_py.model.problem import Problem


def found(
    root: Path,
    *applications: str,
    classes: tuple[Dependency, ...] = (),
    nodes: dict[str, Node] | None = None,
    instances: tuple[Instance, ...] = (),
    used: tuple[str, ...] = (),
) -> tuple[Problem, ...]:
    node = make_node(applications=applications, included=(used,))
    inventory = Inventory({"cluster": node, **(nodes or {})}, instances)
    return component_warnings(make_config(root), ClassPath(classes), inventory)


def texts(notices: tuple[Problem, ...]) -> list[str]:
    return [notice.message for notice in notices]


def test_unambiguous_requests_have_no_warnings(tmp_path: Path) -> None:
    assert found(tmp_path, "a-b", "c", "c as c-2", "pkg.c", "d as e") == ()


def test_a_component_under_its_own_name_twice(tmp_path: Path) -> None:
    (notice,) = found(tmp_path, "c", "c as c")

    assert notice.message == "component c is requested twice: as `c as c` and as `c`"
    assert notice.strict


@pytest.mark.parametrize(
    ("applications", "message"),
    [
        (["a-b", "a_b"], "component a-b and component a_b share parameters.a_b"),
        (["c as w-1", "c as w_1"], "instance w-1 and instance w_1 share parameters.w_1"),
        (["a-b", "c as a_b"], "component a-b and instance a_b share parameters.a_b"),
        (["a-b as a_b"], "component a-b and instance a_b share parameters.a_b"),
        # The component is not deployed under its own name, but its parameters are there.
        (["a-b as x", "c as a_b"], "component a-b and instance a_b share parameters.a_b"),
    ],
)
def test_names_that_share_a_parameter_key(
    tmp_path: Path, applications: list[str], message: str
) -> None:
    (notice,) = found(tmp_path, *applications)

    assert notice.message == message
    assert notice.strict


@pytest.mark.parametrize(
    ("application", "message"),
    [
        ("c as facts", "parameters.facts of instance facts"),
        ("c as dynamic-facts", "parameters.dynamic_facts of instance dynamic-facts"),
        ("kapitan", "parameters.kapitan of component kapitan"),
    ],
)
def test_names_with_the_key_of_other_parameters(
    tmp_path: Path, application: str, message: str
) -> None:
    (notice,) = found(tmp_path, application)

    assert notice.message == f"the key {message} is reserved for another purpose"
    assert notice.strict


def test_files_and_lines_that_require_it_are_named(tmp_path: Path) -> None:
    configuration = {
        "global/commodore.yml": "classes:\n  - .more\napplications:\n  - other\n  - a-b\n",
        "global/unused.yml": "applications: [a_b]\n",
        "global/more/init.yml": "# a comment\n\napplications: ['a_b']\n",
        "pkg/main.yaml": "applications:\n- ~a-b\n- a-b\n",
    }
    for name, content in configuration.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    classes = (
        make_dependency("global", tmp_path / "global", kind=Kind.GLOBAL),
        make_dependency("p", tmp_path / "pkg", kind=Kind.PACKAGE),
    )

    (notice,) = found(
        *(tmp_path, "other", "a-b", "a_b"),
        classes=classes,
        used=("params.cluster", "global.commodore", "global.more", "p.main", "p.gone"),
    )

    assert notice.where == "global/commodore.yml:5, global/more/init.yml:3, pkg/main.yaml:3"


def test_applications_of_an_unknown_class_have_a_location_too(tmp_path: Path) -> None:
    (notice,) = found(tmp_path, "c", "c as c", used=("global.commodore",))

    assert notice.where == "applications of the cluster"


class Versions:
    """A component and an instance of another version of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = make_dependency("c", root / "c")
        self.own = make_dependency("c-2", root / "c-2", kind=Kind.INSTANCE, component="c")
        for one in (self.base, self.own):
            one.worktree.mkdir()

    def found(self, *input_paths: str, **spec: Any) -> tuple[Problem, ...]:  # noqa: ANN401 - DependencySpec checks them by name
        name = "c-2"
        commit = spec.pop("commit", "1" * 40)
        own = make_dependency(name, self.own.worktree, kind=Kind.INSTANCE, component="c", **spec)
        own = type(own)(own.spec, self.base.url, own.version, commit, commit[:6], own.worktree)
        compiled = {"kapitan": {"compile": [{"input_paths": list(input_paths)}]}}
        return found(
            *(self.root, "c", f"c as {name}"),
            classes=(self.base, own),
            nodes={name: make_node(name, parameters=compiled)},
            instances=(Instance("c", "c"), Instance(name, "c")),
        )


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(tmp_path)


SHARED = (
    "instance c-2 has another version than component c,"
    " but {} come from the version of the component"
)


@pytest.mark.parametrize("of", ["c", "c-2"])
@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("lib/c.libsonnet", "its libraries"),
        ("jsonnetfile.json", "the Jsonnet libraries it depends on"),
        ("jsonnetfile.jsonnet", "the Jsonnet libraries it depends on"),
    ],
)
def test_another_version_with_the_libraries_of_its_component(
    versions: Versions, of: str, file: str, message: str
) -> None:
    place = versions.root / of / file
    place.parent.mkdir(exist_ok=True)
    place.touch()

    (notice,) = versions.found(commit="2" * 40)

    assert notice.message == SHARED.format(message)
    assert notice.where == "parameters.components.c-2"
    assert not notice.strict


def test_another_version_with_the_inputs_of_its_component(versions: Versions) -> None:
    (notice,) = versions.found("c/b.jsonnet", "/x/c/a.jsonnet", "c/a.jsonnet", commit="2" * 40)

    assert notice.message == SHARED.format("its inputs c/a.jsonnet, c/b.jsonnet")


def test_another_version_with_files_of_its_own(versions: Versions) -> None:
    assert versions.found("/x/c-2/main.jsonnet", "cc/a.jsonnet", commit="2" * 40) == ()


def test_another_path_is_another_version(versions: Versions) -> None:
    (versions.own.worktree / "sub/lib").mkdir(parents=True)
    (versions.own.worktree / "sub/lib/c.libsonnet").touch()

    assert texts(versions.found(path="sub")) == [SHARED.format("its libraries")]


def test_the_same_version_has_no_warnings(versions: Versions) -> None:
    (versions.base.worktree / "lib").mkdir()
    (versions.base.worktree / "lib/c.libsonnet").touch()

    assert versions.found("c/a.jsonnet") == ()
