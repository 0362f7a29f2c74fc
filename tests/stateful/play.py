"""One sequence: a user, the remotes and compiles take turns in one working directory."""

from __future__ import annotations

import shutil
import subprocess
import time
from typing import TYPE_CHECKING, TypeVar

from tests.support.builders import git, git_succeeds, url_of

from .belongings import Holding
from .remotes import FILES, SOURCES, VERSIONS
from .scene import Scene, demand

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_Item = TypeVar("_Item")

_WHO = ("-c", "user.name=User", "-c", "user.email=user@example.com")
_CLONES = ("global", "tenant", "catalog")
_SETTLED = 2.1  # from when on a checkout's times are trusted


class Play(Scene):
    """The rules; each takes three numbers, and says whether there was anything to do."""

    # What the user does

    def edit(self, a: int, b: int, _c: int) -> bool:
        """Change a file that is there."""
        place = self._checkout(a)
        files = self._files(place) if place else []
        if not place or not files:
            return False
        self.user.write(_one(files, b))
        return self._touch(a)

    def write(self, a: int, b: int, _c: int) -> bool:
        """Make a new file, or write over one."""
        place = self._checkout(a)
        if not place:
            return False
        file = place / _one(FILES, b)
        if file.is_dir() or any(parent.is_file() for parent in file.parents):
            return False
        self.user.write(file)
        return self._touch(a)

    def delete(self, a: int, b: int, _c: int) -> bool:
        """Delete a file."""
        place = self._checkout(a)
        files = self._files(place) if place else []
        if not files:
            return False
        _one(files, b).unlink()
        return self._touch(a)

    def stage(self, a: int, b: int, c: int) -> bool:
        """Stage what was changed, and change it again."""
        place = self._checkout(a)
        if not place or not self.write(a, b, c):
            return False
        git(place, "add", "--all")
        self.user.write(place / _one(FILES, b))
        return True

    def commit(self, a: int, b: int, c: int) -> bool:
        """Commit everything, on whatever branch that is."""
        place = self._checkout(a)
        if not place or not self.write(a, b, c):
            return False
        return self._commit(place)

    def branch(self, a: int, b: int, c: int) -> bool:
        """Commit on a branch of one's own, and perhaps go back."""
        place = self._checkout(a)
        if not place or git(place, "status", "--porcelain"):
            return False
        if not _git_may(place, "checkout", "--quiet", "-b", f"mine-{b % 5}"):
            return False
        self.write(a, b, c)
        self._commit(place)
        if c % 2:
            git(place, "checkout", "--quiet", "-")
        return self._touch(a)

    def detach(self, a: int, b: int, c: int) -> bool:
        """Commit on no branch at all."""
        place = self._checkout(a)
        if not place:
            return False
        git(place, "checkout", "--quiet", "--detach")
        self.write(a, b, c)
        self._commit(place)
        return self._touch(a)

    def stash(self, a: int, _b: int, _c: int) -> bool:
        """Stash everything."""
        place = self._checkout(a)
        if not place or git_succeeds(place, "rev-parse", "--verify", "--quiet", "refs/stash"):
            return False  # Git keeps older ones in no ref
        return _git_may(place, "stash", "--include-untracked") and self._touch(a)

    def push(self, a: int, _b: int, _c: int) -> bool:
        """Push what was committed."""
        place = self._checkout(a)
        if not place:
            return False
        done = _git_may(place, "push", "--quiet", "origin", "HEAD:refs/heads/master")
        self.remotes.note()
        return done

    def delete_worktree(self, a: int, _b: int, _c: int) -> bool:
        """Delete a checkout."""
        place = self._checkout(a)
        if not place:
            return False
        self._remove(place)
        return True

    def clone(self, a: int, _b: int, _c: int) -> bool:
        """Put an ordinary clone where a worktree was."""
        name, place = self._name(a), self._checkout(a)
        if not place or name in _CLONES:
            return False
        self._remove(place)
        source, _ = self.remotes.wanted[name]
        git(self.work, "clone", "--quiet", url_of(self.remotes.path(source)), str(place))
        return self._touch(a)

    def wait(self, _a: int, _b: int, _c: int) -> bool:
        """Let some time pass."""
        time.sleep(_SETTLED)
        return True

    # What others do

    def remote_commit(self, a: int, b: int, c: int) -> bool:
        """Somebody pushes a commit."""
        branch = "feat" if c % 3 == 0 else "master"
        self.remotes.change(_one(self.remotes.names(), a), branch, _one(FILES, b), f"theirs {c}\n")
        return True

    def remote_rewrite(self, a: int, b: int, c: int) -> bool:
        """Somebody pushes another history by force."""
        branch = "feat" if c % 2 else "master"
        self.remotes.rewrite(_one(self.remotes.names(), a), branch, _one(FILES, b), f"new {c}\n")
        return True

    def move_tag(self, a: int, b: int, _c: int) -> bool:
        """Somebody moves a tag."""
        self.remotes.move_tag(_one(self.remotes.names(), a), annotated=bool(b % 2))
        return True

    def toggle_branch(self, a: int, _b: int, _c: int) -> bool:
        """Somebody deletes a branch, or makes it again."""
        self.remotes.toggle_branch(_one(self.remotes.names(), a))
        return True

    def switch_version(self, a: int, b: int, _c: int) -> bool:
        """The cluster wants another version of something."""
        self.remotes.want(self._name(a), _one(VERSIONS, b))
        return True

    def change_url(self, a: int, _b: int, _c: int) -> bool:
        """The cluster wants something from another repository."""
        return self.remotes.turn(self._name(a))

    # Compiles

    def compile(self, _a: int, _b: int, _c: int) -> bool:
        """Compile, and see that nothing is lost."""
        self._compile(force=False)
        return True

    def compile_forced(self, _a: int, _b: int, _c: int) -> bool:
        """The same, with --force."""
        self._compile(force=True)
        return True

    def compile_local(self, _a: int, _b: int, _c: int) -> bool:
        """Compile what lies there: that changes nothing at all."""
        if not (self.work / "inventory/targets/cluster.yml").is_file():
            return False
        before = Holding.of(self.work)
        self._run(local=True)
        after = Holding.of(self.work)
        ours = self._in_checkouts(before.files), self._in_checkouts(after.files)
        demand(ours[0] == ours[1], "local mode changed files of checkouts")
        self._nothing_lost(before, after)
        return True

    # Helpers

    def _name(self, number: int) -> str:
        return _one(tuple(SOURCES), number)

    def _checkout(self, number: int) -> Path | None:
        place = self._place(self._name(number))
        return place if (place / ".git").exists() else None

    def _files(self, place: Path) -> list[Path]:
        """The files of a checkout; what a compile generates in a catalog is nobody's."""
        return sorted(
            path
            for path in place.rglob("*")
            if path.is_file()
            and ".git" not in path.relative_to(place).parts
            and path.relative_to(place).parts[0] not in ("manifests", "refs")
        )

    @staticmethod
    def _remove(place: Path) -> None:
        # What was only staged goes with the files.
        git(place, "read-tree", "HEAD")
        shutil.rmtree(place)

    def _touch(self, number: int) -> bool:
        self.touched.add(self._name(number))
        return True

    def _commit(self, place: Path) -> bool:
        git(place, "add", "--all")
        git(place, *_WHO, "commit", "--quiet", "--allow-empty", "--message", "Mine")
        self.user.committed(place)
        return True


RULES = tuple(name for name in vars(Play) if not name.startswith("_"))


def play(root: Path, steps: Sequence[tuple[str, int, int, int]], template: Path) -> list[str]:
    """Go through a sequence from the start; returns the rules that had something to do."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(template, root, symlinks=True)
    scene = Play(root)
    scene.remotes.begin()
    done = []
    for rule, *numbers in steps:
        if getattr(scene, rule)(*numbers):
            done.append(rule)
    return done


def _one(items: Sequence[_Item], number: int) -> _Item:
    return items[number % len(items)]


def _git_may(place: Path, *arguments: str) -> bool:
    """Run a command of the user's that may fail."""
    done = subprocess.run(
        ["git", *_WHO, *arguments], cwd=place, capture_output=True, check=False, text=True
    )
    return done.returncode == 0
