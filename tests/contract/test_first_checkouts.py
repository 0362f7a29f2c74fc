"""First checkouts leave the same with and without the git program."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.adapters.git import first_checkout, user_settings
from commodore_py.adapters.git.contents import Contents
from commodore_py.adapters.git.layout import SWITCH
from commodore_py.adapters.git.repository import GitFolders, add_remote
from commodore_py.adapters.git.worktrees import add_worktree
from commodore_py.adapters.process import ProgramFailed
from tests.support.builders import git

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_FILE, _PROGRAM, _LINK, _FOLDER, _MODULE = "100644", "100755", "120000", "40000", "160000"
_ORIGIN = "refs/remotes/origin/master"
_USER = ("-c", "user.name=User", "-c", "user.email=user@example.com")


class Entry(NamedTuple):
    """A file or a link of a tree."""

    mode: str
    content: bytes


SOME = {
    b"a.txt": Entry(_FILE, b"one\n"),
    b"folder/b.txt": Entry(_FILE, b""),
    b"folder/inner/run": Entry(_PROGRAM, b"#!/bin/sh\n"),
    b"folder.d/c": Entry(_FILE, b"\0\1\2" * 1000),
    b"link": Entry(_LINK, b"folder/b.txt"),
    b".gitignore": Entry(_FILE, b"*\n"),
    b".github/-- a b": Entry(_FILE, b"\r\n"),
}


# -- made of bytes, as Git refuses some of it


def blob(bare: Path, content: bytes) -> str:
    """The name of a blob that is in the repository."""
    return _hash(bare, "blob", content)


def tree(bare: Path, lines: Sequence[tuple[str, bytes, str]]) -> str:
    """A tree with these modes, names and objects, in this order."""
    content = b"".join(b"%s %s\0%s" % (m.encode(), n, bytes.fromhex(i)) for m, n, i in lines)
    return _hash(bare, "tree", content)


def _hash(bare: Path, kind: str, content: bytes) -> str:
    command = ("git", "hash-object", "-t", kind, "-w", "--stdin", "--literally")
    done = subprocess.run(command, cwd=bare, input=content, capture_output=True, check=True)
    return done.stdout.decode().strip()


def tree_of_files(bare: Path, files: Mapping[bytes, Entry]) -> str:
    """The tree of these paths, as Git writes it."""
    folders: dict[bytes, dict[bytes, Entry]] = {}
    lines: list[tuple[bytes, tuple[str, bytes, str]]] = []
    for path, entry in files.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            folders.setdefault(name, {})[rest] = entry
        else:
            lines.append((name, (entry.mode, name, blob(bare, entry.content))))
    for name, inner in folders.items():
        lines.append((name + b"/", (_FOLDER, name, tree_of_files(bare, inner))))
    return tree(bare, [line for _, line in sorted(lines)])


def repository(folder: Path) -> Path:
    """An empty bare clone of nothing, in a folder that has the worktrees too."""
    bare = folder / "clone.git"
    bare.mkdir(parents=True)
    git(bare, "init", "--quiet", "--bare", "--initial-branch=master")
    add_remote(bare, "https://git.example.com/a/b")
    return bare


def commit(bare: Path, root: str, *, parent: str = "") -> str:
    """A commit of a tree, which the remote's branch is at."""
    made = git(bare, *_USER, "commit-tree", *(("-p", parent) if parent else ()), "-m", "x", root)
    git(bare, "update-ref", _ORIGIN, made)
    return made


def check_out(bare: Path, wanted: str, branch: str = "") -> tuple[Path, bool]:
    """A new worktree, and whether that took no program."""
    used: list[bool] = []
    write = first_checkout.write_checkout

    def noted(*arguments: Any) -> bool:  # noqa: ANN401 - whatever it is called with
        used.append(write(*arguments))
        return used[-1]

    place = bare.parent / "checkout"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_checkout, "write_checkout", noted)
        add_worktree(place, bare, wanted, branch, root=bare.parent)
    return place, used == [True]


def left(place: Path) -> dict[str, object]:
    """All that a checkout is made of, but for times and for its own name."""
    admin = (place / ".git").read_text().removeprefix("gitdir: ").strip()
    bare = place.parent / "clone.git"
    return {
        "files": _contents(place),
        "status": git(place, "status", "--porcelain=v2", "--branch", "--ignored"),
        "stages": git(place, "ls-files", "--stage"),
        "index": _without_stats(Path(admin, "index").read_bytes()),
        "modes of the index": stat.filemode(Path(admin, "index").stat().st_mode),
        "head": (Path(admin) / "HEAD").read_text(),
        "logs": {
            str(file.relative_to(admin)): _without_times(file.read_text())
            for file in (Path(admin) / "logs").rglob("*")
            if file.is_file()
        },
        "names": sorted(path.name for path in Path(admin).iterdir()),
        "settings": (bare / "config").read_text(),
        "log of the branch": [
            _without_times(file.read_text())
            for file in bare.glob("logs/refs/heads/**/*")
            if file.is_file()
        ],
        "refs": git(bare, "for-each-ref"),
        "fsck": git(bare, "fsck"),
        "modified": git(place, "diff-index", "HEAD"),
    }


def _contents(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Everything in a checkout but the link to its Git folder."""
    paths = (path for path in folder.rglob("*") if path != folder / ".git")
    return {str(path.relative_to(folder)): _kind(path) for path in paths}


def _kind(path: Path) -> tuple[str, bytes]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "link", os.fsencode(path.readlink())
    return stat.filemode(mode), b"" if stat.S_ISDIR(mode) else path.read_bytes()


def _without_stats(index: bytes) -> bytes:
    """Without times, devices and inodes of files, and the checksum; owners and sizes stay."""
    content, at = bytearray(index[:-20]), 12
    if index[4:8] != b"\0\0\0\2":
        return index[:8]
    for _ in range(int.from_bytes(index[8:12], "big")):
        assert any(content[at : at + 16])
        content[at : at + 24] = bytes(24)
        end = content.index(b"\0", at + 62)
        at += (end - at) // 8 * 8 + 8
    return bytes(content)


def _without_times(log: str) -> str:
    return re.sub(r"> \d+ ", "> ", log)


def compare(
    folder: Path, build: Callable[[Path], str], *, branch: str = "", plain: bool = True
) -> None:
    """Check out both ways, and compare; `plain` says whether one of them takes no program."""
    repositories = [repository(folder / name) for name in ("ours", "gits")]
    wanted, same = (build(bare) for bare in repositories)
    assert wanted == same
    for bare in repositories:
        git(bare, "update-ref", f"refs/remotes/origin/{branch or 'master'}", wanted)

    ours, without_program = check_out(repositories[0], wanted, branch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMMODORE_TUNING", "off")
        gits, _ = check_out(repositories[1], wanted, branch)

    assert without_program == (plain and SWITCH not in os.environ)
    found = [left(ours), left(gits)]
    if not plain:  # both of Git, and in formats that nobody else reads here
        for one in found:
            del one["index"], one["names"]
    assert found[0] == found[1]


def with_files(files: Mapping[bytes, Entry], *then: str) -> Callable[[Path], str]:
    """Builds a commit of some files, and gives Git a command afterwards."""

    def build(bare: Path) -> str:
        made = commit(bare, tree_of_files(bare, files))
        if then:
            git(bare, *then)
        return made

    return build


# -- what is written


@pytest.mark.parametrize("branch", ["", "master", "feat/x-1.2"])
@pytest.mark.parametrize("then", [(), ("gc", "--quiet")], ids=["loose", "packed"])
def test_a_checkout_is_the_same_both_ways(
    tmp_path: Path, branch: str, then: tuple[str, ...]
) -> None:
    compare(tmp_path, with_files(SOME, *then), branch=branch)


def test_a_second_branch_is_written_too(tmp_path: Path) -> None:
    def build(bare: Path) -> str:
        made = with_files(SOME)(bare)
        git(bare, "worktree", "add", "--quiet", "-b", "other", str(bare.parent / "other"), made)
        return made

    compare(tmp_path, build, branch="master")


@pytest.mark.parametrize("there", ["master", "master/below", "MASTER"])
def test_a_branch_that_is_in_the_way_is_left_to_git(tmp_path: Path, there: str) -> None:
    def build(bare: Path) -> str:
        made = with_files(SOME)(bare)
        git(bare, "update-ref", f"refs/heads/{there}", made)
        return made

    if there == "master/below":
        bare = repository(tmp_path)
        wanted = build(bare)
        with pytest.raises(ProgramFailed, match="refs/heads/master"):
            check_out(bare, wanted, "master")
        return
    compare(tmp_path, build, branch="master", plain=there == "MASTER")


def test_the_date_and_the_committer_are_those_of_the_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Other Người")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1600000000 +0530")

    compare(tmp_path, with_files(SOME), branch="master")

    (log,) = tmp_path.glob("ours/clone.git/worktrees/*/logs/HEAD")
    assert f"Other Người <{os.environ['GIT_COMMITTER_EMAIL']}> 1600000000 +0530" in log.read_text()


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_modes_follow_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        compare(tmp_path, with_files(SOME), branch="master")
    finally:
        os.umask(before)


_PLAIN = [
    *(b"a", b"b", b"a.b", b"a-b", b"A", b"-", b"a b", b"lib", b"lib.d", b"lib-x", b"lib0", b".x"),
    *(b".gitignore", b"[x]", b"'q'", b"x" * 200, b"{{ a }}", b"@", b"a=b", b"$x", b"!", b"con"),
]
_FOR_GIT = ["ü".encode(), b"\xff", b"a\tb", b".gitx", b"git~2", b"x:y", b"x?", b"~x"]
_NAMES = st.one_of(st.sampled_from(_PLAIN), st.sampled_from(_PLAIN), st.sampled_from(_FOR_GIT))
_ENTRIES = st.one_of(
    st.builds(Entry, st.sampled_from([_FILE, _PROGRAM]), st.binary(max_size=300)),
    st.builds(Entry, st.just(_LINK), st.sampled_from([b"a", b"../..", b"/", b"lib/a"])),
    st.builds(
        Entry, st.just(_FILE), st.integers(0, 70_000).map(lambda size: b"%d\n" % size * (size // 6))
    ),
)


def _without_conflicts(files: Mapping[bytes, Entry]) -> dict[bytes, Entry]:
    return {
        path: entry
        for path, entry in files.items()
        if not any(other.startswith(path + b"/") for other in files)
    }


@given(
    files=st.dictionaries(
        st.lists(_NAMES, min_size=1, max_size=4).map(b"/".join), _ENTRIES, min_size=1, max_size=12
    ).map(_without_conflicts),
    changed=st.binary(max_size=5),
    packed=st.booleans(),
    branch=st.sampled_from(["", "master"]),
)
@settings(max_examples=25)
def test_generated_trees_are_the_same_both_ways(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[bytes, Entry],
    changed: bytes,
    branch: str,
    *,
    packed: bool,
) -> None:
    def build(bare: Path) -> str:
        before = {
            path: entry._replace(content=entry.content + b"x") for path, entry in files.items()
        }
        first = commit(bare, tree_of_files(bare, before))
        # A third version, so that packs have differences in both directions.
        after = {path: one._replace(content=one.content + changed) for path, one in files.items()}
        wanted = commit(bare, tree_of_files(bare, files), parent=first)
        git(
            bare, "update-ref", "refs/remotes/origin/next", commit(bare, tree_of_files(bare, after))
        )
        if packed:
            git(bare, "repack", "-adfq", "--depth=50", "--window=50")
        return wanted

    folder = tmp_path_factory.mktemp("generated")
    plain = not any(name in _FOR_GIT for path in files for name in path.split(b"/"))
    compare(folder, build, branch=branch, plain=plain)


# -- what is left to Git


@pytest.mark.parametrize(
    "setting",
    [
        *("core.autocrlf=true", "core.eol=crlf", "core.symlinks=false", "core.attributesFile=/x"),
        *(
            "index.version=4",
            "feature.manyFiles=true",
            "core.splitIndex=true",
            "checkout.workers=2",
        ),
        *("core.logAllRefUpdates=false", "branch.autoSetupRebase=always", "core.fileMode=false"),
        *("core.ignoreCase=true", "includeIf.gitdir:/.path=/x", "core.untrackedCache=true"),
        *("core.sharedRepository=group", "core.protectHFS=true", "index.skipHash=true"),
    ],
)
@pytest.mark.parametrize("place", ["user", "repository"])
def test_settings_of_checkouts_are_left_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, place: str
) -> None:
    key, _, value = setting.partition("=")
    then = ("config", key, value) if place == "repository" else ()
    if place == "user":
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
        git(tmp_path, "config", "--file", "settings", key, value)

    compare(tmp_path, with_files(SOME, *then), branch="master", plain=False)


def test_harmless_settings_need_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    (tmp_path / "settings").write_text(
        "[core]\n\teditor = vi\n\tautocrlf = input\n[user]\n\tname = Me\n[alias]\n\tx = y\n"
    )

    compare(tmp_path, with_files(SOME), branch="master")


@pytest.mark.parametrize("settings", ["{}  [core]\n\t{}", "\ufeff[core]\n\t{1}{0}", "{}[Core]\n{}"])
def test_settings_are_found_however_they_are_written(tmp_path: Path, settings: str) -> None:
    def build(bare: Path) -> str:
        made, file = with_files(SOME)(bare), bare / "config"
        file.write_text(settings.format(file.read_text(), "autocrlf = true\n"))
        return made

    compare(tmp_path, build, plain=False)


def test_a_repository_around_the_clones_has_no_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_COMMITTER_NAME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    (tmp_path / "settings").write_text("[user]\n\tname = Me\n\temail = me@example.com\n")

    def build(bare: Path) -> str:
        git(bare.parent, "init", "--quiet")
        for setting in (("user.name", "Other"), ("core.autocrlf", "true"), ("branch.x.rebase", "")):
            git(bare.parent, "config", *setting)
        return with_files(SOME)(bare)

    compare(tmp_path, build, branch="master")


@pytest.mark.parametrize("name", ["attributes", "sparse-checkout"])
def test_rules_of_a_repository_are_left_to_git(tmp_path: Path, name: str) -> None:
    def build(bare: Path) -> str:
        (bare / "info").mkdir(exist_ok=True)
        (bare / "info" / name).write_text("*.txt text eol=crlf\n")
        return with_files(SOME)(bare)

    compare(tmp_path, build, plain=False)


def test_attributes_of_the_user_are_left_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/git").mkdir(parents=True)
    (tmp_path / "config/git/attributes").write_text("*.txt text eol=crlf\n")

    compare(tmp_path, with_files(SOME), plain=False)

    assert (tmp_path / "ours/checkout/a.txt").read_bytes() == b"one\r\n"


def test_attributes_of_a_commit_are_left_to_git(tmp_path: Path) -> None:
    files = {**SOME, b"folder/.gitattributes": Entry(_FILE, b"*.txt text eol=crlf\n")}

    compare(tmp_path, with_files(files), plain=False)


@pytest.mark.parametrize("name", ["GIT_INDEX_VERSION", "GIT_REFLOG_ACTION"])
def test_variables_of_checkouts_are_left_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "4")

    compare(tmp_path, with_files(SOME), plain=False)


def test_replaced_objects_are_left_to_git(tmp_path: Path) -> None:
    def build(bare: Path) -> str:
        made = with_files(SOME)(bare)
        git(bare, "replace", blob(bare, b"one\n"), blob(bare, b"two\n"))
        git(bare, "pack-refs", "--all")
        return made

    compare(tmp_path, build, plain=False)


def test_submodules_are_left_to_git(tmp_path: Path) -> None:
    def build(bare: Path) -> str:
        lines = [(_FILE, b"a", blob(bare, b"a")), (_MODULE, b"module", "1" * 40)]
        return commit(bare, tree(bare, lines))

    compare(tmp_path, build, plain=False)


def test_many_files_are_left_to_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = {b"file%d" % number: Entry(_FILE, b"x") for number in range(3 * first_checkout.MOST)}
    read: list[str] = []
    of = Contents.of

    def noted(contents: Contents, name: str, kind: str) -> bytes:
        read.append(kind)
        return of(contents, name, kind)

    monkeypatch.setattr(Contents, "of", noted)

    compare(tmp_path, with_files(many), plain=False)

    assert read.count("blob") <= first_checkout.MOST + 1


def test_large_files_are_left_to_git(tmp_path: Path) -> None:
    large = {b"file%d" % number: Entry(_FILE, bytes(6 << 20)) for number in range(3)}

    compare(tmp_path, with_files(large), plain=False)


def test_a_link_with_a_null_character_is_left_to_git(tmp_path: Path) -> None:
    compare(tmp_path, with_files({**SOME, b"l": Entry(_LINK, b"a\0b")}), plain=False)


@pytest.mark.parametrize("branch", ["HEAD", "-x"])
def test_a_branch_that_git_refuses_is_left_to_it(tmp_path: Path, branch: str) -> None:
    bare = repository(tmp_path)
    wanted = with_files(SOME)(bare)
    git(bare, "update-ref", f"refs/remotes/origin/{branch}", wanted)

    with pytest.raises(ProgramFailed, match=r"not a valid branch name|unknown switch"):
        check_out(bare, wanted, branch)


def test_no_files_are_left_to_git(tmp_path: Path) -> None:
    compare(tmp_path, with_files({}), plain=False)


def test_tuning_that_is_off_leaves_it_to_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMODORE_TUNING", "off")

    compare(tmp_path, with_files(SOME), plain=False)


# -- what Git refuses, or says itself


def _hostile(*lines: tuple[str, bytes]) -> Callable[[Path], str]:
    def build(bare: Path) -> str:
        inner = tree(bare, [(_FILE, b"config", blob(bare, b"[core]\n"))])
        ids = {_FOLDER: inner, _LINK: blob(bare, b"/tmp"), "40000 empty": tree(bare, [])}
        made = [(m.split(" ")[0], n, ids.get(m) or blob(bare, n)) for m, n in lines]
        return commit(bare, tree(bare, made))

    return build


@pytest.mark.parametrize(
    "build",
    [
        _hostile((_FOLDER, b".git")),
        _hostile((_FOLDER, b".GIT")),
        _hostile((_FOLDER, b"..")),
        _hostile((_FOLDER, b".")),
        _hostile((_FOLDER, b"git~1")),
        _hostile((_FOLDER, b".git ")),
        _hostile((_FILE, b".git::$INDEX_ALLOCATION")),
        _hostile((_FILE, b"..\\x")),
        _hostile((_FILE, b"a/b")),
        _hostile((_FILE, b"")),
        _hostile((_LINK, b".gitmodules"), (_FILE, b"a")),
        _hostile((_LINK, b"a"), (_FOLDER, b"a")),
        _hostile((_FILE, b"a"), (_FILE, b"a")),
        _hostile((_FILE, b"b"), (_FILE, b"a")),
        _hostile((_FILE, b"a"), (_FILE, b"a.b"), (_FOLDER, b"a")),
        _hostile(("100664", b"a")),
        _hostile(("0100644", b"a")),
        _hostile(("40000 empty", b"a"), (_FILE, b"b")),
    ],
)
def test_what_git_does_not_write_is_left_to_it(
    tmp_path: Path, build: Callable[[Path], str]
) -> None:
    def outcome(name: str) -> object:
        bare = repository(tmp_path / name)
        wanted = build(bare)
        try:
            place, without_program = check_out(bare, wanted)
        except ProgramFailed as error:
            return str(error).replace(name, "")
        assert not without_program
        return _contents(place)

    ours = outcome("ours")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMMODORE_TUNING", "off")
        gits = outcome("gits")

    assert ours == gits
    assert not (tmp_path / "ours/config").exists()


def test_damaged_objects_are_left_to_git(tmp_path: Path) -> None:
    bare = repository(tmp_path)
    wanted = with_files(SOME)(bare)
    name = blob(bare, b"one\n")
    other = blob(bare, b"another\n")
    file = bare / "objects" / name[:2] / name[2:]
    file.chmod(0o644)
    file.write_bytes((bare / "objects" / other[:2] / other[2:]).read_bytes())

    assert not check_out(bare, wanted)[1]


def test_a_damaged_commit_is_left_to_git(tmp_path: Path) -> None:
    bare = repository(tmp_path)
    wanted = with_files(SOME)(bare)
    other = with_files({b"a.txt": Entry(_FILE, b"another\n")})(bare)
    file = bare / "objects" / wanted[:2] / wanted[2:]
    file.chmod(0o644)
    file.write_bytes((bare / "objects" / other[:2] / other[2:]).read_bytes())

    with pytest.raises(ProgramFailed, match="hash mismatch"):
        check_out(bare, wanted)


@pytest.mark.parametrize("failing", ["folder/inner/run", "index", "logs/HEAD", "HEAD.lock"])
def test_what_was_written_goes_if_the_rest_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    opened = os.open

    def fail(path: str | bytes, *how: Any) -> int:  # noqa: ANN401 - whatever it is called with
        if os.fsdecode(path).endswith(f"/{failing}"):
            raise OSError(28, "No space left on device")
        return opened(path, *how)

    bare = repository(tmp_path)
    wanted = with_files(SOME)(bare)
    admin, place = bare / "worktrees/checkout", tmp_path / "checkout"
    admin.mkdir(parents=True)
    place.mkdir()
    monkeypatch.setattr(os, "open", fail)
    git_folders = GitFolders(admin, bare)

    assert not first_checkout.write_checkout(place, git_folders, wanted, "", tmp_path)

    assert list(place.iterdir()) == list(admin.iterdir()) == []


def test_files_of_others_are_left_to_git(tmp_path: Path) -> None:
    bare = repository(tmp_path)
    wanted = with_files(SOME)(bare)
    admin, place = bare / "worktrees/checkout", tmp_path / "checkout"
    admin.mkdir(parents=True)
    (place / "folder").mkdir(parents=True)
    (place / "folder/b.txt").write_text("mine")

    assert not first_checkout.write_checkout(place, GitFolders(admin, bare), wanted, "", tmp_path)

    assert sorted(_contents(place)) == ["folder", "folder/b.txt"]
    assert (place / "folder/b.txt").read_text() == "mine"


def test_settings_are_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = user_settings.user_settings(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")

    assert user_settings.user_settings(tmp_path) == first
