"""`commodore cluster` and `commodore tenant`: files of facts change if their clusters compile."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.model.verdict import Verdict
from commodore_py.workflows.facts_folder import FactsEdit, written
from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

NEW = "c-demo-3"


@pytest.fixture
def facts(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the playground's facts, and of the repository that commands push to."""
    repository = tmp_path / "t-demo.git"
    shutil.copytree(demo / "repos" / "t-demo.git", repository)
    folder = tmp_path / "facts"
    shutil.copytree(demo / "facts", folder)
    file = folder / "tenants" / "t-demo.yaml"
    url = (demo / "repos" / "t-demo.git").as_uri()
    file.write_text(file.read_text("utf-8").replace(url, repository.as_uri()), "utf-8")
    monkeypatch.setenv("COMMODORE_API_URL", str(folder))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Baker")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "baker@example.com")
    monkeypatch.chdir(tmp_path)
    return folder


def _cluster(facts: Path, name: str) -> Path:
    return facts / "clusters" / f"{name}.yaml"


@pytest.mark.slow
def test_cluster_add_copies_facts_of_another(
    commodore: CommandLine, facts: Path, tmp_path: Path
) -> None:
    file = _cluster(facts, "c-demo-1")
    old = file.read_text("utf-8")
    file.write_text(
        old.replace("gitRepo:", "installURL: https://x/y?token=t0ken\ngitRepo:"), "utf-8"
    )

    tenant = tmp_path / "t-demo.git"
    commit_to(tenant, {f"{NEW}.yml": git(tenant, "show", "HEAD:c-demo-1.yml")})

    ran = commodore("cluster", "add", NEW, "--like", "c-demo-1")

    assert ran.code == 0, ran.err
    assert "t0ken" not in ran.out + ran.err
    assert "none      created Deployment web-shop/web-shop\n" in ran.out
    assert "git init --bare" in ran.err  # its catalog
    old = old.replace("c-demo-1", NEW).replace("Morgenrot Zürich, production", NEW)
    assert _cluster(facts, NEW).read_text("utf-8").splitlines()[:-1] == old.splitlines()[:-1]
    catalog = tmp_path / "new"
    assert commodore("catalog", "compile", NEW, "--output-dir", str(catalog)).code == 0


def test_cluster_add_without_class_is_refused_with_hint(
    commodore: CommandLine, facts: Path
) -> None:
    wanted = ("--tenant", "t-demo", "--fact", "cloud=lakeside", "--fact", "distribution=k3s")
    more = ("--fact", "region=east", "--catalog", "file:///srv/new.git")

    ran = commodore("cluster", "add", NEW, *wanted, *more)

    assert ran.code == 1
    assert f"class t-demo.{NEW} not found" in ran.err
    assert f"add {NEW}.yml to the tenant's repository first" in ran.err
    assert not _cluster(facts, NEW).exists()


def test_cluster_add_to_empty_tenant_names_repository(
    commodore: CommandLine, facts: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "empty.git")
    file = facts / "tenants/t-demo.yaml"
    url = (tmp_path / "t-demo.git").as_uri()
    file.write_text(file.read_text("utf-8").replace(url, (tmp_path / "empty.git").as_uri()))
    wanted = ("--tenant", "t-demo", "--fact", "cloud=lakeside", "--fact", "distribution=k3s")

    ran = commodore("cluster", "add", NEW, *wanted, "--catalog", "file:///srv/new.git")

    assert ran.code == 1
    assert "tenant configuration t-demo: revision master not found" in ran.err
    assert "empty.git" in ran.err
    assert "is not known" not in ran.err


def test_cluster_add_reports_all_missing_options(commodore: CommandLine, facts: Path) -> None:
    ran = commodore("cluster", "add", NEW, "--tenant", "t-demo")

    assert ran.code == 1
    for what in ("catalog repository", "fact cloud", "fact distribution"):
        assert f"cluster {NEW} has no {what}" in ran.err
    for option in ("--catalog URL", "--fact cloud=VALUE", "--like ID"):
        assert option in ran.err
    assert not _cluster(facts, NEW).exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("add", "C-Demo-1", "--like", "c-demo-1"), "there is a cluster c-demo-1"),
        (("add", "../up", "--like", "c-demo-1"), "not a valid cluster id"),
        (("add", NEW, "--like", "c-dmo-1"), "did you mean c-demo-1?"),
        (("add", NEW, "--tenant", "t-demo", "--fact", "cloud"), "fact 'cloud': expected KEY=VALUE"),
    ],
    ids=lambda value: "-".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_invalid_facts_edit_writes_nothing(
    commodore: CommandLine, facts: Path, words: tuple[str, ...], says: str
) -> None:
    before = {file: file.read_bytes() for file in facts.rglob("*.yaml")}

    ran = commodore("cluster", *words)

    assert ran.code in (1, 2)
    assert says in ran.err
    assert {file: file.read_bytes() for file in facts.rglob("*.yaml")} == before


def test_cluster_add_to_server_is_refused(commodore: CommandLine) -> None:
    ran = commodore(
        "cluster", "add", "c-1", "--like", "c-2", "--api-url", "https://lieutenant.example.com"
    )

    assert ran.code == 2
    assert "https://lieutenant.example.com is a server" in ran.err


def test_concurrently_written_facts_file_is_kept(facts: Path) -> None:
    file = _cluster(facts, "c-demo-1")
    before = file.read_bytes()

    with pytest.raises(CommodoreError, match="the file was written in the meantime"):
        written(FactsEdit(file, b"ours\n", Verdict()))

    assert file.read_bytes() == before


def test_tenant_add_requires_readable_repositories(
    commodore: CommandLine, facts: Path, demo: Path, tmp_path: Path
) -> None:
    words = ("--repository", (tmp_path / "t-demo.git").as_uri(), "--display-name", "Café Morgenrot")
    missing = (tmp_path / "none.git").as_uri()

    ran = commodore("tenant", "add", "t-new", *words, "--global-repository", missing)
    assert ran.code == 1
    assert f"git init --bare {tmp_path / 'none.git'}" in ran.err
    there = (demo / "repos" / "global.git").as_uri()
    assert commodore("tenant", "add", "global", *words, "--global-repository", there).code == 1
    assert sorted(one.name for one in (facts / "tenants").iterdir()) == ["t-demo.yaml"]
    ran = commodore("tenant", "add", "t-new", *words, "--global-repository", there)

    assert ran.code == 0, ran.err
