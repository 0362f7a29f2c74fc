"""One target put together once more, with every layer at hand: what normal runs don't keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.inventory.engine.classes import absolute_name
from commodore_py.inventory.engine.loader import META, Loader
from commodore_py.inventory.engine.merge import LayerCache
from commodore_py.inventory.engine.reader import ClassFile, read
from commodore_py.inventory.engine.render import meta_of
from commodore_py.inventory.engine.resolver import Resolver
from commodore_py.inventory.engine.values import Map, plain_key

from . import places
from .places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from pathlib import Path

    import yaml

    from commodore_py.errors import CommodoreError
    from commodore_py.inventory.engine.classes import ClassFiles


@dataclass(frozen=True)
class Hierarchy:
    """Class files and targets, and how their files are shown to people."""

    files: ClassFiles
    targets: Mapping[str, bytes]
    shown: Callable[[Path], str]
    generated: Mapping[str, str] = field(default_factory=dict)
    """Classes that were made here, and what to call their files."""
    written: frozenset[str] = frozenset()
    """Those of them that lie in their files word for word."""
    target_file: Callable[[str], str] = "target {}".format
    _fields: dict[str, Mapping[str, yaml.Node]] = field(default_factory=dict, repr=False)
    _shown: dict[str, str] = field(default_factory=dict, repr=False)
    _replays: dict[str, Replay] = field(default_factory=dict, repr=False)

    def replay(self, target: str) -> Replay:
        """A target, put together anew the first time it is asked for."""
        if target not in self._replays:
            self._replays[target] = Replay(self, target)
        return self._replays[target]

    def file_of(self, name: str) -> str:
        """The file of a class, for people."""
        if name not in self._shown:
            self._shown[name] = self.generated.get(name) or self.shown(self.files.path(name))
        return self._shown[name]

    def has_lines(self, name: str) -> bool:
        """Whether people can look at the lines of a class."""
        return name not in self.generated or name in self.written

    def class_fields(self, name: str) -> Mapping[str, yaml.Node]:
        """A class as it is written, if people can look at it; read once for all targets."""
        if name not in self._fields:
            text = self.files.text(name) if self.has_lines(name) else b""
            self._fields[name] = places.fields_of(text)
        return self._fields[name]

    def target_fields(self, target: str) -> Mapping[str, yaml.Node]:
        """A target as it is written, if people can look at it."""
        written = self.target_file(target) != f"target {target}"
        return places.fields_of(self.targets.get(target, b"")) if written else {}

    def place_of_class(self, name: str, included: str) -> Place:
        """Where a class, or a target, includes another by a name as written."""
        return self._place_of_item(
            name, "classes", lambda text, folder: included in (text, absolute_name(text, folder))
        )

    def _place_of_item(
        self, name: str, where: str, is_it: Callable[[str, PurePosixPath], bool]
    ) -> Place:
        if name in self.files:
            file, folder = self.file_of(name), self.files.folder(name)
            fields = self.class_fields(name)
        else:
            target = name.removeprefix("target ")
            file, folder = self.target_file(target), PurePosixPath()
            fields = self.target_fields(target)
        for item, line in places.items_of(fields.get(where)):
            if is_it(item, folder):
                return Place(file, line)
        return Place(file)


class Layer:
    """A class file, or the target's own, at its place among the layers of a target."""

    def __init__(
        self,
        name: str,
        chain: tuple[str, ...],
        content: ClassFile,
        file: str,
        fields: Callable[[], Mapping[str, yaml.Node]] = dict,
    ) -> None:
        self.name = name
        self.chain = chain
        self.parameters = content.parameters
        self.file = file
        self._fields = fields

    @cached_property
    def fields(self) -> Mapping[str, yaml.Node]:
        """What the file holds, as it is written; nothing if it is not a file."""
        return self._fields()

    def place(self, node: yaml.Node | None) -> Place:
        """Where something in this layer stands."""
        return Place(self.file, places.line_of(node) if node is not None else 0)


class Replay:
    """One target: its layers in the order in which they are merged, and what went wrong."""

    def __init__(self, hierarchy: Hierarchy, target: str) -> None:
        self.target = target
        self.cache = LayerCache()
        self.layers: list[Layer] = [_itself(target)]
        self.failures: list[tuple[CommodoreError, tuple[str, ...]]] = []
        self._hierarchy = hierarchy
        text = hierarchy.targets[target]
        loader = Loader(hierarchy.files, self.cache, missing_ok=False, observer=self)
        content = read(text, name=hierarchy.target_file(target))
        self.state = loader.load(content, meta_of(target), name=target)
        self._by_key: dict[Hashable, list[Layer]] = {}
        for layer in self.layers:
            for key in layer.parameters.items:
                self._by_key.setdefault(plain_key(key), []).append(layer)
        self.resolver = Resolver(self.state.parameters, self.cache)

    def merged(self, name: str, absolute: str, chain: tuple[str, ...], content: ClassFile) -> None:
        """Keep a layer."""
        hierarchy = self._hierarchy
        target = self.target
        if absolute:
            file = hierarchy.file_of(absolute)
            layer = Layer(name, chain, content, file, lambda: hierarchy.class_fields(absolute))
        else:
            file = hierarchy.target_file(target)
            layer = Layer(name, chain, content, file, lambda: hierarchy.target_fields(target))
        self.layers.append(layer)

    def layers_with(self, key: Hashable) -> list[Layer]:
        """The layers that hold a top-level parameter; those that hold any for None."""
        if key is None:
            return [layer for layer in self.layers if layer.parameters.items]
        found = self._by_key.get(key)
        if found is None:  # a number, written as a text in a path
            names = [name for name in self._by_key if str(name) == key]
            found = self._by_key[names[0]] if names else []
        return found

    def place_of_application(self, name: str) -> Place | None:
        """Where the highest layer lists an application."""
        for layer in reversed(self.layers):
            for item, line in places.items_of(layer.fields.get("applications")):
                if item == name:
                    return Place(layer.file, line)
        return None

    def failed(self, error: CommodoreError, chain: tuple[str, ...]) -> None:
        """Keep a failure."""
        self.failures.append((error, chain))


def _itself(target: str) -> Layer:
    content = ClassFile(parameters=Map())
    content.parameters.items[META] = meta_of(target)
    chain = (f"target {target}",)
    return Layer(META, chain, content, "set by commodore itself")
