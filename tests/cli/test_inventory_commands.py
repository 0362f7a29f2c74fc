"""`inventory show`, `components`, `packages` and `lint`: sources, forms, words and exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import git
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.command_line import CommandLine

COMMODORE_YML = """\
classes:
  - .defaults
  - global.distribution.${facts:distribution}
  - global.cloud.${facts:cloud}
  - global.cloud.${facts:cloud}.${facts:region}
  - ${cluster:tenant}.${cluster:name}
"""
GLOBAL = {
    "commodore.yml": COMMODORE_YML,
    "defaults.yml": "parameters: {components: {one: {url: u, version: v1}}, of: defaults}\n",
    "distribution/k3s.yml": "parameters: {of: k3s}\n",
    "cloud/aws.yml": "parameters: {of: '${facts:distribution} on aws'}\n",
    "cloud/aws/eu.yml": "parameters: {zone: '${facts:zone}'}\n",
}
KNOWN = "parameters: {facts: {distribution: k3s, cloud: aws, region: eu, zone: a}}\n"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture(autouse=True)
def hierarchy(tmp_path: Path) -> None:
    """A global configuration, a tenant's and a file of values, below the current folder."""
    write(tmp_path / "global", GLOBAL)
    write(tmp_path / "tenant", {"c-1.yml": "parameters: {of: the cluster}\n"})
    write(tmp_path, {"known.yml": KNOWN})
    write(tmp_path, {"ids.yml": "parameters: {cluster: {tenant: t-1, name: c-1}}\n"})


def shown(commodore: CommandLine, *words: str) -> dict[str, object]:
    ran = commodore("inventory", "show", *words, "-o", "json")
    assert ran.code == 0, ran.err
    parameters: dict[str, object] = json.loads(ran.out)
    return parameters


@pytest.mark.parametrize("words", ["none", "file", "global none", "global file"])
@pytest.mark.parametrize("command", ["show", "components", "packages"])
def test_configuration_is_in_folders(
    commodore: CommandLine, tmp_path: Path, command: str, words: str
) -> None:
    (tmp_path / "file").touch()

    ran = commodore("inventory", command, *words.split())

    assert (ran.code, ran.out) == (1, "")
    assert f"directory\n  {words.rsplit(maxsplit=1)[-1]}\n" in ran.err
    assert "checkout of a global configuration" in ran.err


@pytest.mark.parametrize("command", ["show", "components", "packages"])
def test_without_a_compiled_working_directory_a_folder_is_needed(
    commodore: CommandLine, command: str
) -> None:
    ran = commodore("inventory", command)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Usage: commodore inventory {command}")
    assert "--help" in ran.err
    assert "Missing argument 'GLOBAL_CONFIG'" in ran.err


def test_an_empty_folder_lacks_the_entry_of_the_hierarchy(
    commodore: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()

    ran = commodore("inventory", "show", "empty", "-o", "json")
    refused = commodore("inventory", "show", "empty", "-A")

    assert ran.code == 0
    assert list(json.loads(ran.out)) == [
        "_reclass_",
        "cluster",
        "dynamic_facts",
        "facts",
        "_instance",
    ]
    assert "warning: class global.commodore not found" in ran.err
    assert (refused.code, refused.out) == (1, "")
    assert "error: class global.commodore not found" in refused.err


def test_missing_classes_are_refused_with_their_facts(commodore: CommandLine) -> None:
    ran = commodore("inventory", "show", "global", "-A")

    assert (ran.code, ran.out) == (1, "")
    assert (
        "class global.distribution.x-fake-distribution not found\n  global/commodore.yml:3"
    ) in ran.err
    assert "class global.cloud.x-fake-cloud.x-fake-region not found" in ran.err
    assert "  global/commodore.yml:5\n" in ran.err
    assert "facts.distribution x-fake-distribution" in ran.err
    assert "in a file with -f, or with --fact distribution=…" in ran.err


def test_a_tenant_without_ids_is_warned_about(commodore: CommandLine) -> None:
    words = ("inventory", "show", "global", "tenant", "-f", "known.yml")

    ran = commodore(*words, "-o", "json")
    refused = commodore(*words, "-A")

    assert (ran.code, json.loads(ran.out)["of"]) == (0, "k3s on aws")
    assert "warning: class t-foo.c-bar not found\n  global/commodore.yml:6" in ran.err
    assert "made up: cluster.tenant t-foo, cluster.name c-bar" in ran.err
    assert refused.code == 1


def test_the_folder_of_a_named_tenant_is_missed(commodore: CommandLine) -> None:
    words = ("inventory", "show", "global", "-f", "known.yml", "-f", "ids.yml")

    ran = commodore(*words)
    refused = commodore(*words, "-A")

    assert ran.code == 0
    assert ran.err == "warning: class t-1.c-1 not found\n  global/commodore.yml:6\n"
    assert (refused.code, refused.out) == (1, "")


def test_without_tenant_and_ids_nothing_is_missed(commodore: CommandLine) -> None:
    ran = commodore("inventory", "show", "global", "-f", "known.yml", "-A")

    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1\nparameters: [1]\n", "error: parameters must be a mapping\n  values.yml:2\n"),
        (
            "parameters:\n  cluster:\n",
            "error: parameters.cluster must be a mapping\n  values.yml:2\n",
        ),
        ("- 1\n", "error: the file must be a mapping\n  values.yml:1\n"),
        ("parameters: [\n", "error: not valid YAML"),
    ],
)
def test_values_have_the_shape_of_a_class(
    commodore: CommandLine, tmp_path: Path, content: str, message: str
) -> None:
    write(tmp_path, {"values.yml": content})

    ran = commodore("inventory", "show", "global", "-f", "values.yml")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(message)


@pytest.mark.parametrize("content", ["", "# nothing\n"])
def test_an_empty_file_of_values_adds_nothing(
    commodore: CommandLine, tmp_path: Path, content: str
) -> None:
    write(tmp_path, {"values.yml": content})

    assert shown(commodore, "global", "-f", "values.yml") == shown(commodore, "global")


@pytest.mark.parametrize(
    "name", ["values.yaml", "values", "values.txt", "base.yml", "global.yml", "t-foo", "init.yml"]
)
def test_values_are_used_whatever_the_file_is_called(
    commodore: CommandLine, tmp_path: Path, name: str
) -> None:
    write(tmp_path, {name: "parameters: {facts: {cloud: aws}}\n"})

    parameters = shown(commodore, "global", "-f", name)

    assert parameters["of"] == "x-fake-distribution on aws"
    assert (tmp_path / name).read_text() == "parameters: {facts: {cloud: aws}}\n"


def test_values_of_one_name_are_all_used(commodore: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, {"a/x.yml": "parameters: {one: 1}\n", "b/x.yml": "parameters: {two: 2}\n"})

    parameters = shown(commodore, "global", "-f", "a/x.yml", "-f", "b/x.yml")

    assert (parameters["one"], parameters["two"]) == (1, 2)


def test_a_reference_that_leads_nowhere_is_the_error(
    commodore: CommandLine, tmp_path: Path
) -> None:
    content = "classes: ['${facts:cloud}']\nparameters:\n  a:\n    b: ${fact:cloud}\n"
    write(tmp_path, {"broken/commodore.yml": content})

    ran = commodore("inventory", "show", "broken")

    assert (ran.code, ran.out) == (1, "")
    warning, _, error = ran.err.partition("error: ")
    assert warning.startswith("warning: class x-fake-cloud not found")
    assert "${fact:cloud}" in error
    assert "  broken/commodore.yml:4\n" in error
    assert "parameters.a.b" in error
    assert "did you mean facts?" in error
    assert "class" not in error


def test_what_is_still_made_up_is_warned_about(commodore: CommandLine) -> None:
    facts = ("--fact", "distribution=k3s", "--fact", "cloud=aws")

    ran = commodore("inventory", "show", "global", *facts)

    assert ran.code == 0
    assert ran.err.count("warning:") == 1
    assert "class global.cloud.aws.x-fake-region not found\n  global/commodore.yml:5" in ran.err
    assert "made up: facts.region x-fake-region" in ran.err


@each(
    ("words", "message"),
    [
        ("show global -o xml", "'xml' is not one of 'json', 'yaml'"),
        ("show global -f none.yml", "File 'none.yml' does not exist"),
        ("lint global -l component-versions", "'component-versions' is not one of 'components'"),
        ("lint global -o xml", "'xml' is not one of 'text', 'json', 'sarif'"),
        ("show global --cluster c-1", "cannot go with --cluster"),
        ("show global --target one", "'--target' cannot go with GLOBAL_CONFIG"),
    ],
)
def test_invalid_arguments(commodore: CommandLine, words: str, message: str) -> None:
    ran = commodore("inventory", *words.split())

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_lint_of_nothing_says_that_nothing_was_checked(
    commodore: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()

    ran = commodore("inventory", "lint", "empty")

    assert (ran.code, ran.out) == (0, "No errors 🎉 ✨\n")
    assert "warning: no YAML files: nothing was checked\n  empty" in ran.err


def test_lint_of_what_is_not_there(commodore: CommandLine) -> None:
    ran = commodore("inventory", "lint", "global", "none")

    assert (ran.code, ran.out) == (2, "")
    assert "Path 'none' does not exist" in ran.err


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_given_facts_win_over_values_and_change_the_classes(
    commodore: CommandLine, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_ENGINE", engine)
    words = ("global", "tenant", "-f", "ids.yml", "-f", "known.yml")

    parameters = shown(commodore, *words, "--fact", "distribution=ocp", "--fact", "a.b=json:[1]")

    assert parameters["facts"] == {
        "distribution": "ocp",
        "cloud": "aws",
        "region": "eu",
        "lieutenant-instance": "lieutenant-prod",
        "zone": "a",
        "a": {"b": [1]},
    }
    assert (parameters["of"], parameters["zone"]) == ("the cluster", "a")


def test_a_fact_that_is_none_is_skipped(commodore: CommandLine) -> None:
    ran = commodore("inventory", "packages", "global", "-f", "known.yml", "--fact", "nonsense")

    assert (ran.code, ran.out) == (0, "{}\n\n")
    assert ran.err == "warning: fact 'nonsense' is ignored: expected KEY=VALUE\n"


def test_nothing_is_written(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"base.yml": KNOWN})
    before = state_of(tmp_path)

    for engine in ("native", "reference"):
        monkeypatch.setenv("COMMODORE_ENGINE", engine)
        shown(commodore, "global", "tenant", "-f", "base.yml")
    commodore("-v", "inventory", "show", "global", "-A", "-v")
    commodore("inventory", "lint", "global", "tenant")

    assert state_of(tmp_path) == before


def test_of_a_working_directory_the_targets_are_shown(commodore: CommandLine, work: Path) -> None:
    show = ("-d", str(work), "inventory", "show", "-o", "json")
    own, ingress = commodore(*show), commodore(*show, "--target", "ingress")
    other = commodore("-d", str(work), "inventory", "show", "--target", "ingres")

    assert (own.code, json.loads(own.out)["_instance"], own.err) == (0, "cluster", "")
    assert (ingress.code, json.loads(ingress.out)["ingress"]["replicas"]) == (0, 1)
    assert other.code == 1
    assert "target ingres not found" in other.err
    assert "did you mean ingress?" in other.err


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_of_a_working_directory_a_fact_can_be_tried_out(
    commodore: CommandLine, work: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_ENGINE", engine)
    before = state_of(work)

    ran = commodore(
        *("-d", str(work), "inventory", "show", "--fact", "region=nowhere", "-o", "json")
    )

    assert (ran.code, json.loads(ran.out)["facts"]["region"]) == (0, "nowhere")
    assert "class" in ran.err
    assert state_of(work) == before


def test_a_cluster_is_fetched_beside_the_working_directory(
    commodore: CommandLine, facts: str, tmp_path: Path, work: Path
) -> None:
    before = state_of(tmp_path)
    words = ("--cluster", "c-demo-1", "--api-url", facts)

    own = shown(commodore, *words)
    components = commodore("inventory", "components", *words)
    ingress = shown(commodore, *words, "--target", "ingress")
    other = commodore("inventory", "show", *words, "--target", "nothing")

    compiled = commodore("-d", str(work), "inventory", "show", "-o", "json")
    assert own == json.loads(compiled.out)
    assert own["components"] == yaml.safe_load(components.out)
    assert ingress["_instance"] == "ingress"
    assert "target nothing not found\n  cluster c-demo-1" in other.err
    assert state_of(tmp_path) == before


def test_facts_of_a_cluster_can_be_tried_out(commodore: CommandLine, facts: str) -> None:
    words = ("--cluster", "c-demo-1", "--api-url", facts)

    parameters = shown(commodore, *words, "--fact", "extra.deep=1")

    assert isinstance(parameters["facts"], dict)
    assert parameters["facts"]["extra"] == {"deep": "1"}


def test_lint_of_the_playground_finds_nothing(
    commodore: CommandLine, demo: Path, tmp_path: Path
) -> None:
    for name in ("global", "t-demo"):
        git(tmp_path, "clone", "--quiet", str(demo / "repos" / f"{name}.git"), f"own/{name}")

    ran = commodore("inventory", "lint", "own/global", "own/t-demo")

    assert (ran.code, ran.out, ran.err) == (0, "No errors 🎉 ✨\n", "")


def test_findings_for_programs(commodore: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, {"a b.yml": "parameters: {components: {x: {}}}\n", "c.yml": "[\n"})

    words = ("inventory", "lint", "a b.yml", "c.yml")

    ran = commodore(*words, "-o", "json")
    assert ran.code == 1
    assert json.loads(ran.out) == {
        "schema": "lint/v1",
        "errors": 1,
        "warnings": 1,
        "findings": [
            {
                "rule": "components/missing-version",
                "severity": "error",
                "message": "component x has no version",
                "file": "a b.yml",
                "line": 1,
                "hint": "",
            },
            {
                "rule": "files/broken-yaml",
                "severity": "warning",
                "message": "not valid YAML: did not find expected node content",
                "file": "c.yml",
                "line": 2,
                "hint": "",
            },
        ],
    }


def test_findings_for_code_hosts(commodore: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, {"a b.yml": "\nparameters: {packages: {x: {version: 1}}}\n"})
    (tmp_path / "gone.yml").symlink_to("nowhere")

    ran = commodore("inventory", "lint", "a b.yml", str(tmp_path), "-o", "sarif")

    assert ran.code == 1
    (run,) = json.loads(ran.out)["runs"]
    first, link, *_others = run["results"]
    assert first["ruleId"] == "packages/wrong-type"
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"]
    assert first["level"] == "error"
    assert first["message"]["text"].endswith("version is a number, not a string: put it in quotes")
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a%20b.yml"},
                "region": {"startLine": 2},
            }
        }
    ]
    assert link["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": (tmp_path / "gone.yml").as_uri()}
    }


def test_lint_reports_what_it_skips(commodore: CommandLine, tmp_path: Path) -> None:
    write(tmp_path, {"empty.yml": ""})

    assert commodore("inventory", "lint", "empty.yml").err == ""
    assert "empty.yml: skipped: empty" in commodore("inventory", "lint", "empty.yml", "-v").err


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }
