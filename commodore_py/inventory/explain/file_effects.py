"""What a changed class file may affect: top-level parameters of targets, by their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from commodore_py.adapters import yaml as quick
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.references import parse
from commodore_py.inventory.engine.values import Reference, Token
from commodore_py.inventory.engine.yaml_values import unmarked
from commodore_py.model.inventory import BOOTSTRAP, parameter_key

from .places import items_of
from .replay import compiled_hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths

    from .replay import Hierarchy

_PACKAGE = "pkg."
_ANY = ""
"""Stands for any parameter: which one is looked up depends on another reference."""


@dataclass(frozen=True, slots=True)
class FileEffects:
    """The effects of a change of a class file."""

    targets: frozenset[str]
    """The targets that include it."""
    parameters: Mapping[str, str] | None
    """Top-level parameters that may change, each with the edited one that it depends on; None if
    any may change."""
    components: frozenset[str] | None = None
    """The components whose url, version or path changed; None if that may be any."""
    renamed: frozenset[str] = frozenset()
    """The targets that get or lose a top-level parameter."""
    requested: Mapping[str, str] = field(default_factory=dict)
    """Instances that are added or removed, with their components."""

    def moves(self, component: str) -> bool:
        """Whether the url, version or path of a component may have changed."""
        return self.components is None or component in self.components


@dataclass(slots=True)
class ChangedFiles:
    """Finds the effects of changed files in the hierarchy of the last compile."""

    paths: WorkPaths
    _hierarchy: Hierarchy = field(init=False)
    _classes: dict[Path, list[str]] = field(default_factory=dict)
    _targets: dict[str, set[str]] = field(default_factory=dict)
    """Targets by the files that they include."""
    _files: dict[str, set[str]] = field(default_factory=dict)
    """Files by the top-level parameters that they set."""
    _dependents: dict[str, set[str]] = field(default_factory=dict)
    """Parameters by the ones that they look up."""
    _in_class_names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._hierarchy = compiled_hierarchy(self.paths)
        files = self._hierarchy.files
        for name in files.names():
            self._classes.setdefault(files.path(name).resolve(), []).append(name)
            self._index(name)
        for target in self._hierarchy.targets:
            for layer in self._hierarchy.replay(target).layers:
                self._targets.setdefault(layer.file, set()).add(target)

    def effects(self, file: Path, before: bytes | None) -> FileEffects | None:
        """The effects of a file, against its text before if known; None if it is not a class."""
        names = self._classes.get(file.resolve())
        if names is None:
            return None
        shown = {self._hierarchy.file_of(name) for name in names}
        targets = frozenset(target for one in shown for target in self._targets.get(one, ()))
        now = _content(content_of(file))
        was = _content(before) if before is not None else {}
        if now is None or was is None:
            return FileEffects(targets, None)
        requested = _requested(now, was) if before is not None else {}
        if requested is None or (before is not None and now.get("classes") != was.get("classes")):
            return FileEffects(targets, None)
        keys = _changed(_parameters(now), _parameters(was))
        # Without the text before, it is not known which keys are new.
        new = set() if before is None else _plain_keys(now) ^ _plain_keys(was)
        renamed = frozenset(
            one for one in targets if any(self._is_only(shown, one, key) for key in new)
        )
        if requested and BOOTSTRAP in targets:
            # The defaults of a component are part of every target. All Jsonnet code reads the names
            # of parameters; hardly any does something with those of other components.
            targets = frozenset(self._hierarchy.targets)
            keys |= {key for one in requested.values() for key in self._defaults_of(one)}
        parameters = self._with_dependents(keys)
        return FileEffects(targets, parameters, _components(now, was), renamed, requested)

    def _defaults_of(self, component: str) -> set[str]:
        """The top-level parameters that come and go with a component, as far as it is known."""
        files, name, key = self._hierarchy.files, f"defaults.{component}", parameter_key(component)
        if name in files:  # another instance may stay: its own parameters are as they were
            return _plain_keys(_content(content_of(files.path(name))) or {}) - {key}
        return {key}

    def _is_only(self, files: set[str], target: str, key: str) -> bool:
        """Whether no other file sets a parameter of a target."""
        others = self._files.get(key, set()) - files
        return not any(target in self._targets.get(one, ()) for one in others)

    def _with_dependents(self, keys: set[str]) -> Mapping[str, str] | None:
        found = {key: key for key in sorted(keys)}
        waiting = sorted(keys)
        while waiting:
            key = waiting.pop()
            if key in self._in_class_names or _ANY in self._in_class_names:
                return None
            dependents = self._dependents.get(key, set()) | self._dependents.get(_ANY, set())
            for dependent in sorted(dependents - found.keys()):
                found[dependent] = found[key]
                waiting.append(dependent)
        return found

    def _index(self, name: str) -> None:
        """Note what a class sets and looks up."""
        fields = self._hierarchy.class_fields(name)
        for text, _ in items_of(fields.get("classes")):
            self._in_class_names.update(_looked_up(text))
        parameters = fields.get("parameters")
        for key, value in parameters.value if isinstance(parameters, yaml.MappingNode) else ():
            holder = _plain(key.value)
            self._files.setdefault(holder, set()).add(self._hierarchy.file_of(name))
            for text in _texts(value):
                for one in _looked_up(text):
                    self._dependents.setdefault(one, set()).add(holder)


def _looked_up(text: str) -> Iterator[str]:
    """The top-level parameters that a string looks up."""
    token = parse(text)
    waiting = list(token.parts) if isinstance(token, Token) else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, Reference):
            first, *rest = part.parts
            waiting += part.parts
            known = isinstance(first, str) and (not rest or ":" in first)
            yield str(first).partition(":")[0] if known else _ANY


def _texts(node: yaml.Node) -> Iterator[str]:
    if isinstance(node, yaml.ScalarNode):
        yield str(node.value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _texts(item)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _texts(value)


def _content(text: bytes) -> Mapping[str, object] | None:
    try:
        content = quick.load(text.decode(), name="")
    except (CommodoreError, UnicodeDecodeError):
        return None
    if content is None:
        return {}
    return content if isinstance(content, dict) else None


def _requested(now: Mapping[str, object], was: Mapping[str, object]) -> dict[str, str] | None:
    """The instances that are added to the applications or removed; None if it may be any."""
    here, there = (one.get("applications") or [] for one in (now, was))
    if not isinstance(here, list) or not isinstance(there, list):
        return None
    found: dict[str, str] = {}
    for application in here + there:
        if here.count(application) == there.count(application):
            continue
        if not isinstance(application, str) or "${" in application:
            return None
        component, _, instance = application.removeprefix("~").partition(" as ")
        if component.startswith(_PACKAGE):
            return None
        found[instance or component] = component
    return found


def _parameters(content: Mapping[str, object]) -> Mapping[str, object]:
    found = content.get("parameters")
    return found if isinstance(found, dict) else {}


def _plain_keys(content: Mapping[str, object]) -> set[str]:
    return {_plain(key) for key in _parameters(content)}


def _changed(now: Mapping[str, object], was: Mapping[str, object]) -> set[str]:
    both = {*now, *was}
    return {_plain(key) for key in both if now.get(key) != was.get(key) or key not in now}


def _components(now: Mapping[str, object], was: Mapping[str, object]) -> frozenset[str] | None:
    here, there = (_parameters(one).get("components", {}) for one in (now, was))
    if not isinstance(here, dict) or not isinstance(there, dict):
        return None
    return frozenset(_changed(here, there))


def _plain(key: object) -> str:
    return str(unmarked(str(key))[0])
