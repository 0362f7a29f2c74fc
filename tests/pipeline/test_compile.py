"""Whole compiles in process: real Git, the reference engine, a facts folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of
from commodore_py.model.published import ReportOutcome
from commodore_py.pipeline import compile_catalog
from tests.support.builders import commit_to, git, git_succeeds
from tests.support.fleet import CLUSTER, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.catalog import Change
    from commodore_py.model.published import Published

MULTI = """
parameters:
  web:
    =_metadata: {multi_instance: true}
    data: {of: web}
"""


def _push(config: Config) -> Published:
    return compile_catalog(config, CLUSTER, approve=lambda _: True)


def _no(_: Change) -> bool:
    return False


def test_first_push_makes_the_catalog(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={}, data_base={})

    published = _push(fleet.config())

    assert published.commit == git(fleet.catalog, "rev-parse", "HEAD")
    files = fleet.catalog_files()
    assert sorted(files) == ["manifests/data-base/out.yaml", "manifests/web/out.yaml"]
    assert yaml.safe_load(files["manifests/web/out.yaml"])["data"] == {"of": "web"}


def test_second_compile_changes_nothing(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    _push(fleet.config())
    catalog = fleet.work / "catalog" / "manifests" / "web" / "out.yaml"
    before = catalog.stat()

    published = _push(fleet.config())

    assert not published.change
    assert published.commit is None
    assert catalog.stat().st_mtime_ns == before.st_mtime_ns


def test_refused_change_stays_staged_and_unpushed(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})

    published = compile_catalog(fleet.config(), CLUSTER, approve=_no)

    assert [change.path for change in published.change.files] == ["manifests/web/out.yaml"]
    assert not git_succeeds(fleet.catalog, "rev-parse", "--verify", "HEAD")
    assert published.report is ReportOutcome.NOT_DUE


def test_report_lies_beside_the_facts(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})

    published = _push(fleet.config())

    report = json.loads((fleet.root / "facts" / "reports" / f"{CLUSTER}.json").read_text())
    assert published.report is ReportOutcome.REPORTED
    assert report["instances"]["web"]["gitSha"] == git(
        fleet.repository("component-web"), "rev-parse", "HEAD"
    )


def test_failing_report_does_not_undo_the_push(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    (fleet.root / "facts" / "reports").write_text("in the way")

    published = _push(fleet.config())

    assert published.commit == git(fleet.catalog, "rev-parse", "HEAD")
    assert published.report is ReportOutcome.FAILED
    assert published.report_problem


def test_instance_has_parameters_of_its_own(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"class/defaults.yml": MULTI})
    fleet.configure(
        {"applications": ["web", "web as web-two"], "parameters": {"web_two": {"data": {"n": "2"}}}}
    )

    _push(fleet.config())

    files = fleet.catalog_files()
    assert yaml.safe_load(files["manifests/web/out.yaml"])["data"] == {"of": "web"}
    assert yaml.safe_load(files["manifests/web-two/out.yaml"])["data"] == {"of": "web", "n": "2"}


def test_instance_of_single_instance_component_is_refused(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    fleet.configure({"applications": ["web as web-two"]})

    with pytest.raises(CommodoreError) as caught:
        _push(fleet.config())

    assert "does not support instances" in str(caught.value)
    assert caught.value.where.splitlines() == [
        "inventory/classes/t-acme/common.yml:2",
        "parameters.web._metadata.multi_instance",
    ]


def test_problems_of_all_instances_are_reported_together(tmp_path: Path) -> None:
    broken = {"component/main.jsonnet": "{ a: error 'no way' }"}
    fleet = make_fleet(tmp_path, web=broken, data_base=broken, fine={})

    with pytest.raises(SeveralErrors) as caught:
        _push(fleet.config())

    assert sorted(error.where.splitlines()[-1] for error in caught.value.errors) == [
        "target data-base, parameters.kapitan.compile[0]",
        "target web, parameters.kapitan.compile[0]",
    ]
    assert all("no way" in str(error) for error in caught.value.errors)
    assert not git_succeeds(fleet.catalog, "rev-parse", "--verify", "HEAD")


def test_conflicting_content_for_one_path_is_error(tmp_path: Path) -> None:
    shared = configmap_component("web")["class/web.yml"].replace("${_instance}", "shared")
    fleet = make_fleet(tmp_path, web={"class/web.yml": shared}, shop={"class/shop.yml": shared})

    with pytest.raises(CommodoreError) as caught:
        _push(fleet.config())

    assert "shared/out.yaml" in str(caught.value)
    assert "web" in str(caught.value) + caught.value.where
    assert "shop" in str(caught.value) + caught.value.where
    assert "instance web: component/main.jsonnet" in caught.value.where


def test_removed_instance_is_deleted_from_catalog(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={}, shop={})
    _push(fleet.config())
    fleet.configure({"applications": ["web"]})

    published = _push(fleet.config())

    assert [(c.kind, c.path) for c in published.change.files] == [
        ("deleted", "manifests/shop/out.yaml")
    ]
    assert list(fleet.catalog_files()) == ["manifests/web/out.yaml"]
    assert not (fleet.work / "compiled" / "shop").exists()
    assert not (fleet.work / "inventory" / "targets" / "shop.yml").exists()
    assert not (fleet.work / "inventory" / "classes" / "components" / "shop.yml").is_symlink()


def test_component_of_package_is_compiled(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={}, extra={})
    package = {"main.yml": "applications: [extra]\n"}
    fleet.configure(
        {
            "classes": ["monitoring.main"],
            "applications": ["web", "pkg.monitoring"],
            "parameters": {
                "packages": {
                    "monitoring": {"url": f"file://{fleet.repository('package')}", "version": "v1"}
                }
            },
        }
    )
    git(fleet.root, "init", "--quiet", "--bare", "-b", "master", str(fleet.repository("package")))
    commit_to(fleet.repository("package"), package)
    git(fleet.repository("package"), "tag", "v1")

    published = _push(fleet.config())

    assert "manifests/extra/out.yaml" in fleet.catalog_files()
    assert [record.name for record in published.record.packages] == ["monitoring"]


def test_local_mode_compiles_edited_files(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    _push(fleet.config())
    main = fleet.work / "dependencies" / "web" / "component" / "main.jsonnet"
    main.write_text(main.read_text().replace("ConfigMap", "Edited"))
    (fleet.root / "facts").rename(fleet.root / "gone")

    published = compile_catalog(fleet.config(local=True, api_url=""), CLUSTER, approve=_no)

    assert [change.path for change in published.change.files] == ["manifests/web/out.yaml"]
    assert b"Edited" in (fleet.work / "compiled" / "web" / "web" / "out.yaml").read_bytes()
    assert git(fleet.work / "catalog", "diff", "--cached", "--name-only") == ""


def test_component_edits_are_not_overwritten(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    _push(fleet.config())
    main = fleet.work / "dependencies" / "web" / "component" / "main.jsonnet"
    main.write_text("mine")

    with pytest.raises(CommodoreError) as caught:
        _push(fleet.config())

    assert "component/main.jsonnet" in str(caught.value)
    assert main.read_text() == "mine"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, "no components", id="nothing to compile"),
        pytest.param({"classes": ["t-acme.nowhere"]}, "nowhere", id="class not found"),
        pytest.param(
            {"applications": ["web"], "parameters": {"web": {"data": {"a": "${not:there}"}}}},
            "not",
            id="reference to nothing",
        ),
        pytest.param({"applications": ["nobody"]}, "unknown component nobody", id="unknown"),
        pytest.param(
            {"applications": ["web"], "parameters": {"component_versions": {"web": {}}}},
            "component_versions",
            id="removed feature",
        ),
    ],
)
def test_invalid_hierarchy_is_refused(
    tmp_path: Path, values: dict[str, object], expected: str
) -> None:
    fleet = make_fleet(tmp_path, web={})
    fleet.configure(values)

    with pytest.raises(CommodoreError, match=expected):
        _push(fleet.config())


@pytest.mark.parametrize(
    ("engine", "expected"),
    [("native", "YAML tag !x is not supported"), ("reference", "inventory cannot be rendered")],
)
def test_yaml_tag_in_class_is_error(tmp_path: Path, engine: str, expected: str) -> None:
    fleet = make_fleet(tmp_path, web={})
    commit_to(
        fleet.repository("tenant"), {"common.yml": "applications: [web]\nparameters:\n  a: !x y\n"}
    )

    with pytest.raises(CommodoreError, match=expected) as caught:
        _push(fleet.config(engine=engine))

    assert "tag" in caught.value.hint


def test_removed_reference_reports_file_and_replacement(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    fleet.configure(
        {"applications": ["web"], "parameters": {"web": {"data": {"c": "${customer:name}"}}}}
    )

    with pytest.raises(CommodoreError) as caught:
        _push(fleet.config())

    assert "common.yml: parameters.web.data.c" in caught.value.where
    assert "${cluster:tenant}" in caught.value.hint


def test_deprecated_component_is_noticed_once(tmp_path: Path) -> None:
    metadata = "{deprecated: true, replaced_by: shop, multi_instance: true}"
    deprecated = f"parameters: {{web: {{data: {{}}, _metadata: {metadata}}}}}"
    fleet = make_fleet(tmp_path, web={"class/defaults.yml": deprecated})
    fleet.configure({"applications": ["web", "web as web-two"]})

    published = compile_catalog(fleet.config(), CLUSTER, approve=_no)

    assert [notice.message for notice in published.notices] == [
        "Component web is deprecated. Use component shop instead."
    ]


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"output_path": "../../x"}, id="output above"),
        pytest.param({"output_path": "/elsewhere"}, id="absolute output"),
        pytest.param({"input_type": "remove"}, id="removal of anything"),
    ],
)
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_component_cannot_reach_outside_its_place(
    tmp_path: Path, entry: dict[str, str], engine: str
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    compiled = {"input_paths": [str(victim)], "input_type": "copy", "output_path": "x", **entry}
    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": [compiled]}}})
    fleet = make_fleet(tmp_path, web={"class/web.yml": class_file})

    with pytest.raises(CommodoreError, match="outside of compiled/web") as caught:
        _push(fleet.config(engine=engine))

    assert "target web, parameters.kapitan.compile[0]" in caught.value.where
    assert victim.is_dir()


def test_unknown_entry_type_is_reported(tmp_path: Path) -> None:
    unknown = configmap_component("web")["class/web.yml"].replace(
        "input_type: jsonnet", "input_type: jsonent"
    )
    fleet = make_fleet(tmp_path, web={"class/web.yml": unknown})

    with pytest.raises(CommodoreError) as caught:
        _push(fleet.config())

    assert str(caught.value) == "web: 'jsonent' is not a valid input type"
    assert caught.value.where.splitlines() == [
        "dependencies/web/class/web.yml:6",
        "target web, parameters.kapitan.compile[0].input_type",
    ]
    assert caught.value.hint.startswith("did you mean jsonnet?")


def test_instance_named_cluster_is_refused_with_its_place(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"class/defaults.yml": MULTI})
    fleet.configure({"applications": ["web", "web as cluster"]})

    with pytest.raises(CommodoreError, match="'cluster' cannot be the name") as caught:
        _push(fleet.config())

    assert caught.value.where == "inventory/classes/t-acme/common.yml:3"
    assert "reserved for the bootstrap target" in caught.value.hint


@pytest.mark.parametrize(
    ("values", "place", "notes"),
    [
        pytest.param(
            {"applications": ["nobody"]},
            "inventory/classes/global/commodore.yml:4\nparameters.components",
            ("requested in inventory/classes/t-acme/common.yml:2",),
            id="unknown",
        ),
        pytest.param(
            {"applications": ["new"], "parameters": {"components": {"new": {"version": "v1"}}}},
            "inventory/classes/t-acme/common.yml:5\nparameters.components.new",
            ("requested in inventory/classes/t-acme/common.yml:2",),
            id="without a URL",
        ),
        pytest.param(
            {"applications": ["web"], "parameters": {"components": {"zz": {"version": "v1"}}}},
            "inventory/classes/t-acme/common.yml:5\nparameters.components.zz",
            (),
            id="only a version, of what is not deployed",
        ),
    ],
)
def test_missing_version_error_shows_its_place_and_users(
    tmp_path: Path, values: dict[str, object], place: str, notes: tuple[str, ...]
) -> None:
    fleet = make_fleet(tmp_path, web={})
    fleet.configure(values)

    with pytest.raises(CommodoreError) as caught:
        _push(fleet.config())

    assert (caught.value.where, notes_of(caught.value)) == (place, notes)
