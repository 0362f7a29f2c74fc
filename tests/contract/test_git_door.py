"""Git's files and Git's program give the same answers, whatever the repository is like."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.adapters.git.abbreviations import short_commits_of
from commodore_py.adapters.git.blueprint import Blueprint
from commodore_py.adapters.git.layout import SWITCH, is_plain
from commodore_py.adapters.git.objects import tree_of
from commodore_py.adapters.git.refs import (
    BRANCHES,
    HEADS,
    TAGS,
    own_ref,
    read_refs,
    refs_in_files,
    refs_of,
    set_own_ref,
)
from commodore_py.adapters.git.repository import (
    add_remote,
    default_branch_of,
    folders_of,
    git_folder_of,
    head_of,
    is_repository,
    remote_settings,
    setting_of,
)
from commodore_py.adapters.git.status import seen_in_index, status, tracked_if_clean
from commodore_py.adapters.git.worktrees import add_worktree, commit_at, heads_of
from commodore_py.errors import CommodoreError
from tests.contract.git_repositories import FILES, FOR_THE_PROGRAM, REPOSITORIES, plain, worktree
from tests.support.builders import commit_to, git, git_succeeds, make_repository
from tests.support.scenarios.dependencies import Workspace, component, configuration, tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_USER = ("-c", "user.name=User", "-c", "user.email=user@example.com")
_OWN = "refs/worktree/commodore/checkout"


@contextmanager
def the_program() -> Iterator[None]:
    """The git program does everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "program")
        yield


@contextmanager
def the_files() -> Iterator[None]:
    """Files are read and written where that is possible."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(SWITCH, raising=False)
        yield


def answers(checkout: Path) -> dict[str, Any]:
    """What the door says about a checkout, but for answers that may be left to the program."""
    folders = folders_of(checkout)
    assert folders is not None
    commit, branch = head_of(checkout)
    refs = read_refs(folders.shared, HEADS, BRANCHES, TAGS)
    seen = seen_in_index(checkout, folders)
    return {
        "is_repository": is_repository(checkout),
        "folders": (folders.own.resolve(), folders.shared.resolve()),
        "git_folder": git_folder_of(checkout),
        "head": (commit, branch),
        "objects": {name: value for name, value in refs.objects.items() if name != "HEAD"},
        "symbolic": {name: to for name, to in refs.symbolic.items() if name != "HEAD"},
        "remote": remote_settings(checkout),
        "owner": setting_of(checkout, "commodore", "cluster"),
        "default branch": default_branch_of(checkout),
        "heads": heads_of(folders.shared),
        "own ref": own_ref(folders.own, _OWN),
        "commit at": commit_at(folders.own),
        "short": short_commits_of([(checkout, commit)] if commit else []),
        "unmodified": None
        if seen is None
        else {name for name, one in seen.items() if one == _seen_now(checkout / name)},
        "tracked": None if seen is None else set(seen),
    }


def _seen_now(path: Path) -> tuple[int, ...] | None:
    if not path.is_symlink() and not path.exists():
        return None
    found = path.lstat()
    bits = 0xFFFFFFFF
    return (found.st_ino & bits, found.st_size & bits, found.st_mtime_ns, found.st_ctime_ns)


def check_both(checkout: Path) -> None:
    """Both ways answer alike, and what only one of them answers is what Git says."""
    with the_files():
        by_files = answers(checkout)
        folders = folders_of(checkout)
        assert folders is not None
        commit = by_files["head"][0]
        clean = tracked_if_clean(checkout, folders.own, folders.shared, commit) if commit else None
        tree = tree_of(folders.shared, commit) if commit else ""
        refs = refs_in_files(folders.shared, BRANCHES, TAGS)
    with the_program():
        by_program = answers(checkout)
        assert tracked_if_clean(checkout, folders.own, folders.shared, commit or "") is None
        assert not tree_of(folders.shared, commit or "")
        assert refs_in_files(folders.shared, HEADS) is None

    unmodified = (by_files.pop("unmodified"), by_program.pop("unmodified"))
    assert by_files == by_program
    modified = set(git(checkout, "diff", "--name-only").splitlines())
    assert modified.isdisjoint({*unmodified[0], *unmodified[1]})
    if clean is not None:
        assert not status(checkout, untracked=False).changes
        assert clean == git(checkout, "ls-files").encode().splitlines()
    if tree:
        assert tree == git(checkout, "rev-parse", "HEAD^{tree}")
    if refs is not None:
        commits = refs_of(checkout).commits
        assert all(refs.peeled.get(name, commit) == commit for name, commit in commits.items())


@pytest.mark.parametrize("name", REPOSITORIES)
def test_both_ways_give_the_same_answers(tmp_path: Path, name: str) -> None:
    checkout = REPOSITORIES[name](tmp_path)

    check_both(checkout)

    folders = folders_of(checkout)
    assert folders is not None
    if SWITCH not in os.environ:
        assert is_plain(folders.shared) == (name not in FOR_THE_PROGRAM)


@pytest.mark.parametrize("extension", ["refStorage = reftable", "something = new"])
def test_formats_of_later_versions_of_git_are_left_to_it(tmp_path: Path, extension: str) -> None:
    checkout = plain(tmp_path)
    with (checkout / ".git/config").open("a") as config:
        config.write(f"[core]\n\trepositoryformatversion = 1\n[extensions]\n\t{extension}\n")

    assert not is_plain(checkout / ".git")
    assert refs_in_files(checkout / ".git", HEADS) is None
    # Whether Git understands it or not: what it says is what counts.
    assert is_repository(checkout) == git_succeeds(checkout, "rev-parse", "--git-dir")


@pytest.mark.parametrize("content", ["", "nonsense", "ref: refs/heads/nowhere", "0" * 40])
def test_broken_refs_get_no_answer_that_git_does_not_give(tmp_path: Path, content: str) -> None:
    checkout = plain(tmp_path)
    (checkout / ".git/refs/heads/broken").write_text(f"{content}\n")

    with the_files():
        found = _values(checkout)
    with the_program():
        listed = _values(checkout)

    assert found.get("refs/heads/master") == listed.get("refs/heads/master")
    assert found.get("refs/heads/broken", content) in (content, listed.get("refs/heads/broken"))


def _values(checkout: Path) -> dict[str, str]:
    try:
        return dict(read_refs(checkout / ".git", HEADS).objects)
    except CommodoreError:
        return {"refs/heads/master": git(checkout, "rev-parse", "master")}


def test_a_value_that_the_switch_does_not_know_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "fast")

    with pytest.raises(CommodoreError, match="COMMODORE_GIT=fast is not a valid value"):
        is_plain(tmp_path)


# -- what is written


def test_new_repositories_are_the_same_both_ways(tmp_path: Path) -> None:
    def made(name: str) -> Path:
        blueprint = Blueprint()
        for number in range(2):
            bare = tmp_path / f"{name}{number}"
            bare.mkdir()
            blueprint.make(bare)
        add_remote(bare, "https://git.example.com/a/b")
        return bare

    with the_files():
        by_files = made("files")
    with the_program():
        by_program = made("program")

    settings_of = [git(one, "config", "--list", "--local") for one in (by_files, by_program)]
    assert settings_of[0] == settings_of[1]
    assert git(by_files, "fsck", "--strict") == git(by_program, "fsck", "--strict") == ""


@pytest.mark.parametrize("branch", ["", "master"])
def test_new_worktrees_are_the_same_both_ways(tmp_path: Path, branch: str) -> None:
    def made(name: str) -> tuple[object, ...]:
        source = make_repository(tmp_path / name / "remote.git", FILES)
        bare = tmp_path / name / "clone.git"
        bare.mkdir()
        git(bare, "init", "--quiet", "--bare", "--initial-branch=master")
        add_remote(bare, str(source))
        git(bare, "fetch", "--quiet", "origin")
        commit = git(bare, "rev-parse", "refs/remotes/origin/master")
        checkout = tmp_path / name / "checkout"
        add_worktree(checkout, bare, commit, branch)
        own = git_folder_of(checkout)
        assert own is not None
        for value in (git(bare, "rev-parse", f"{commit}^{{tree}}"), commit):  # new, and again
            set_own_ref(checkout, own, _OWN, value)
        check_both(checkout)
        return (
            sorted(path.name for path in own.iterdir() if path.name not in ("FETCH_HEAD", "logs")),
            git(checkout, "status", "--porcelain=v2", "--branch"),
            git(checkout, "rev-parse", _OWN),
            [*heads_of(bare).values()],
        )

    with the_files():
        by_files = made("files")
    with the_program():
        by_program = made("program")

    assert by_files == by_program


def test_a_ref_of_a_worktree_that_cannot_be_written_is_left_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make_repository(tmp_path / "remote.git", FILES)
    checkout = tmp_path / "checkout"
    git(source, "worktree", "add", "--quiet", "--detach", str(checkout))
    own, commit = git_folder_of(checkout), git(source, "rev-parse", "HEAD")
    assert own is not None

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", fail)
    monkeypatch.setattr(os, "replace", fail)

    set_own_ref(checkout, own, _OWN, commit)

    assert git(checkout, "rev-parse", _OWN) == commit
    assert not (own / f"{_OWN}.lock").exists()


@pytest.mark.parametrize("odd", ["to a ref", "by a link", "with a log"])
def test_an_odd_ref_of_a_worktree_is_written_by_git(tmp_path: Path, odd: str) -> None:
    source = make_repository(tmp_path / "remote.git", FILES)
    checkout = tmp_path / "checkout"
    git(source, "worktree", "add", "--quiet", "--detach", str(checkout))
    own, commit = git_folder_of(checkout), git(source, "rev-parse", "HEAD")
    assert own is not None
    git(checkout, "update-ref", _OWN, git(source, "rev-parse", "HEAD^{tree}"))
    other = own / f"{_OWN}-other"
    match odd:
        case "to a ref":
            other.write_text((own / _OWN).read_text())
            git(checkout, "symbolic-ref", _OWN, f"{_OWN}-other")
        case "by a link":
            (own / _OWN).rename(other)
            (own / _OWN).symlink_to(other.name)
        case _:
            (own / "logs" / _OWN).parent.mkdir(parents=True)
            (own / "logs" / _OWN).touch()

    set_own_ref(checkout, own, _OWN, commit)

    assert git(checkout, "rev-parse", _OWN) == commit
    assert odd != "with a log" or commit in (own / "logs" / _OWN).read_text()


# -- sequences


@dataclass(frozen=True)
class Step:
    """Something that a user does, with a number that says to what."""

    name: str
    number: int

    def take(self, checkout: Path) -> None:
        """Do it; what Git refuses is not done."""
        file = checkout / ("a.txt", "folder/b.txt", "new.txt")[self.number % 3]
        label = f"n{self.number % 4}"
        match self.name:
            case "edit":
                file.parent.mkdir(exist_ok=True)
                file.write_text(f"{self.number}\n")
            case "delete":
                file.unlink(missing_ok=True)
            case "commit":
                (checkout / "count.txt").write_text(str(self.number))
                git_succeeds(checkout, "add", "--all")
                git_succeeds(checkout, *_USER, "commit", "--quiet", "--allow-empty", "--message=x")
            case "hide":
                git_succeeds(checkout, "update-index", "--assume-unchanged", str(file))
            case "pack":
                git_succeeds(
                    checkout, "pack-refs", "--all", *(["--no-prune"] if self.number % 2 else [])
                )
            case "version":
                git_succeeds(checkout, "update-index", f"--index-version={2 + self.number % 3}")
            case "annotate":
                git_succeeds(checkout, *_USER, "tag", "--annotate", "--message", "x", label)
            case "worktree":
                git_succeeds(checkout, "worktree", "add", "--quiet", "--detach", f"../w{label}")
            case _:
                git_succeeds(checkout, *self._command(label))

    def _command(self, label: str) -> tuple[str, ...]:
        commands = {
            "stage": ("add", "--all"),
            "branch": ("branch", label),
            "switch": ("checkout", "--quiet", label),
            "new branch": ("checkout", "--quiet", "-b", label),
            "detach": ("checkout", "--quiet", "--detach"),
            "tag": ("tag", label),
            "delete branch": ("branch", "-D", label),
            "gc": ("gc", "--quiet", "--prune=now"),
            "split": ("update-index", "--split-index"),
            "reset": ("reset", "--quiet", "--hard"),
            "set-head": ("remote", "set-head", "origin", "--auto"),
        }
        return commands[self.name]


_STEPS = (
    *("edit", "delete", "commit", "hide", "pack", "version", "annotate", "worktree", "stage"),
    *("branch", "switch", "new branch", "detach", "tag", "delete branch", "gc", "split", "reset"),
    "set-head",
)


@given(
    steps=st.lists(
        st.builds(Step, st.sampled_from(_STEPS), st.integers(0, 11)), min_size=2, max_size=8
    ),
    linked=st.booleans(),
)
@settings(max_examples=8)
def test_both_ways_agree_after_whatever_a_user_did(
    tmp_path_factory: pytest.TempPathFactory, steps: Sequence[Step], *, linked: bool
) -> None:
    folder = tmp_path_factory.mktemp("sequence")
    checkout = worktree(folder) if linked else plain(folder)

    for step in steps:
        step.take(checkout)

    check_both(checkout)


# -- the switch


class _Opened:
    """Files that this process opens, noted while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.paths: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on or event != "open" or not isinstance(arguments[0], str | bytes):
            return
        # What has this flag is not read: its real path is asked for.
        if not int(str(arguments[2])) & os.O_PATH:
            self.paths.append(os.fsdecode(arguments[0]))


_OPENED = _Opened()  # an audit hook stays for good


@contextmanager
def opened() -> Iterator[list[str]]:
    """Paths that are opened meanwhile."""
    _OPENED.paths, _OPENED.on = [], True
    try:
        yield _OPENED.paths
    finally:
        _OPENED.on = False


def _of_git(paths: Sequence[str], workspace: Workspace) -> set[str]:
    """Those that only Git is to open: all in Git folders but the few that are our own."""
    git_folders = (
        "/.git/",
        str(workspace.work / "dependencies/.repos"),
        str(workspace.root / "remotes"),
    )
    return {path for path in paths if any(folder in f"{path}/" for folder in git_folders)}


def _a_run(workspace: Workspace, *, version: str = "v1") -> None:
    remotes = workspace.root / "remotes"
    specs = component(remotes / "one.git", version), configuration(remotes / "global.git")
    workspace.fetch(*specs)
    # A second run finds all of it there.
    workspace.fetch(*specs)


def test_with_the_switch_only_git_opens_its_files(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    tag(workspace.repository("one"), "v1")
    make_repository(tmp_path / "remotes/global.git", {"class.yml": "{}\n"})

    with the_program(), opened() as first:
        _a_run(workspace)
    commit_to(workspace.root / "remotes/one.git", {"more.txt": "more"})
    with the_program(), opened() as second:
        _a_run(workspace, version="master")
    with the_files(), opened() as by_files:
        _a_run(workspace, version="master")

    assert not _of_git([*first, *second], workspace)
    assert _of_git(by_files, workspace)


@pytest.mark.parametrize("way", [the_files, the_program])
def test_local_work_is_found_both_ways(tmp_path: Path, way: Any) -> None:  # noqa: ANN401 - one of two functions above
    workspace = Workspace(tmp_path)
    one = component(workspace.repository("one"))
    with way():
        workspace.fetch(one)
        (workspace.place("one") / "class/one.yml").write_text("mine: true\n")

        (problem,) = workspace.refused(one._replace(version="HEAD"))

        assert "modified class/one.yml" in str(problem)
        workspace.fetch(one._replace(version="HEAD"), force=True)
    assert git(
        workspace.bare(tmp_path / "remotes/one.git"), "for-each-ref", "refs/commodore/backup"
    )
