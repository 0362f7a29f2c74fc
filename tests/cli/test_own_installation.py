"""From an empty directory to an installation of one's own."""

from __future__ import annotations

import json
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import commit_to, git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMMODORE_API_URL", raising=False)
    return tmp_path


def test_new_installation_compiles_and_pushes(commodore: CommandLine, here: Path) -> None:
    made = commodore("init", "My Fleet", "-o", "json")
    result = json.loads(made.out)

    assert (made.code, result["cluster"], result["tenant"]) == (0, "c-my-fleet", "t-my-fleet")
    assert result["next_steps"][:2] == [
        "cd 'My Fleet'",
        "commodore catalog compile c-my-fleet --push",
    ]
    compile_it = ("-d", "My Fleet", "catalog", "compile", "c-my-fleet", "--push")
    assert commodore(*compile_it, "--api-url", "./My Fleet/facts").code == 0
    files = git(
        here / "My Fleet/repos/catalog-c-my-fleet.git", "ls-tree", "-r", "--name-only", "HEAD"
    )
    assert "manifests/apps/hello.yaml" in files.split()


def test_given_repositories_are_used_and_left_alone(commodore: CommandLine, here: Path) -> None:
    urls = {}
    for name in ("global", "tenant", "catalog"):
        urls[name] = make_repository(here / f"{name}.git", {"README.md": name}).as_uri()
    options = {"global": "--global-repository", "tenant": "--repository", "catalog": "--catalog"}
    words = (word for name, option in options.items() for word in (option, urls[name]))

    assert commodore("init", "fleet", *words).code == 0
    facts = "".join(file.read_text() for file in (here / "fleet/facts").rglob("*.yaml"))
    assert all(url in facts for url in urls.values())
    assert not (here / "fleet/repos").exists()


def test_init_for_server_writes_only_its_url(commodore: CommandLine, here: Path) -> None:
    made = commodore("init", "fleet", "--lieutenant", "http://127.0.0.1:9", "--skip-login")

    assert made.code == 0
    assert "COMMODORE_API_URL=http://127.0.0.1:9\n" in (here / "fleet/.env").read_text()
    assert [path.name for path in (here / "fleet").iterdir()] == [".env"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("full",), "the folder for the installation is not empty"),
        (("file",), "is not a folder"),
        (("new", "--api-url", "https://[", "--skip-login"), "https://["),
        (
            ("new", "--api-url", "https://api.example.com", "--catalog", "x", "--skip-login"),
            "omit --repository",
        ),
    ],
)
def test_init_refuses_invalid_name_or_folder(
    commodore: CommandLine, here: Path, words: tuple[str, ...], reason: str
) -> None:
    (here / "full").mkdir()
    (here / "full/notes").write_text("mine")
    (here / "file").write_text("mine")
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}

    ran = commodore("init", *words)

    assert ran.code in (1, 2)
    assert reason in ran.err
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_first_tenant_and_cluster_are_added_to_empty_folder(
    commodore: CommandLine, here: Path
) -> None:
    hierarchy = "classes: ['${cluster:tenant}.${cluster:name}']\n"
    make_repository(here / "global.git", {"commodore.yml": hierarchy})
    make_repository(here / "tenant.git", {"c-one.yml": "parameters: {}\n"})
    make_repository(here / "catalog.git", {"README.md": ""})
    facts = ("--api-url", "./facts")

    tenant = commodore(
        *("tenant", "add", "t-one", *facts, "--repository", "./tenant.git"),
        *("--global-repository", (here / "global.git").as_uri()),
    )
    cluster = commodore(
        *("cluster", "add", "c-one", "--tenant", "t-one", *facts, "--fact", "cloud=here"),
        *("--fact", "distribution=k3s", "--catalog", (here / "catalog.git").as_uri()),
    )

    assert (tenant.code, cluster.code) == (0, 0)
    assert (here / "tenant.git").as_uri() in (here / "facts/tenants/t-one.yaml").read_text()
    assert "facts/tenants/t-one.yaml" in tenant.err
    assert "facts/clusters/c-one.yaml" in cluster.err
    assert "the cluster has no components" in cluster.err
    assert commodore("catalog", "list", "-o", "id", *facts).out.split() == ["c-one"]


@pytest.mark.parametrize("name", ["catalog.lock", "locks/c-fleet.lock"])
def test_lock_file_with_default_name_is_used(
    commodore: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    commodore("init", "fleet")
    monkeypatch.chdir(here / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    compile_it = ("catalog", "compile", "c-fleet")
    unlocked = commodore(*compile_it, "--frozen")
    (here / "fleet/locks").mkdir()
    assert commodore(*compile_it, "--lock", name).code == 0
    change = {"c-fleet.yml": "classes: [.common]\nparameters: {hello: {namespace: other}}\n"}
    commit_to(here / "fleet/repos/t-fleet.git", change)

    def namespace(ran: Ran, *, below: str = ".") -> str:
        assert ("Using the lock file" in ran.err) is (f"Using the lock file {name}" in ran.err)
        app = here / "fleet" / below / "catalog/manifests/apps/hello.yaml"
        return str(yaml.safe_load(app.read_text())["spec"]["destination"]["namespace"])

    assert namespace(commodore(*compile_it)) == "syn-hello"
    several = commodore(*compile_it, "c-unknown")
    assert namespace(several, below="clusters/c-fleet") == "syn-hello"
    text = (here / "fleet" / name).read_text()
    (here / "fleet" / name).write_text(text.replace('id = "c-fleet"', 'id = "c-other"'))
    of_another = commodore(*compile_it)
    frozen = commodore(*compile_it, "--frozen")

    not_used = f"{name} is the lock of cluster c-other"
    assert of_another.err.count(f"warning: {not_used}: not used") == 1
    assert (frozen.code, not_used in frozen.err) == (2, True)
    assert (unlocked.code, "--frozen requires a lock" in unlocked.err) == (2, True)
    assert f"Using the lock file {name}" in several.err
    assert (namespace(of_another), "lock file" in of_another.err) == ("other", False)


def test_dry_run_announces_backup_of_local_work(
    commodore: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commodore("init", "fleet")
    monkeypatch.chdir(here / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    commodore("catalog", "compile", "c-fleet")
    (here / "fleet/dependencies/hello/component/main.jsonnet").write_text("{ mine: 1 }")

    dry = commodore("catalog", "compile", "c-fleet", "--force", "--dry-run")
    real = commodore("catalog", "compile", "c-fleet", "--force")

    assert "component hello: local work would be backed up\n" in dry.err
    assert "see it with" not in dry.err
    assert "component hello: local work was backed up; see it with: git" in real.err


def _steps_of(ran: Ran) -> list[list[str]]:
    return [shlex.split(line) for line in ran.err.partition("Next steps:\n")[2].splitlines()]


@pytest.fixture
def fleet(commodore: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation that was compiled."""
    commodore("init", "fleet")
    monkeypatch.chdir(here / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    assert commodore("catalog", "compile", "c-fleet").code == 0
    return here / "fleet"


@pytest.mark.parametrize("kind", ["component", "package"])
def test_suggested_steps_of_new_component_compile(
    commodore: CommandLine, fleet: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.com")
    made = commodore(kind, "new", "web-shop")
    again = commodore(kind, "new", "web-shop")

    for program, *words in _steps_of(made):
        if program == "git":
            git(fleet, *words)
        elif words[:2] != ["package", "test"]:  # it has no component yet
            ran = commodore(*words)
            assert ran.code == 0, ran.err
    prefix = "pkg." if kind == "package" else ""
    assert (
        f"  - {prefix}web-shop\n" in (fleet / "inventory/classes/t-fleet/c-fleet.yml").read_text()
    )
    assert (fleet / f"dependencies/{prefix}web-shop/.git").is_file()
    assert (again.code, "there is a repository of that name" in again.err) == (1, True)


def test_new_component_with_owner_has_github_remote(commodore: CommandLine, fleet: Path) -> None:
    ran = commodore("component", "new", "web-shop", "--owner", "me")

    assert "github.com/me/component-web-shop.git" in ran.err
    assert not (fleet / "repos/component-web-shop.git").exists()


def test_moved_installation_compiles_after_replacing_urls(
    commodore: CommandLine, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fleet / "dependencies/hello/component/mine.jsonnet").write_text("{}")
    moved = fleet.rename(fleet.with_name("moved"))
    monkeypatch.chdir(moved)
    compile_it = ("catalog", "compile", "c-fleet")

    failed = commodore(*compile_it)
    for file in (moved / "facts").rglob("*.yaml"):
        file.write_text(file.read_text().replace(f"{fleet}/repos", f"{moved}/repos"))
    work = commodore(*compile_it)
    (moved / "dependencies/hello/component/mine.jsonnet").unlink()
    compiled = commodore(*compile_it)

    assert failed.code == 1
    assert "  facts/clusters/c-fleet.yaml:10\n" in failed.err
    assert f"replace {fleet}/repos by {moved}/repos" in failed.err
    assert "untracked component/mine.jsonnet" in work.err
    assert compiled.code == 0, compiled.err


@pytest.mark.parametrize("removed", ["dependencies/hello", "dependencies", "dependencies/.repos"])
def test_removed_checkouts_are_restored(commodore: CommandLine, fleet: Path, removed: str) -> None:
    shutil.rmtree(fleet / removed)

    local = commodore("catalog", "compile", "c-fleet", "--local")
    ran = commodore("catalog", "compile", "c-fleet")
    if removed.endswith(".repos"):
        assert ran.err.count("move it away; it is checked out again") == 2
        for name in ("argocd", "hello"):
            shutil.rmtree(fleet / "dependencies" / name)
        ran = commodore("catalog", "compile", "c-fleet")
    elif removed == "dependencies":
        assert "compile once without --local to fetch them" in local.err

    assert ran.code == 0, ran.err
    assert (fleet / "dependencies/hello/class/hello.yml").is_file()


def test_new_component_in_place_of_checkout_is_local_work(
    commodore: CommandLine, fleet: Path
) -> None:
    shutil.rmtree(fleet / "dependencies/hello")
    commodore("component", "new", "hello", "--owner", "me")
    (fleet / "dependencies/hello/mine").write_text("mine")
    git(fleet / "dependencies/hello", "add", "mine")

    ran = commodore("catalog", "compile", "c-fleet")

    assert ran.code == 1
    assert "component hello holds local work, and its repository changed" in ran.err
    assert "added mine" in ran.err
    assert "github.com/me" in (fleet / "dependencies/hello/.git").read_text()


def test_missing_api_url_names_facts_of_directory(
    commodore: CommandLine, fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMMODORE_API_URL")
    monkeypatch.chdir(fleet.parent)
    outside = commodore("-d", "fleet", "catalog", "list")
    monkeypatch.chdir(fleet)
    (fleet / ".env").unlink()
    inside = commodore("catalog", "list")

    assert f"{fleet}/.env is read in {fleet} only" in outside.err
    assert "add --api-url ./fleet/facts" in outside.err
    assert "add --api-url ./facts, or set it in .env" in inside.err


@pytest.mark.parametrize("name", ["catalog.lock", "locks/c-fleet.lock"])
def test_frozen_compiles_of_all_clusters_use_default_locks(
    commodore: CommandLine, fleet: Path, name: str
) -> None:
    compile_all = ("catalog", "compile", "--all", "--frozen")
    without = commodore(*compile_all)
    (fleet / "locks").mkdir()
    commodore("catalog", "compile", "c-fleet", "--lock", name)

    ran = commodore(*compile_all)

    assert (without.code, "--frozen requires a lock" in without.err) == (2, True)
    assert (ran.code, f"Using the lock file {name}" in ran.err) == (0, True)
