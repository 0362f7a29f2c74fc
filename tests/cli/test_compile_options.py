"""Options of `catalog compile` that contradict each other, or mean something only together."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git, url_of
from tests.support.fleet import CLUSTER, Fleet, make_fleet
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(2)


class Compile:
    """`commodore catalog compile` of a small cluster."""

    def __init__(self, commodore: CommandLine, fleet: Fleet) -> None:
        self._commodore = commodore
        self.fleet = fleet

    def __call__(self, *options: str, stdin: str = "", **variables: str) -> Ran:
        facts = ("--api-url", str(self.fleet.root / "facts"))
        words = ("-d", str(self.fleet.work), "catalog", "compile", CLUSTER)
        return self._commodore(*words, *facts, *options, stdin=stdin, **variables)

    @property
    def pushed(self) -> bool:
        return any((self.fleet.catalog / "refs" / "heads").iterdir())


@pytest.fixture
def compiling(commodore: CommandLine, tmp_path: Path) -> Compile:
    return Compile(commodore, make_fleet(tmp_path / "fleet", one={}))


@each(
    ("options", "variables", "message"),
    [
        (["-g", "b"], {}, "global (b)"),
        (["-t", "b"], {}, "tenant (b)"),
        (["-t", "b", "-g", "c"], {}, "global (c) and tenant (b)"),
        (["-t", "b", "--local"], {}, "tenant (b)"),
        ([], {"GLOBAL_REPO_REVISION_OVERRIDE": "b"}, "global (b)"),
        ([], {"TENANT_REPO_REVISION_OVERRIDE": "b"}, "tenant (b)"),
        ([], {"COMMODORE_CATALOG_COMPILE_GLOBAL_REPO_REVISION_OVERRIDE": "b"}, "global (b)"),
    ],
)
def test_overridden_revision_is_not_pushed(
    commodore: CommandLine, options: list[str], variables: dict[str, str], message: str
) -> None:
    # There is no server: an error about that would show that a request was sent.
    api = ("--api-url", "http://127.0.0.1:9", "--api-token", "t")

    ran = commodore("catalog", "compile", "c-one", *api, "--push", *options, **variables)

    assert ran.code == 1
    assert "error: cannot push a catalog compiled with an overridden revision of a" in ran.err
    assert f" configuration: {message}\n" in ran.err
    assert "leave out --push, or the override" in ran.err


def test_options_without_effect_warn(compiling: Compile) -> None:
    ran = compiling("-F", "--interactive", "--git-author-name", "Ann")

    assert ran.code == 0
    assert "warning: --no-fetch-dependencies has no effect without --local\n" in ran.err
    assert "warning: --interactive has no effect without --push\n" in ran.err
    assert "warning: only the author's name is set: the e-mail address is taken" in ran.err
    assert "GIT_AUTHOR_EMAIL" in ran.err


@pytest.mark.parametrize(
    ("variables", "author"),
    [
        ({"GIT_AUTHOR_NAME": "Ann"}, "Ann <author@example.com>"),
        ({"GIT_AUTHOR_EMAIL": "a@b.c"}, "Test Author <a@b.c>"),
        ({"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@b.c"}, "Ann <a@b.c>"),
    ],
)
def test_missing_author_field_is_taken_from_git(
    compiling: Compile, variables: dict[str, str], author: str
) -> None:
    ran = compiling("--push", **variables)

    assert ran.code == 0
    assert ("only the author's" in ran.err) == (len(variables) == 1)
    assert git(compiling.fleet.catalog, "log", "-1", "--format=%an <%ae>|%cn <%ce>") == (
        f"{author}|{author}"
    )


def test_local_mode_does_not_push(compiling: Compile) -> None:
    assert compiling().code == 0

    ran = compiling("--local", "--force")
    refused = compiling("--local", "--push")

    assert ran.code == 0
    assert "Nothing is committed or pushed in local mode" in ran.err
    assert "force" not in ran.err
    assert (refused.code, refused.out) == (2, "")
    assert "error: --push and --local cannot be combined" in refused.err
    assert not compiling.pushed


def test_push_does_not_go_with_offline(compiling: Compile) -> None:
    ran = compiling("--offline", "--push")

    assert ran.code == 2
    assert "--push requires network access" in ran.err


def test_offline_compile_uses_earlier_checkouts(compiling: Compile) -> None:
    online = compiling()

    ran = compiling("--offline")

    assert (online.code, ran.code) == (0, 0)
    assert (compiling.fleet.work / "compiled/one/one/out.yaml").is_file()


def test_invalid_dynamic_facts_are_skipped_with_warning(compiling: Compile) -> None:
    ran = compiling("-d", "nope", "-d", "e=", "-d", "a=json:{", "-d", "a..b=1", "-d", "k=v")

    assert ran.code == 0
    assert "warning: dynamic fact 'nope' is ignored: expected KEY=VALUE" in ran.err
    assert "warning: dynamic fact 'e=' is ignored" in ran.err
    assert "warning: dynamic fact 'a=json:{' is ignored: not valid JSON" in ran.err
    assert "warning: dynamic fact 'a..b=1' is ignored: a part of the key is empty" in ran.err
    assert "k=v" not in ran.err
    params = (compiling.fleet.work / "inventory/classes/params/cluster.yml").read_text()
    assert "dynamic_facts:\n    k: v\n" in params


def test_interactive_push_without_input_aborts(compiling: Compile) -> None:
    ran = compiling("--push", "-i")

    assert ran.code == 1
    assert "Added file" in ran.out
    catalog = url_of(compiling.fleet.catalog)
    assert f" > Push to branch master of {catalog}? [y/N]: " in ran.err
    assert "Aborted! no answer was given, so nothing is pushed" in ran.err
    assert "--push without --interactive" in ran.err
    assert not compiling.pushed


@pytest.mark.parametrize(
    ("answer", "pushed"),
    [("y\n", True), ("YES\n", True), ("perhaps\ny\n", True), ("n\n", False), ("\n", False)],
)
def test_answer_to_prompt_decides_push(compiling: Compile, answer: str, pushed: bool) -> None:
    ran = compiling("--push", "-i", stdin=answer)

    assert ran.code == 0
    assert compiling.pushed == pushed
    assert ("Not pushed" in ran.err) != pushed


def test_compile_exit_code_reports_changes(compiling: Compile) -> None:
    assert compiling("--exit-code").code == 5
    assert compiling("--push").code == 0

    assert compiling("--exit-code").code == 0


def test_failed_report_after_push_exits_with_4(compiling: Compile) -> None:
    (compiling.fleet.root / "facts" / "reports").touch()

    ran = compiling("--push", "--exit-code")

    assert ran.code == 4
    assert compiling.pushed
    assert "warning: the catalog was pushed, but reporting the compile failed" in ran.err
    commit = git(compiling.fleet.catalog, "rev-parse", "HEAD")
    assert f"\n  commit {commit}\n" in ran.err
    assert ran.out.endswith("Catalog of cluster c-one compiled\n")


def test_suggested_command_sends_report(compiling: Compile, commodore: CommandLine) -> None:
    reports = compiling.fleet.root / "facts" / "reports"
    reports.touch()
    message = compiling("--push").err.partition("hint: the next compile reports it: commodore ")[2]
    reports.unlink()

    ran = commodore(*shlex.split(message.partition("\n")[0]))

    assert ran.code == 0
    assert (reports / "c-one.json").is_file()


def test_output_dir_does_not_go_with_push(compiling: Compile) -> None:
    ran = compiling("--output-dir", "x", "--push")

    assert ran.code == 2
    assert "--output-dir and --push cannot be combined" in ran.err
    assert not compiling.fleet.work.exists()


def test_compile_to_output_dir_reports_changes(compiling: Compile, tmp_path: Path) -> None:
    ran = compiling("--output-dir", str(tmp_path / "out"), "--exit-code")

    assert ran.code == 5
    assert "Added file manifests/one/out.yaml" in ran.out
    assert f" > Wrote the catalog to {tmp_path / 'out'}\n" in ran.err


def test_dry_run_prints_json_and_writes_nothing(compiling: Compile) -> None:
    ran = compiling("--dry-run", "-o", "json", "--exit-code")

    result = json.loads(ran.out)
    assert ran.code == 5
    assert (result["changed"], result["commit"], result["reported"]) == (True, None, False)
    assert list(result["timings"]) == ["gather", "render", "publish"]
    assert [one["name"] for one in result["instances"]] == ["one"]
    assert not compiling.fleet.work.exists()


def test_ignored_catalog_file_fails_when_strict(compiling: Compile) -> None:
    commit_to(compiling.fleet.catalog, {".gitignore": "out.yaml\n"})

    lenient, strict = compiling(), compiling("--strict", "--push")

    message = "manifests/one/out.yaml"
    assert (lenient.code, strict.code) == (0, 1)
    assert f"warning: {message}" in lenient.err
    assert f"error: {message}" in strict.err
    assert git(compiling.fleet.catalog, "rev-list", "--count", "HEAD") == "1"


def test_both_engines_compile_same_catalog(
    compiling: Compile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_ENGINE", "reference")
    assert compiling("--push").code == 0

    monkeypatch.delenv("COMMODORE_ENGINE")
    ran = compiling("--exit-code")

    assert (ran.code, ran.out.splitlines()[0]) == (0, " > No changes.")


def test_unknown_filter_fails_when_strict(compiling: Compile) -> None:
    filters = [{"type": "builtin", "filter": "no_such", "path": "x"}]
    compiling.fleet.configure(
        {
            "applications": ["one"],
            "parameters": {"one": {}, "commodore": {"postprocess": {"filters": filters}}},
        }
    )

    lenient, strict = compiling(), compiling("--strict", "--push")

    place = "target one, parameters.commodore.postprocess.filters[0]"
    assert (lenient.code, strict.code) == (0, 1)
    assert " > skipped filter no_such of one" in lenient.err
    assert f"   {place}\n" in lenient.err
    assert "error: skipped filter no_such of one" in strict.err
    assert f"  {place}\n" in strict.err
    assert not compiling.pushed
