"""Libraries and aliases as links in `dependencies/lib`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.jsonnet.libraries import libraries_of, link_libraries
from commodore_py.dependencies.jsonnet.library_warnings import library_warnings
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import parameter_key
from tests.support.builders import errors_in, make_dependency

if TYPE_CHECKING:
    from pathlib import Path


class Shelf:
    """Components with libraries, and the folder of links."""

    def __init__(self, root: Path, **libraries: list[str]) -> None:
        self.root = root
        self.lib = root / "dependencies/lib"
        self.components = []
        for key, names in libraries.items():
            component = key.replace("_", "-")
            worktree = root / "dependencies" / component
            (worktree / "lib").mkdir(parents=True)
            for name in names:
                path = worktree / "lib" / name
                path.mkdir() if name.endswith("-dir") else path.write_text(component)
            self.components.append(make_dependency(component, worktree))

    def link(
        self,
        *,
        listed: tuple[str, ...] = (),
        keep_others: bool = False,
        **metadata: Any,  # noqa: ANN401 - what YAML may hold
    ) -> dict[str, str]:
        """The links that are made, each with the component and library that it leads to."""
        parameters = self._parameters(listed, metadata)
        link_libraries(self.lib, self.components, parameters, keep_others=keep_others)
        return {
            path.name: str(path.readlink()).removeprefix("../")
            for path in sorted(self.lib.iterdir())
            if path.is_symlink()
        }

    def warnings(
        self,
        *,
        listed: tuple[str, ...] = (),
        **metadata: Any,  # noqa: ANN401 - what YAML may hold
    ) -> list[str]:
        """What is linked all the same, but refused under `--strict`."""
        present = {one.spec.name: libraries_of(one) for one in self.components}
        found = tuple(library_warnings(present, self._parameters(listed, metadata)))
        assert all(notice.strict and notice.where for notice in found)
        return [notice.message for notice in found]

    def _parameters(self, listed: tuple[str, ...], metadata: dict[str, Any]) -> dict[str, Any]:
        names = {*listed, *(one.spec.name for one in self.components)}
        parameters: dict[str, Any] = {"components": {name: {"url": "x"} for name in names}}
        for key, value in metadata.items():
            parameters[parameter_key(key)] = {"_metadata": value}
        return parameters

    def refused(self, **arguments: Any) -> list[str]:  # noqa: ANN401 - as above
        """What is wrong; nothing is linked then."""
        with pytest.raises(CommodoreError) as caught:
            self.link(**arguments)
        assert not self.lib.exists()
        assert all(error.where and error.hint for error in errors_in(caught.value))
        return [str(error) for error in errors_in(caught.value)]


def aliases(**names: str) -> dict[str, Any]:
    return {"library_aliases": {f"{key}.libsonnet": f"{to}.libsonnet" for key, to in names.items()}}


def test_every_visible_entry_is_linked(tmp_path: Path) -> None:
    names = ["foo.libsonnet", "foo-x.libjsonnet", "foobar.libsonnet", "foo-dir", ".hidden"]

    links = Shelf(tmp_path, foo=names).link()

    assert links == {name: f"foo/lib/{name}" for name in sorted(names) if name != ".hidden"}
    assert (tmp_path / "dependencies/lib/foo-dir").is_dir()


def test_a_library_carries_the_name_of_its_component(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, foo=["bar.libsonnet"], foo_op=["foo.libsonnet", "foo-op.libsonnet"])

    assert shelf.refused() == [
        "library bar.libsonnet does not start with the name of its component foo",
        "library foo.libsonnet does not start with the name of its component foo-op",
    ]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_library_with_the_name_of_another_component_is_reported(
    tmp_path: Path, *, reverse: bool
) -> None:
    shelf = Shelf(tmp_path, foo=["foo-op.libsonnet", "foo-opx.libsonnet"], foo_op=[])
    if reverse:
        shelf.components.reverse()

    links = shelf.link()

    assert links == {name: f"foo/lib/{name}" for name in ("foo-op.libsonnet", "foo-opx.libsonnet")}
    assert shelf.warnings() == [
        f"library {name} of component foo has the name of component foo-op"
        for name in sorted(links)
    ]


@pytest.mark.parametrize("reverse", [False, True])
def test_of_two_libraries_of_one_name_the_owners_wins(tmp_path: Path, *, reverse: bool) -> None:
    shelf = Shelf(tmp_path, foo=["foo-op.libsonnet"], foo_op=["foo-op.libsonnet"])
    if reverse:
        shelf.components.reverse()

    assert shelf.link() == {"foo-op.libsonnet": "foo-op/lib/foo-op.libsonnet"}


def test_unwanted_links_are_removed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, foo=["foo.libsonnet"])
    shelf.lib.mkdir()
    (shelf.lib / "old.libsonnet").symlink_to("../old/lib/old.libsonnet")
    (shelf.lib / "foo.libsonnet").symlink_to("../elsewhere")
    (shelf.lib / "mine.libsonnet").write_text("mine")

    kept = shelf.link(keep_others=True)
    swept = shelf.link()

    assert set(kept) == {"foo.libsonnet", "old.libsonnet"}
    assert swept == {"foo.libsonnet": "foo/lib/foo.libsonnet"}
    assert (shelf.lib / "mine.libsonnet").read_text() == "mine"


def test_a_file_in_the_place_of_a_link_is_not_replaced(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, foo=["foo.libsonnet"])
    shelf.lib.mkdir()
    (shelf.lib / "foo.libsonnet").write_text("mine")

    with pytest.raises(CommodoreError) as caught:
        shelf.link()

    assert caught.value.where == str(shelf.lib / "foo.libsonnet")
    assert (shelf.lib / "foo.libsonnet").read_text() == "mine"


def test_an_alias_is_another_link_to_a_library(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet"])

    links = shelf.link(mon=aliases(dashboards="mon"))

    assert links == {
        "dashboards.libsonnet": "mon/lib/mon.libsonnet",
        "mon.libsonnet": "mon/lib/mon.libsonnet",
    }


PREFIXES = pytest.mark.parametrize(
    ("component", "alias", "other"),
    [("mon", "prom", "prom"), ("foo_bar", "foo-bar-x", "foo"), ("mon", "promtail", "prom")],
)


@PREFIXES
def test_an_alias_has_no_prefix_of_another_deployed_component(
    tmp_path: Path, component: str, alias: str, other: str
) -> None:
    name = component.replace("_", "-")
    shelf = Shelf(tmp_path, **{component: [f"{name}.libsonnet"], other: []})

    errors = shelf.refused(**{component: aliases(**{alias: name})})

    assert errors == [
        f"library alias {alias}.libsonnet of component {name} has the prefix of component {other}"
    ]


@PREFIXES
def test_an_alias_with_the_prefix_of_a_component_that_is_only_listed_is_reported(
    tmp_path: Path, component: str, alias: str, other: str
) -> None:
    name = component.replace("_", "-")
    shelf = Shelf(tmp_path, **{component: [f"{name}.libsonnet"]})
    offered: dict[str, Any] = {component: aliases(**{alias: name})}

    links = shelf.link(listed=(other,), **offered)

    assert links[f"{alias}.libsonnet"] == f"{name}/lib/{name}.libsonnet"
    (warning,) = shelf.warnings(listed=(other,), **offered)
    assert warning == (
        f"library alias {alias}.libsonnet of component {name} has the prefix of component {other},"
        " which is listed although it is not deployed"
    )


REPLACED = {"deprecated": True, "replaced_by": "new"}


@pytest.mark.parametrize(
    ("old", "deployed", "allowed", "message"),
    [
        (None, False, True, ""),
        # Parameters of a component that is not deployed mean nothing.
        ({"deprecated": False}, False, True, ""),
        ({}, True, False, "does not name it as its successor"),
        ({"deprecated": True, "replaced_by": "else"}, True, False, "does not name it"),
        ({"replaced_by": "new"}, True, False, "does not name it"),
        (REPLACED, True, True, "uses library names of the deprecated component old"),
    ],
)
def test_a_successor_may_use_the_prefix_of_what_it_replaces(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    *,
    old: dict[str, Any] | None,
    deployed: bool,
    allowed: bool,
    message: str,
) -> None:
    present = {"new": ["new.libsonnet"], **({"old": []} if deployed else {})}
    shelf = Shelf(tmp_path, **present)
    new = {**aliases(**{"old-x": "new"}), "replaces": "old"}
    metadata: dict[str, Any] = {"new": new, **({"old": old} if old is not None else {})}

    if allowed:
        assert "old-x.libsonnet" in shelf.link(listed=("old",), **metadata)
        assert shelf.warnings(listed=("old",), **metadata) == []
    else:
        assert "has the prefix of component old" in shelf.refused(listed=("old",), **metadata)[0]

    assert message in caplog.text
    assert bool(caplog.messages) == bool(message)


def test_a_successor_may_not_use_the_prefix_for_its_own_libraries(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, new=["old-x.libsonnet"])

    assert "does not start with the name" in shelf.refused(new={"replaces": "old"})[0]


def test_an_alias_of_nothing_is_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet", ".mon.libsonnet"])

    links = shelf.link(mon=aliases(a="nothing", b=".mon", c="../lib/mon"))

    assert set(links) == {"mon.libsonnet"}
    assert caplog.messages[0] == (
        "library alias a.libsonnet of component mon is skipped: there is no lib/nothing.libsonnet"
    )
    assert len(caplog.messages) == 3


@pytest.mark.parametrize("alias", ["../../evil.libsonnet", "/etc/evil", "a/b.libsonnet", "..", ""])
def test_an_alias_is_a_plain_file_name(tmp_path: Path, alias: str) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet"])

    errors = shelf.refused(mon={"library_aliases": {alias: "mon.libsonnet"}})

    assert errors == [f"library alias {alias!r} of component mon is not a valid file name"]


@pytest.mark.parametrize(
    ("alias", "message"),
    [
        ("kube.libjsonnet", "replaces a bundled library for all components"),
        ("commodore.libjsonnet", "replaces a bundled library for all components"),
        ("kapitan.libjsonnet", "has no effect"),
    ],
)
def test_an_alias_with_a_bundled_librarys_name_is_reported(
    tmp_path: Path, alias: str, message: str
) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet"])
    offered: dict[str, Any] = {"mon": {"library_aliases": {alias: "mon.libsonnet"}}}

    links = shelf.link(**offered)

    assert links[alias] == "mon/lib/mon.libsonnet"
    (warning,) = shelf.warnings(**offered)
    assert warning.startswith(f"library alias {alias} of component mon {message}")


@pytest.mark.parametrize("name", ["kube.libjsonnet", "commodore.libjsonnet", "kapitan.libjsonnet"])
def test_a_library_with_a_bundled_librarys_name_is_reported(tmp_path: Path, name: str) -> None:
    component = name.removesuffix(".libjsonnet")
    shelf = Shelf(tmp_path, **{component: [name]})

    assert shelf.link() == {name: f"{component}/lib/{name}"}
    (warning,) = shelf.warnings()
    assert warning.startswith(f"library {name} of component {component} ")


def test_an_alias_hides_a_library_of_its_component(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet", "mon-new.libsonnet"])

    links = shelf.link(mon=aliases(mon="mon-new"))

    assert links["mon.libsonnet"] == "mon/lib/mon-new.libsonnet"
    (warning,) = shelf.warnings(mon=aliases(mon="mon-new"))
    assert warning == (
        "library alias mon.libsonnet of component mon hides its library of that name:"
        " it links to lib/mon-new.libsonnet"
    )


def test_no_warning_about_aliases_that_are_not_linked(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet"])

    warnings = shelf.warnings(
        listed=("prom",),
        mon={
            "library_aliases": {
                "kube.libjsonnet": "nothing.libsonnet",
                "prom.libsonnet": "nothing.libsonnet",
                "mon.libsonnet": "mon.libsonnet",
            }
        },
    )

    assert warnings == []


def test_an_alias_has_one_owner(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, a=["a.libsonnet"], b=["b.libsonnet"])

    errors = shelf.refused(a=aliases(x="a"), b=aliases(x="b"))

    assert errors == ["library alias x.libsonnet is used by a and b"]


@pytest.mark.parametrize("value", [["x"], {"x": 1}, "x"])
def test_aliases_are_names(tmp_path: Path, value: object) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet"])

    errors = shelf.refused(mon={"library_aliases": value})

    assert errors == ["component mon: expected a mapping of aliases to libraries"]


@pytest.mark.parametrize("metadata", [None, [], {"library_aliases": None}])
def test_missing_metadata_offers_nothing(tmp_path: Path, metadata: object) -> None:
    shelf = Shelf(tmp_path, mon=["mon.libsonnet"])

    assert set(shelf.link(mon=metadata)) == {"mon.libsonnet"}
