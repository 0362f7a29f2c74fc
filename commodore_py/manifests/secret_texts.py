"""Mask the values of secrets in the text of manifests; it still shows which of them changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.yaml.parts import compose
from commodore_py.errors import CommodoreError

from .documents import split_documents
from .secret_parts import path_to, secret_parts, text_of
from .secrets import MAY_BE_SECRET, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from yaml import Node

    from .secret_parts import Path

_IS_SECRET = re.compile(r"\bSecret\b|(?is:kind.{1,12}secret\b)")
# Also behind a value; more than comments where a text has such a sign in it.
_COMMENT = re.compile(r"(?:^|(?<=\s))#.+$", re.MULTILINE)
_UNREADABLE = "*** (a Secret that is not valid YAML)"


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a secret and where it stands."""

    path: Path
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Document:
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
        root = compose(text, name="")
        return _Document(text, tuple(_values_of(root)) if root is not None else ())
    except (CommodoreError, ValueError):
        return _Document(text, readable=not _IS_SECRET.search(text))


def _masked(documents: list[_Document], others: list[_Document], side: str) -> str:
    other_texts = {value.path: value.text for other in others for value in other.values}
    texts = {other.text for other in others}
    shown = []
    for document in documents:
        if document.readable:
            shown.append(_masked_document(document, other_texts, side))
        else:
            shown.append(f"{_UNREADABLE}{'' if document.text in texts else f' ({side})'}\n")
    return "".join(shown)


def _masked_document(document: _Document, other_texts: Mapping[Path, str], side: str) -> str:
    if not document.values:
        return document.text
    pieces, at = [], 0
    # An anchor may be the value of several keys.
    for start, secret in sorted({value.start: value for value in document.values}.items()):
        if start < at:
            continue
        written = document.text[start : secret.end]
        shown = shown_value(secret.text)
        if "***" in shown and other_texts.get(secret.path, secret.text) != secret.text:
            shown = f"{shown} ({side})"
        end = "\n" if written.endswith("\n") else ""
        pieces += [document.text[at:start], shown, end]
        at = secret.end
    return _COMMENT.sub("# ***", "".join([*pieces, document.text[at:]]))


def _values_of(root: Node) -> Iterator[_Value]:
    """The values of all secrets in a document."""
    for part in secret_parts(root):
        waiting, seen = [(part.path, part.value)], set[int]()
        while waiting:
            path, node = waiting.pop()
            if isinstance(node.value, str):
                start, end = node.start_mark, node.end_mark
                if start is not None and end is not None:
                    yield _Value(path, node.value, start.index, end.index)
            elif id(node) not in seen:
                seen.add(id(node))
                waiting += _below(path, node)


def _below(path: Path, node: Node) -> Iterator[tuple[Path, Node]]:
    for number, below in enumerate(node.value):
        name, value = below if isinstance(below, tuple) else (None, below)
        yield path_to(path, str(number) if name is None else text_of(name)), value
