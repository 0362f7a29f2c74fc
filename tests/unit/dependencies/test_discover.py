"""Applications to what must be fetched for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.discover import instances_of, wanted_components, wanted_packages
from commodore_py.errors import CommodoreError, notes_of
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import Instance
from commodore_py.model.spot import Nowhere
from tests.support.builders import errors_in, make_dependency, make_node
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.dependency import DependencySpec
    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import ParameterPath


def entry(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - what YAML may hold
    return {"url": f"https://host/{name}.git", "version": "v1", **more}


def node(*applications: str, **parameters: Any) -> Node:  # noqa: ANN401 - what YAML may hold
    listed = {name: entry(name) for name in ("nginx", "foo", "bar", "web")}
    return make_node(applications=applications, parameters={"components": listed, **parameters})


def names(specs: tuple[DependencySpec, ...]) -> list[tuple[str, str]]:
    return [(spec.name, spec.component) for spec in specs]


def refused(wanted: Callable[[Node], object], given: Node) -> tuple[CommodoreError, ...]:
    with pytest.raises(CommodoreError) as caught:
        wanted(given)
    return errors_in(caught.value)


@each(
    ("applications", "expected"),
    [
        (["nginx"], [("nginx", "nginx")]),
        (["nginx as nginx"], [("nginx", "nginx")]),
        (["nginx", "nginx as nginx"], [("nginx", "nginx")]),
        (["nginx as web-1"], [("nginx", "nginx"), ("web-1", "nginx")]),
        (["nginx as b", "nginx as a"], [("nginx", "nginx"), ("a", "nginx"), ("b", "nginx")]),
        (["web", "bar", "pkg.foo"], [("bar", "bar"), ("web", "web")]),
        ([], []),
    ],
)
def test_components_come_first_then_instances_each_sorted(
    applications: list[str], expected: list[tuple[str, str]]
) -> None:
    specs = wanted_components(node(*applications))

    assert names(specs) == expected
    assert [spec.kind for spec in specs] == [
        Kind.COMPONENT if name == component else Kind.INSTANCE for name, component in expected
    ]


@each(
    ("application", "unknown"),
    [
        ("nginx  as  web-1", "'nginx '"),
        ("a as b as c", "a as b as c"),
        ("nginx as", "nginx as"),
        ("nginz", "nginz"),
    ],
)
def test_other_spellings_are_unknown_components(application: str, unknown: str) -> None:
    (error,) = refused(wanted_components, node(application))

    assert str(error) == f"unknown component {unknown}"
    assert error.where == "parameters.components"


def test_a_similar_name_is_suggested() -> None:
    (error,) = refused(wanted_components, node("nginz"))

    assert error.hint.startswith("did you mean nginx?")


@each(
    ("applications", "message"),
    [
        (["foo as nginx", "nginx"], "component foo aliases existing component nginx"),
        (
            ["foo as nginx", "bar as nginx", "nginx"],
            "component bar and foo aliases existing component nginx",
        ),
        (["foo as x", "bar as x"], "duplicate instance x, claimed by bar and foo"),
        # The component needs the folder of its name, although it is not an instance itself.
        (["foo as nginx", "nginx as web-1"], "component foo aliases existing component nginx"),
    ],
)
def test_an_instance_has_one_component(applications: list[str], message: str) -> None:
    (error,) = refused(wanted_components, node(*applications))

    assert str(error) == message
    assert "`component as instance`" in error.hint


@each(
    ("application", "name"),
    [
        ("nginx as cluster", "cluster"),
        ("nginx as lib", "lib"),
        ("nginx as libs", "libs"),
        ("nginx as .repos", ".repos"),
        ("nginx as ../../x", "../../x"),
        ("../x as nginx-2", "../x"),
        ("nginx as pkg.foo", "pkg.foo"),
        ("nginx as ", ""),
        ("..", ".."),
    ],
)
def test_a_name_must_be_free_to_name_a_folder(application: str, name: str) -> None:
    (error,) = refused(wanted_components, node(application))

    assert str(error) == f"{name!r} cannot be the name of a component or an instance"
    assert "cluster, lib, libs" in error.hint


def test_all_unclear_instances_are_reported_together() -> None:
    errors = refused(wanted_components, node("foo as x", "bar as x", "nginx as lib"))

    assert len(errors) == 2


@each(
    ("own", "expected"),
    [
        ({}, ("https://host/nginx.git", "v1", "comp/")),
        ({"version": "v2"}, ("https://host/nginx.git", "v2", "comp/")),
        ({"url": "https://host/fork.git"}, ("https://host/fork.git", "v1", "comp/")),
        ({"path": "/alt"}, ("https://host/nginx.git", "v1", "alt")),
        ({"path": ""}, ("https://host/nginx.git", "v1", "comp/")),
        (None, ("https://host/nginx.git", "v1", "comp/")),
    ],
)
def test_an_instance_takes_from_its_component_what_it_does_not_set(
    own: dict[str, str] | None, expected: tuple[str, str, str]
) -> None:
    listed = {"nginx": entry("nginx", path="/comp/"), "web-1": own}

    _, instance = wanted_components(node("nginx as web-1", components=listed))

    assert (instance.url, instance.version, instance.path) == expected


def test_an_instance_needs_no_entry() -> None:
    component, instance = wanted_components(node("nginx as web-1"))

    assert (instance.url, instance.version) == (component.url, component.version)


def test_everything_wrong_with_the_listed_versions_is_reported_together() -> None:
    listed = {
        "number": {"url": "https://host/x.git", "version": 1.1},
        "null": None,
        "bare": {},
        "out": entry("out", path="a/../../b"),
        "sly": entry("sly", path="//../b"),
        "ok": entry("ok"),
        "ok-2": {"version": 7},
    }
    given = node(
        *("number", "null", "bare", "out", "sly", "missing", "ok as ok-2"), components=listed
    )

    errors = refused(wanted_components, given)

    assert {(error.where, str(error)) for error in flattened(errors)} == {
        ("parameters.components.number.version", "expected a string, found float 1.1"),
        ("parameters.components.null", "expected a mapping, found nothing"),
        ("parameters.components.bare", "component bare has no url"),
        ("parameters.components.bare", "component bare has no version"),
        (
            "parameters.components.out.path",
            "path a/../../b is outside of the repository",
        ),
        ("parameters.components.sly.path", "path /../b is outside of the repository"),
        ("parameters.components", "unknown component missing"),
        ("parameters.components.ok-2.version", "expected a string, found int 7"),
    }
    assert all(error.hint for error in flattened(errors))


def flattened(errors: tuple[CommodoreError, ...]) -> list[CommodoreError]:
    return [inner for error in errors for inner in errors_in(error)]


@each("components", [None, {}])
def test_components_must_be_listed(components: dict[str, Any] | None) -> None:
    (error,) = refused(wanted_components, node("nginx", components=components))

    assert str(error) == "unknown component nginx"


def test_components_must_be_a_mapping() -> None:
    (error,) = refused(wanted_components, node("nginx", components=["nginx"]))

    assert str(error) == "expected a mapping, found list ['nginx']"
    assert error.where == "parameters.components"


def test_packages_are_found_by_their_prefix() -> None:
    packages = {name: entry(name, path="/sub/p/") for name in ("a", "b", "pkg.c")}
    given = node("pkg.b", "nginx", "pkg.a", "pkg.b", "pkg.pkg.c", packages=packages)

    specs = wanted_packages(given)

    assert [(s.kind, s.name, s.url, s.version, s.path) for s in specs] == [
        (Kind.PACKAGE, name, f"https://host/{name}.git", "v1", "sub/p/")
        for name in ("a", "b", "pkg.c")
    ]


@each("name", ["components", "defaults", "global", "params", "t-acme", "", "a/b", "..", ".x"])
def test_reserved_package_names_are_refused(name: str) -> None:
    packages = {name: entry("x")}

    (error,) = refused(wanted_packages, node(f"pkg.{name}", packages=packages))

    assert str(error) == f"{name!r} cannot be the name of a package"
    assert error.where == "applications of the cluster"
    assert "components, defaults, global, params" in error.hint


def test_all_packages_that_are_not_listed_are_reported_together() -> None:
    errors = refused(wanted_packages, node("pkg.a", "pkg.b", "pkg.t-x"))

    assert [str(error) for error in errors] == [
        "unknown package a",
        "unknown package b",
        "'t-x' cannot be the name of a package",
    ]


class Lines(Nowhere):
    """Places as a hierarchy of one file would have them."""

    def __init__(self, *applications: str) -> None:
        self.applications = applications

    def application(self, _target: str, name: str) -> str:
        return f"common.yml:{2 + self.applications.index(name)}"

    def parameter(self, _target: str, path: ParameterPath) -> str:
        return f"versions.yml of {'.'.join(map(str, path))}"


def located(*applications: str, **parameters: Any) -> list[tuple[str, ...]]:  # noqa: ANN401
    """Where the problems of a cluster are, and what is noted about each."""
    given = node(*applications, **parameters)
    wanted = wanted_packages if applications[0].startswith("pkg.") else wanted_components
    errors = refused(lambda one: wanted(one, Lines(*applications)), given)
    return [(error.where, *notes_of(error)) for error in flattened(errors)]


def test_a_reserved_name_is_reported_with_what_requires_it_and_its_purpose() -> None:
    applications = ("nginx", "nginx as cluster")

    (error,) = refused(
        lambda one: wanted_components(one, Lines(*applications)), node(*applications)
    )

    assert error.where == "common.yml:3"
    assert error.hint.startswith("it is reserved for the bootstrap target: ")


def test_a_contested_instance_names_every_line_that_claims_it() -> None:
    assert located("foo as x", "web", "bar as x") == [("common.yml:4, common.yml:2",)]


def test_an_incomplete_entry_has_its_location_and_what_requires_it() -> None:
    listed = {"bare": {"version": "v1"}, "ok": entry("ok"), "ok-2": {"path": 7}}

    assert located("bare", "bare as b-2", "missing", "ok as ok-2", components=listed) == [
        (
            "versions.yml of components.bare\nparameters.components.bare",
            "requested in common.yml:2, common.yml:3",
        ),
        ("versions.yml of components\nparameters.components", "requested in common.yml:4"),
        (
            "versions.yml of components.ok-2.path\nparameters.components.ok-2.path",
            "requested in common.yml:5",
        ),
    ]


def test_a_package_names_what_requires_it() -> None:
    assert located("pkg.a", "pkg.global", packages={"b": entry("b")}) == [
        ("versions.yml of packages\nparameters.packages", "requested in common.yml:2"),
        ("common.yml:3", "requested in common.yml:3"),
    ]


def test_instances_are_those_with_a_checkout() -> None:
    classes = ClassPath(
        (
            make_dependency("nginx"),
            make_dependency("web-1", kind=Kind.INSTANCE, component="nginx"),
            make_dependency("unasked"),
        )
    )

    found = instances_of(node("nginx as web-1", "nginx", "bar"), classes)

    assert found == (Instance("nginx", "nginx"), Instance("web-1", "nginx"))
