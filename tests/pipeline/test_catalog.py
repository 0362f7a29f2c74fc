"""The catalog's checkout against real remotes: written, staged, compared, committed, pushed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.program import git, git_bytes
from commodore_py.catalog.assemble import assemble
from commodore_py.catalog.sinks.git import GitCatalog
from commodore_py.config import Author, Config
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import CatalogHead
from commodore_py.model.stages import Rendered
from commodore_py.model.tree import Entry, Tree
from tests.support.scenarios.catalog_clone import MESSAGE, CatalogClone, rendered

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _git_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for half in ("NAME", "EMAIL"):
        monkeypatch.delenv(f"GIT_AUTHOR_{half}", raising=False)
        monkeypatch.delenv(f"GIT_COMMITTER_{half}", raising=False)
    monkeypatch.delenv("EMAIL", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def empty(tmp_path: Path) -> CatalogClone:
    """An empty remote, cloned."""
    return CatalogClone.make(tmp_path)


@pytest.fixture
def clone(empty: CatalogClone) -> CatalogClone:
    """A remote that holds one compiled catalog."""
    empty.push(rendered({"foo/cm.yaml": "a: 1\n", "foo/ns.yaml": "n: 1\n"}, {"t/c/key": "ref\n"}))
    return empty


def kinds(clone: CatalogClone, compiled: Rendered) -> dict[str, str]:
    return {file.path: file.kind for file in clone.sink().stage(compiled).files}


@pytest.mark.parametrize("branch", ["master", "main"])
def test_first_push_creates_initial_commit(tmp_path: Path, branch: str) -> None:
    clone = CatalogClone.make(tmp_path, branch=branch)

    clone.push(rendered({"foo/cm.yaml": "a: 1\n"}))

    assert clone.pushed("log", "--format=%an %ce %s").splitlines() == [
        "Ann Author ann@example.org Subject",
        "Ann Author ann@example.org Initial commit",
    ]
    assert clone.pushed("ls-tree", "-r", "--name-only") == "manifests/foo/cm.yaml"
    assert git(clone.remote, "ls-tree", f"{branch}^") == ""


def test_empty_catalog_uses_branch_of_remote(tmp_path: Path) -> None:
    clone = CatalogClone.make(tmp_path, branch="main")
    git(clone.catalog, "symbolic-ref", "HEAD", "refs/heads/elsewhere")

    clone.push(rendered({"foo/cm.yaml": ""}))

    assert git(clone.remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_sha256_catalog_is_staged_and_pushed(tmp_path: Path) -> None:
    clone = CatalogClone(tmp_path)
    clone.catalog.mkdir(parents=True)
    sha256 = ("--quiet", "--object-format=sha256", "--initial-branch=master")
    git(tmp_path, "init", *sha256, "--bare", str(clone.remote))
    git(clone.catalog, "init", *sha256)
    git(clone.catalog, "remote", "add", "origin", f"file://{clone.remote}")

    clone.push(rendered({"foo/cm.yaml": "a: 1\n"}))
    unchanged = clone.sink().stage(rendered({"foo/cm.yaml": "a: 1\n"}))
    renamed = clone.sink().stage(rendered({"foo/new.yaml": "a: 1\n"}))

    assert not unchanged
    assert [file.kind for file in renamed.files] == ["renamed"]
    clone.push(rendered({"foo/cm.yaml": "a: 2\n"}))
    assert len(clone.pushed("rev-parse")) == 64


def test_commit_message_is_kept_byte_for_byte(clone: CatalogClone) -> None:
    commit = git_bytes(clone.remote, "cat-file", "commit", "master")

    assert commit.partition(b"\n\n")[2] == MESSAGE.encode()


@pytest.mark.parametrize("name", ["Ann Author", "Jörg O'Neil", " Ann <at> home,", "A", "A. B."])
@pytest.mark.parametrize("date", ["", "2001-02-03T04:05:06+0700"])
def test_catalog_commit_equals_that_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, date: str
) -> None:
    clone = replace(CatalogClone.make(tmp_path), author=Author(name, "ann@example.org"))
    if date:
        monkeypatch.setenv("GIT_AUTHOR_DATE", date)

    clone.push(rendered({"foo/cm.yaml": "a: 1\n"}))

    env: dict[str, str] = {}
    for role, letter in (("AUTHOR", "a"), ("COMMITTER", "c")):
        when = git(clone.catalog, "log", "-1", f"--format=%{letter}d", "--date=raw")
        env |= {f"GIT_{role}_{key}": value for key, value in (("NAME", name), ("DATE", when))}
        env[f"GIT_{role}_EMAIL"] = "ann@example.org"
    words = ("commit-tree", "-p", "HEAD^", "HEAD^{tree}")
    assert git(clone.catalog, *words, stdin=MESSAGE.encode(), env=env) == clone.pushed("rev-parse")
    assert not date or "2001" in git(clone.catalog, "log", "-1", "--format=%ai")


def test_hooks_and_signing_of_the_user_are_left_out(empty: CatalogClone) -> None:
    (empty.root / "hooks").mkdir()
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg"):
        hook = empty.root / "hooks" / name
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
    git(empty.root, "config", "--global", "core.hooksPath", str(hook.parent))
    git(empty.root, "config", "--global", "commit.gpgSign", "true")

    empty.push(rendered({"foo/cm.yaml": ""}))

    assert empty.pushed("rev-parse") == git(empty.catalog, "rev-parse", "HEAD")


def _untouched(path: Path) -> tuple[int, ...]:
    """What writing to a file would alter; reading it may alter the time of its last use."""
    found = path.stat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def test_unchanged_catalog_writes_no_file(clone: CatalogClone) -> None:
    compiled = rendered({"foo/cm.yaml": "a: 1\n", "foo/ns.yaml": "n: 1\n"}, {"t/c/key": "ref\n"})
    places = [p for top in (clone.catalog, clone.paths.compiled) for p in top.rglob("*")]
    files = [p for p in places if p.is_file() and ".git" not in p.parts]
    before = {p: _untouched(p) for p in files}

    change = clone.sink().stage(compiled)

    assert not change
    assert len(files) == 5
    assert {p: _untouched(p) for p in files} == before


def test_only_changed_files_are_written(clone: CatalogClone) -> None:
    same = clone.catalog / "manifests/foo/ns.yaml"
    before = _untouched(same)

    changed = kinds(clone, rendered({"foo/cm.yaml": "a: 2\n", "foo/ns.yaml": "n: 1\n"}))

    assert changed == {"manifests/foo/cm.yaml": "modified", "refs/t/c/key": "deleted"}
    assert _untouched(same) == before


def test_change_is_paired_as_git_does(clone: CatalogClone) -> None:
    text = "".join(f"line {n}\n" for n in range(10))
    moved, edited = text.replace("7", "x"), {"foo/a b\nö.yaml": "n: 1\n"}
    clone.push(rendered({"foo/long.yaml": text, "foo/cm.yaml": "a: 1\n"}))

    change = clone.sink().stage(rendered({"foo/moved.yaml": moved, "foo/cm.yaml": "", **edited}))

    assert [(f.kind, f.old_path, f.path, f.old, f.new) for f in change.files] == [
        ("added", "manifests/foo/a b\nö.yaml", "manifests/foo/a b\nö.yaml", b"", b"n: 1\n"),
        ("modified", "manifests/foo/cm.yaml", "manifests/foo/cm.yaml", b"a: 1\n", b""),
        (
            "renamed",
            "manifests/foo/long.yaml",
            "manifests/foo/moved.yaml",
            text.encode(),
            moved.encode(),
        ),
    ]


def test_change_of_mode_and_type_is_seen(clone: CatalogClone) -> None:
    manifests = clone.catalog / "manifests"
    (manifests / "foo/cm.yaml").unlink()
    (manifests / "foo/cm.yaml").symlink_to("ns.yaml")
    git(clone.catalog, "add", "--all")
    git(clone.catalog, "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "link")
    run = PurePosixPath("foo/ns.yaml")
    tree = Tree({run: Entry(b"n: 1\n", executable=True), run.with_name("cm.yaml"): Entry(b"a\n")})
    instances = {"foo": tree}

    change = clone.sink().stage(Rendered(instances, (), assemble(instances, ())))

    shown = [(f.kind, f.old, f.new, f.old_mode, f.new_mode) for f in change.files[:2]]
    assert shown == [
        ("retyped", b"ns.yaml", b"a\n", 0o120000, 0o100644),
        ("modified", b"n: 1\n", b"n: 1\n", 0o100644, 0o100755),
    ]


def test_compiled_holds_exactly_the_instances(clone: CatalogClone) -> None:
    stale = clone.paths.compiled / "gone/gone/x.yaml"
    stale.parent.mkdir(parents=True)
    stale.touch()
    instances = {"foo": Tree({PurePosixPath("foo/cm.yaml"): Entry(b"x")}), "nothing": Tree()}

    clone.sink().stage(Rendered(instances, (), assemble(instances, ())))

    compiled = clone.paths.compiled
    assert sorted(str(p.relative_to(compiled)) for p in compiled.rglob("*")) == [
        "foo",
        "foo/foo",
        "foo/foo/cm.yaml",
        "nothing",
    ]


@pytest.mark.parametrize("name", ["manifests/link", "refs/link", "manifests", "refs"])
def test_linked_folder_is_replaced_without_following_it(clone: CatalogClone, name: str) -> None:
    outside = clone.root / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    if (clone.catalog / name).is_dir():
        (clone.catalog / name).rename(clone.root / "aside")
    (clone.catalog / name).symlink_to(outside)

    clone.sink().stage(rendered({"foo/cm.yaml": "a: 1\n"}, {"t/c/key": "ref\n"}))

    assert [p.name for p in outside.iterdir()] == ["precious"]
    assert not (clone.catalog / name).is_symlink()


def test_ignored_files_are_left_out_and_named_with_the_rule(clone: CatalogClone) -> None:
    (clone.catalog / ".gitignore").write_text("# ours\n*.log\nkey2\n")
    (clone.catalog / "manifests/.note.log").touch()
    files = {"foo/cm.yaml": "a: 1\n", "foo/ns.yaml": "n: 1\n", "foo/ö.log": "", "foo/.log": ""}

    change = clone.sink().stage(rendered(files, {"t/c/key": "ref\n", "t/key2": ""}))

    assert change.files == ()
    assert change.ignored == (
        "manifests/foo/.log (.gitignore:2: *.log)",
        "manifests/foo/ö.log (.gitignore:2: *.log)",
        "refs/t/key2 (.gitignore:3: key2)",
    )


def test_tracked_files_are_updated_although_ignored(clone: CatalogClone) -> None:
    (clone.catalog / ".gitignore").write_text("cm.yaml\n")

    change = clone.sink().stage(rendered({"foo/cm.yaml": "a: 2\n"}))

    assert ("manifests/foo/cm.yaml", "modified") in [(f.path, f.kind) for f in change.files]
    assert change.ignored == ()


@pytest.mark.parametrize("name", ["foo/cm.yaml", "foo/renamed.yaml"])
def test_unpushed_change_stays_staged(clone: CatalogClone, name: str) -> None:
    compiled = rendered({name: "a: 2\n"})
    first = clone.sink()
    change = first.stage(compiled)
    first.leave_staged()

    second = clone.sink()
    again = second.stage(compiled)
    second.leave_staged()

    assert change == again
    assert git(clone.catalog, "for-each-ref", "refs/commodore") == ""
    staged = {"manifests/foo/cm.yaml", "manifests/foo/ns.yaml", "refs/t/c/key", f"manifests/{name}"}
    listed = git(clone.catalog, "diff", "--cached", "--name-only", "--no-renames").splitlines()
    assert set(listed) == staged
    assert git(clone.catalog, "diff", "--name-only") == ""


def test_unstage_keeps_the_files(clone: CatalogClone) -> None:
    sink = clone.sink()
    sink.stage(rendered({"foo/cm.yaml": "a: 2\n"}))

    sink.unstage()

    assert git(clone.catalog, "diff", "--cached", "--name-only") == ""
    assert (clone.catalog / "manifests/foo/cm.yaml").read_text() == "a: 2\n"


def test_before_the_first_commit_all_is_added_and_can_be_unstaged(empty: CatalogClone) -> None:
    sink = empty.sink()

    change = sink.stage(rendered({"foo/cm.yaml": "a: 2\n"}, {"key": ""}))
    sink.unstage()

    assert {file.kind for file in change.files} == {"added"}
    assert git(empty.catalog, "ls-files") == ""
    assert (empty.catalog / "manifests/foo/cm.yaml").exists()


def test_overtaken_push_keeps_local_commit(clone: CatalogClone) -> None:
    git(clone.root, "clone", "--quiet", str(clone.remote), "other")
    other = CatalogClone(clone.root / "x", author=clone.author)
    other.paths.root.mkdir(parents=True)
    (clone.root / "other").rename(other.catalog)
    other.push(rendered({"foo/cm.yaml": "theirs\n"}))
    theirs = clone.pushed("rev-parse")

    with pytest.raises(CommodoreError) as raised:
        clone.push(rendered({"foo/cm.yaml": "ours\n"}))

    error = raised.value
    assert str(error) == "cannot push the catalog to branch master: [rejected] (fetch first)"
    assert error.where == f"file://{clone.remote}"
    assert "compile again" in error.hint
    assert str(clone.catalog) in error.hint
    assert clone.pushed("rev-parse") == theirs
    assert git(clone.catalog, "log", "-1", "--format=%s") == "Subject"


def test_push_declined_by_hook_repeats_its_message(clone: CatalogClone) -> None:
    hook = clone.remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho ask Bob first\nexit 1\n")
    hook.chmod(0o755)

    with pytest.raises(CommodoreError) as raised:
        clone.push(rendered({"foo/cm.yaml": "ours\n"}))

    assert str(raised.value).endswith(": [remote rejected] (pre-receive hook declined)")
    assert raised.value.__notes__ == ["the server reported: ask Bob first"]


def test_unreachable_remote_does_not_show_password(clone: CatalogClone) -> None:
    url = "git://bob:hunter2@127.0.0.1:1/c.git"
    git(clone.catalog, "remote", "set-url", "origin", url)
    head = CatalogHead(clone.catalog, url, "master", git(clone.catalog, "rev-parse", "HEAD"))
    sink = GitCatalog(Config(clone.paths, author=clone.author), head)
    sink.stage(rendered({"foo/cm.yaml": "ours\n"}))

    sink.commit(MESSAGE)
    with pytest.raises(CommodoreError, match="cannot push the catalog") as raised:
        sink.push()

    error = raised.value
    assert error.where == "git://***@127.0.0.1:1/c.git"
    assert "hunter2" not in f"{error} {error.hint} {getattr(error, '__notes__', '')}"
