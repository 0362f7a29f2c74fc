"""`component update`: the template's changes and the wished ones, all of them or none."""

from __future__ import annotations

import json
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import files_below
from tests.support.builders import commit_in, git
from tests.support.templates import change_template, make_template

from .test_component_new import new

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(2)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the component of the built-in template is kept, to be copied."""
    return tmp_path_factory.mktemp("stored") / "my-comp"


@pytest.fixture
def built_in(commodore: CommandLine, tmp_path: Path, stored: Path) -> Path:
    """A component of the built-in template."""
    made = tmp_path / "my-comp"
    if stored.exists():
        return copytree(stored, made, symlinks=True)
    assert new(commodore, "my-comp", "--output-dir", ".").code == 0
    copytree(made, stored, symlinks=True)
    return made


@pytest.fixture
def template(tmp_path: Path) -> Path:
    return make_template(tmp_path / "template")


@pytest.fixture
def foreign(commodore: CommandLine, tmp_path: Path, template: Path) -> Path:
    """A component of a template of others."""
    words = ("--template-url", str(template), "--trust", "--output-dir", ".")
    assert new(commodore, "my-comp", *words).code == 0
    return tmp_path / "my-comp"


def update(commodore: CommandLine, made: Path, *words: str) -> Ran:
    return commodore("component", "update", str(made), "--trust", *words)


def record_of(made: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((made / ".cruft.json").read_text())
    return content


def state_of(made: Path) -> tuple[str, str, dict[str, bytes]]:
    files = {
        path: content for path, content in files_below(made).items() if not path.startswith(".git/")
    }
    return git(made, "rev-parse", "HEAD"), git(made, "status", "--porcelain"), files


def test_update_without_changes(commodore: CommandLine, built_in: Path) -> None:
    before = state_of(built_in)

    ran = update(commodore, built_in)

    assert ran.code == 0
    assert " > No changes." in ran.out
    assert "already up-to-date" in ran.out
    assert state_of(built_in) == before


def test_options_change_built_in_template(commodore: CommandLine, built_in: Path) -> None:
    ran = update(commodore, built_in, "-t", "extra", "--lib")

    assert ran.code == 0, ran.err
    assert "Added file lib/my-comp.libsonnet" in ran.out
    assert (built_in / "tests" / "golden" / "extra" / "my-comp" / "apps" / "my-comp.yaml").exists()
    assert "tests/defaults.yml tests/extra.yml" in (built_in / "Makefile.vars.mk").read_text()
    commit = str(record_of(built_in)["commit"])
    assert git(built_in, "log", "--format=%B", "-1").strip() == (
        f"Update from template\n\nTemplate version: main ({commit[:7]})"
    )
    assert git(built_in, "status", "--porcelain") == ""

    back = update(commodore, built_in, "--remove-test-case", "extra", "--no-lib")

    assert back.code == 0, back.err
    assert git(built_in, "diff", "--stat", "HEAD~2", "HEAD") == ""


def test_changes_of_template_and_author_are_merged(
    commodore: CommandLine, foreign: Path, template: Path
) -> None:
    commit_in(foreign, {"README.md": (foreign / "README.md").read_text().replace("six", "mine")})
    (foreign / "raw" / "kept").unlink()
    commit_in(foreign, {})
    readme = "{{ cookiecutter.slug }}/README.md"
    change_template(
        template, {"README.md": (template / readme).read_text().replace("two", "theirs")}
    )
    newest = change_template(template, {"new/file": "new\n", "raw/kept": "changed\n"})

    ran = update(commodore, foreign)

    assert ran.code == 0, ran.err
    text = (foreign / "README.md").read_text()
    assert "theirs" in text
    assert "mine" in text
    assert (foreign / "new" / "file").read_text() == "new\n"
    assert not (foreign / "raw" / "kept").exists()  # the author does not want it
    assert record_of(foreign)["commit"] == newest
    assert "github.com/acme" in git(foreign, "remote", "get-url", "origin")


def test_update_does_not_touch_remotes(commodore: CommandLine, built_in: Path) -> None:
    git(built_in, "remote", "set-url", "origin", "https://git.example.com/elsewhere.git")

    assert update(commodore, built_in, "--pp").code == 0

    assert git(built_in, "remote", "get-url", "origin") == "https://git.example.com/elsewhere.git"


def test_no_commit_leaves_changes_unstaged(commodore: CommandLine, built_in: Path) -> None:
    head = git(built_in, "rev-parse", "HEAD")

    ran = update(commodore, built_in, "--lib", "--no-commit")

    assert ran.code == 0
    assert "Not committed" in ran.err
    assert git(built_in, "rev-parse", "HEAD") == head
    assert "?? lib/" in git(built_in, "status", "--porcelain")
    assert git(built_in, "diff", "--cached", "--name-only") == ""


def test_removed_case_removes_its_files(commodore: CommandLine, built_in: Path) -> None:
    assert update(commodore, built_in, "-t", "extra").code == 0
    golden = "tests/golden/extra/my-comp"
    commit_in(
        built_in,
        {"tests/extra.yml": "parameters: {}\n", f"{golden}/apps/my-comp.yaml": "a: 1\n"}
        | {f"{golden}/my-comp/more.yaml": "b: 1\n"},
    )

    ran = update(commodore, built_in, "--remove-test-case", "extra")

    assert ran.code == 0
    assert f"Deleted file {golden}/my-comp/more.yaml" in ran.out
    assert not (built_in / "tests" / "extra.yml").exists()
    assert not (built_in / "tests" / "golden" / "extra").exists()


def test_changed_file_survives_removal_from_template(
    commodore: CommandLine, built_in: Path
) -> None:
    golden = "tests/golden/defaults/my-comp/apps/my-comp.yaml"
    commit_in(built_in, {golden: "a: 1\n"})

    ran = update(commodore, built_in, "--no-golden-tests")

    assert ran.code == 0
    assert f"kept because you changed them: {golden}" in ran.err
    assert (built_in / golden).read_text() == "a: 1\n"


def test_skipped_files_are_not_updated(commodore: CommandLine, built_in: Path) -> None:
    record = record_of(built_in) | {"skip": ["Makefile*", "class"]}
    commit_in(built_in, {".cruft.json": json.dumps(record, indent=2) + "\n"})
    before = (built_in / "class" / "my-comp.yml").read_bytes()

    assert update(commodore, built_in, "--pp", "-t", "extra").code == 0

    assert (built_in / "class" / "my-comp.yml").read_bytes() == before
    assert "extra" not in (built_in / "Makefile.vars.mk").read_text()
    assert record_of(built_in)["skip"] == ["Makefile*", "class"]


def test_path_must_be_directory(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for path in ("nowhere", "file"):
        ran = commodore("component", "update", path)

        assert ran.code == 2
        assert "COMPONENT_PATH" in ran.err
        assert "irectory" in ran.err


def test_directory_without_record_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    ran = update(commodore, tmp_path)

    assert ran.code == 1
    assert str(tmp_path) in ran.err
    assert ".cruft.json" in ran.err


def test_deleted_folder_stays_deleted(
    commodore: CommandLine, foreign: Path, template: Path
) -> None:
    (foreign / "raw" / "kept").unlink()
    commit_in(foreign, {})
    change_template(template, {"raw/more": "new\n", "other/more": "new\n"})

    assert update(commodore, foreign).code == 0

    assert not (foreign / "raw" / "more").exists()
    assert (foreign / "other" / "more").exists()


def test_added_case_keeps_existing_golden_output(commodore: CommandLine, built_in: Path) -> None:
    golden = "tests/golden/extra/my-comp/apps/my-comp.yaml"
    commit_in(built_in, {golden: "a: 1\n"})

    ran = update(commodore, built_in, "-t", "extra")

    assert ran.code == 0, ran.err
    assert (built_in / golden).read_text() == "a: 1\n"


def test_expression_in_record_is_refused(commodore: CommandLine, built_in: Path) -> None:
    text = (built_in / ".cruft.json").read_text()
    hostile = text.replace('"name": "my-comp"', '"name": "<< cookiecutter.__class__ >>"')
    commit_in(built_in, {".cruft.json": hostile})

    ran = commodore("component", "update", str(built_in))

    assert ran.code == 1
    assert "the value of name contains an expression" in ran.err


def test_uncommitted_changes_are_refused(commodore: CommandLine, built_in: Path) -> None:
    (built_in / "README.md").write_text("mine\n")
    (built_in / "untracked").touch()
    before = state_of(built_in)

    ran = update(commodore, built_in, "--lib")

    assert ran.code == 1
    assert str(built_in) in ran.err
    assert "modified README.md" in ran.err
    assert "untracked untracked" in ran.err
    assert state_of(built_in) == before


def test_last_test_case_cannot_be_removed(commodore: CommandLine, built_in: Path) -> None:
    before = state_of(built_in)

    ran = update(commodore, built_in, "--remove-test-case", "defaults")

    assert ran.code == 1
    assert "removing defaults would leave no test case" in ran.err
    assert "at least one is required" in ran.err
    assert state_of(built_in) == before


@pytest.mark.parametrize("words", [(), ("--no-commit",)])
def test_conflict_changes_nothing(
    commodore: CommandLine, foreign: Path, template: Path, words: tuple[str, ...]
) -> None:
    in_conflict(foreign, template)
    before = state_of(foreign)

    ran = update(commodore, foreign, *words)

    assert ran.code == 1
    assert "README.md changed on both sides" in ran.err
    assert "added already exists" in ran.err
    assert "exclude a file with `skip`" in ran.err
    assert state_of(foreign) == before


def in_conflict(foreign: Path, template: Path) -> None:
    readme = (foreign / "README.md").read_text()
    commit_in(foreign, {"README.md": readme.replace("two", "mine"), "added": "by me\n"})
    text = (template / "{{ cookiecutter.slug }}" / "README.md").read_text()
    files = {"README.md": text.replace("two", "theirs"), "added": "by them\n", "other": "new\n"}
    change_template(template, files)


def test_update_needs_repository_root(
    commodore: CommandLine, built_in: Path, tmp_path: Path
) -> None:
    import shutil

    inner = tmp_path / "larger" / "inner"
    shutil.copytree(built_in, inner, ignore=shutil.ignore_patterns(".git"))
    for around in (False, True):
        if around:
            git(tmp_path / "larger", "init", "--quiet")
        before = files_below(inner)

        ran = update(commodore, inner, "--lib")

        assert ran.code == 1
        assert f"{inner} is not the root of a Git repository" in ran.err
        assert files_below(inner) == before


@pytest.mark.parametrize("name", ["slug", "name", "add_golden", "github_owner", "add_matrix"])
def test_record_without_required_variable_is_refused(
    commodore: CommandLine, built_in: Path, name: str
) -> None:
    text = "".join(
        line
        for line in (built_in / ".cruft.json").read_text().splitlines(keepends=True)
        if f'"{name}"' not in line
    )
    commit_in(built_in, {".cruft.json": text})

    ran = update(commodore, built_in)

    assert ran.code == 1
    assert f"{built_in.name}/.cruft.json" in ran.err
    assert f"lacks variables: {name}" in ran.err


def test_variables_missing_in_old_records_are_derived(
    commodore: CommandLine, foreign: Path
) -> None:
    record = (foreign / ".cruft.json").read_text()
    removed = ("add_lib", "add_pp", "test_cases", "automerge_patch", "copyright_holder")
    lines = [
        line
        for line in record.splitlines(keepends=True)
        if not any(f'"{name}"' in line for name in removed)
    ]
    sync = "LICENSE:\n  holder: Old Holder\n  year: 2020\n"
    commit_in(foreign, {".cruft.json": "".join(lines), ".sync.yml": sync})

    ran = update(commodore, foreign)

    assert ran.code == 0, ran.err
    context = json.loads((foreign / ".cruft.json").read_text())["context"]["cookiecutter"]
    assert context["copyright_holder"] == "Old Holder"
    assert (context["add_lib"], context["add_pp"]) == ("n", "n")
    assert context["test_cases"] == "defaults"
    assert git(foreign, "status", "--porcelain") == ""


def test_template_in_subdirectory(commodore: CommandLine, foreign: Path, template: Path) -> None:
    git(template, "rm", "--quiet", "--cached", "-r", ".")
    (template / "inner").mkdir()
    for path in [path for path in template.iterdir() if path.name not in (".git", "inner")]:
        path.rename(template / "inner" / path.name)
    commit = commit_in(template, {})
    record = record_of(foreign) | {"directory": "inner", "commit": commit}
    commit_in(foreign, {".cruft.json": json.dumps(record, indent=2) + "\n"})

    assert update(commodore, foreign, "-t", "more").code == 0
    assert (foreign / "tests" / "more.yml").exists()

    record["directory"] = "../../.."
    commit_in(foreign, {".cruft.json": json.dumps(record, indent=2) + "\n"})
    refused = update(commodore, foreign, "-t", "evenmore")
    assert refused.code == 1
    assert "not a folder of the template" in refused.err


def test_update_does_not_write_through_links(
    commodore: CommandLine, built_in: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (built_in / "lib").symlink_to(tmp_path / "outside")
    commit_in(built_in, {})

    ran = update(commodore, built_in, "--lib")

    assert ran.code == 1
    assert "lib already exists with other content" in ran.err
    assert not any((tmp_path / "outside").iterdir())


def test_record_that_is_a_link_is_replaced(
    commodore: CommandLine, built_in: Path, tmp_path: Path
) -> None:
    outside = (built_in / ".cruft.json").rename(tmp_path / "outside")
    before = outside.read_bytes()
    (built_in / ".cruft.json").symlink_to(outside)
    commit_in(built_in, {})

    assert update(commodore, built_in, "--lib").code == 0

    assert outside.read_bytes() == before
    assert not (built_in / ".cruft.json").is_symlink()


def test_failed_commit_changes_nothing(commodore: CommandLine, built_in: Path) -> None:
    before = state_of(built_in)
    (built_in / ".git" / "index.lock").touch()

    ran = update(commodore, built_in, "--lib")

    (built_in / ".git" / "index.lock").unlink()
    assert ran.code == 1
    assert "index.lock" in ran.err
    assert state_of(built_in) == before


def test_hooks_are_shown_and_not_run(commodore: CommandLine, foreign: Path, template: Path) -> None:
    ran_here = foreign.parent / "ran"
    hook = f"open({str(ran_here)!r}, 'w')\n"
    commit_in(template, {"hooks/post_gen_project.py": hook})
    before = state_of(foreign)

    refused = commodore("component", "update", str(foreign))

    assert refused.code == 1
    assert hook in refused.err
    assert "--trust" in refused.err
    assert not ran_here.exists()
    assert state_of(foreign) == before


def test_hooks_are_shown_before_they_run(
    commodore: CommandLine, foreign: Path, template: Path
) -> None:
    hook = "raise SystemExit('I ' + 'ran')\n"
    commit_in(template, {"hooks/post_gen_project.py": hook})
    before = state_of(foreign)

    ran = update(commodore, foreign)

    assert ran.code == 1
    assert 0 < ran.err.index(hook) < ran.err.index("I ran")
    assert state_of(foreign) == before


@pytest.mark.parametrize("mine", ["lib/my-comp.libsonnet", "lib/my-comp.libsonnet/mine"])
def test_ignored_file_in_the_way_is_named(
    commodore: CommandLine, built_in: Path, mine: str
) -> None:
    commit_in(built_in, {".gitignore": "/lib\n"})
    (built_in / mine).parent.mkdir(parents=True)
    (built_in / mine).write_text("mine\n")
    before = state_of(built_in)

    ran = update(commodore, built_in, "--lib")

    assert ran.code == 1
    assert "files that Git ignores are in the way: lib/my-comp.libsonnet;" in ran.err
    assert "`skip` in .cruft.json" in ran.err
    assert state_of(built_in) == before


def test_update_where_merges_need_signatures(commodore: CommandLine, built_in: Path) -> None:
    git(built_in, "config", "merge.verifySignatures", "true")

    ran = update(commodore, built_in, "--lib")

    assert ran.code == 0, ran.err


def test_other_kind_is_refused(commodore: CommandLine, tmp_path: Path, built_in: Path) -> None:
    package = ("new", "my-pack", "--owner", "acme", "--output-dir", str(tmp_path))
    assert commodore("package", *package).code == 0

    for kind, other, made in (
        ("package", "component", built_in),
        ("component", "package", tmp_path / "my-pack"),
    ):
        ran = commodore(kind, "update", str(made))

        assert ran.code == 1
        assert f"this is a {other}, not a {kind}" in ran.err
        assert f"commodore {other} update" in ran.err
