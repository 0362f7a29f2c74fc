"""Objects that one working directory fetched, lent to the next."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.config import WorkPaths
from commodore_py.dependencies.git import object_cache_entries
from commodore_py.dependencies.git.object_cache import ObjectCache
from commodore_py.dependencies.git.object_cache_entries import LIST
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.install import install
from tests.support.builders import commit_in, commit_to, component_files, git, git_succeeds
from tests.support.scenarios.dependencies import (
    Workspace,
    backups,
    component,
    head,
    rewrite_history,
    tag,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.dependency import Dependency, DependencySpec

pytestmark = pytest.mark.sample(2)


class Shared(Workspace):
    """Working directories beside each other, and the cache of their user."""

    @property
    def cache(self) -> Path:
        return self.root / "cache" / "git"

    def entry(self, repository: Path) -> Path:
        return self.cache / str(repository).strip("/")

    def place_in(self, work: str, name: str) -> Path:
        return self.root / work / "dependencies" / name

    def bare_in(self, work: str, repository: Path) -> Path:
        return self.root / work / "dependencies/.repos" / str(repository).strip("/")

    def fetch_in(
        self,
        work: str,
        *specs: DependencySpec,
        **settings: Any,  # noqa: ANN401 - Config checks them by name
    ) -> tuple[Dependency, ...]:
        paths = WorkPaths(self.root / work)
        return self.fetch(*specs, **{"paths": paths, "git_cache": self.cache, **settings})


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path)


@pytest.fixture
def foo(shared: Shared) -> Path:
    """A component with two branches and tags of both kinds."""
    repository = shared.repository("foo")
    git(repository, "branch", "feat/x", "master")
    commit_to(repository, {"new.txt": "x"}, branch="feat/x")
    tag(repository, "v1.0.0")
    git(repository, "tag", "light", "feat/x")
    return repository


def big(shared: Shared) -> Path:
    """A component with more objects than Git unpacks after a fetch."""
    files = component_files("big") | {f"data/{n}.txt": f"{n}\n" for n in range(200)}
    return shared.repository("big", files)


def packs(repository: Path) -> dict[str, tuple[int, int]]:
    """The pack files of a repository: which files of which disk they are."""
    found = sorted((repository / "objects/pack").glob("*.pack"))
    return {path.name: (path.stat().st_dev, path.stat().st_ino) for path in found}


def counts(repository: Path) -> dict[str, int]:
    lines = git(repository, "count-objects", "-v").splitlines()
    return {key: int(value) for key, value in (line.split(": ") for line in lines)}


def names_of_refs(repository: Path) -> list[str]:
    return git(repository, "for-each-ref", "--format=%(refname)").splitlines()


def refs_and_commits(repository: Path) -> str:
    return git(repository, "for-each-ref", "refs/remotes", "refs/tags")


@pytest.mark.parametrize("make", [big, lambda shared: shared.repository("foo")])
def test_a_second_working_directory_transfers_no_objects(
    shared: Shared, make: Callable[[Shared], Path]
) -> None:
    repository = make(shared)
    shared.fetch_in("one", component(repository))

    (got,) = shared.fetch_in("two", component(repository))

    clone, entry = shared.bare_in("two", repository), shared.entry(repository)
    assert got.commit == git(repository, "rev-parse", "master")
    # What a fetch brings is single objects or another pack: here is nothing but the loan.
    assert counts(clone)["count"] == 0
    assert packs(clone) == packs(entry) != {}


def test_without_a_cache_objects_are_transferred(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))

    shared.fetch_in("two", component(foo), git_cache=None)

    assert counts(shared.bare_in("two", foo))["count"] > 0


def test_only_what_is_new_is_transferred(shared: Shared) -> None:
    repository = big(shared)
    shared.fetch_in("one", component(repository))
    commit = commit_to(repository, {"new.txt": "new"})

    (got,) = shared.fetch_in("two", component(repository))

    clone = shared.bare_in("two", repository)
    assert got.commit == commit
    assert 0 < counts(clone)["count"] <= 3  # a commit, a folder and a file
    assert counts(clone)["packs"] == 1


def test_new_objects_are_cached_for_the_next_clone(shared: Shared) -> None:
    repository = big(shared)
    shared.fetch_in("one", component(repository))
    commit_to(repository, {"new.txt": "new"})
    shared.fetch_in("one", component(repository))

    shared.fetch_in("two", component(repository))

    assert counts(shared.bare_in("two", repository))["count"] == 0


@pytest.mark.parametrize("by_program", [False, True])
def test_what_comes_to_an_entry_is_complete(
    shared: Shared, foo: Path, monkeypatch: pytest.MonkeyPatch, *, by_program: bool
) -> None:
    if by_program:
        monkeypatch.setenv("COMMODORE_GIT", "program")
    shared.fetch_in("one", component(foo))
    commit_to(foo, {"new.txt": "new", "more/new.txt": "newer"})
    git(foo, "branch", "--delete", "--force", "feat/x")
    tag(foo, "v2.0.0")

    shared.fetch_in("one", component(foo))

    entry, clone = shared.entry(foo), shared.bare_in("one", foo)
    listed = json.loads((entry / LIST).read_bytes())
    assert refs_and_commits(entry) == refs_and_commits(clone)
    assert git(entry, "fsck", "--full", "--strict") == ""
    assert counts(entry)["count"] == 0
    assert sorted(listed["packs"]) == sorted(packs(entry))
    assert sorted(listed["tips"]) == sorted({line.split()[0] for line in _refs(entry)})
    assert by_program or not any((entry / name).is_file() for name in names_of_refs(entry))


def _refs(entry: Path) -> list[str]:
    return refs_and_commits(entry).splitlines()


def test_an_entry_of_many_packs_gets_few_again(
    shared: Shared, foo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_cache_entries, "_MOST_PACKS", 3)
    git_settings = shared.root / "settings"
    git_settings.write_text("[gc]\n\tautoPackLimit = 2\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(git_settings))
    shared.fetch_in("one", component(foo))
    for number in range(4):
        commit_to(foo, {"new.txt": str(number)})
        shared.fetch_in("one", component(foo))

    entry = shared.entry(foo)
    assert len(packs(entry)) <= 3
    assert refs_and_commits(entry) == refs_and_commits(shared.bare_in("one", foo))
    assert git(entry, "fsck", "--full", "--strict") == ""


def test_packs_may_be_limited_by_the_user(
    shared: Shared, foo: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    git_settings = shared.root / "settings"
    git_settings.write_text("[pack]\n\tpackSizeLimit = 1m\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(git_settings))
    shared.fetch_in("one", component(foo))
    commit_to(foo, {f"new{number}.txt": random_text(number) for number in range(3)})

    shared.fetch_in("one", component(foo))

    entry = shared.entry(foo)
    assert "broken" not in caplog.text
    assert refs_and_commits(entry) == refs_and_commits(shared.bare_in("one", foo))
    assert git(entry, "fsck", "--full", "--strict") == ""


def random_text(seed: int) -> str:
    return Random(seed).randbytes(800_000).hex()  # noqa: S311 - no secret


def test_damage_to_a_clone_does_not_come_to_the_cache(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    place, clone = shared.place_in("one", "foo"), shared.bare_in("one", foo)
    commit_in(place, {"mine.txt": "mine"})
    blob = git(place, "rev-parse", "HEAD:mine.txt")
    git(place, "push", "--quiet", "origin", "HEAD:master")
    (shared.root / "other").write_text("other")
    other = git(place, "hash-object", "-w", str(shared.root / "other"))
    damaged = clone / "objects" / blob[:2] / blob[2:]
    damaged.chmod(0o600)
    damaged.write_bytes((clone / "objects" / other[:2] / other[2:]).read_bytes())

    ObjectCache(shared.cache).update(str(foo), clone, fresh=False, changed=True)

    assert not shared.entry(foo).exists()


def test_a_clone_from_the_cache_equals_one_without(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo), git_cache=None)
    shared.fetch_in("object_cache", component(foo))

    shared.fetch_in("two", component(foo))
    shutil.rmtree(shared.cache)

    one, two = shared.bare_in("one", foo), shared.bare_in("two", foo)
    assert refs_and_commits(two) == refs_and_commits(one)
    assert names_of_refs(two) == names_of_refs(one)
    assert (two / "config").read_text() == (one / "config").read_text()
    assert not (two / "objects/info/alternates").exists()
    assert git(two, "fsck", "--full", "--strict") == ""
    assert head(shared.place_in("two", "foo")) == head(shared.place_in("one", "foo"))


def test_deleted_branches_are_not_in_new_clones(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    git(foo, "branch", "--delete", "--force", "feat/x")

    shared.fetch_in("two", component(foo))

    assert "refs/remotes/origin/feat/x" not in names_of_refs(shared.bare_in("two", foo))
    assert "refs/remotes/origin/feat/x" not in names_of_refs(shared.entry(foo))


def test_a_moved_tag_is_not_reported_in_a_new_working_directory(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared.fetch_in("one", component(foo, "v1.0.0"))
    tag(foo, "v1.0.0", at="feat/x")

    (got,) = shared.fetch_in("two", component(foo, "v1.0.0"))

    assert got.commit == git(foo, "rev-parse", "feat/x")
    assert "a tag was moved" not in caplog.text


def test_a_new_clone_queries_its_remote_even_for_a_cached_commit(shared: Shared, foo: Path) -> None:
    commit = git(foo, "rev-parse", "master")
    shared.fetch_in("one", component(foo))
    commit_to(foo, {"later.txt": "later"})

    (got,) = shared.fetch_in("two", component(foo, commit))

    assert got.commit == commit
    assert refs_and_commits(shared.bare_in("two", foo)).count("\n") == 3


def test_work_of_the_user_is_not_shared(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    place, clone = shared.place_in("one", "foo"), shared.bare_in("one", foo)
    mine = commit_in(place, {"mine.txt": "mine"})
    git(place, "branch", "private")
    (place / "class/foo.yml").write_text("changed: {}\n")
    rewrite_history(foo, component_files("foo") | {"theirs.txt": "theirs"})

    shared.fetch_in("one", component(foo), force=True)

    entry = shared.entry(foo)
    assert backups(clone)
    assert git_succeeds(clone, "cat-file", "-e", mine)
    assert {name.split("/")[1] for name in names_of_refs(entry)} == {"remotes", "tags"}
    assert not git_succeeds(entry, "cat-file", "-e", mine)
    assert git_succeeds(entry, "cat-file", "-e", git(foo, "rev-parse", "master"))


def test_the_cache_is_its_owners_alone(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))

    assert shared.cache.stat().st_mode & 0o777 == 0o700
    assert str(foo) not in (shared.entry(foo) / "config").read_text()


def test_an_unchanged_repository_leaves_the_cache_alone(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    before = (shared.entry(foo) / LIST).stat()

    shared.fetch_in("one", component(foo))

    assert (shared.entry(foo) / LIST).stat() == before


def truncated(entry: Path) -> None:
    (pack,) = (entry / "objects/pack").glob("*.pack")
    pack.chmod(0o600)
    os.truncate(pack, pack.stat().st_size - 30)


def flipped(entry: Path) -> None:
    (pack,) = (entry / "objects/pack").glob("*.pack")
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.unlink()
    pack.write_bytes(content)


def without_index(entry: Path) -> None:
    (index,) = (entry / "objects/pack").glob("*.idx")
    index.unlink()


def index_of_another(entry: Path) -> None:
    (index,) = (entry / "objects/pack").glob("*.idx")
    other = entry.parent / "other"
    other.mkdir()
    git(other, "init", "--quiet", "--bare", "--template=")
    commit_to(other, {"a": "b"})
    git(other, "repack", "--quiet", "-a", "-d")
    (packed,) = (other / "objects/pack").glob("*.idx")
    packed.replace(index)
    shutil.rmtree(other)


def without_pack(entry: Path) -> None:
    for file in (entry / "objects/pack").iterdir():
        file.unlink()


def unreadable(entry: Path) -> None:
    (entry / LIST).write_text("{")


def of_the_future(entry: Path) -> None:
    (entry / LIST).write_text('{"schema": "git-cache-entry/v9"}')


def with_a_tip_of_nowhere(entry: Path) -> None:
    content = json.loads((entry / LIST).read_bytes())
    (entry / LIST).write_text(json.dumps(content | {"tips": ["1" * 40]}))


@pytest.mark.parametrize(
    "damage",
    [
        truncated,
        flipped,
        without_index,
        index_of_another,
        without_pack,
        unreadable,
        of_the_future,
        with_a_tip_of_nowhere,
    ],
)
def test_a_broken_cache_is_reported_and_replaced(
    shared: Shared, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], None]
) -> None:
    repository = shared.repository("foo")
    shared.fetch_in("one", component(repository))
    damage(shared.entry(repository))

    (got,) = shared.fetch_in("two", component(repository))

    (warning,) = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert warning.startswith(f"the cached objects in {shared.entry(repository)} are broken")
    assert got.commit == git(repository, "rev-parse", "master")
    assert git(shared.bare_in("two", repository), "fsck", "--full") == ""
    shared.fetch_in("three", component(repository))
    assert counts(shared.bare_in("three", repository))["count"] == 0


@pytest.mark.parametrize("damage", [without_pack, without_index])
def test_an_entry_that_breaks_while_it_is_kept_is_dropped(
    shared: Shared,
    foo: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[Path], None],
) -> None:
    shared.fetch_in("one", component(foo))
    damage(shared.entry(foo))
    commit_to(foo, {"new.txt": "new"})

    (got,) = shared.fetch_in("one", component(foo))

    assert got.commit == git(foo, "rev-parse", "master")
    assert "are broken, and removed" in caplog.text
    assert not shared.entry(foo).exists()


def test_an_unfinished_entry_is_replaced_in_silence(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared.fetch_in("one", component(foo))
    (shared.entry(foo) / LIST).unlink()
    without_pack(shared.entry(foo))

    shared.fetch_in("two", component(foo))

    assert (shared.entry(foo) / LIST).is_file()
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_where_there_can_be_no_cache_there_is_none(
    shared: Shared, foo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (shared.root / "cache").write_text("in the way")

    (got,) = shared.fetch_in("one", component(foo))

    assert got.commit == git(foo, "rev-parse", "master")
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_another_disk_gets_copies(shared: Shared, foo: Path) -> None:
    memory = Path("/dev/shm")  # noqa: S108 - a file system of its own wherever it is
    if not memory.is_dir() or memory.stat().st_dev == shared.root.stat().st_dev:
        pytest.skip("there is but one file system here")
    shared.fetch_in("one", component(foo))
    with tempfile.TemporaryDirectory(dir=memory) as elsewhere:
        work = Path(elsewhere, "work")
        shared.fetch(component(foo), paths=WorkPaths(work), git_cache=shared.cache)
        clone = work / "dependencies/.repos" / str(foo).strip("/")

        assert counts(clone)["count"] == 0
        assert packs(clone).keys() == packs(shared.entry(foo)).keys()
        assert sorted(p.suffix for p in (clone / "objects/pack").iterdir()) == [".idx", ".pack"]


def test_runs_at_once_do_not_disturb_each_other(shared: Shared, foo: Path) -> None:
    repositories = [foo, big(shared)]
    runs = [f"run-{number}" for number in range(6)]
    specs = [component(repository) for repository in repositories]

    with ThreadPoolExecutor(len(runs)) as pool:
        results = list(pool.map(lambda run: shared.fetch_in(run, *specs), runs))

    assert {tuple(one.commit for one in result) for result in results} == {
        tuple(git(repository, "rev-parse", "master") for repository in repositories)
    }
    for repository in repositories:
        assert git(shared.entry(repository), "fsck", "--full") == ""
        for run in runs:
            assert git(shared.bare_in(run, repository), "fsck", "--full") == ""
    shared.fetch_in("after", *specs)
    assert counts(shared.bare_in("after", foo))["count"] == 0


def test_a_cache_that_is_worked_on_is_not_waited_for_long(
    shared: Shared, foo: Path, tmp_path: Path
) -> None:
    shared.fetch_in("one", component(foo))
    hasty = ObjectCache(shared.cache, patience=0.1)
    clone = tmp_path / "clone"
    clone.mkdir()
    git(clone, "init", "--quiet", "--bare")

    with ObjectCache(shared.cache).locked(shared.entry(foo), fcntl.LOCK_EX, patience=1):
        hasty.populate(component(foo).url, clone)
        hasty.update(component(foo).url, clone, fresh=False, changed=True)
        dropped = hasty.drop(shared.entry(foo))

    assert not dropped
    assert packs(clone) == {}
    assert (shared.entry(foo) / LIST).is_file()


def test_jsonnet_libraries_come_from_the_cache_too(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = shared.repository("library", {"lib/x.libsonnet": "{}"})
    url, settings = "https://git.example.com/org/library.git", shared.root / "gitconfig"
    settings.write_text(f'[url "file://{library}"]\n\tinsteadOf = {url}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    source = {"git": {"remote": url, "subdir": "lib"}}
    commit = git(library, "rev-parse", "master")

    for work in ("one", "two"):
        root = shared.root / work
        root.mkdir()
        wanted = {"version": 1, "dependencies": [{"source": source, "version": commit}]}
        (root / "jsonnetfile.json").write_text(json.dumps(wanted))
        install(root, Clones(root / "dependencies/.repos", ObjectCache(shared.cache)))

    clone = shared.root / "two/dependencies/.repos/git.example.com/org/library.git"
    assert counts(clone)["count"] == 0
    assert packs(clone) == packs(ObjectCache(shared.cache).entry(url)) != {}
    assert names_of_refs(clone) == ["refs/remotes/origin/master"]
    assert list((shared.root / "two/vendor").rglob("x.libsonnet"))


@pytest.mark.parametrize("left", ["made/objects/pack/x.pack", "discarded/HEAD", "made"])
def test_what_a_killed_run_left_in_the_cache_goes(shared: Shared, foo: Path, left: str) -> None:
    shared.fetch_in("one", component(foo))
    scratch = shared.cache / ".new"
    for name in ("0123456789abcdef", "fedcba9876543210"):
        (scratch / name / left).mkdir(parents=True)

    shared.fetch_in("two", component(foo))

    assert not scratch.exists()


@pytest.mark.long
def test_what_another_run_works_on_stays_in_the_cache(shared: Shared, foo: Path) -> None:
    shared.fetch_in("one", component(foo))
    cache = ObjectCache(shared.cache)

    with cache.changing(shared.entry(foo)) as scratch:
        (scratch / "made").mkdir(parents=True)
        (shared.cache / ".new/0123456789abcdef").mkdir()
        shared.fetch_in("two", component(foo))
        assert list((shared.cache / ".new").iterdir()) == [scratch]
        assert list(cache.entries()) == [shared.entry(foo)]

    assert not scratch.exists()
