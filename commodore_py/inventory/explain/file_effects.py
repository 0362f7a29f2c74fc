"""Which parameters of which targets a changed class file may alter: by name, from above."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from commodore_py.adapters import yaml as quick
from commodore_py.errors import CommodoreError

from .explanation import laid_out
from .places import items_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths

    from .replay import Hierarchy

_REFERENCE = re.compile(r"\$\{\s*([^}:$]+?)\s*[:}]")
# Its first part is itself looked up: it may lead anywhere.
_DYNAMIC = re.compile(r"\$\{\s*\$\{")
_MARKERS = "~="
_LISTS = ("classes", "applications")


@dataclass(frozen=True, slots=True)
class Touched:
    """What a change of a class file comes to."""

    targets: frozenset[str]
    """The targets that include it."""
    parameters: Mapping[str, str] | None
    """Top-level parameters that may change, each with the one in the file that it follows; None if
    that may be all."""
    components: frozenset[str] | None = None
    """Those whose origin is said otherwise than before; None if that may be any."""
    renamed: frozenset[str] = frozenset()
    """The targets that get or lose a top-level parameter."""

    def about(self, component: str) -> bool:
        """Whether the origin of a component may be another one."""
        return self.components is None or component in self.components


@dataclass(slots=True)
class Touching:
    """A hierarchy as the last compile left it, asked about changed files."""

    paths: WorkPaths
    _hierarchy: Hierarchy = field(init=False)
    _by_file: dict[Path, list[str]] = field(default_factory=dict)
    _targets: dict[str, set[str]] = field(default_factory=dict)
    _followers: dict[str, set[str]] = field(default_factory=dict)
    _class_keys: set[str] = field(default_factory=set)
    _files_with: dict[str, set[str]] = field(default_factory=dict)
    """Files by the top-level parameters that they set."""

    def __post_init__(self) -> None:
        self._hierarchy = laid_out(self.paths)
        files = self._hierarchy.files
        for name in files.names():
            self._by_file.setdefault(files.path(name).resolve(), []).append(name)
            self._note_references(name)
        for target in self._hierarchy.targets:
            for layer in self._hierarchy.replay(target).layers:
                self._targets.setdefault(layer.file, set()).add(target)

    def touched(self, file: Path, before: bytes | None) -> Touched | None:
        """What the file alters, against what it was if that is known; None if it is no class."""
        names = self._by_file.get(file.resolve())
        if names is None:
            return None
        shown = {self._hierarchy.file_of(name) for name in names}
        targets = frozenset(target for one in shown for target in self._targets.get(one, ()))
        now = _content(file.read_bytes())
        was = _content(before) if before is not None else {}
        if now is None or was is None:
            return Touched(targets, None)
        if before is not None and any(now.get(name) != was.get(name) for name in _LISTS):
            return Touched(targets, None)
        keys = _changed(_parameters(now), _parameters(was))
        # Of a file that may become anything, only what it holds can be said.
        new = set() if before is None else _plain_keys(now) ^ _plain_keys(was)
        renamed = frozenset(
            one for one in targets if any(self._only(shown, one, key) for key in new)
        )
        return Touched(targets, self._with_followers(keys), _origins(now, was), renamed)

    def _only(self, files: set[str], target: str, key: str) -> bool:
        """Whether no other file sets a parameter of a target."""
        others = self._files_with.get(key, set()) - files
        return not any(target in self._targets.get(one, ()) for one in others)

    def _with_followers(self, keys: set[str]) -> Mapping[str, str] | None:
        found = {key: key for key in sorted(keys)}
        waiting = sorted(keys)
        while waiting:
            key = waiting.pop()
            if key in self._class_keys:
                return None
            for follower in sorted(
                self._followers.get(key, set()) | self._followers.get("", set())
            ):
                if follower not in found:
                    found[follower] = found[key]
                    waiting.append(follower)
        return found

    def _note_references(self, name: str) -> None:
        fields = self._hierarchy.class_fields(name)
        for text, _ in items_of(fields.get("classes")):
            self._class_keys.update(_REFERENCE.findall(text))
        parameters = fields.get("parameters")
        if isinstance(parameters, yaml.MappingNode):
            for key, value in parameters.value:
                sets = self._files_with.setdefault(_plain(str(key.value)), set())
                sets.add(self._hierarchy.file_of(name))
                for text in _texts(value):
                    if "${" in text:
                        looked_up = {*_REFERENCE.findall(text), *_dynamic(text)}
                        for one in looked_up:
                            self._followers.setdefault(one, set()).add(_plain(str(key.value)))


def _dynamic(text: str) -> Iterator[str]:
    """An empty name, which stands for any, if it is only known later what is looked up."""
    if _DYNAMIC.search(text):
        yield ""


def _texts(node: yaml.Node) -> Iterator[str]:
    if isinstance(node, yaml.ScalarNode):
        yield str(node.value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _texts(item)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _texts(key)
            yield from _texts(value)


def _content(text: bytes) -> Mapping[str, object] | None:
    try:
        content = quick.load(text.decode(), name="")
    except (CommodoreError, UnicodeDecodeError):
        return None
    if content is None:
        return {}
    return content if isinstance(content, dict) else None


def _parameters(content: Mapping[str, object]) -> Mapping[str, object]:
    found = content.get("parameters")
    return found if isinstance(found, dict) else {}


def _plain_keys(content: Mapping[str, object]) -> set[str]:
    return {_plain(str(key)) for key in _parameters(content)}


def _changed(now: Mapping[str, object], was: Mapping[str, object]) -> set[str]:
    both = {*now, *was}
    return {_plain(str(key)) for key in both if now.get(key) != was.get(key) or key not in now}


def _origins(now: Mapping[str, object], was: Mapping[str, object]) -> frozenset[str] | None:
    here, there = (_parameters(one).get("components", {}) for one in (now, was))
    if not isinstance(here, dict) or not isinstance(there, dict):
        return None
    return frozenset(_changed(here, there))


def _plain(key: str) -> str:
    return key[1:] if key[:1] in _MARKERS else key
