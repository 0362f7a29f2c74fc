"""`commodore bundle …`: what is written, what is compiled first, and exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.bundles import Place

pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of the global configuration, as the current folder."""
    place.component("web", "v1.1.0", replicas=2)
    place.component("web", "v1.2.0", replicas=2, selector="other")
    place.component("web", "v1.3.0", replicas=2)
    folder = place.root / "checkout"
    git(place.root, "clone", "--quiet", "global.git", "checkout")
    monkeypatch.chdir(folder)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "User")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "user@example.com")
    return folder


def publish(place: Place, version: str, *words: str) -> None:
    ran = place.run("bundle", "publish", version, *words, "--test", "c-one", "--push")
    assert ran.code == 0, ran.err


def test_publish_compiles_clusters_before_writing_version(place: Place, checkout: Path) -> None:
    ran = place.run(
        *("bundle", "publish", "2026.11.2", "--cluster", "c-one", "--set", "web=v1.1.0"),
        *("-o", "json"),
    )

    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["tested"] == ["c-one"]
    assert git(checkout, "log", "-1", "--format=%s") == "Publish bundle 2026.11.2"
    assert git(checkout, "status", "--porcelain") == ""
    index = (checkout / "bundles/index.yml").read_text()
    assert index.startswith("schema: bundle-index/v1\norder: calver\nbundles:\n  - {version")
    assert f"web: {git(place.root / 'web.git', 'rev-parse', 'v1.1.0')}" in index
    shown = json.loads(place.run("bundle", "show", "2026.11.2", "-o", "json").out)
    assert [one["version"] for one in shown["entries"]] == ["v1.0.0", "v1.1.0"]


def test_publish_writes_nothing_if_test_cluster_fails(place: Place, checkout: Path) -> None:
    commit_to(place.root / "web.git", {"component/main.jsonnet": "error 'broken'"})
    git(place.root / "web.git", "tag", "v2.0.0")
    before = git(checkout, "rev-parse", "HEAD")

    ran = place.run("bundle", "publish", "2026.12.1", "--set", "web=v2.0.0", "--test", "c-one")

    assert ran.code == 1
    assert "while testing bundle 2026.12.1 with cluster c-one" in ran.err
    assert git(checkout, "rev-parse", "HEAD") == before
    assert git(checkout, "status", "--porcelain") == ""


def test_publish_pins_branch_to_commit(place: Place, checkout: Path) -> None:
    ran = place.run("bundle", "publish", "2026.12.1", "--set", "web=master", "--test", "c-one")

    assert ran.code == 0, ran.err
    commit = git(place.root / "web.git", "rev-parse", "master")
    text = (checkout / "bundles/2026-12-1.yml").read_text()
    assert f"version: {commit} # branch master\n" in text


@pytest.mark.usefixtures("checkout")
def test_publish_names_versions_not_tested(place: Place) -> None:
    applications = "applications: [web, db]\nparameters:\n  components:\n"
    place.tenant(f"{applications}    web: {{version: v1.1.0}}\n")
    words = ("bundle", "publish", "2026.12.1", "--set", "web=v1.3.0", "--test", "c-one")

    ran = place.run(*words)
    place.component("db", "v1.1.0", replicas=2)
    place.tenant(f"{applications}    web: {{version: v1.1.0}}\n    db: {{version: v1.1.0}}\n")
    nothing = place.run(*words[:2], "2026.12.2", *words[3:])

    assert ran.code == 0, ran.err
    place_of = "inventory/classes/t-one/c-one.yml:4"
    assert f"c-one  overrides component web  v1.1.0  ({place_of})\n" in ran.out
    assert "not tested: component web\n" in ran.out
    assert nothing.code == 1
    assert "cluster c-one tests nothing of bundle 2026.12.2: it overrides " in nothing.err


@pytest.mark.parametrize("version", ["2026.11.1", "2026.11-1"])
def test_publish_of_existing_version_or_file_is_refused(
    place: Place, checkout: Path, version: str
) -> None:
    ran = place.run("bundle", "publish", version, "--test", "c-one")

    assert ran.code == 1
    assert "exists" in ran.err
    assert git(checkout, "status", "--porcelain") == ""


def test_publish_lists_conflicting_locks(place: Place, checkout: Path) -> None:
    for name, version in (("one", "v1.0.0"), ("two", "v1.1.0")):
        place.bundle("2026.11.1", web=version, db="v1.0.0")
        lock = ("lock", "create", "c-one", "--lock", str(place.root / f"{name}.lock"))
        assert place.run("-d", str(place.root / name), *lock).code == 0
    locks = [f"--lock={place.root / name}.lock" for name in ("one", "two")]

    ran = place.run("bundle", "publish", "2026.12.1", *locks)
    decided = place.run("bundle", "publish", "2026.12.1", *locks, "--set", "web=v1.3.0")

    assert ran.code == 1
    assert "web: v1.0.0 in " in ran.err
    assert "--set web=VERSION" in ran.err
    assert decided.code == 0, decided.err
    assert "version: v1.3.0" in (checkout / "bundles/2026-12-1.yml").read_text()


def test_versions_aliases_and_other_classes_are_listed(place: Place, checkout: Path) -> None:
    publish(place, "2026.11.2", "--set", "web=v1.1.0")
    withdrawn = "withdrawn: {reason: too old, instead: 2026.11.2}"
    index = checkout / "bundles/index.yml"
    index.write_text(
        index.read_text().replace("class: 2026-11-1,", f"class: 2026-11-1, {withdrawn},")
    )
    (checkout / "bundles/own.yml").write_text("parameters: {}\n")
    (checkout / "bundles/stable.yml").write_text("classes: [.2026-11-1]\n")

    assert place.run("bundle", "list").out == (
        "2026.11.2\n"
        "2026.11.1  (stable)  withdrawn: too old, use 2026.11.2\n"
        "bundles/own.yml is not in the index\n"
    )


@pytest.mark.usefixtures("checkout")
def test_publish_grades_steps_from_earlier_versions(place: Place) -> None:
    publish(place, "2026.11.2", "--set", "web=v1.2.0")

    ran = place.run(
        *("bundle", "publish", "2026.11.3", "--set", "web=v1.3.0", "--test", "c-one"),
        *("-o", "json"),
    )

    assert ran.code == 0, ran.err
    steps = json.loads(ran.out)["steps"]
    assert [(one["before"], one["grade"]) for one in steps] == [
        ("2026.11.1", "none"),
        ("2026.11.2", "recreate"),
    ]


@pytest.mark.usefixtures("checkout")
def test_bundle_use_replaces_included_version(place: Place) -> None:
    publish(place, "2026.11.2", "--set", "web=v1.2.0")
    work = place.root / "work"
    assert place.run("-d", str(work), "catalog", "compile", "c-one").code == 0
    entry = work / "inventory/classes/global/commodore.yml"
    before = entry.read_bytes()

    dry = place.run("-d", str(work), "bundle", "use", "2026.11.2", "--dry-run")
    refused = place.run("-d", str(work), "bundle", "use", "2026.11.2", "--max-grade", "restart")
    unchanged = entry.read_bytes()
    ran = place.run("-d", str(work), "bundle", "use", "2026.11.2")
    after = entry.read_bytes()

    assert dry.code == 0, dry.err
    assert refused.code == 1
    assert "would change more than is accepted" in refused.err
    assert unchanged == before
    assert "spec.replicas: 1 -> 2" in dry.out
    assert ran.code == 0, ran.err
    assert after == before.replace(b"2026-11-1", b"2026-11-2")


@pytest.mark.usefixtures("checkout")
def test_bundle_use_refuses_class_selected_by_reference(place: Place) -> None:
    place.include(".bundles.${facts:bundle::2026-11-1}")
    work = place.root / "work"
    assert place.run("-d", str(work), "catalog", "compile", "c-one").code == 0

    ran = place.run("-d", str(work), "bundle", "use", "2026.11.1")
    absent = place.run("-d", str(work), "bundle", "use", "2026.11.1", "--at", "tenant")

    assert ran.code == 2
    assert "${facts:bundle::2026-11-1}" in ran.err
    assert "inventory/classes/global/commodore.yml:2" in ran.err
    assert absent.code == 2
    assert "classes that do: global.commodore" in absent.err
