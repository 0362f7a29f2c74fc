"""Random sequences of changes and compiles: what is kept never shows.

After each compile, the same is done once more from the same files, with nothing that was kept, and
everything that came of both is compared to the byte. Run it as `python -m
tests.stateful.cached_results --minutes 30 --jobs 2 --seed N`; `--only SEED:NUMBER` runs one
sequence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from unittest import mock

from commodore_py.cache.results import ResultCache
from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import commit_to, errors_in, git, git_succeeds

from .changing_cluster import (
    BESIDE,
    CATALOGS,
    CLUSTER,
    COMPONENT_FILES,
    CONFIGURATION,
    OTHER,
    ChangingCluster,
)
from .scene import demand
from .sequences import Game, Step, main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_Item = TypeVar("_Item")

_FILES = (*COMPONENT_FILES.items(), *CONFIGURATION.items())
_SETTLED = 2.1  # from when on times of files are trusted
_OUTPUTS = ("compiled", "catalog", "inventory")
_TAKEN, _MADE = "(results taken)", "(results made)"


class Play:
    """The rules; each takes three numbers, and says whether there was anything to do."""

    def __init__(self, root: Path, store: Path) -> None:
        self._cluster = ChangingCluster(root)
        self._store = store
        self._caches = root.with_name(f"{root.name}-caches")
        self._edited = False
        self._here = "here"
        self.counted: Counter[str] = Counter()

    # What others do

    def push_file(self, a: int, b: int, _c: int) -> bool:
        """Somebody pushes another version of a file, or deletes it."""
        (name, path), variants = _one(_FILES, a)
        commit_to(self._cluster.remote(name), {path: _one(variants, b)})
        return True

    def move_tag(self, _a: int, _b: int, _c: int) -> bool:
        """Somebody gives the tag to the newest commit."""
        git(self._cluster.remote("base"), "tag", "--force", "v1", "master")
        return True

    def change_beside(self, a: int, b: int, _c: int) -> bool:
        """Another tool, other facts."""
        path = _one(sorted(BESIDE), a)
        self._cluster.put_beside(path, b % len(BESIDE[path]))
        return True

    # What the user does

    def edit(self, a: int, b: int, _c: int) -> bool:
        """Write another version of a file into its checkout, or delete it."""
        return self._edit(a, b, _write)

    def edit_unseen(self, a: int, b: int, _c: int) -> bool:
        """Write another version, and give the file the times that it had."""
        return self._edit(a, b, _write_with_old_times)

    def edit_behind_link(self, a: int, b: int, _c: int) -> bool:
        """Put a link to another file where a file was."""
        return self._edit(a, b, self._link)

    def replace_file(self, a: int, b: int, _c: int) -> bool:
        """Rename another file to where one was."""
        return self._edit(a, b, _rename_over)

    def make_executable(self, a: int, _b: int, _c: int) -> bool:
        """Change the mode of a file that is copied, and nothing else."""
        found = sorted((self._cluster.work / "dependencies/web/files").glob("*.txt"))
        if not found:
            return False
        file = _one(found, a)
        file.chmod(file.stat().st_mode ^ 0o111)
        self._edited = True
        return True

    def move(self, a: int, _b: int, _c: int) -> bool:
        """Go to another current directory."""
        before, self._here = self._here, _one(("here", "there"), a)
        return before != self._here

    def meddle(self, a: int, b: int, _c: int) -> bool:
        """Change, delete or add something where output goes."""
        work = self._cluster.work
        found = sorted(
            path
            for folder in ("compiled", "catalog/manifests", "inventory/targets")
            for path in (work / folder).rglob("*")
            if path.is_file()
        )
        if not found:
            return False
        file = _one(found, a)
        match b % 4:
            case 0:
                file.unlink()
            case 1:
                file.write_bytes(b"meddled: yes\n")
            case 2:
                _write_with_old_times(file, file.read_text("utf-8", "replace").swapcase())
            case _:
                file.with_name("stranger.yaml").write_bytes(b"stranger: yes\n")
        return True

    def forget(self, a: int, _b: int, _c: int) -> bool:
        """Delete something that was kept."""
        folder = _one((self._store, self._cluster.work / ".commodore", self._cluster.work), a)
        if folder == self._cluster.work:
            folder /= "compiled"
        if not folder.exists():
            return False
        shutil.rmtree(folder)
        return True

    def wait(self, _a: int, _b: int, _c: int) -> bool:
        """Let some time pass."""
        time.sleep(_SETTLED)
        return True

    # Compiles

    def compile(self, _a: int, _b: int, _c: int) -> bool:
        """Ask the API and the remotes; edits in checkouts are given up."""
        self._compile(force=self._edited)
        self._edited = False
        return True

    def compile_again(self, a: int, _b: int, _c: int) -> bool:
        """The same a second time, with or without a push."""
        return self._compile(push=a % 2 == 0)

    def compile_local(self, _a: int, _b: int, _c: int) -> bool:
        """Take the working directory as it is."""
        return self._compile(local=True)

    def compile_offline(self, _a: int, _b: int, _c: int) -> bool:
        """The same without fetching Jsonnet libraries."""
        return self._compile(local=True, fetch_dependencies=False)

    def compile_strictly(self, _a: int, _b: int, _c: int) -> bool:
        """The same, and warnings are refused."""
        return self._compile(local=True, strict=True)

    def compile_elsewhere(self, _a: int, _b: int, _c: int) -> bool:
        """Another working directory takes what this one has stored."""
        return self._compile("elsewhere", force=True)

    def compile_other_cluster(self, _a: int, _b: int, _c: int) -> bool:
        """Another cluster, of the same components and other facts, shares the caches."""
        return self._compile("other", force=True)

    def new_job(self, a: int, _b: int, c: int) -> bool:
        """A job begins in an empty folder, with or without the caches of others."""
        if a % 3 == 0:
            for cache in (self._store, self._caches):
                shutil.rmtree(cache, ignore_errors=True)
        folder = _one(("elsewhere", "other"), c)
        shutil.rmtree(self._cluster.root / folder, ignore_errors=True)
        return self._compile(folder, force=True)

    def _edit(self, a: int, b: int, write: Callable[[Path, str], None]) -> bool:
        (name, path), variants = _one(_FILES, a)
        folder = "inventory/classes" if name == "tenant" else "dependencies"
        checkout = self._cluster.work / folder / ("t-acme" if name == "tenant" else name)
        file, text = checkout / path, _one(variants, b)
        if not checkout.is_dir():
            return False
        if text is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            write(file, text)
        self._edited = True
        return True

    def _link(self, file: Path, text: str) -> None:
        other = self._cluster.root / "linked" / file.name
        other.parent.mkdir(exist_ok=True)
        other.write_text(text)
        file.unlink(missing_ok=True)
        file.symlink_to(other)

    def _compile(self, folder: str = "work", **options: Any) -> bool:  # noqa: ANN401 - Config's
        root = self._cluster.root
        before, done = (root.with_name(f"{root.name}-{name}") for name in ("before", "done"))
        subprocess.run(["cp", "-a", root, before], check=True)
        with self._counting():
            caches = {"result_cache": self._store, "git_cache": self._caches / "git"}
            cached = self._outcome(folder, **caches, **options)
        root.rename(done)
        before.rename(root)
        try:
            plain = self._outcome(folder, **options)
            for part, content in plain.items():
                demand(cached[part] == content, _difference(part, cached[part], content))
        finally:
            shutil.rmtree(root)
            done.rename(root)
        return True

    def _outcome(self, folder: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """All that comes of a compile."""
        work, cluster = self._cluster.root / folder, OTHER if folder == "other" else CLUSTER
        work.mkdir(exist_ok=True)
        os.chdir(self._cluster.root / self._here)
        config = Config(
            paths=WorkPaths(work), api_url=str(self._cluster.facts), processes=1, **options
        )
        found: dict[str, Any] = {"errors": [], "changes": [], "notices": []}
        try:
            published = compile_catalog(config, cluster, lambda _: True)
        except CommodoreError as error:
            found["errors"] = sorted(f"{one} {one.where}" for one in errors_in(error))
        else:
            files = published.change.files
            found["changes"] = [(one.kind, one.old_path, one.path) for one in files]
            found["notices"] = [(one.message, one.where) for one in published.notices]
        for name in _OUTPUTS:
            found[name] = _files_in(work / name)
        catalog = self._cluster.remote(CATALOGS[cluster])
        if git_succeeds(catalog, "rev-parse", "--verify", "HEAD"):
            found["pushed"] = git(catalog, "rev-parse", "HEAD^{tree}")
        if (work / "catalog/.git").exists():
            # Files are compared above: Git takes one for clean that was changed within the second
            # in which it was written, and got its old time back.
            found["staged"] = git(work / "catalog", "diff", "--cached", "--name-status")
            found["committed"] = git_succeeds(work / "catalog", "rev-parse", "HEAD^{tree}")
        return found

    @contextmanager
    def _counting(self) -> Iterator[None]:
        """Count the results that are found, so that runs in which nothing is are noticed."""
        find = ResultCache._find  # noqa: SLF001 - only observed

        def counted(results: ResultCache, *about: Any) -> Any:  # noqa: ANN401 - handed on
            found = find(results, *about)
            self.counted[_MADE if isinstance(found, str) else _TAKEN] += 1
            return found

        with mock.patch.object(ResultCache, "_find", counted):
            yield


def _files_in(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder with content and mode, links with their text."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if ".git" in path.parts:
            continue
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))  # noqa: PTH115 - its text, not a path
        elif path.is_file():
            found[name] = (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        else:
            found[name] = ("folder",)
    return found


def _difference(part: str, cached: Any, plain: Any) -> str:  # noqa: ANN401 - parts of an outcome
    if isinstance(plain, dict):
        names = [one for one in {**cached, **plain} if cached.get(one) != plain.get(one)]
        pairs = [
            f"{one}: {cached.get(one)!r}, but without a cache {plain.get(one)!r}" for one in names
        ]
        return f"{part} differs in\n" + "\n".join(pairs[:5])
    return f"{part}: {cached!r},\nnot cached: {plain!r}"


def _write(file: Path, text: str) -> None:
    if file.is_symlink():
        file.unlink()
    file.write_text(text)


def _write_with_old_times(file: Path, text: str) -> None:
    times = None
    if file.exists():
        found = file.stat()
        times = (found.st_atime_ns, found.st_mtime_ns)
        now = time.time()
        if int(now) == int(found.st_ctime):
            time.sleep(1 - now % 1)  # Git compares whole seconds, and would not see it either
    file.write_text(text)
    if times:
        os.utime(file, ns=times)


def _rename_over(file: Path, text: str) -> None:
    other = file.with_name("renamed")
    other.write_text(text)
    other.rename(file)


def _one(items: Sequence[_Item], number: int) -> _Item:
    return items[number % len(items)]


RULES = tuple(name for name in vars(Play) if not name.startswith("_"))
COUNTED = (_TAKEN, _MADE)


def play(root: Path, steps: Sequence[Step], template: Path) -> list[str]:
    """Go through a sequence; returns what had something to do, once for each time."""
    store = root.with_name("store")
    for old in (root, store, *root.parent.glob(f"{root.name}-*")):
        shutil.rmtree(old, ignore_errors=True)
    with _surrounded(root):
        _begin(root, store, template)
        scene = Play(root, store)
        done = [rule for rule, *numbers in steps if getattr(scene, rule)(*numbers)]
    return [*done, *scene.counted.elements()]


def _begin(root: Path, store: Path, template: Path) -> None:
    """The cluster after its first compile; paths are absolute, so it is made where it is used."""
    if not template.exists():
        ChangingCluster(root).make()
        Play(root, store).compile(0, 0, 0)
        template.mkdir()
        root.rename(template / "it")
        store.rename(template / "store")
    for place in (root, store):
        subprocess.run(["cp", "-a", template / place.name, place], check=True)


@contextmanager
def _surrounded(root: Path) -> Iterator[None]:
    """The tools and settings of a world; afterwards everything around is as it was."""
    path, before = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}", Path.cwd()
    with mock.patch.dict(os.environ, {"PATH": path, "KUBECONFIG": str(root / "kube/config")}):
        try:
            yield
        finally:
            os.chdir(before)


def _prepare(_template: Path) -> None:
    """The first sequence makes what all begin with."""


CACHED_RESULTS = Game(
    rules=RULES,
    prepare=_prepare,
    play=play,
    weights={
        "push_file": 4.0,
        "edit": 4.0,
        "edit_unseen": 2.0,
        "compile": 3.0,
        "compile_again": 2.0,
        "compile_local": 3.0,
        "compile_offline": 3.0,
        "compile_elsewhere": 0.5,
        "compile_strictly": 0.5,
        "compile_other_cluster": 0.7,
        "new_job": 1.0,
        "move": 0.5,
        "wait": 0.2,
    },
    length=(3, 10),
    last=(("compile_local", 0, 0, 0), ("compile", 0, 0, 0)),
)

if __name__ == "__main__":
    main(CACHED_RESULTS, __doc__)
