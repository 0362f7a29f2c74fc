"""The playground of `commodore demo` holds what it promises."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.workflows.demo import Demo, write_demo
from tests.support.builders import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Component:
    """A component as its repository has it."""

    name: str
    folder: Path

    def parameters(self, file: str) -> dict[str, Any]:
        content: dict[str, Any] = yaml.safe_load((self.folder / "class" / file).read_text())
        return content["parameters"]  # type: ignore[no-any-return]  # YAML from our own files

    def defaults(self) -> dict[str, Any]:
        own: dict[str, Any] = self.parameters("defaults.yml")[self.name.replace("-", "_")]
        return own

    def metadata(self) -> dict[str, Any]:
        return self.defaults().get("=_metadata") or {}

    def inputs(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.parameters(f"{self.name}.yml")["kapitan"]["compile"]
        return entries

    def filters(self) -> list[dict[str, Any]]:
        own = self.parameters(f"{self.name}.yml").get("commodore", {})
        return own.get("postprocess", {}).get("filters", [])  # type: ignore[no-any-return]  # as above

    def code(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.rglob("*.*sonnet")))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return write_demo(tmp_path_factory.mktemp("demo") / "playground")


@pytest.fixture(scope="module")
def checkouts(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every repository but the catalogs, checked out from where the facts say it is."""
    folder = tmp_path_factory.mktemp("checkouts")
    base = _facts(demo)["c-demo-1"]["facts"]["repositories"]
    for repository in (demo.directory / "repos").iterdir():
        if not repository.name.startswith("catalog-"):
            git(folder, "clone", "--quiet", f"{base}/{repository.name}", repository.stem)
    return folder


@pytest.fixture(scope="module")
def components(checkouts: Path) -> dict[str, Component]:
    found = (path.parent.parent for path in checkouts.rglob("class/defaults.yml"))
    names = {folder: folder.name.removeprefix("component-") for folder in found}
    return {name: Component(name, folder) for folder, name in names.items()}


@pytest.fixture(scope="module")
def hierarchy(checkouts: Path) -> dict[str, dict[str, Any]]:
    """All classes of the global, tenant and package repositories, by relative path."""
    return {
        str(path.relative_to(checkouts)): yaml.safe_load(path.read_text())
        for name in ("global", "t-demo", "package-observability")
        for path in (checkouts / name).rglob("*.yml")
    }


def test_facts_have_two_different_clusters_of_one_tenant(demo: Demo) -> None:
    first, second = _facts(demo).values()

    assert demo.clusters == (first["id"], second["id"]) == ("c-demo-1", "c-demo-2")
    assert first["tenant"] == second["tenant"] == "t-demo"
    for fact in ("distribution", "cloud", "region"):
        assert first["facts"][fact] != second["facts"][fact]


def test_hierarchy_has_every_level_of_every_cluster(
    demo: Demo, hierarchy: dict[str, dict[str, Any]]
) -> None:
    entry = hierarchy["global/commodore.yml"]["classes"]

    assert ".cloud.${facts:cloud}.${facts:region}" in entry
    assert "${cluster:tenant}.${cluster:name}" in entry
    for cluster in _facts(demo).values():
        facts = cluster["facts"]
        assert f"global/distribution/{facts['distribution']}.yml" in hierarchy
        assert f"global/cloud/{facts['cloud']}/init.yml" in hierarchy
        assert f"global/cloud/{facts['cloud']}/{facts['region']}.yml" in hierarchy
        assert f"t-demo/{cluster['id']}.yml" in hierarchy


def test_hierarchy_has_the_location_of_secrets(hierarchy: dict[str, dict[str, Any]]) -> None:
    assert hierarchy["global/common.yml"]["parameters"]["kapitan"]["secrets"]["vaultkv"]


def test_hierarchy_uses_constants_overrides_and_removals(
    hierarchy: dict[str, dict[str, Any]],
) -> None:
    keys = {key for content in hierarchy.values() for key in _keys(content)}

    assert any(key.startswith("=") for key in keys)
    assert any(key.startswith("~") for key in keys)
    assert any(application.startswith("~") for application in _applications(hierarchy))


def test_every_component_is_listed_with_its_place(
    components: dict[str, Component], hierarchy: dict[str, dict[str, Any]], checkouts: Path
) -> None:
    listed = _listed(hierarchy, "components")

    assert len(components) >= 7
    for name, component in components.items():
        repository = listed[name]["url"].removeprefix("${platform:repositories}/")
        place = checkouts / repository.removesuffix(".git") / listed[name].get("path", "")
        assert component.folder == place


def test_versions_are_branches_and_tags_that_exist(
    hierarchy: dict[str, dict[str, Any]], checkouts: Path
) -> None:
    listed = _listed(hierarchy, "components") | _listed(hierarchy, "packages")
    versions = {spec["version"] for spec in listed.values()}

    assert "master" in versions
    assert any(version.startswith("v") for version in versions)
    for spec in listed.values():
        if "url" in spec:
            repository = checkouts / spec["url"].split("/")[-1].removesuffix(".git")
            git(repository, "rev-parse", "--verify", "--quiet", f"{spec['version']}^{{commit}}")


def test_one_component_is_used_twice(
    components: dict[str, Component], hierarchy: dict[str, dict[str, Any]]
) -> None:
    (several,) = [name for name, c in components.items() if c.metadata().get("multi_instance")]
    instances = [used for used in _applications(hierarchy) if used.split(" as ")[0] == several]

    assert len(instances) == 2
    assert len({used.split(" as ")[-1] for used in instances}) == 2


def test_one_component_offers_a_library_that_another_imports(
    components: dict[str, Component],
) -> None:
    (offering,) = [c for c in components.values() if c.metadata().get("library_aliases")]
    ((alias, library),) = offering.metadata()["library_aliases"].items()
    importing = [c.name for c in components.values() if f"import 'lib/{alias}'" in c.code()]

    assert (offering.folder / "lib" / library).is_file()
    assert importing
    assert offering.name not in importing


def test_one_component_has_a_jsonnet_filter(components: dict[str, Component]) -> None:
    (found,) = [(c, f) for c in components.values() for f in c.filters() if f["type"] == "jsonnet"]
    component, definition = found

    assert (component.folder / definition["filter"]).is_file()


def test_one_component_gives_a_namespace_to_copied_manifests(
    components: dict[str, Component],
) -> None:
    (found,) = [(c, f) for c in components.values() for f in c.filters() if f["type"] == "builtin"]
    component, definition = found
    (copied,) = [entry for entry in component.inputs() if entry["input_type"] == "copy"]
    source = component.folder / copied["input_paths"][0].removeprefix("${_base_directory}/")

    assert definition["filter"] == "helm_namespace"
    assert definition["path"] == copied["output_path"]
    assert list(source.glob("*.yaml"))


def test_one_component_refers_to_secrets(components: dict[str, Component]) -> None:
    (found,) = [
        c
        for c in components.values()
        if "?{vaultkv:" in yaml.safe_dump(c.parameters("defaults.yml"))
    ]

    assert "stringData" in found.code()


def test_one_component_is_deprecated_in_favour_of_another(
    components: dict[str, Component], hierarchy: dict[str, dict[str, Any]]
) -> None:
    (old,) = [c for c in components.values() if c.metadata().get("deprecated")]

    assert old.metadata()["replaced_by"] in components
    assert old.metadata()["deprecation_notice"]
    assert old.name in _applications(hierarchy)


def test_the_package_adds_a_component(
    components: dict[str, Component], hierarchy: dict[str, dict[str, Any]]
) -> None:
    (package,) = _listed(hierarchy, "packages")
    added = hierarchy[f"package-{package}/package/main.yml"]["applications"]
    elsewhere = {k: v for k, v in hierarchy.items() if not k.startswith("package-")}

    assert f"pkg.{package}" in _applications(hierarchy)
    assert set(added) <= components.keys()
    assert not set(added) & set(_listed(elsewhere, "components"))


def test_pipeline_gets_some_variety(components: dict[str, Component]) -> None:
    inputs = [entry for c in components.values() for entry in c.inputs()]

    assert {entry["input_type"] for entry in inputs} == {"copy", "jsonnet", "remove"}
    assert {entry.get("output_type") for entry in inputs} == {None, "json", "plain", "yml"}
    assert any(entry.get("prune") for entry in inputs)


def test_scripts_are_executable(checkouts: Path) -> None:
    scripts = list(checkouts.rglob("*.sh"))

    assert scripts
    assert all(os.access(path, os.X_OK) for path in scripts)


def _facts(demo: Demo) -> dict[str, dict[str, Any]]:
    files = sorted((demo.directory / "facts" / "clusters").iterdir())
    return {path.stem: yaml.safe_load(path.read_text()) for path in files}


def _listed(hierarchy: dict[str, dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """All entries of `parameters.components` or `parameters.packages`."""
    return {
        name: spec
        for content in hierarchy.values()
        for name, spec in content.get("parameters", {}).get(kind, {}).items()
    }


def _applications(hierarchy: dict[str, dict[str, Any]]) -> list[str]:
    return [name for content in hierarchy.values() for name in content.get("applications", [])]


def _keys(content: object) -> Iterator[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield key
            yield from _keys(value)
