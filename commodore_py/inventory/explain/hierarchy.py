"""Class files and targets whose values are explained, with the names and lines of their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles, absolute_name
from commodore_py.inventory.engine.reader import read
from commodore_py.model.problem import Place

from . import places
from .replay import Replay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import yaml

    from commodore_py.config import WorkPaths

    from .replay import Source


@dataclass(frozen=True)
class Hierarchy:
    """Class files and targets; each target is loaded when it is asked for."""

    files: ClassFiles
    targets: Mapping[str, bytes]
    shown: Callable[[Path], str]
    generated: Mapping[str, str] = field(default_factory=dict)
    """Generated classes, and the names of their files."""
    written: frozenset[str] = frozenset()
    """Those of them whose files have the same text."""
    target_file: Callable[[str], str] = "target {}".format
    _fields: dict[str, Mapping[str, yaml.Node]] = field(default_factory=dict, repr=False)
    _shown: dict[str, str] = field(default_factory=dict, repr=False)
    _replays: dict[str, Replay] = field(default_factory=dict, repr=False)

    def replay(self, target: str) -> Replay:
        """A target, loaded the first time."""
        if target in self._replays:
            return self._replays[target]

        def source_of(name: str) -> Source:
            if name:
                return self.file_of(name), partial(self.class_fields, name)
            return self.target_file(target), partial(self.target_fields, target)

        content = read(self.targets[target], name=self.target_file(target))
        self._replays[target] = Replay(self.files, target, content, source_of)
        return self._replays[target]

    def file_of(self, name: str) -> str:
        """The file of a class, for messages."""
        if name not in self._shown:
            self._shown[name] = self.generated.get(name) or self.shown(self.files.path(name))
        return self._shown[name]

    def class_fields(self, name: str) -> Mapping[str, yaml.Node]:
        """The nodes of a class, if it has a file; read once for all targets."""
        if name not in self._fields:
            has_file = name not in self.generated or name in self.written
            text = self.files.text(name) if has_file else b""
            self._fields[name] = places.fields_of(text)
        return self._fields[name]

    def target_fields(self, target: str) -> Mapping[str, yaml.Node]:
        """The nodes of a target, if it has a file."""
        written = self.target_file(target) != f"target {target}"
        return places.fields_of(self.targets.get(target, b"")) if written else {}

    def place_of_class(self, name: str, included: str) -> Place:
        """The line of a class or target that includes another by a name as written."""
        if name in self.files:
            file, folder = self.file_of(name), self.files.folder(name)
            fields = self.class_fields(name)
        else:
            target = name.removeprefix("target ")
            file, folder = self.target_file(target), PurePosixPath()
            fields = self.target_fields(target)
        for item, line in places.items_of(fields.get("classes")):
            if included in (item, absolute_name(item, folder)):
                return Place(file, line)
        return Place(file)


def compiled_hierarchy(paths: WorkPaths, staged: Mapping[str, bytes] | None = None) -> Hierarchy:
    """The hierarchy as the last compile left it in the working directory.

    Classes that are `staged` have these texts in place of their files.
    """
    files = sorted(paths.targets.glob("*.yml")) if paths.targets.is_dir() else []
    if not files or not paths.classes.is_dir():
        raise CommodoreError(
            "no inventory found",
            where=str(paths.inventory),
            hint="compile the cluster here first, or name its working directory:"
            " `commodore -d DIR inventory explain …`",
        )
    root = paths.root.resolve()
    classes = ClassFiles([("", paths.classes)])
    for name, text in (staged or {}).items():
        classes.stage(name, text)
    return Hierarchy(
        classes,
        {file.stem: content_of(file) for file in files},
        shown=lambda file: places.shown(file, root),
        target_file=lambda name: places.shown(paths.targets / f"{name}.yml", root),
    )
