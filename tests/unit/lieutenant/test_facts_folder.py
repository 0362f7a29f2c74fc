"""A folder of facts: what it answers, and how it complains."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.clusters import cluster_ids, list_clusters, load_cluster, report_body
from tests.support.builders import make_config
from tests.support.lieutenant import (
    as_yaml,
    cluster_object,
    make_record,
    problem_lines,
    report,
    tenant_object,
)
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """One cluster and its tenant."""
    return a_folder_with(
        tmp_path / "facts",
        {"clusters/c-1.yaml": cluster_object(), "tenants/t-1.yaml": tenant_object()},
    )


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return make_config(tmp_path / "work", api_url="./facts")


def a_folder_with(folder: Path, files: dict[str, object]) -> Path:
    """Texts as they are, everything else as YAML."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else as_yaml(content), "utf-8")
    return folder


def problems(config: Config, cluster_id: str = "c-1") -> list[str]:
    with pytest.raises(CommodoreError) as raised:
        load_cluster(config, cluster_id)
    return problem_lines(raised.value)


def test_both_endings_will_do(facts: Path, config: Config) -> None:
    (facts / "clusters/c-1.yaml").rename(facts / "clusters/c-1.yml")

    assert load_cluster(config, "c-1").catalog_url == "ssh://git@git.example.org/c-1.git"


@each(
    ("text", "place", "problem"),
    [
        ("id: [\n", "clusters/c-1.yaml:2:1", "not valid YAML"),
        ("id: c-1\n\ttenant: t", "clusters/c-1.yaml:2:1", "not valid YAML"),
        ("a: 1\n---\nb: 1\n", "clusters/c-1.yaml:2:1", "not valid YAML"),
        ("id: \x00", "clusters/c-1.yaml:1", "not valid YAML"),
        ("", "clusters/c-1.yaml:1", "expected a mapping, found nothing"),
        ("- id: c-1\n", "clusters/c-1.yaml:1", "expected a mapping, found a list"),
        ("tenant: t-1\n", "clusters/c-1.yaml:1", "id is missing"),
        ("tenant: t-1\nid: 1\n", "clusters/c-1.yaml:2", "id must be a string, not a number"),
        ("\nid: c-2\n", "clusters/c-1.yaml:2", "the id is c-2, but the file is named c-1.yaml"),
        (
            "id: c-1\nx: &a\n  y: *a\n",
            "clusters/c-1.yaml:2:4",
            "an alias refers to a value that contains it",
        ),
    ],
)
def test_a_malformed_file_is_reported_with_its_line(
    facts: Path, config: Config, text: str, place: str, problem: str
) -> None:
    (facts / "clusters/c-1.yaml").write_text(text)

    with pytest.raises(CommodoreError, match=problem) as raised:
        load_cluster(config, "c-1")

    assert raised.value.where.splitlines()[0] == f"facts/{place}"


@each(
    ("field", "line", "problem"),
    [
        ("facts: []", 3, "facts must be a mapping, not a list"),
        ("gitRepo: https://x", 3, "gitRepo must be a mapping, not a string"),
        ("gitRepo:\n  type: auto\n  url: 5", 5, "gitRepo.url must be a string, not a number"),
        ("gitRepo:\n  type: auto", 3, "cluster c-1 has no catalog repository"),
        ("facts: {cloud: x}", 3, "cluster c-1 has no fact distribution"),
        ("facts:\n  cloud: x\n  distribution: ''", 5, "cluster c-1 has no fact distribution"),
        ("displayName: 1.10", 3, "displayName must be a string, not a number"),
        ("globalGitRepoRevision: 1.10", 3, "globalGitRepoRevision must be a string, not a number"),
        ("facts:\n  since: 2026-01-01", 4, "facts.since must be a string or a number, not a date"),
        ("dynamicFacts:\n  80: x", 4, "dynamicFacts.80: a key must be a string, not a number"),
        ("dynamicFacts:\n  x: [.nan]", 4, "dynamicFacts.x is not a finite number"),
    ],
)
def test_a_wrong_field_is_reported_with_its_line(
    facts: Path, config: Config, field: str, line: int, problem: str
) -> None:
    (facts / "clusters/c-1.yaml").write_text(f"id: c-1\ntenant: t-1\n{field}\n")

    assert f"facts/clusters/c-1.yaml:{line}: {problem}" in problems(config)


def test_the_lines_of_both_files_are_reported_together(facts: Path, config: Config) -> None:
    (facts / "clusters/c-1.yaml").write_text("id: c-1\ntenant: t-1\nfacts: {cloud: a}\ngitRepo: []")
    (facts / "tenants/t-1.yaml").write_text("id: t-1\ngitRepo: {url: x}\n")

    assert problems(config) == [
        "facts/clusters/c-1.yaml:4: gitRepo must be a mapping, not a list",
        "facts/clusters/c-1.yaml:3: cluster c-1 has no fact distribution",
        "facts/tenants/t-1.yaml:1: tenant t-1 has no repository of the global configuration",
    ]


def test_a_missing_tenant_file_is_named_with_those_present(facts: Path, config: Config) -> None:
    (facts / "tenants/t-1.yaml").rename(facts / "tenants/t-2.yaml")

    with pytest.raises(CommodoreError, match="tenant t-1 is not known") as raised:
        load_cluster(config, "c-1")

    assert raised.value.where.startswith("facts/clusters/c-1.yaml:")
    assert raised.value.hint.startswith("did you mean t-2?")
    assert raised.value.__notes__ == ["while loading cluster c-1"]


def test_a_missing_folder_of_tenants_is_reported_once(facts: Path, config: Config) -> None:
    (facts / "tenants/t-1.yaml").unlink()
    (facts / "tenants").rmdir()

    with pytest.raises(CommodoreError, match="tenant t-1 is not known") as raised:
        load_cluster(config, "c-1")

    assert raised.value.hint.startswith("there is no tenant")


@pytest.mark.parametrize(
    ("requested", "present", "hint"),
    [
        ("c-blue-sky", ["c-blue-skye", "c-red"], "did you mean c-blue-skye?"),
        ("zzz", ["c-b", "c-a"], "known clusters: c-a, c-b"),
        ("zzz", [], "there is no cluster"),
    ],
)
def test_an_unknown_cluster_is_answered_with_the_known(
    tmp_path: Path, config: Config, requested: str, present: list[str], hint: str
) -> None:
    (tmp_path / "facts/clusters").mkdir(parents=True)
    a_folder_with(tmp_path / "facts", {f"clusters/{name}.yaml": "{}" for name in present})

    with pytest.raises(CommodoreError, match=f"cluster {requested} is not known") as raised:
        load_cluster(config, requested)

    assert raised.value.where == "facts/clusters"
    assert raised.value.hint == hint


@pytest.mark.parametrize("folders", ["", "facts", "facts/tenants"])
def test_missing_content_of_the_folder_is_reported(
    tmp_path: Path, config: Config, folders: str
) -> None:
    (tmp_path / folders).mkdir(parents=True, exist_ok=True)

    with pytest.raises(CommodoreError, match="no such folder") as raised:
        list_clusters(config)

    assert raised.value.where == ("facts/clusters" if folders else "facts")
    assert "clusters/<id>.yaml and tenants/<id>.yaml" in raised.value.hint


@pytest.mark.parametrize("cluster_id", ["../tenants/t-1", "..", ".", "", "a/b", "/etc/x", "a\x00"])
def test_an_id_never_leads_out_of_the_folder(facts: Path, config: Config, cluster_id: str) -> None:
    (facts / "clusters/a").mkdir()
    a_folder_with(facts, {"clusters/a/b.yaml": cluster_object(id="a/b")})

    with pytest.raises(CommodoreError, match="not a valid cluster id"):
        load_cluster(config, cluster_id)


def test_two_files_of_one_cluster_are_refused(facts: Path, config: Config) -> None:
    a_folder_with(facts, {"clusters/c-1.yml": cluster_object()})

    assert problems(config) == [
        "facts/clusters/c-1.yaml and facts/clusters/c-1.yml: c-1 has two files"
    ]


def test_only_the_api_s_objects_are_listed(facts: Path, config: Config) -> None:
    a_folder_with(facts, {"clusters/README.md": "words", "clusters/.c-2.yaml.swp.yaml": "{"})
    (facts / "clusters/c-3.yaml").mkdir()

    assert list_clusters(config) == [cluster_object()]
    assert cluster_ids(config) == ["c-1"]


def test_every_malformed_file_is_reported_when_listing(facts: Path, config: Config) -> None:
    a_folder_with(facts, {"clusters/a.yaml": "[]", "clusters/b.yaml": "id: c\nx: 2026-01-01\n"})

    with pytest.raises(CommodoreError) as raised:
        list_clusters(config)

    assert problem_lines(raised.value) == [
        "facts/clusters/a.yaml:1: expected a mapping, found a list",
        "facts/clusters/b.yaml:2: x must be a string or a number, not a date",
        "facts/clusters/b.yaml:1: the id is c, but the file is named b.yaml",
    ]


@pytest.mark.parametrize(
    ("sort_by", "order"),
    [
        ("", ["c-1", "c-2", "c-3"]),
        ("id", ["c-1", "c-2", "c-3"]),
        ("tenant", ["c-2", "c-3", "c-1"]),
        ("displayName", ["c-3", "c-2", "c-1"]),
    ],
)
def test_clusters_are_sorted_and_then_by_id(
    tmp_path: Path, config: Config, sort_by: str, order: list[str]
) -> None:
    clusters: tuple[dict[str, object], ...] = (
        {"id": "c-1", "tenant": "t-2", "displayName": "z"},
        {"id": "c-2", "tenant": "t-1", "displayName": "y"},
        {"id": "c-3", "tenant": "t-1"},
    )
    a_folder_with(tmp_path / "facts", {f"clusters/{c['id']}.yaml": c for c in clusters})

    assert [cluster["id"] for cluster in list_clusters(config, sort_by=sort_by)] == order


def test_another_sort_key_is_answered_with_the_choices(facts: Path, config: Config) -> None:
    assert facts.is_dir()
    with pytest.raises(CommodoreError, match="cannot be sorted by age") as raised:
        list_clusters(config, sort_by="age")

    assert raised.value.hint == "choices: id, tenant, displayName"


def test_completion_needs_no_sound_files(facts: Path, config: Config) -> None:
    a_folder_with(facts, {"clusters/broken.yaml": "["})

    assert cluster_ids(config) == ["broken", "c-1"]


def test_completion_without_a_folder_is_empty(config: Config) -> None:
    assert cluster_ids(config) == []


def test_a_report_is_stored_beside_the_facts(facts: Path, config: Config) -> None:
    report(config, make_record())

    text = (facts / "reports/c-1.json").read_text()

    assert json.loads(text) == report_body(make_record())
    assert text.startswith('{\n  "commodoreBuildInfo": {\n    "version"')
    assert text.endswith("}\n")


def test_a_report_that_cannot_be_stored_is_an_error(facts: Path, config: Config) -> None:
    (facts / "reports").write_text("in the way")

    with pytest.raises(CommodoreError, match="cannot write the report") as raised:
        report(config, make_record())

    assert raised.value.where == "facts/reports/c-1.json"
    assert raised.value.__notes__ == ["while reporting the compile of cluster c-1"]


@pytest.mark.parametrize("form", ["{0}", "file://{0}", "./facts/", "file://facts"])
def test_the_folder_may_be_named_in_other_ways(facts: Path, config: Config, form: str) -> None:
    named = make_config(config.paths.root, api_url=form.format(facts))

    assert load_cluster(named, "c-1").tenant == "t-1"


def test_a_slip_of_a_field_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "clusters"
    folder.mkdir()
    (folder / "c-one.yaml").write_text("id: c-one\ntenant: t-a\ndynamicfacts: {a: 1}\nnotes: x\n")

    list_clusters(make_config(tmp_path, api_url=str(tmp_path)))

    [warning] = caplog.messages
    assert "c-one.yaml:3: dynamicfacts is ignored; did you mean dynamicFacts?" in warning
