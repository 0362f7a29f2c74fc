"""Read a lock file, whoever has written or changed it (pure)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.dependencies.lock.document import KEYS, SCHEMA, SINGLE, Block, Comment, Lock
from commodore_py.dependencies.lock.renovate import RENOVATE
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from commodore_py.dependencies.lock.document import Path

_ENTRY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))\s*=\s*"""
    r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#]*)\s*(#.*)?"""
)
_HEADER = re.compile(r"""\s*(\[(?:[^\]"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*\])\s*(#.*)?""")
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_FORMER = re.compile(
    r"# Lock of (?:cluster .*|a component or a package)\."
    r" Made by commodore; your comments are kept\."
)
_TEXTS = KEYS.keys() - {"facts", "dynamic_facts"}


def read_lock(text: str, name: str) -> Lock:
    """The content of a lock file; `name` is for messages."""
    loaded = _loaded(text, name)
    _check_schema(loaded.pop("schema", None), name)
    top = {key: value for key, value in loaded.items() if not isinstance(value, dict)}
    lock = _with_comments(Lock(dict(_tables(loaded)), top), text)
    _check_types(lock, name)
    return lock


def _loaded(text: str, name: str) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        loaded = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of integers with too many digits, too
        raise _invalid(str(error), text, name) from error
    for kind in loaded.keys() & {*SINGLE, *KEYS}:
        if not isinstance(loaded[kind], dict):
            raise CommodoreError(
                f"{kind} of the lock is not a table",
                where=name,
                hint="restore the file from Git, or remove it and compile once without --frozen",
            )
    return loaded


def _tables(loaded: Mapping[str, Any]) -> Iterator[tuple[Path, Block]]:
    for kind, table in loaded.items():
        if not isinstance(table, dict):
            continue
        named = kind not in SINGLE and all(isinstance(value, dict) for value in table.values())
        if named and table:
            for label, values in table.items():
                yield (kind, label), Block(values)
        elif kind in SINGLE or kind not in KEYS:
            yield (kind,), Block(table)


def _with_comments(lock: Lock, text: str) -> Lock:
    """Add the comments and the lines of blocks, as far as the lines are plain."""
    blocks = dict(lock.blocks)
    of_top: dict[str, Comment] = {}
    for path, key, line, comment, hint in _comments_in(text, blocks):
        if path is None:
            of_top |= {key: comment} if comment != Comment() else {}
            continue
        block = blocks[path] if key else replace(blocks[path], line=line)
        if comment != Comment():
            block = replace(block, comments={**block.comments, key: comment})
        blocks[path] = replace(block, hint=hint) if hint and key == "version" else block
    return replace(lock, blocks=blocks, comments=of_top)


def _comments_in(
    text: str, blocks: Container[Path]
) -> Iterator[tuple[Path | None, str, int, Comment, str]]:
    """The headers and entries of a file: block, key, line, what is written about it, and hint."""
    path: Path | None = None
    begun: set[Path] = set()
    above: list[str] = []
    hint = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(f"{RENOVATE} "):
            hint = stripped.removeprefix(f"{RENOVATE} ")
        elif stripped.startswith("#"):
            above += [] if _FORMER.fullmatch(stripped) else [stripped]
        elif header := _HEADER.fullmatch(line):
            named = _path_of(header[1])
            if named in blocks and named not in begun:
                path = named
                begun.add(named)
                yield path, "", number, Comment(tuple(above), (header[2] or "").rstrip()), ""
                above = []
        elif entry := _ENTRY.fullmatch(line):
            beside = (entry[2] or "").rstrip()
            yield path, entry[1].strip("\"'"), number, Comment(tuple(above), beside), hint
            above, hint = [], ""
    yield None, "", 0, Comment(tuple(above)), ""


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


def _invalid(reason: str, text: str, name: str) -> CommodoreError:
    conflict = _CONFLICT.search(text)
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
