"""YAML as it is typed: a small tree of what stands in a file, and its text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Text:
    """A scalar as typed; with `lines`, those are shown as a literal block where one may stand."""

    raw: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Node, ...] = ()
    anchor: str = ""
    flow: bool = False


@dataclass(frozen=True)
class Pairs:
    """A mapping; keys as typed."""

    pairs: tuple[tuple[str, Node], ...] = ()
    anchor: str = ""
    flow: bool = False


Node: TypeAlias = Text | Items | Pairs


@dataclass(frozen=True)
class File:
    """A class or target file; `raw` is all there is to it if it is given."""

    classes: tuple[str, ...] | None = None
    applications: tuple[str, ...] | None = None
    parameters: Node | None = None
    extra: str = ""
    raw: str | None = None
    line_end: str = "\n"
    mark: bool = False
    """Whether a byte order mark stands in front."""

    def written(self) -> bytes:
        """The bytes of the file."""
        text = self.raw
        if text is None:
            fields = [self.extra]
            for name, entries in (("classes", self.classes), ("applications", self.applications)):
                if entries is not None:
                    lines = "".join(f"  - {quoted(entry)}\n" for entry in entries)
                    fields.append(f"{name}:\n{lines}" if lines else f"{name}: []\n")
            if self.parameters is not None:
                fields.append(f"parameters:{_below(self.parameters, 2)}\n")
            text = "".join(fields)
        return (("\ufeff" if self.mark else "") + text.replace("\n", self.line_end)).encode()


@dataclass(frozen=True)
class Hierarchy:
    """Files by their path below the inventory, and what else was asked for."""

    files: dict[str, File]
    links: dict[str, str] = field(default_factory=dict)
    missing_ok: bool = False

    def write(self, folder: Path) -> None:
        """Write the files below a folder."""
        for name in ("classes", "targets"):
            (folder / name).mkdir(parents=True)
        for path, file in self.files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.written())
        for path, target in self.links.items():
            (folder / path).symlink_to(target)


def quoted(text: str) -> str:
    """A text that YAML reads as itself: bare where that is safe."""
    bare = text.replace(".", "").replace("-", "").replace("_", "")
    if bare.isascii() and bare.isalpha() and text[0].isalpha() and bare.lower() not in _WORDS:
        return text
    if "\\" in text or "$" in text:
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text, ensure_ascii=False)


_WORDS = {"true", "false", "null", "nan", "inf"}


def _below(node: Node, indent: int) -> str:
    """A node as it stands after `key:` or `-`, in block style."""
    if isinstance(node, Text) and node.lines:
        pad = " " * indent
        return " |-\n" + "\n".join(f"{pad}{line}" if line else "" for line in node.lines)
    if isinstance(node, Text) or node.flow or not _children(node):
        return f" {_inline(node)}"
    pad = " " * indent
    anchor = f" &{node.anchor}" if node.anchor else ""
    if isinstance(node, Items):
        lines = [f"{pad}-{_below(item, indent + 2)}" for item in node.items]
    else:
        lines = [f"{pad}{key} :{_below(value, indent + 2)}" for key, value in node.pairs]
    return anchor + "\n" + "\n".join(lines)


def _inline(node: Node) -> str:
    if isinstance(node, Text):
        return node.raw
    anchor = f"&{node.anchor} " if node.anchor else ""
    if isinstance(node, Items):
        return f"{anchor}[{', '.join(map(_inline, node.items))}]"
    pairs = ", ".join(f"{key} : {_inline(value)}" for key, value in node.pairs)
    return f"{anchor}{{{pairs}}}"


def _children(node: Node) -> bool:
    return bool(node.items if isinstance(node, Items) else isinstance(node, Pairs) and node.pairs)
