"""`component new` and `package new`: a repository that works at once, or nothing at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.authoring import files_below
from tests.support.builders import commit_in, git
from tests.support.tables import each
from tests.support.templates import make_template

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

MINE = ("--owner", "acme", "--copyright", "Me <me@example.com>")


def new(commodore: CommandLine, slug: str, *words: str) -> Ran:
    return commodore("component", "new", slug, *MINE, *words)


def nothing_in(folder: Path) -> bool:
    return not any(folder.iterdir())


def test_new_component_compiles_to_its_golden_output(
    commodore: CommandLine, tmp_path: Path
) -> None:
    assert new(commodore, "my-comp", "-t", "extra", "--output-dir", ".").code == 0
    made = tmp_path / "my-comp"

    for case in ("defaults", "extra"):
        words = (str(made), "--search-paths", str(made), "-n", "my-comp")
        values = ("-f", str(made / "tests" / f"{case}.yml"))
        out = ("--offline", "-o", f"out-{case}")
        ran = commodore("component", "compile", *words, *values, *out)

        assert ran.code == 0, ran.err
        expected = files_below(made / "tests" / "golden" / case)
        assert expected == {"my-comp/apps/my-comp.yaml": b""}
        assert files_below(tmp_path / f"out-{case}" / "compiled") == expected


def test_new_component_is_worktree_with_one_commit(commodore: CommandLine, tmp_path: Path) -> None:
    ran = new(commodore, "my-comp")

    assert ran.code == 0, ran.err
    assert "Added file class/my-comp.yml" in ran.out
    made = tmp_path / "dependencies" / "my-comp"
    assert (made / ".git").is_file()
    bare = tmp_path / "dependencies" / ".repos" / "github.com" / "acme" / "component-my-comp.git"
    assert git(bare, "rev-parse", "--is-bare-repository") == "true"
    assert git(made, "log", "--format=%s|%an") == "Initial commit|Test Author"
    assert git(made, "branch", "--format=%(refname:short)") == "master"
    assert git(made, "status", "--porcelain") == ""
    url = "ssh://git@github.com/acme/component-my-comp.git"
    assert git(made, "remote", "get-url", "--all", "origin") == url
    assert git(made, "remote", "get-url", "--push", "origin") == url


def test_output_dir_makes_separate_repository(commodore: CommandLine, tmp_path: Path) -> None:
    assert new(commodore, "my-comp", "--output-dir", str(tmp_path)).code == 0

    made = tmp_path / "my-comp"
    assert (made / ".git").is_dir()
    assert git(made, "status", "--porcelain", "--branch") == "## master"
    assert not (tmp_path / "dependencies").exists()


def test_record_has_all_fields(commodore: CommandLine, tmp_path: Path) -> None:
    new(commodore, "my-comp", "--output-dir", ".", "--set", "add_go_unit=y", "--no-autorelease")

    record = json.loads((tmp_path / "my-comp" / ".cruft.json").read_text())
    assert list(record) == ["template", "commit", "checkout", "context", "directory"]
    assert (record["template"], record["checkout"]) == ("builtin://component", "main")
    variables = record["context"]["cookiecutter"]
    assert variables["parameter_key"] == "my_comp"
    assert variables["add_go_unit"] == "y"
    assert variables["auto_release"] == "n"
    assert variables["github_url"] == "https://github.com/acme/component-my-comp"
    assert variables["_commit"] == record["commit"]
    assert not (tmp_path / "my-comp" / ".github" / "workflows" / "auto-release.yaml").exists()
    assert "go test" in (tmp_path / "my-comp" / "Makefile").read_text()


def test_new_package_uses_prefixed_folder(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("package", "new", "my-pack", *MINE, "--set", "license=MIT")

    assert ran.code == 0, ran.err
    made = tmp_path / "dependencies" / "pkg.my-pack"
    assert (made / "tests" / "defaults.yml").read_bytes() == b""
    assert (made / "LICENSE").read_text().startswith("MIT License")
    assert "package compile ." in (made / "Makefile.vars.mk").read_text()


@pytest.mark.parametrize("kind", ["component", "package"])
def test_default_owner_is_reported(commodore: CommandLine, tmp_path: Path, kind: str) -> None:
    ran = commodore(kind, "new", "my-comp", "--output-dir", ".")

    assert ran.code == 0, ran.err
    made = tmp_path / "my-comp"
    assert f"projectsyn/{kind}-my-comp" in git(made, "remote", "get-url", "origin")
    assert "The owner is projectsyn; to choose another: --owner NAME" in ran.err
    assert "Test Author <author@example.com>" in (made / "LICENSE").read_text()


@pytest.mark.parametrize("empty", [False, True])
def test_chosen_owner_is_not_reported(
    commodore: CommandLine, tmp_path: Path, *, empty: bool
) -> None:
    ran = commodore("component", "new", "my-comp", "--owner", "" if empty else "acme")

    assert ran.code == 0
    assert "The owner is" not in ran.err
    owner = "projectsyn" if empty else "acme"
    made = tmp_path / "dependencies/my-comp"
    assert f"{owner}/component-my-comp" in git(made, "remote", "get-url", "origin")


@pytest.mark.parametrize(
    ("kind", "folder", "application"),
    [("component", "my-one", "my-one"), ("package", "pkg.my-one", "pkg.my-one")],
)
def test_next_steps_show_hierarchy_lines(
    commodore: CommandLine, kind: str, folder: str, application: str
) -> None:
    ran = commodore(kind, "new", "my-one", *MINE)

    assert f"  commodore {kind} test dependencies/{folder}\n" in ran.err
    lines = ran.err.partition("configuration of a tenant or a cluster:\n")[2]
    url = f"ssh://git@github.com/acme/{kind}-my-one.git"
    assert lines.startswith("\napplications:\n")
    assert yaml.safe_load(lines) == {
        "applications": [application],
        "parameters": {f"{kind}s": {"my-one": {"url": url, "version": "master"}}},
    }
    assert "Next steps" not in ran.out


@pytest.mark.parametrize("kind", ["component", "package"])
def test_slug_with_prefix_is_refused(commodore: CommandLine, tmp_path: Path, kind: str) -> None:
    ran = commodore(kind, "new", f"{kind}-foo", *MINE)

    assert ran.code == 1
    assert f"'{kind}-foo'" in ran.err
    assert f"'{kind}-'" in ran.err
    assert "automatically: foo" in ran.err
    assert nothing_in(tmp_path)


@each("slug", ["ab", "Foo", "foo_bar", "foo-", "1foo", "foo\n", ""])
def test_invalid_slug_is_refused(commodore: CommandLine, tmp_path: Path, slug: str) -> None:
    ran = new(commodore, slug)

    assert ran.code == 1
    assert repr(slug) in ran.err
    assert "^[a-z][a-z0-9-]+[a-z0-9]$" in ran.err
    assert nothing_in(tmp_path)


@pytest.mark.parametrize(
    ("slug", "message"),
    [("global", "components, defaults, global, params"), ("t-acme", "'t-'")],
)
def test_reserved_package_slug_is_refused(
    commodore: CommandLine, tmp_path: Path, slug: str, message: str
) -> None:
    ran = commodore("package", "new", slug, *MINE)

    assert ran.code == 1
    assert repr(slug) in ran.err
    assert message in ran.err
    assert nothing_in(tmp_path)


def test_missing_output_directory_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    ran = new(commodore, "my-comp", "--output-dir", "nowhere")
    assert ran.code == 1
    assert "nowhere does not exist" in ran.err

    (tmp_path / "file").touch()
    assert new(commodore, "my-comp", "--output-dir", "file").code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_existing_target_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    taken = tmp_path / "dependencies" / "my-comp"
    taken.mkdir(parents=True)

    ran = new(commodore, "my-comp")

    assert ran.code == 1
    assert f"{taken} already exists" in ran.err
    assert nothing_in(taken)


@pytest.mark.parametrize("elsewhere", [(), ("--output-dir", ".")])
def test_unusable_template_leaves_nothing(
    commodore: CommandLine, tmp_path: Path, elsewhere: tuple[str, ...]
) -> None:
    missing = tmp_path / "no-template"
    ran = new(commodore, "my-comp", "--template-url", str(missing), *elsewhere)
    assert ran.code == 1
    assert str(missing) in ran.err
    assert "does not exist" in ran.err  # Git's own words
    assert nothing_in(tmp_path)

    template = make_template(tmp_path / "template", hook="")
    at = ("--template-url", str(template), "--template-version", "v9")
    ran = new(commodore, "my-comp", *at, *elsewhere)
    assert ran.code == 1
    assert str(template) in ran.err
    assert "v9 not found" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["template"]


def test_new_after_deleted_checkout_backs_up_commits(
    commodore: CommandLine, tmp_path: Path
) -> None:
    import shutil

    assert new(commodore, "my-comp").code == 0
    made = tmp_path / "dependencies" / "my-comp"
    mine = commit_in(made, {"mine": "x"})
    shutil.rmtree(made)

    ran = new(commodore, "my-comp")

    assert ran.code == 0, ran.err
    assert git(made, "log", "--format=%s") == "Initial commit"
    kept = git(made, "for-each-ref", "--format=%(objectname)", "refs/commodore/backup")
    assert kept == mine


def test_several_cases_enable_matrix(commodore: CommandLine, tmp_path: Path) -> None:
    ran = new(commodore, "my-comp", "-t", "two", "--no-matrix-tests", "--output-dir", ".")

    assert ran.code == 0
    assert "2 test cases require the matrix: it is enabled" in ran.err
    workflow = (tmp_path / "my-comp" / ".github" / "workflows" / "test.yaml").read_text()
    assert "          - two\n" in workflow


def test_automerge_of_v0_enables_automerge(commodore: CommandLine, tmp_path: Path) -> None:
    off = ("--no-automerge-patch", "--automerge-patch-v0")
    ran = new(commodore, "my-comp", *off, "--output-dir", ".")

    assert ran.code == 0
    assert "--automerge-patch-v0 implies --automerge-patch" in ran.err
    rules = json.loads((tmp_path / "my-comp" / "renovate.json").read_text())["packageRules"]
    assert [rule["matchUpdateTypes"] for rule in rules] == [["patch", "digest"]]
    assert "matchCurrentVersion" not in rules[0]


def test_hooks_run_only_with_trust(commodore: CommandLine, tmp_path: Path) -> None:
    hook = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    template = make_template(tmp_path / "template", hook=hook)
    words = ("--template-url", str(template), "--output-dir", ".")

    refused = new(commodore, "my-comp", *words)

    assert refused.code == 1
    assert "hooks/post_gen_project.py" in refused.err
    assert hook in refused.err
    assert "--trust" in refused.err
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "my-comp").exists()

    trusted = new(commodore, "my-comp", *words, "--trust")

    assert trusted.code == 0, trusted.err
    assert hook in trusted.err
    assert (tmp_path / "ran").exists()


def test_untrusted_template_is_refused_without_hooks(
    commodore: CommandLine, tmp_path: Path
) -> None:
    from tests.support.templates import change_template

    template = make_template(tmp_path / "template", hook="")
    change_template(template, {"x": "{{ cookiecutter.__class__.__mro__ }}"})

    ran = new(commodore, "my-comp", "--template-url", str(template), "--output-dir", ".")

    assert ran.code == 1
    assert "--trust" in ran.err
    assert not (tmp_path / "my-comp").exists()


@pytest.mark.parametrize("elsewhere", [(), ("--output-dir", "dependencies")])
def test_ignored_files_exist_but_are_not_committed(
    commodore: CommandLine, tmp_path: Path, elsewhere: tuple[str, ...]
) -> None:
    from tests.support.templates import change_template

    (tmp_path / "dependencies").mkdir()
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[core]\n  excludesFile = {tmp_path / 'mine'}\n")
    (tmp_path / "mine").write_text("README.md\n")
    template = make_template(tmp_path / "template", hook="")
    change_template(template, {".gitignore": "/own\n"})
    own = template / "{{ cookiecutter.slug }}" / "own"
    own.write_text("x\n")
    git(template, "add", "--force", str(own))
    commit_in(template, {})
    words = ("--template-url", str(template), "--trust", *elsewhere)

    ran = commodore(
        *("component", "new", "my-other", *MINE, *words), GIT_CONFIG_GLOBAL=str(settings)
    )

    assert ran.code == 0, ran.err
    made = tmp_path / "dependencies" / "my-other"
    assert (made / "own").read_text() == "x\n"
    listed = git(made, "ls-files").splitlines()
    assert "README.md" in listed
    assert "own" not in listed
    assert (made / ".git").is_file()


def test_unknown_variable_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    ran = new(commodore, "my-comp", "--set", "add_libb=y")

    assert ran.code == 2
    assert "add_libb" in ran.err
    assert "add_lib," in ran.err
    assert nothing_in(tmp_path)


@pytest.mark.parametrize("key", ["slug", "name", "github_owner"])
def test_variable_with_option_is_refused(commodore: CommandLine, tmp_path: Path, key: str) -> None:
    ran = new(commodore, "my-comp", "--set", f"{key}=../elsewhere")

    assert ran.code == 2
    assert f"{key} cannot be set like this" in ran.err
    assert nothing_in(tmp_path)


def test_project_folder_outside_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    template = make_template(tmp_path / "template", hook="")
    top = "{{ cookiecutter.parameter_key }}"
    git(template, "mv", "{{ cookiecutter.slug }}", top)
    commit_in(template, {})
    words = ("--template-url", str(template), "--trust", "--output-dir", ".")

    ran = new(commodore, "my-comp", *words, "--set", f"parameter_key={tmp_path}/elsewhere")

    assert ran.code == 1
    assert "cannot be the name of the folder of a project" in ran.err
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "my-comp").exists()
