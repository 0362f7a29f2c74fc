"""Which parts of a document are values of Secrets, wherever in it these are (pure)."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import yaml

from commodore_py.adapters.yaml.parts import compose
from commodore_py.errors import CommodoreError

from .documents import split_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Path: TypeAlias = tuple[str, ...]

# kubectl stores whole objects there.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_VALUES = frozenset(("data", "stringdata"))
_MERGE = "<<"
_SHOWN = frozenset(("apiVersion", "kind", "metadata", "type", "immutable", _MERGE))
"""What a Secret has besides values; whatever else is in it was meant to be one."""
_MOST_MERGED = 1_000
_MAY_HOLD_ONE = re.compile(r"(?s)(?=.*kind).*[Ss]ecret|.*(?:\\[xuU\r\n]|!!binary)").match
# How deep texts in texts are parsed; what is deeper is hidden if it may hold a Secret.
_MOST_NESTED = 3
# Aliases may lead from one to another without an end.
_LONGEST_PATH = 100


class Part(NamedTuple):
    """A value all of which is secret, and the mapping or list that holds it."""

    path: Path
    holder: Any
    key: str
    value: Any


class _Place(NamedTuple):
    value: Any
    path: Path = ()
    kinds: frozenset[str] = frozenset()
    """What it is if it does not say so itself: the items of a SecretList are Secrets."""
    of_secret: bool = False
    """Whether it is part of an object such as a SealedSecret, which has a Secret as template."""


def secret_parts(root: object, *, nested: int = 0) -> Iterator[Part]:
    """Values of Secrets, of templates for Secrets, and texts that hold Secrets.

    The root is a value as it is loaded, or YAML as it is written.
    """
    waiting, seen = [_Place(root)], set[tuple[int, frozenset[str], bool]]()
    while waiting:
        place = waiting.pop()
        visit = (id(place.value), place.kinds, place.of_secret)
        if visit in seen:
            continue
        members = _members_of(place.value)
        if members is None:
            below = [
                (str(at), place._replace(value=item, path=path_to(place.path, str(at))))
                for at, item in enumerate(_items_of(place.value))
            ]
        else:
            parts, below = _of_mapping(place, members)
            yield from parts
        if below:
            seen.add(visit)
        for key, inner in below:
            if holds_secret(text_of(inner.value), nested=nested):
                yield Part(inner.path, place.value, key, inner.value)
            waiting.append(inner)


def _of_mapping(
    place: _Place, members: list[tuple[str, Any]]
) -> tuple[list[Part], list[tuple[str, _Place]]]:
    """The secret values of a mapping, and where there may be more of them."""
    # All of a key that is given several times: which of them counts is for others to decide.
    stated = {text_of(value).casefold() for key, value in members if key == "kind"} - {""}
    kinds = stated or place.kinds
    of_secret = any(kind.endswith("secret") for kind in kinds) or (place.of_secret and not stated)
    metadata = [
        member for key, value in members if key == "metadata" for member in _members_of(value) or ()
    ]
    names = dict(metadata)
    called = [text_of(names[name]) for name in ("namespace", "name") if name in names]
    path = path_to(place.path, *called)
    parts, below = [], []
    is_secret = "secret" in kinds
    versions = {text_of(value) for key, value in members if key == "apiVersion"}
    is_core = "secret" in stated and versions <= {"", "v1"}
    for key, value in members:
        if is_secret and (key.casefold() in _VALUES or (is_core and key not in _SHOWN)):
            parts.append(Part(path_to(path, key), place.value, key, value))
            continue
        given = frozenset(kind[:-4] for kind in kinds if kind.endswith("list"))
        if key == "template" and of_secret:
            given = frozenset(("secret",))
        elif key != "items":
            given = frozenset()
        below.append((key, _Place(value, path_to(path, key), given, of_secret)))
    if is_secret:
        parts += [
            Part((*path, name), value, name, annotation)
            for key, value in metadata
            if key == "annotations"
            for name, annotation in _members_of(value) or ()
            if name == LAST_APPLIED
        ]
    return parts, below


def holds_secret(text: str, *, nested: int = 0) -> bool:
    """Return whether a text is YAML or JSON with a Secret that has values."""
    if not _MAY_HOLD_ONE(text):
        return False
    if nested >= _MOST_NESTED:
        return True
    try:
        roots = [compose(part, name="") for part in split_documents(text.encode())]
        return any(
            next(secret_parts(root, nested=nested + 1), None) is not None
            for root in roots
            if root is not None and not isinstance(root, yaml.ScalarNode)
        )
    except (CommodoreError, ValueError):
        return False


def path_to(path: Path, *steps: str) -> Path:
    """The path of a part of something, as far as it tells parts apart."""
    return (*path, *steps) if len(path) < _LONGEST_PATH else path


def _members_of(node: object) -> list[tuple[str, Any]] | None:
    """The members of a mapping; as it is written with those merged, and repeated keys."""
    if isinstance(node, dict):
        return [(str(key), value) for key, value in node.items()]
    if not isinstance(node, yaml.MappingNode):
        return None
    members, waiting, seen = [], [node], {id(node)}
    while waiting:
        for key, value in waiting.pop().value:
            name = text_of(key)
            members.append((name, value))
            if name == _MERGE:
                merged = [value, *_items_of(value)]
                fresh = [m for m in merged if isinstance(m, yaml.MappingNode)]
                waiting += [m for m in fresh if id(m) not in seen]
                seen.update(map(id, fresh))
        if len(seen) > _MOST_MERGED:
            raise ValueError("too many mappings are merged")
    return members


def _items_of(node: object) -> Iterable[Any]:
    """The items of a list; nothing for anything else."""
    items = node.value if isinstance(node, yaml.SequenceNode) else node
    return items if isinstance(items, list) else ()


def text_of(node: object) -> str:
    """A text; empty for anything else."""
    if isinstance(node, yaml.ScalarNode):
        return _decoded(node.value) if node.tag.endswith(":binary") else str(node.value)
    if isinstance(node, bytes):
        return node.decode(errors="replace")
    return node if isinstance(node, str) else ""


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode()
    except (binascii.Error, ValueError):
        return text
