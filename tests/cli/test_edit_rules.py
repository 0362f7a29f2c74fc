"""`commodore edit`: what it refuses and says, and what its transactions leave behind."""

from __future__ import annotations

import json
import os
import stat
from shutil import rmtree, which
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run
from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.class_files import Changed, replace_class_file
from commodore_py.errors import CommodoreError
from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLASSES = "inventory/classes"
CLUSTER = f"{CLASSES}/t-demo/c-demo-1.yml"
TENANT = f"{CLASSES}/t-demo/common.yml"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground with a compiled cluster, whose repositories may be pushed to."""
    folder = tmp_path_factory.mktemp("rules") / "demo"
    write_demo(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        words = ("catalog", "compile", "c-demo-1", "--api-url", str(folder / "facts"))
        assert run(("-d", str(folder), *words)) == 0
    return folder


@pytest.fixture
def place(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The playground; its class files and the head of the tenant's are put back afterwards."""
    monkeypatch.setenv("COMMODORE_WORKING_DIR", str(compiled))
    monkeypatch.setenv("COMMODORE_API_URL", str(compiled / "facts"))
    monkeypatch.chdir(compiled)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "A Tester")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "tester@example.com")
    tenant = compiled / CLASSES / "t-demo"
    head = git(tenant, "rev-parse", "HEAD")
    yield compiled
    git(tenant, "checkout", "--quiet", "--force", "master")
    git(tenant, "reset", "--quiet", "--hard", head)
    git(tenant, "clean", "--quiet", "--force", "-d")


def write(place: Path, text: str | bytes, name: str = CLUSTER) -> bytes:
    content = text.encode() if isinstance(text, str) else text
    (place / name).write_bytes(content)
    return content


def test_set_of_tenant_value_writes_cluster_class(commodore: CommandLine, place: Path) -> None:
    before = (place / TENANT).read_bytes()
    path = "monitoring.alerts.disk_full_at"

    ran = commodore("edit", "set", path, "0.5")

    assert (ran.code, (place / TENANT).read_bytes()) == (0, before)
    assert CLUSTER in ran.err
    assert commodore("edit", "get", path).out == "0.5\n"


def test_cluster_without_class_suggests_other_levels(commodore: CommandLine, place: Path) -> None:
    file = place / CLASSES / "global/commodore.yml"
    text = file.read_text()
    file.write_text(text.replace("${cluster:tenant}.${cluster:name}", "${cluster:tenant}.common"))
    try:
        ran = commodore("edit", "set", "a.b", "1")
    finally:
        file.write_text(text)

    assert ran.code == 1
    assert "no class of cluster c-demo-1 is included" in ran.err
    assert "--tenant or --global" in ran.err
    assert TENANT in ran.err


def test_set_of_overridden_instance_key_names_instance(commodore: CommandLine, place: Path) -> None:
    text = (place / CLUSTER).read_text()
    more = "  backup:\n    schedule: a\n  backup_archive:\n    schedule: own\n"
    write(place, text.replace("parameters:\n", f"parameters:\n{more}", 1))

    ran = commodore("edit", "set", "backup.schedule", "b", "--dry-run")

    assert "backup-archive" in ran.err
    assert "the value has no effect" in ran.err


@pytest.mark.parametrize("value", ["yes", "0123", "null", "a: b", "a #b", " a ", "2026-01-01", "~"])
def test_text_stays_text_under_any_key(commodore: CommandLine, place: Path, value: str) -> None:
    import yaml

    path = '"a.b".\'c "d\'[]'.replace("[]", '."7"')
    ran = commodore("edit", "set", '"a.b"."7"', json.dumps(value))

    assert ran.code == 0, path
    found = yaml.safe_load((place / CLUSTER).read_text())["parameters"]["a.b"]
    assert [str(item) for item in found.values()] == [value]


def test_edit_keeps_file_mode(commodore: CommandLine, place: Path) -> None:
    (place / CLUSTER).chmod(0o640)

    assert commodore("edit", "set", "web_shop.replicas", "9").code == 0
    assert stat.S_IMODE((place / CLUSTER).stat().st_mode) == 0o640


@pytest.mark.slow
def test_edit_is_refused_only_for_new_problems(commodore: CommandLine, place: Path) -> None:
    text = (place / CLUSTER).read_text()
    broken = text.replace(
        "parameters:\n", "parameters:\n  bad: ${no:such}\n  worse: ${nor:this}\n", 1
    )
    write(place, broken)

    ran = commodore("edit", "unset", "bad")
    assert ran.code == 0, ran.err
    assert "not caused by the edit" in ran.err
    ran = commodore("edit", "set", "worst", "${not:that}")
    assert ran.code == 1
    assert "not:that" in ran.err
    assert commodore("edit", "unset", "worse").code == 0


def test_edit_with_policies_but_without_opa_is_refused(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies = place / CLASSES / "global/policies"
    policies.mkdir()
    (policies / "a.rego").write_text("package main\n")
    programs = place / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "git").unlink(missing_ok=True)
    (programs / "git").symlink_to(which("git") or "")
    monkeypatch.setenv("PATH", str(programs))

    try:
        ran = commodore("edit", "set", "web_shop.replicas", "9")
    finally:
        rmtree(policies)

    assert ran.code == 1
    assert "commodore tool install opa" in ran.err


@pytest.mark.slow
def test_edit_failing_in_another_cluster_is_refused(commodore: CommandLine, place: Path) -> None:
    before = (place / TENANT).read_bytes()

    ran = commodore("edit", "set", "x", "1", "--tenant", "--cluster", "c-demo-9")
    assert ran.code == 1
    assert "c-demo-9" in ran.err
    ran = commodore("edit", "add", "monitoring.channels", "sms", "--tenant", "--cluster", "all")
    assert ran.code == 0
    assert "were not compiled" not in ran.err
    assert (place / TENANT).read_bytes() != before


def tenant_of(place: Path) -> Path:
    return place / CLASSES / "t-demo"


def test_edit_commit_contains_only_edited_file(commodore: CommandLine, place: Path) -> None:
    tenant = tenant_of(place)
    (tenant / "other.yml").write_text("parameters: {}\n")
    git(tenant, "add", "other.yml")
    words = ("edit", "set", "web_shop.replicas")

    assert commodore(*words, "5", "--commit").code == 0
    assert git(tenant, "show", "--format=%s", "--name-only", "HEAD").split() == [
        *("set", "web_shop.replicas", "(c-demo-1)", "c-demo-1.yml"),
    ]
    assert git(tenant, "status", "--porcelain") == "A  other.yml"

    write(place, (place / CLUSTER).read_text() + "# by hand\n")
    ran = commodore(*words, "6", "--commit")
    assert ran.code == 1
    assert "changes that are not committed" in ran.err
    same = commodore(*words, "5", "--commit")
    assert (same.code, "Nothing to do" in same.err) == (1, False)
    assert f"git -C {CLASSES}/t-demo commit c-demo-1.yml" in same.err
    git(tenant, "checkout", "--quiet", "c-demo-1.yml")
    git(tenant, "checkout", "--quiet", "--detach")
    ran = commodore(*words, "6", "--commit")
    assert ran.code == 1
    assert "at no branch" in ran.err
    assert "git checkout master" in ran.err
    assert "commodore lock update tenant" in ran.err


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("echo not today >&2; exit 1", "not today"),
        ("echo '# more' >> c-demo-1.yml; git add c-demo-1.yml", "a hook changed the file"),
    ],
)
def test_failing_commit_hook_restores_files(
    commodore: CommandLine, place: Path, script: str, problem: str
) -> None:
    tenant, before = tenant_of(place), (place / CLUSTER).read_bytes()
    hook = tenant / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
    head = git(tenant, "rev-parse", "HEAD")
    try:
        ran = commodore("edit", "set", "web_shop.replicas", "5", "--commit")
    finally:
        hook.unlink()

    assert ran.code == 1
    assert problem in ran.err
    assert git(tenant, "rev-parse", "HEAD") == head
    assert (place / CLUSTER).read_bytes() == before
    assert git(tenant, "status", "--porcelain") == ""


def test_edit_is_repeated_after_concurrent_push(commodore: CommandLine, place: Path) -> None:
    remote = place / "repos/t-demo.git"
    commit_to(remote, {"new.yml": "parameters: {}\n"})

    ran = commodore("edit", "set", "web_shop.replicas", "6", "--push")

    assert ran.code == 0, ran.err
    assert "Committed and pushed as" in ran.err
    assert git(remote, "log", "-2", "--format=%P", "--name-only", "master").count("\n") > 1
    assert "replicas: 6" in git(remote, "show", "master:c-demo-1.yml")
    assert git(remote, "show", "master:new.yml")


def test_edit_is_checked_against_parameter_schema(commodore: CommandLine, place: Path) -> None:
    schema = place / "dependencies/web-shop/class/defaults.schema.json"
    rules = {
        "properties": {
            "replicas": {"type": "integer"},
            "tier": {"enum": ["small", "large"]},
            "key": {"type": "string", "maxLength": 3, "x-commodore-secret": True},
        },
        "additionalProperties": False,
    }
    words = ("edit", "set")
    try:
        schema.write_text(json.dumps({**rules, "additionalProperties": True}))
        ran = commodore(*words, "web_shop.tier", "huge")
        assert ran.code == 1
        assert "web_shop.tier: huge is not one of small, large" in ran.err
        assert commodore(*words, "web_shop.tier", "large").code == 0
        ran = commodore(*words, "web_shop.key", "hunter2")
        assert ran.code == 1
        assert "web_shop.key must be a secret reference" in ran.err
        assert "hunter2" not in ran.err.replace("edit set web_shop.key hunter2", "")
        assert commodore(*words, "web_shop.key", "?{vaultkv:a/b/c}").code == 0
        schema.write_text(json.dumps({"$ref": "https://example.com/schema"}))
        ran = commodore(*words, "web_shop.tier", "huge")
        assert (ran.code, "refers to another file" in ran.err) == (0, False)
    finally:
        schema.unlink()


@pytest.mark.slow
def test_refused_edits_and_dry_runs_change_no_file(commodore: CommandLine, place: Path) -> None:
    """Except for logs of Git and the lock."""

    def state() -> dict[str, bytes]:
        return {
            str(file): file.read_bytes()
            for file in sorted(place.rglob("*"))
            if file.is_file() and not file.is_symlink() and ".commodore/" not in str(file)
        }

    before = state()
    assert commodore("edit", "set", "web_shop.replicas", "5", "--dry-run").code == 0
    assert commodore("edit", "set", "web_shop.replicas", "${no:such}").code == 1
    assert commodore("edit", "set", "components.backup.version", "v1.0.0", "--dry-run").code == 0
    assert state() == before


def test_concurrently_saved_class_file_is_kept(place: Path) -> None:
    write(place, "saved: by hand\n")

    with pytest.raises(Changed):
        replace_class_file(WorkPaths(place), place / CLUSTER, b"old\n", b"new\n")
    assert (place / CLUSTER).read_text() == "saved: by hand\n"
    assert not (place / ".commodore/edit.new").exists()


@pytest.mark.parametrize("leftover", [b"old\n", b"half of the n"])
def test_leftover_of_killed_edit_is_overwritten(place: Path, leftover: bytes) -> None:
    old = (place / CLUSTER).read_bytes()
    (place / ".commodore/edit.new").write_bytes(leftover)

    replace_class_file(WorkPaths(place), place / CLUSTER, old, b"new\n")

    assert (place / CLUSTER).read_bytes() == b"new\n"
    assert not (place / ".commodore/edit.new").exists()


def test_unwritable_state_folder_keeps_class_file(place: Path) -> None:
    old = (place / CLUSTER).read_bytes()
    state = (place / ".commodore").rename(place / "state")
    (place / ".commodore").touch()
    try:
        with pytest.raises(CommodoreError, match="cannot write"):
            replace_class_file(WorkPaths(place), place / CLUSTER, old, b"new\n")
    finally:
        (place / ".commodore").unlink()
        state.rename(place / ".commodore")
    assert (place / CLUSTER).read_bytes() == old


def test_component_entry_is_set_and_unset(commodore: CommandLine, place: Path) -> None:
    url = f"file://{place}/repos/component-certificates.git"
    text = (place / CLUSTER).read_text()

    ran = commodore("edit", "set", "components.more", f"{{url: '{url}', version: v1.4.0}}")
    assert ran.code == 0, ran.err
    assert f"url: {url}\n      version: v1.4.0\n" in (place / CLUSTER).read_text()
    wrong = commodore("edit", "set", "components.more.version", "v9")
    assert wrong.code == 1
    assert "there is no version v9 of more" in wrong.err

    assert commodore("edit", "unset", "components.more").code == 0
    assert (place / CLUSTER).read_text() == text


@pytest.mark.slow
def test_data_loss_is_accepted_by_the_ignore_file_alone(
    commodore: CommandLine, place: Path
) -> None:
    before = (place / CLUSTER).read_bytes()
    words = ("edit", "remove", "applications", "web-shop")
    file = place / CLASSES / "global/.commodore-problems.toml"

    ran = commodore(*words)
    assert (ran.code, (place / CLUSTER).read_bytes()) == (1, before)
    assert "the edit would lose data: Namespace web-shop" in ran.err
    assert "ignore the code change/data-loss in .commodore-problems.toml" in ran.err
    file.write_text('ignore = [{ code = "change/data-loss", reason = "a test" }]\n')
    try:
        assert commodore(*words).code == 0
    finally:
        file.unlink()
