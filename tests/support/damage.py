"""What may happen to the files of a store, at random; and compiles with such a store."""

from __future__ import annotations

import os
import random
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py import compiler
from commodore_py.cache.store import Store
from commodore_py.config import Config, WorkPaths
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.pipeline import gather, render
from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commodore_py.model.stages import Sources

_NOBODY = 65534


def flip(file: Path, chance: random.Random) -> None:
    """Some bits of some bytes."""
    content = bytearray(file.read_bytes())
    for _ in range(chance.randint(1, 3)):
        content[chance.randrange(len(content))] ^= chance.randint(1, 255)
    file.write_bytes(content)


def cut_off(file: Path, chance: random.Random) -> None:
    """As after a power cut."""
    os.truncate(file, chance.randrange(file.stat().st_size))


def blank(file: Path, chance: random.Random) -> None:
    """Zeros in the middle, as file systems leave them."""
    content = bytearray(file.read_bytes())
    begin = chance.randrange(len(content))
    content[begin:] = bytes(len(content) - begin)
    file.write_bytes(content)


def extend(file: Path, chance: random.Random) -> None:
    """More than there should be."""
    with file.open("ab") as opened:
        opened.write(chance.randbytes(chance.randint(1, 100)))


def swap(file: Path, chance: random.Random) -> None:
    """The content of another one."""
    other = chance.choice(files_of(file.parents[1]))
    if other != file:
        file.write_bytes(other.read_bytes())


def delete(file: Path, _: random.Random) -> None:
    """Not there any more."""
    file.unlink()


def delete_folder(file: Path, _: random.Random) -> None:
    """Nor all that are beside it."""
    shutil.rmtree(file.parent)


def turn_into_a_folder(file: Path, _: random.Random) -> None:
    """Replace a file with a folder."""
    file.unlink()
    file.mkdir()


def open_to_others(file: Path, _: random.Random) -> None:
    """Others may have written to it."""
    file.chmod(0o666)


def give_away(file: Path, _: random.Random) -> None:
    """To another user, if that can be done."""
    with suppress(PermissionError):
        os.chown(file, _NOBODY, _NOBODY)


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    flip,
    cut_off,
    blank,
    extend,
    swap,
    delete,
    delete_folder,
    turn_into_a_folder,
    open_to_others,
    give_away,
)


def files_of(folder: Path) -> list[Path]:
    """Blobs and notes, in an order that is always the same."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def damage(folder: Path, chance: random.Random) -> list[str]:
    """Damage some or all files of a store; returns a description."""
    files = files_of(folder)
    how_many = min(chance.choice((1, 3, len(files) // 2, len(files))), len(files))
    done = []
    for file in chance.sample(files, how_many):
        if file.is_file() and file.stat().st_size:
            kind = chance.choice(DAMAGES)
            kind(file, chance)
            done.append(f"{kind.__name__} {file.relative_to(folder)}")
    return done


def values_of(sources: Sources) -> dict[str, object]:
    """What the hierarchy contains for each target."""
    return {
        name: (node.parameters, node.applications, node.classes)
        for name, node in sources.inventory.nodes.items()
    }


def catalog_of(config: Config, sources: Sources) -> object:
    """What a compile makes of them: the instances' trees after filters, and the catalog."""
    rendered = render(config, sources)
    return rendered.instances, rendered.catalog


def trees_of(config: Config, sources: Sources) -> object:
    """The instances' trees alone: they need not fit into one catalog."""
    return compiler.compile_targets(config, sources, ())[0]


@dataclass(frozen=True)
class DamagedStore:
    """A cluster, gathered; what it compiles to, and a store from an earlier compile."""

    config: Config
    cluster: str
    work: Callable[[Config, Sources], object]
    sources: Sources
    """From before there was a store."""
    expected: object
    filled: Path
    """A copy of the store, to begin each round with."""

    @classmethod
    def of_demo(cls, root: Path) -> DamagedStore:
        """The playground."""
        write_demo(root / "demo")
        config = Config(paths=WorkPaths(root / "demo"), api_url=str(root / "demo/facts"))
        return cls.make(root, config, "c-demo-1", catalog_of)

    @classmethod
    def make(
        cls, root: Path, config: Config, cluster: str, work: Callable[[Config, Sources], object]
    ) -> DamagedStore:
        """Compile once without a store, and once to fill one."""
        with exclusive_run(config.paths):
            sources = gather(config, cluster)
            expected = work(config, sources)
            config = replace(config, result_cache=root / "store")
            work(config, gather(config, cluster))
        shutil.copytree(root / "store", root / "filled")
        return cls(config, cluster, work, sources, expected, root / "filled")

    @property
    def store(self) -> Store:
        """The store that compiles use."""
        assert self.config.result_cache is not None
        return Store(self.config.result_cache)

    def restore(self) -> None:
        """Make the store as it was at first."""
        shutil.rmtree(self.store.folder, ignore_errors=True)
        shutil.copytree(self.filled, self.store.folder)

    def compile(self) -> object:
        """Resolve the hierarchy and compile with the store."""
        with exclusive_run(self.config.paths):
            sources = gather(self.config, self.cluster)
            assert values_of(sources) == values_of(self.sources)
            return self.work(self.config, sources)

    def survives(self, seed: int) -> list[str]:
        """Compile twice with a damaged store; returns what had been done to it."""
        self.restore()
        done = damage(self.store.folder, random.Random(seed))  # noqa: S311 - no secret

        first, second = self.compile(), self.compile()

        assert first == self.expected, (seed, done)
        assert second == self.expected, (seed, done)
        return done
