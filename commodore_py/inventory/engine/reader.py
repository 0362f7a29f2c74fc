"""Read a class or target file: its classes, applications and parameters (pure)."""

from __future__ import annotations

import codecs
import logging
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import yaml

from commodore_py.adapters.yaml.error import YamlError
from commodore_py.adapters.yaml.parts import compose
from commodore_py.errors import CommodoreError
from commodore_py.model.names import nearest

from .values import Map
from .yaml_values import Refused, is_empty, read_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger(__name__)

_FIELDS = ("applications", "classes", "parameters")
_SHAPE = "a class must be a mapping of classes, applications and parameters"
_NOTHING = Map({})


@dataclass(frozen=True, slots=True)
class Applications:
    """Names in order, and removals (`~name`) that apply to a later class, once."""

    names: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()

    def merged(self, other: Applications) -> Applications:
        """This list with the next class's: its removals first, then its names."""
        if not other.names and not other.removals:
            return self
        return self.with_names((*(f"~{name}" for name in other.removals), *other.names))

    def with_names(self, written: Iterable[str]) -> Applications:
        """This list with more names, and with removals among them."""
        names, removals = dict.fromkeys(self.names), dict.fromkeys(self.removals)
        for name in written:
            removed = name.removeprefix("~")
            if removed != name:
                if removed in names:
                    del names[removed]
                else:
                    removals[removed] = None
            elif name in removals:
                del removals[name]
            else:
                names[name] = None
        return Applications(tuple(names), tuple(removals))


@dataclass(frozen=True, slots=True)
class ClassFile:
    """The content of a class file: names as written, parameters ready to be merged."""

    classes: tuple[str, ...] = ()
    applications: Applications = Applications()
    parameters: Map = _NOTHING
    ignored: tuple[tuple[int, str, str], ...] = ()
    """Keys that mean nothing: their lines, and what was probably meant."""


# While dependencies are fetched, the class path grows, and most of its files are read again.
@lru_cache(maxsize=1 << 13)
def read(text: bytes, *, name: str) -> ClassFile:
    """The content of a class file; `name` is the file, for messages.

    A warning is logged once.
    """
    try:
        content = _parsed(text, "")
    except CommodoreError:
        content = _parsed(text, name)  # raises it with the name
    for line, key, meant in content.ignored:
        ignored = f"{name}:{line}: key `{key}` is ignored; did you mean `{meant}`?"
        log.warning(ignored)
    return content


# Clusters have copies of the same files.
@lru_cache(maxsize=1 << 13)
def _parsed(text: bytes, name: str) -> ClassFile:
    root = compose(_as_serde_reads(text, name), name=name)
    if root is None or is_empty(root):
        return ClassFile()
    try:
        return _class_file(root)
    except Refused as refused:
        line = refused.node.start_mark.line + 1
        raise YamlError.at(str(refused), name, line, hint=refused.hint) from None
    except RecursionError:
        raise YamlError("references in a text are nested too deeply", where=name) from None


def warn_again() -> None:
    """Log warnings again that were logged once: another run begins in this process."""
    read.cache_clear()


def _as_serde_reads(text: bytes, name: str) -> bytes:
    if text[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise YamlError("the file is not UTF-8", where=name, hint="save it as UTF-8")
    # A byte order mark counts as a column: later lines are indented less than the first one.
    return b" " + text[3:] if text.startswith(codecs.BOM_UTF8) else text


def _class_file(root: yaml.Node) -> ClassFile:
    if not isinstance(root, yaml.MappingNode):
        raise Refused(_SHAPE, root)
    fields: dict[str, yaml.Node] = {}
    ignored: list[tuple[int, str, str]] = []
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Refused(_SHAPE, key)
        if key.value in fields:
            raise Refused(f"duplicate key `{key.value}`", key)
        if key.value in _FIELDS:
            fields[key.value] = value
        elif close := nearest(str(key.value), _FIELDS):
            ignored.append((key.start_mark.line + 1, key.value, close[0]))
    classes = dict.fromkeys(_names(fields, "classes"))
    applications = Applications().with_names(_names(fields, "applications"))
    parameters = fields.get("parameters")
    values = _NOTHING
    if parameters is not None and not is_empty(parameters):
        if not isinstance(parameters, yaml.MappingNode):
            raise Refused("`parameters` must be a mapping", parameters)
        values = read_mapping(parameters, root=root, depth=2)
    return ClassFile(tuple(classes), applications, values, tuple(ignored))


def _names(fields: dict[str, yaml.Node], field_name: str) -> list[str]:
    """Names as they are written: `1` and `true` are names too."""
    node = fields.get(field_name)
    if node is None or is_empty(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise Refused(f"`{field_name}` must be a list", node, hint=f"{field_name}: [one, two]")
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode):
            raise Refused(f"`{field_name}` must be a list of names", item)
    return [item.value for item in node.value]
