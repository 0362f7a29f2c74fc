"""Typing mistakes in every kind of file: errors name the line that is wrong, and what was meant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run
from tests.support.builders import commit_to
from tests.support.servers.api import json_reply, serve_api
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

COMMON = "inventory/classes/global/common.yml"
CLUSTER, TENANT = "facts/clusters/c-fleet.yaml", "facts/tenants/t-fleet.yaml"


@pytest.fixture
def fleet(commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of one's own."""
    commodore("init", "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    monkeypatch.setenv("COMMODORE_API_URL", "./facts")
    return tmp_path / "fleet"


@pytest.mark.parametrize(
    ("mistake", "place", "says"),
    [
        ((CLUSTER, '"t-fleet"', '"t-fleeet"'), f"{CLUSTER}:3", "did you mean t-fleet?"),
        ((CLUSTER, "gitRepo:\n  url:", "gitRepo:\n  ulr:"), f"{CLUSTER}:10", "write url, not ulr"),
        ((TENANT, "gitRepo:\n  url:", "gitRepo:\n  ulr:"), f"{TENANT}:5", "write url, not ulr"),
        ((CLUSTER, "  repositories:", "  rpositories:"), f"{COMMON}:9", "mean rpositories?"),
        ((CLUSTER, "facts:\n  ", "facts:\n\t"), f"{CLUSTER}:6:1", "a tab indents this line"),
        ((CLUSTER, "fleet", "fl\udce9et"), f"{CLUSTER}:2", "save the file as UTF-8"),
        (
            (CLUSTER, "facts:", "tenantGitRepoRevision: mastr\nfacts:"),
            f"{CLUSTER}:5",
            "did you mean master?",
        ),
        (
            (TENANT, "gitRepo:", "globalGitRepoRevision: nope\ngitRepo:"),
            f"{TENANT}:4",
            "check globalGitRepoRevision",
        ),
        ((CLUSTER, "/catalog-c", "/catlog-c"), f"{CLUSTER}:10", "`git init --bare /"),
        ((TENANT, "/global.git", "/glbal.git"), f"{TENANT}:6", "does not appear to be a git"),
    ],
)
def test_mistakes_in_facts_have_a_line(
    commodore: CommandLine, fleet: Path, mistake: tuple[str, str, str], place: str, says: str
) -> None:
    file, old, new = mistake
    text = (fleet / file).read_text()
    assert old in text
    changed = text.replace(old, new, 1)
    (fleet / file).write_bytes(changed.encode(errors="surrogateescape"))

    ran = commodore("catalog", "compile", "c-fleet")

    assert ran.code == 1
    assert f"  {place}\n" in ran.err
    assert says in ran.err
    assert "Please make sure you have the correct access rights" not in ran.err


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version: master", "version: mastre", "did you mean master?"),
        ("component-argocd.git", "component-argo.git", "does not appear to be a git repository"),
    ],
)
def test_components_that_cannot_be_fetched_have_a_line(
    commodore: CommandLine, fleet: Path, old: str, new: str, says: str
) -> None:
    commodore("catalog", "compile", "c-fleet")
    text = (fleet / "inventory/classes/global/common.yml").read_text()
    commit_to(fleet / "repos/global.git", {"common.yml": text.replace(old, new)})

    ran = commodore("catalog", "compile", "c-fleet")

    line = next(number for number, one in enumerate(text.splitlines(), 1) if old in one)
    assert ran.code == 1
    assert f"  inventory/classes/global/common.yml:{line}\n" in ran.err
    assert says in ran.err


def test_a_rejected_token_names_where_it_came_from(
    commodore: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_API_TOKEN", "t0")
    with serve_api() as api:
        api.on("GET /clusters/", json_reply({"reason": "who are you"}, 401))
        of_variable = commodore("catalog", "list", "--api-url", api.url)
        of_option = commodore("catalog", "list", "--api-url", api.url, "--api-token", "t1")

    assert "the token is that of COMMODORE_API_TOKEN" in of_variable.err
    assert "the token is that of --api-token" in of_option.err


TENANTS, ENTRY = (
    f"inventory/classes/{name}.yml" for name in ("t-fleet/common", "global/commodore")
)
OF_CLUSTER = "inventory/classes/t-fleet/c-fleet.yml"
CLASS, DEFAULTS, MAIN, APP = (
    f"dependencies/hello/{name}"
    for name in (
        "class/hello.yml",
        "class/defaults.yml",
        "component/main.jsonnet",
        "component/app.jsonnet",
    )
)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation of one's own that was compiled."""
    folder = tmp_path_factory.mktemp("mistakes") / "fleet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        before = dict(os.environ)
        assert run(("init", str(folder))) == 0
        facts = ("--api-url", str(folder / "facts"))
        assert run(("-d", str(folder), "catalog", "compile", "c-fleet", *facts)) == 0
        os.environ.clear()
        os.environ.update(before)
    return folder


@pytest.mark.parametrize(
    ("mistake", "place", "says"),
    [
        ((TENANTS, "- hello", "- helo"), f"{TENANTS}:3", "did you mean hello?"),
        ((TENANTS, "    hello:", "    hllo:"), f"{TENANTS}:3", "did you mean hllo?"),
        ((TENANTS, "url:", "ulr:"), f"{TENANTS}:8", "write url, not ulr"),
        ((TENANTS, "version:", "verison:"), f"{TENANTS}:9", "write version, not verison"),
        (
            (TENANTS, "version:", "branch:"),
            f"{TENANTS}:7",
            "add parameters.components.hello.version",
        ),
        ((TENANTS, "parameters:", "paramters:"), f"{TENANTS}:5", "did you mean `parameters`?"),
        ((TENANTS, "applications:", "applications: ["), f"{TENANTS}:3:3", "not valid YAML"),
        ((TENANTS, "- hello", "hello: true"), f"{TENANTS}:3", "`applications` must be a list"),
        (
            (TENANTS, "applications:", "applications: []\napplications:"),
            f"{TENANTS}:3",
            "duplicate key",
        ),
        ((ENTRY, "  - .common", "  - .comon"), f"{ENTRY}:5", "did you mean global.common?"),
        ((ENTRY, "{cluster:tenant}", "{cluster:tennant}"), f"{ENTRY}:10", "tennant not found"),
        ((COMMON, ":catalog_url}", ":catalogurl}"), f"{COMMON}:14", "did you mean catalog_url?"),
        ((CLASS, ": jsonnet", ": jsonet"), f"{CLASS}:6", "did you mean jsonnet?"),
        ((CLASS, "input_paths", "input_path"), f"{CLASS}:4", "did you mean input_paths?"),
        ((CLASS, "/app.jsonnet", "/ap.jsonnet"), f"{CLASS}:4", "ap.jsonnet does not exist"),
        ((CLASS, "output_path: .", "output_path: ../x"), f"{CLASS}:", "outside of compiled/hello"),
        ((DEFAULTS, "  hello:", "  helo:"), DEFAULTS, "has no parameters of its own"),
        ((MAIN, "{\n", "{ a: \n"), f"{MAIN}:10:1-2", "Unexpected"),
        ((APP, "argocd.libjsonnet", "argcd.libjsonnet"), f"{APP}:2:16-45", "there is no such file"),
        ((APP, "argocd.App(", "argocd.Ap("), f"{APP}:8:13-22", "Field does not exist: Ap"),
        (
            (APP, "params.namespace", "params.namspace"),
            f"{APP}:8:33-48",
            "does not exist: namspace",
        ),
    ],
)
def test_mistakes_in_a_hierarchy_have_a_line(
    commodore: CommandLine, compiled: Path, mistake: tuple[str, str, str], place: str, says: str
) -> None:
    name, old, new = mistake
    os.chdir(compiled)
    text = (compiled / name).read_text()
    assert old in text
    (compiled / name).write_text(text.replace(old, new, 1))
    try:
        ran = commodore("catalog", "compile", "c-fleet", "--local", "--api-url", "./facts")
    finally:
        (compiled / name).write_text(text)

    assert ran.code == 1
    assert place in ran.err
    assert says in ran.err
    assert "Traceback" not in ran.err


@each(
    ("words", "code", "says"),
    [
        ("catalog compile c-flet", 1, "did you mean c-fleet?"),
        ("catalog compile c-fleet --psh", 2, "Did you mean '--push'?"),
        ("catalog compil c-fleet", 2, "Did you mean 'commodore catalog compile'?"),
        ("catlog list", 2, "Did you mean 'commodore catalog'?"),
        ("help", 2, "Did you mean 'commodore --help'?"),
        ("live help", 2, "Did you mean 'commodore live --help'?"),
        ("catalog compile c-fleet --lock facts", 2, "'facts' is a directory"),
        ("catalog compile c-fleet --lock none.lock --frozen", 6, "there is no lock file"),
        ("catalog compile --tenant t-flet", 1, "no cluster belongs to tenant t-flet"),
        ("catalog diff nope", 1, "revision nope not found"),
        ("edit set hello.namespace x --target helo --dry-run", 1, "did you mean hello?"),
        ("catalog list --api-url ./fcts", 1, "did you mean facts?"),
        ("catalog compile c-fleet --frozen", 2, "`commodore lock create` writes one"),
        ("lock update", 2, "`commodore lock create` writes one"),
        ("edit hello.namespace x", 2, "Did you mean 'commodore edit set hello.namespace VALUE'?"),
        ("component test hello", 2, "Did you mean 'dependencies/hello'?"),
        ("component new hello", 1, "there is a repository of that name"),
        ("inventory explain hello.namespace", 2, "inventory explain hello hello.namespace'?"),
        ("inventory explain hello namespace", 1, "did you mean hello.namespace?"),
        ("inventory show hello", 1, "a target is named by --target"),
        ("inventory lint facts", 0, "no classes: no rules of a hierarchy apply"),
        ("inventory explain helo hello.namespace", 1, "did you mean hello?"),
        ("inventory explain hello hello.namspace", 1, "did you mean hello.namespace?"),
        ("inventory lint clases", 2, "Path 'clases' does not exist"),
        ("component test dependencies/helo", 2, "'dependencies/helo' does not exist"),
        ("component new MyComponent", 1, "three or more lower-case letters"),
        ("init .", 1, "choose a folder that is empty or does not exist"),
        ("tool install hlm", 1, "available tools: helm"),
    ],
)
def test_mistakes_in_commands_say_what_was_meant(
    commodore: CommandLine, compiled: Path, words: str, code: int, says: str
) -> None:
    os.chdir(compiled)

    ran = commodore(*words.split(), COMMODORE_API_URL="./facts")

    assert (ran.code, says in ran.err) == (code, True), ran.err


def test_parameters_that_a_component_does_not_have(commodore: CommandLine, compiled: Path) -> None:
    os.chdir(compiled)
    file = compiled / "inventory/classes/t-fleet/c-fleet.yml"
    text = file.read_text()
    file.write_text("classes: [.common]\nparameters: {hello: {namspace: x}}\n")
    try:
        compile_it = ("catalog", "compile", "c-fleet", "--local", "--api-url", "./facts")
        quiet, verbose = commodore(*compile_it), commodore(*compile_it, "-v")
        once = commodore(*compile_it, "-v", "--check")
        checked = commodore("catalog", "check")
        linted = commodore("inventory", "lint", "inventory/classes/t-fleet")
    finally:
        file.write_text(text)

    says = "component hello has no parameter hello.namspace"
    place = "inventory/classes/t-fleet/c-fleet.yml:2"
    assert (quiet.code, says in quiet.err) == (0, False)
    assert f"{says}; did you mean namespace?\n   {place}" in verbose.err
    assert once.err.count(says) == 1
    assert f"{says}; did you mean namespace? [parameters/unknown-key]\n  {place}" in checked.out
    assert f"{place}: warning: {says} (did you mean namespace?)" in linted.out


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        ((TENANTS, "  - hello", "\t- hello"), "3: not valid YAML: a tab indents this line"),
        ((TENANTS, "# Conf", "# C\udce9nf"), "1: not valid YAML: invalid trailing UTF-8"),
        ((TENANTS, "parameters:", "applications: []\nparameters:"), "5: duplicate key"),
        ((ENTRY, "- .common", "- .comon"), "5: class .comon not found (did you mean global."),
        ((OF_CLUSTER, "- .common", "- .comon"), "3: class .comon not found (did you mean common?"),
        ((OF_CLUSTER, "- .common", "- global.comon"), "3: class global.comon not found"),
    ],
)
def test_lint_reports_what_a_compile_refuses(
    commodore: CommandLine, compiled: Path, mistake: tuple[str, str, str], says: str
) -> None:
    name, old, new = mistake
    os.chdir(compiled)
    content = (compiled / name).read_bytes()
    assert old.encode() in content
    lint_it = ("inventory", "lint", str((compiled / name).parent))
    before = commodore(*lint_it)
    changed = content.replace(old.encode(), new.encode(errors="surrogateescape"), 1)
    (compiled / name).write_bytes(changed)
    try:
        linted = commodore(*lint_it)
        ran = commodore("catalog", "compile", "c-fleet", "--local", "--api-url", "./facts")
    finally:
        (compiled / name).write_bytes(content)

    assert (before.code, linted.code, ran.code) == (0, 1, 1)
    assert f"{name}:{says}" in linted.out
    assert f"{name}:{says.partition(':')[0]}" in ran.err
