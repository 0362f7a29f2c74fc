"""Cleaning removes what a compile makes again, and refuses where it cannot."""

from pathlib import Path

import pytest

from commodore_py.adapters.git.program import git
from commodore_py.catalog.clean import clean
from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError, SeveralErrors

WHO = ("-c", "user.name=x", "-c", "user.email=x")


@pytest.fixture
def paths(tmp_path: Path) -> WorkPaths:
    """A working directory with a published catalog and a published global configuration."""
    paths = WorkPaths(tmp_path / "work")
    for number, directory in enumerate((paths.catalog, paths.classes / "global")):
        remote = tmp_path / f"remote-{number}.git"
        git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
        directory.parent.mkdir(parents=True, exist_ok=True)
        git(tmp_path, "clone", "--quiet", str(remote), str(directory))
        write(directory / "manifests/foo/cm.yaml")
        commit(directory, "first")
        git(directory, "push", "--quiet", "origin", "main")
    write(paths.compiled / "foo/foo/cm.yaml")
    return paths


def write(path: Path, text: str = "text\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def commit(directory: Path, subject: str) -> str:
    git(directory, "add", "--all")
    git(directory, *WHO, "commit", "--allow-empty", "--quiet", "--message", subject)
    return git(directory, "rev-parse", "--short", "HEAD")


def refusals(paths: WorkPaths) -> list[tuple[str, str]]:
    """Where cleaning is refused, and why; nothing is removed then."""
    before = sorted(paths.root.rglob("*"))
    with pytest.raises(CommodoreError) as raised:
        clean(Config(paths))
    assert sorted(paths.root.rglob("*")) == before
    errors = raised.value.errors if isinstance(raised.value, SeveralErrors) else (raised.value,)
    assert all("--force to move" in error.hint for error in errors)
    return [(error.where, str(error).partition(": ")[2]) for error in errors]


def test_clean_removes_generated_folders_only(paths: WorkPaths) -> None:
    write(paths.libraries / "x.libsonnet")
    write(paths.dependencies / "libs/x")
    kept = [
        paths.dependencies / "foo/class/foo.yml",
        paths.bare_clones / "x/HEAD",
        paths.vendor / "x",
        paths.jsonnetfile,
        paths.root / "own.txt",
    ]
    for path in kept:
        write(path)

    removed = clean(Config(paths))

    assert removed == (
        paths.inventory,
        paths.libraries,
        paths.dependencies / "libs",
        paths.compiled,
        paths.catalog,
    )
    assert sorted(p for p in paths.root.rglob("*") if p.is_file()) == sorted(kept)


def test_clean_of_empty_folder_removes_nothing(tmp_path: Path) -> None:
    assert clean(Config(WorkPaths(tmp_path))) == ()


def test_clean_keeps_linked_folder(paths: WorkPaths, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/x")
    clean(Config(paths))
    paths.compiled.symlink_to(tmp_path / "elsewhere")

    assert clean(Config(paths)) == ()
    assert (paths.compiled / "x").exists()


def test_own_files_are_named(paths: WorkPaths) -> None:
    write(paths.classes / "global/manifests/foo/cm.yaml", "edited\n")
    write(paths.classes / "global/new/ö file.yml")
    write(paths.catalog / "README.md")
    write(paths.catalog / "manifests/.hidden")

    assert refusals(paths) == [
        (str(paths.classes / "global"), "manifests/foo/cm.yaml, new/ö file.yml"),
        (str(paths.catalog), "README.md, manifests/.hidden"),
    ]


def test_own_commits_are_named(paths: WorkPaths) -> None:
    directory = paths.classes / "global"
    write(directory / "x")
    git(directory, "checkout", "--quiet", "-b", "idea")
    first = commit(directory, "an idea")
    git(directory, "checkout", "--quiet", "--detach", "main")
    write(directory / "y")
    second = commit(directory, "on no branch")

    ((where, why),) = refusals(paths)

    assert where == str(directory)
    assert set(why.split(", ")) == {
        f"commit {first} (an idea)",
        f"commit {second} (on no branch)",
    }


def test_tagged_commit_without_branch_is_not_local_work(paths: WorkPaths) -> None:
    directory = paths.classes / "global"
    git(directory, "checkout", "--quiet", "--detach")
    write(directory / "x")
    commit(directory, "release")
    git(directory, "tag", "v1")

    assert paths.catalog in clean(Config(paths))


def test_repository_without_remote_is_local_work(paths: WorkPaths) -> None:
    git(paths.root, "init", "--quiet", "inventory/classes/t1")
    write(paths.classes / "t1/common.yml")
    commit_id = commit(paths.classes / "t1", "mine")

    assert refusals(paths) == [(str(paths.classes / "t1"), f"commit {commit_id} (mine)")]


def test_uncommitted_compile_is_not_local_work(paths: WorkPaths) -> None:
    write(paths.catalog / "manifests/foo/cm.yaml", "compiled again\n")
    write(paths.catalog / "refs/t/c/key")
    git(paths.catalog, "add", "--all")

    assert paths.catalog in clean(Config(paths))


def test_backed_up_work_is_reported_with_ref(paths: WorkPaths) -> None:
    ref = "refs/commodore/backup/20260102T030405.000000Z"
    commit(paths.catalog, "mine")
    git(paths.catalog, "update-ref", ref, "HEAD")
    git(paths.catalog, "reset", "--quiet", "--hard", "origin/main")

    assert refusals(paths) == [(str(paths.catalog), ref)]

    # The ways out that the hint names lead out.
    git(paths.catalog, "push", "--quiet", "origin", f"{ref}:refs/heads/mine")

    assert paths.catalog in clean(Config(paths))


def test_commit_checked_out_by_compile_is_not_local_work(paths: WorkPaths) -> None:
    classes = paths.classes / "global"
    commit(classes, "gone from the remote since")
    git(classes, "update-ref", "refs/worktree/commodore/checkout", "HEAD")
    git(classes, "reset", "--quiet", "--hard", "origin/main")

    assert paths.catalog in clean(Config(paths))


def test_long_lists_are_truncated(paths: WorkPaths) -> None:
    for number in range(23):
        write(paths.catalog / f"{number:02}.txt")

    ((_, why),) = refusals(paths)

    assert why.endswith("19.txt, and 3 more")


def test_damaged_repository_is_not_judged_by_outer_one(paths: WorkPaths) -> None:
    git(paths.root, "init", "--quiet")
    (paths.catalog / ".git/HEAD").unlink()

    assert [where for where, _ in refusals(paths)] == [str(paths.catalog)]

    # The way out that the hint names leads out.
    paths.catalog.rename(paths.root / "elsewhere")

    assert paths.inventory in clean(Config(paths))


def test_force_moves_unpublished_work(paths: WorkPaths, caplog: pytest.LogCaptureFixture) -> None:
    configuration = paths.classes / "global"
    mine = commit(configuration, "mine")
    git(paths.catalog, "update-ref", "refs/commodore/backup/1", commit(paths.catalog, "other"))

    clean(Config(paths, force=True))

    assert not paths.inventory.exists()
    assert not paths.catalog.exists()
    (kept,) = (paths.state / "kept").iterdir()
    assert git(kept / "inventory/classes/global", "rev-parse", "--short", "HEAD") == mine
    assert git(kept / "catalog", "log", "-1", "--format=%s") == "other"
    assert caplog.text.count("unpublished work is kept in ") == 2
