"""Rules of the hierarchy: what is refused, and the reported location."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.checks import check_configuration, check_instances
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.explain.places import shown
from commodore_py.inventory.explain.replay import Hierarchy
from commodore_py.inventory.locator import Locator, with_place
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import Instance, Inventory
from tests.support.builders import errors_in, make_dependency, make_node

if TYPE_CHECKING:
    from pathlib import Path

WEB: dict[str, object] = {"web": {"_metadata": {}}}


def locator_of(root: Path, **files: str) -> Locator:
    """Of targets that include one class, `main`."""
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    target = b"classes: [main]\n"
    return Locator(
        lambda: Hierarchy(
            ClassFiles([("", root)]),
            {"cluster": target, "web": target, "two": target},
            shown=lambda file: shown(file, root.resolve()),
        )
    )


def inventory(instance: Instance, **parameters: object) -> Inventory:
    node = make_node(parameters=parameters)
    return Inventory({"cluster": node, instance.name: node}, (instance,))


def refused(found: Inventory, places: Locator) -> CommodoreError:
    with pytest.raises(CommodoreError) as caught:
        check_instances(found, places)
    (error,) = errors_in(caught.value)
    return error


def test_old_component_versions_have_their_location(tmp_path: Path) -> None:
    places = locator_of(
        tmp_path, main="parameters:\n  a: 1\n  component_versions:\n    web: {version: v1}\n"
    )

    error = refused(inventory(Instance("web", "web"), component_versions={"web": {}}), places)

    assert error.where.splitlines() == ["main.yml:3", "parameters.component_versions"]
    assert "parameters.components" in error.hint


def test_component_without_parameters_names_its_defaults(tmp_path: Path) -> None:
    places = locator_of(tmp_path, main="", defaults__web="parameters: {}\n")

    error = refused(inventory(Instance("web", "web")), places)

    assert str(error) == "component web has no parameters of its own"
    assert error.where.splitlines() == ["defaults/web.yml", "target web: parameters.web"]
    assert "define parameters.web in class/defaults.yml" in error.hint


def test_instance_names_the_line_that_requires_it(tmp_path: Path) -> None:
    text = "applications:\n  - web\n  - web as two\n"
    places = locator_of(tmp_path, main=text, defaults__web="parameters: {}\n")

    error = refused(inventory(Instance("two", "web"), **WEB), places)

    assert error.where.splitlines() == ["main.yml:3", "parameters.web._metadata.multi_instance"]


@pytest.mark.parametrize(
    ("base", "own", "missing"),
    [
        (False, False, "in the component's version and in the instance's version"),
        (False, True, "in the component's version"),
        (True, False, "in the instance's version"),
    ],
)
def test_version_of_an_instance_has_its_line_and_what_is_missing(
    tmp_path: Path, *, base: bool, own: bool, missing: str
) -> None:
    places = locator_of(tmp_path, main="parameters:\n  components:\n    two:\n      version: v2\n")

    def parameters(*, several: bool) -> dict[str, object]:
        metadata = {"multi_instance": True, "multi_version": several}
        return {"web": {"_metadata": metadata}, "components": {"two": {"version": "v2"}}}

    nodes = {
        "cluster": make_node(parameters=parameters(several=base)),
        "two": make_node(parameters=parameters(several=own)),
    }

    error = refused(Inventory(nodes, (Instance("two", "web"),)), places)

    assert str(error) == "component web does not support a version of its own for instance two"
    assert error.where.splitlines() == ["main.yml:3", "parameters.components.two"]
    assert error.hint == (
        "remove url and version there, or set parameters.web._metadata.multi_version"
        f" where it is missing: {missing}"
    )


def test_cluster_without_components_is_refused(tmp_path: Path) -> None:
    error = refused(Inventory({"cluster": make_node()}), locator_of(tmp_path, main=""))

    assert "the cluster has no components" in str(error)


def test_messages_do_without_a_place_where_there_is_none(tmp_path: Path) -> None:
    places = locator_of(tmp_path, main="parameters: [broken\n")

    assert places.parameter("cluster", ("a", "b")) == ""
    assert places.application("cluster", "web") == ""
    assert places.class_file("defaults.web") == ""
    assert with_place("parameters.a", "") == "parameters.a"


def test_closest_parameter_above_stands_for_one_that_is_not_there(tmp_path: Path) -> None:
    places = locator_of(tmp_path, main="parameters:\n  a:\n    b: 1\n")

    assert places.parameter("cluster", ("a", "c")) == "main.yml:2"


def test_removed_references_are_found_all_at_once(tmp_path: Path) -> None:
    (tmp_path / "one.yml").write_text("parameters:\n  a: ['x-${customer:name}']\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "two.yaml").write_text("parameters: {b: '${cluster:dist}'}\n")
    (tmp_path / ".hidden.yml").write_text("a: ${cloud:region}\n")
    classes = ClassPath((make_dependency("global", tmp_path, kind=Kind.GLOBAL),))

    with pytest.raises(CommodoreError, match="2 problems") as caught:
        check_configuration(classes)

    message = {(error.where, error.hint) for error in errors_in(caught.value)}
    assert message == {
        (f"{tmp_path}/one.yml: parameters.a[0]", "use ${cluster:tenant}"),
        (f"{tmp_path}/deep/two.yaml: parameters.b", "use ${facts:distribution}"),
    }
