"""Read a lock file, whoever has written or changed it (pure)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.dependencies.lock.document import KEYS, SCHEMA, SINGLE, Block
from commodore_py.errors import CommodoreError

from .reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.dependencies.lock.document import Lock, Path

_ENTRY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))\s*=\s*"""
    r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#]*)\s*(#.*)?"""
)
_HEADER = re.compile(r"""\s*(\[(?:[^\]"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*\])\s*(#.*)?""")
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_TEXTS = KEYS.keys() - {"facts", "dynamic_facts"}


def read_lock(text: str, name: str) -> Lock:
    """The content of a lock file; `name` is for messages."""
    lock, schema = _read(text, name)
    _check_schema(schema, name)
    _check_types(lock, name)
    return lock


def _read(text: str, name: str) -> tuple[Lock, object]:
    """The content of a TOML file, and its schema."""
    conflict = _CONFLICT.search(text)
    try:
        loaded = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of integers with too many digits, too
        raise _invalid(str(error), conflict, text, name) from error
    for kind in loaded.keys() & {*SINGLE, *KEYS}:
        if not isinstance(loaded[kind], dict):
            raise CommodoreError(
                f"{kind} of the lock is not a table",
                where=name,
                hint="restore the file from Git, or remove it and compile once without --frozen",
            )
    reading = Reading()
    reading.top.update({key: value for key, value in loaded.items() if not isinstance(value, dict)})
    for path, values in _tables(loaded):
        reading.blocks[path] = Block(values)
    _add_comments(reading, text)
    return reading.lock()


def _tables(loaded: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    for kind, table in loaded.items():
        if not isinstance(table, dict):
            continue
        named = kind not in SINGLE and all(isinstance(value, dict) for value in table.values())
        if named and table:
            for label, values in table.items():
                yield (kind, label), values
        elif kind in SINGLE or kind not in KEYS:
            yield (kind,), table


def _add_comments(reading: Reading, text: str) -> None:
    """Find the comments, as far as the lines are plain."""
    scan, path = Reading(), None
    for number, line in enumerate(text.splitlines(), 1):
        header, entry = _HEADER.fullmatch(line), _ENTRY.fullmatch(line)
        if line.lstrip().startswith("#"):
            scan.comment(line.strip())
        elif header is not None:
            path = _path_of(header[1])
            if path in reading.blocks and scan.begin(path, (header[2] or "").rstrip(), number):
                continue
            path = None
        elif entry is not None:
            scan.entry(entry[1].strip("\"'"), "", (entry[2] or "").rstrip())
    for place, block in scan.blocks.items():
        # What is about lines that are not entries of the block belongs to the block.
        comments = {
            key: comment
            for key, comment in block.comments.items()
            if not key or key in block.values
        }
        reading.blocks[place] = replace(
            block, values=reading.blocks[place].values, comments=comments
        )
    lock, _ = scan.lock()
    reading.top_comments = dict(lock.comments)


def _path_of(header: str) -> Path:
    """The names in the header of a table."""
    names: list[str] = []
    try:
        table: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    while isinstance(table, dict) and table:
        ((label, table),) = table.items()
        names.append(label)
    return tuple(names)


def _invalid(reason: str, conflict: re.Match[str] | None, text: str, name: str) -> CommodoreError:
    if conflict is not None:
        line = text.count("\n", 0, conflict.start()) + 1
        return CommodoreError(
            "the lock file contains the conflict markers of a merge",
            where=f"{name}:{line}",
            hint="keep the blocks of one side for each input, then compile once without --frozen",
        )
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", reason)
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    why = reason[: place.start()] if place else reason
    return CommodoreError(
        f"the lock file is not valid TOML: {why or 'nested too deeply'}",
        where=f"{name}:{line}",
        hint="fix the line, or restore the file from Git",
    )


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
