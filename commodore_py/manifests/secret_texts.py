"""Mask the values of secrets in the text of manifests; it still shows which of them changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.yaml import nodes
from commodore_py.errors import CommodoreError

from .documents import split_documents
from .secrets import LAST_APPLIED, MAY_BE_SECRET, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from yaml import Node

_IS_SECRET = re.compile(r"\bSecret\b")
_COMMENT = re.compile(r"^(\s*#).+$", re.MULTILINE)
_VALUES = ("data", "stringData")
_UNREADABLE = "*** (a Secret that is not valid YAML)"

_Path = tuple[str, ...]


class _Value(NamedTuple):
    """A value of a secret and where it stands."""

    path: _Path
    text: str
    start: int
    end: int


class _Document(NamedTuple):
    text: str
    values: tuple[_Value, ...] = ()
    readable: bool = True


def masked_texts(old: bytes, new: bytes) -> tuple[str, str]:
    """Two versions of a file, without the values of secrets."""
    before, after = _documents(old), _documents(new)
    return _masked(before, after, "old"), _masked(after, before, "new")


def _documents(content: bytes) -> list[_Document]:
    if not MAY_BE_SECRET.search(content):
        return [_Document(content.decode(errors="replace"))]
    return list(map(_document, split_documents(content)))


def _document(part: bytes) -> _Document:
    text = part.decode(errors="replace")
    if not MAY_BE_SECRET.search(part):
        return _Document(text)
    try:
        root = nodes.compose(text, name="")
    except (CommodoreError, ValueError):
        return _Document(text, readable=not _IS_SECRET.search(text))
    return _Document(text, tuple(_values_of(root)) if root is not None else ())


def _masked(documents: list[_Document], others: list[_Document], side: str) -> str:
    known = {one.path: one.text for other in others for one in other.values}
    texts = {one.text for one in others}
    shown = []
    for one in documents:
        if one.readable:
            shown.append(_masked_document(one, known, side))
        else:
            shown.append(f"{_UNREADABLE}{'' if one.text in texts else f' ({side})'}\n")
    return "".join(shown)


def _masked_document(document: _Document, known: Mapping[_Path, str], side: str) -> str:
    if not document.values:
        return document.text
    pieces, at = [], 0
    # An anchor may be the value of several keys.
    for start, one in sorted({one.start: one for one in document.values}.items()):
        if start < at:
            continue
        written = document.text[start : one.end]
        shown = shown_value(one.text)
        if "***" in shown and known.get(one.path, one.text) != one.text:
            shown = f"{shown} ({side})"
        end = "\n" if written.endswith("\n") else ""
        pieces += [document.text[at:start], shown, end]
        at = one.end
    return _COMMENT.sub(r"\1 ***", "".join([*pieces, document.text[at:]]))


def _values_of(root: Node, around: _Path = ()) -> Iterator[_Value]:
    """The values of a document that is a secret, or a list with secrets."""
    members = dict(_members(root))
    kind = _text(members.get("kind"))
    if kind.endswith("List") and "items" in members:
        items = members["items"].value
        for item in items if isinstance(items, list) else ():
            if not isinstance(item, tuple):
                yield from _values_of(item, around)
        return
    metadata = dict(_members(members.get("metadata")))
    if kind != "Secret":
        return
    path = (*around, _text(metadata.get("namespace")), _text(metadata.get("name")))
    for name in _VALUES:
        if name in members:
            yield from _leaves(members[name], (*path, name), set())
    for name, value in _members(metadata.get("annotations")):
        if name == LAST_APPLIED:
            yield from _leaves(value, (*path, name), set())


def _leaves(node: Node, path: _Path, seen: set[int]) -> Iterator[_Value]:
    if id(node) in seen:  # a value that holds itself
        return
    seen.add(id(node))
    if isinstance(node.value, str):
        start, end = node.start_mark, node.end_mark
        if start is not None and end is not None:
            yield _Value(path, node.value, start.index, end.index)
        return
    for number, below in enumerate(node.value):
        name, value = below if isinstance(below, tuple) else (None, below)
        key = str(number) if name is None else _text(name)
        yield from _leaves(value, (*path, key), seen)


def _members(node: Node | None) -> Iterator[tuple[str, Node]]:
    for pair in node.value if node is not None and not isinstance(node.value, str) else ():
        if isinstance(pair, tuple):
            yield _text(pair[0]), pair[1]


def _text(node: Node | None) -> str:
    return node.value if node is not None and isinstance(node.value, str) else ""
