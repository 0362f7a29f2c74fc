"""Load one target again, and record its layers: normal runs do not keep them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles, absolute_name
from commodore_py.inventory.engine.loader import META, Loader, Observer
from commodore_py.inventory.engine.reader import ClassFile, read
from commodore_py.inventory.engine.references import parse
from commodore_py.inventory.engine.render import meta_of
from commodore_py.inventory.engine.resolver import Resolver
from commodore_py.inventory.engine.values import Map, ResolveError, Token, plain_key
from commodore_py.model.spot import Inclusion

from . import places
from .places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from pathlib import Path

    import yaml

    from commodore_py.config import WorkPaths


@dataclass(frozen=True)
class Hierarchy:
    """Class files and targets, with the names and lines of their files."""

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
        if target not in self._replays:
            self._replays[target] = Replay(self, target)
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


class Layer:
    """A class file, or the target's own, as one layer of a target."""

    def __init__(  # noqa: PLR0917 - the last two are of classes with files
        self,
        name: str,
        chain: tuple[str, ...],
        content: ClassFile,
        file: str,
        fields: Callable[[], Mapping[str, yaml.Node]] = dict,
        absolute: str = "",
    ) -> None:
        self.name = name
        self.absolute = absolute or name
        self.chain = chain
        self.parameters = content.parameters
        self.file = file
        self._fields = fields

    @cached_property
    def fields(self) -> Mapping[str, yaml.Node]:
        """The nodes of the file; none without a file."""
        return self._fields()

    def place(self, node: yaml.Node | None) -> Place:
        """The place of a node in this layer."""
        return Place(self.file, places.line_of(node) if node is not None else 0)


class Replay(Observer):
    """One target: its layers in the order in which they are merged, and its failures."""

    def __init__(self, hierarchy: Hierarchy, target: str) -> None:
        self.target = target
        itself = ClassFile(parameters=Map({META: meta_of(target)}))
        self.layers: list[Layer] = [
            Layer(META, (f"target {target}",), itself, "set by commodore itself")
        ]
        self.failures: list[tuple[CommodoreError, tuple[str, ...]]] = []
        self._hierarchy = hierarchy
        text = hierarchy.targets[target]
        loader = Loader(hierarchy.files, missing_ok=False, observer=self)
        content = read(text, name=hierarchy.target_file(target))
        self.state = loader.load(content, meta_of(target), name=target)
        self._by_key: dict[Hashable, list[Layer]] = {}
        for layer in self.layers:
            for key in layer.parameters.items:
                self._by_key.setdefault(plain_key(key), []).append(layer)
        self.resolver = Resolver(self.state.parameters)

    def merged(self, name: str, absolute: str, chain: tuple[str, ...], content: ClassFile) -> None:
        """Keep a layer."""
        hierarchy = self._hierarchy
        target = self.target
        if absolute:
            file = hierarchy.file_of(absolute)
            layer = Layer(
                name, chain, content, file, lambda: hierarchy.class_fields(absolute), absolute
            )
        else:
            file = hierarchy.target_file(target)
            layer = Layer(name, chain, content, file, lambda: hierarchy.target_fields(target))
        self.layers.append(layer)

    def layers_with(self, key: Hashable) -> list[Layer]:
        """The layers that hold a top-level parameter; those that hold any for None."""
        if key is None:
            return [layer for layer in self.layers if layer.parameters.items]
        layers = self._by_key.get(key)
        if layers is None:  # a number, written as a text in a path
            names = [name for name in self._by_key if str(name) == key]
            layers = self._by_key[names[0]] if names else []
        return layers

    def place_of_application(self, name: str) -> Place | None:
        """Where the highest layer lists an application."""
        for layer in reversed(self.layers):
            for item, line in places.items_of(layer.fields.get("applications")):
                if item == name:
                    return Place(layer.file, line)
        return None

    def inclusions(self, prefix: str) -> tuple[Inclusion, ...]:
        """Lines that include classes whose full names begin with a prefix, in merge order."""
        order = {layer.absolute: number for number, layer in enumerate(self.layers)}
        included_by = {
            layer.absolute: layer.chain[-2] for layer in self.layers if len(layer.chain) > 1
        }
        files = self._hierarchy.files
        lines: list[Inclusion] = []
        for layer in self.layers:
            is_class = layer.absolute in files
            folder = files.folder(layer.absolute) if is_class else PurePosixPath()
            for written, line in places.items_of(layer.fields.get("classes")):
                name = absolute_name(self._class_name(written), folder)
                if name.startswith(prefix):
                    merged = included_by.get(name) in (layer.name, layer.absolute)
                    place = str(Place(layer.file, line))
                    lines.append(Inclusion(name, layer.absolute, place, merged))
        return tuple(sorted(lines, key=lambda line: order.get(line.name, len(order))))

    def _class_name(self, written: str) -> str:
        """The name of a class with the final values of its references."""
        token = parse(written)
        try:
            return self.resolver.text(token) if isinstance(token, Token) else written
        except ResolveError:
            return written

    def failed(self, error: CommodoreError, chain: tuple[str, ...]) -> None:
        """Keep a failure."""
        self.failures.append((error, chain))
