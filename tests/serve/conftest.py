"""Playgrounds of their own for the daemon: it pushes to their repositories."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run
from commodore_py.workflows.demo import write_demo

from .daemon import Daemon, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Playground:
    """A playground whose clusters were compiled and pushed."""

    folder: Path
    home: Path

    @property
    def work(self) -> Path:
        """The working directory."""
        return self.folder / "work"

    @property
    def facts(self) -> Path:
        """The folder of facts."""
        return self.folder / "facts"

    def classes(self, cluster: str = "c-demo-1") -> dict[str, bytes]:
        """All class files of a cluster with their contents."""
        root = self.work / "clusters" / cluster / "inventory" / "classes"
        return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*.yml")}


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The place of a playground, and a copy of it: Git's absolute paths bind it to its place."""
    place = tmp_path_factory.mktemp("served") / "playground"
    made = Playground(place / "demo", place / "home")
    write_demo(made.folder)
    before = dict(os.environ)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("XDG_CACHE_HOME", str(made.home / ".cache"))
        words = ("catalog", "compile", "c-demo-1", "c-demo-2", "--jobs", "1", "--push")
        assert run(("-d", str(made.work), *words, "--api-url", str(made.facts))) == 0
        os.environ.clear()
        os.environ.update(before)
    return place, place.rename(place.with_name("copy"))


@pytest.fixture(scope="module")
def playground(kept: tuple[Path, Path]) -> Iterator[Playground]:
    """A playground that the tests of a module share."""
    place, copy = kept
    shutil.copytree(copy, place, symlinks=True)
    yield Playground(place / "demo", place / "home")
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def daemon(playground: Playground) -> Iterator[Daemon]:
    """A daemon that the tests of a module share."""
    with serving(playground.work, playground.facts, home=playground.home) as running:
        yield running
