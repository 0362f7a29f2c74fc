"""Read a lock file: canonical ones line by line, all others with `tomllib` (pure)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from commodore_py.dependencies.lock.document import KEYS, SCHEMA, SINGLE
from commodore_py.errors import CommodoreError

from .reading import Reading
from .toml_reader import read_toml

if TYPE_CHECKING:
    from commodore_py.dependencies.lock.document import Lock

_COMMENT_AT_END = r" ?(#[^\x00-\x08\x0a-\x1f\x7f]*)?"
_COMMENT = re.compile(_COMMENT_AT_END)
_TEXT = r'"((?:[^"\\\x00-\x1f\x7f]|\\["\\bfnrt]|\\u00[0-7][0-9a-f])*)"'
_HEADER = re.compile(rf"\[([a-z_]+)(?:\.{_TEXT})?\]{_COMMENT_AT_END}")
_ENTRY = re.compile(
    rf"(?:([A-Za-z0-9_-]+)|{_TEXT}) = "
    rf"(?:{_TEXT}|(true|false)|\{{ json = '([^'\x00-\x1f\x7f]*)' \}}){_COMMENT_AT_END}"
)
_TEXTS = KEYS.keys() - {"facts", "dynamic_facts"}


def read_lock(text: str, name: str) -> Lock:
    """The content of a lock file; `name` is for messages."""
    lock, schema = _canonical(text) or read_toml(text, name)
    _check_schema(schema, name)
    _check_types(lock, name)
    return lock


def _canonical(text: str) -> tuple[Lock, object] | None:
    """The content of a file that we could have written; None for all others."""
    reading = Reading()
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        if line[0] == "#":
            understood = _COMMENT.fullmatch(line) is not None
            reading.comment(line)
        elif line[0] == "[":
            understood = _begin(reading, line, number)
        else:
            understood = _add(reading, line)
        if not understood:
            return None
    return reading.lock()


def _begin(reading: Reading, line: str, number: int) -> bool:
    header = _HEADER.fullmatch(line)
    if header is None:
        return False
    kind, label, beside = header.groups()
    if kind not in KEYS or (kind in SINGLE) != (label is None):
        return False
    path = (kind,) if label is None else (kind, _unescaped(label))
    return reading.begin(path, beside or "", number)


def _add(reading: Reading, line: str) -> bool:
    entry = _ENTRY.fullmatch(line)
    if entry is None:
        return False
    bare, quoted, plain, flag, of_json, beside = entry.groups()
    value: object = {"json": of_json} if plain is None else _unescaped(plain)
    if flag is not None:
        value = flag == "true"
    return reading.entry(bare if quoted is None else _unescaped(quoted), value, beside or "")


def _unescaped(text: str) -> str:
    return str(json.loads(f'"{text}"')) if "\\" in text else text


def _check_schema(schema: object, name: str) -> None:
    if not isinstance(schema, str) or schema.partition(".")[0] != SCHEMA:
        raise CommodoreError(
            f"the schema of the lock file is {schema!r}, and {SCHEMA!r} is supported"
            if schema is not None
            else "the file is not a lock file: it has no schema",
            where=name,
            hint="use the version of commodore that wrote it, or create it with"
            " `commodore lock create`",
        )


def _check_types(lock: Lock, name: str) -> None:
    for path, block in lock.blocks.items():
        if path[0] not in _TEXTS:
            continue
        for key in KEYS[path[0]]:
            value = block.values.get(key, "")
            is_flag = key in ("pinned", "missing")
            if isinstance(value, bool if is_flag else str) or value == "":
                continue
            expected = "true or false" if is_flag else "a string"
            raise CommodoreError(
                f"{key} of {' '.join(path)} is not {expected}",
                where=f"{name}:{block.line}" if block.line else name,
                hint="remove the line, then compile once without --frozen",
            )
