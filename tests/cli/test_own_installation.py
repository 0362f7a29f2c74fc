"""From an empty directory to an installation of one's own."""

from __future__ import annotations

import json
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


def test_an_installation_compiles_and_pushes(commodore: CommandLine, here: Path) -> None:
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


def test_a_directory_for_a_server_names_it(commodore: CommandLine, here: Path) -> None:
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
def test_what_cannot_be_created_is_refused(
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


def test_an_empty_directory_gets_a_first_tenant_and_a_first_cluster(
    commodore: CommandLine, here: Path
) -> None:
    hierarchy = "classes: ['${cluster:tenant}.${cluster:name}']\n"
    make_repository(here / "global.git", {"commodore.yml": hierarchy})
    make_repository(here / "tenant.git", {"c-one.yml": "parameters: {}\n"})
    make_repository(here / "catalog.git", {"README.md": ""})
    facts = ("--api-url", "./facts")

    tenant = commodore(
        *("tenant", "add", "t-one", *facts, "--repository", (here / "tenant.git").as_uri()),
        *("--global-repository", (here / "global.git").as_uri()),
    )
    cluster = commodore(
        *("cluster", "add", "c-one", "--tenant", "t-one", *facts, "--fact", "cloud=here"),
        *("--fact", "distribution=k3s", "--catalog", (here / "catalog.git").as_uri()),
    )

    assert (tenant.code, cluster.code) == (0, 0)
    assert "facts/tenants/t-one.yaml" in tenant.err
    assert "facts/clusters/c-one.yaml" in cluster.err
    assert "the cluster has no components" in cluster.err
    assert commodore("catalog", "list", "-o", "id", *facts).out.split() == ["c-one"]


@pytest.mark.parametrize("name", ["catalog.lock", "locks/c-fleet.lock"])
def test_a_lock_with_a_default_name_is_used(
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


def test_a_dry_run_reports_no_backup_that_is_not_there(
    commodore: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commodore("init", "fleet")
    monkeypatch.chdir(here / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    commodore("catalog", "compile", "c-fleet")
    (here / "fleet/dependencies/hello/component/main.jsonnet").write_text("{ mine: 1 }")

    dry = commodore("catalog", "compile", "c-fleet", "--force", "--dry-run")
    real = commodore("catalog", "compile", "c-fleet", "--force")

    assert "component hello: local work would be put aside\n" in dry.err
    assert "see it with" not in dry.err
    assert "component hello: local work was put aside; see it with: git" in real.err
