"""The text of a lock file: read, whoever has changed it, and written in one form (pure)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

from .document import (
    KEYS,
    RENOVATE,
    SCHEMA,
    SINGLE,
    Block,
    Comment,
    Lock,
    in_order,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from .document import Path

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
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t"}
_ESCAPED |= {"\n": "\\n", "\f": "\\f", "\r": "\\r"}
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')
_NONE = Comment()
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


def write_lock(lock: Lock) -> str:
    """The text of a lock file."""
    lines = [first_line(lock.cluster), f"schema = {_text(SCHEMA)}"]
    for key in sorted(lock.top):
        comment = lock.comments.get(key, _NONE)
        lines += [*comment.above, f"{_key(key)} = {_value(lock.top[key])}{_beside(comment)}"]
    for path in sorted(lock.blocks):
        lines += ["", *_lines(path, lock.blocks[path])]
    rest = lock.comments.get("", _NONE).above
    lines += ["", *rest] if rest else []
    return "\n".join(lines) + "\n"


def first_line(cluster: str) -> str:
    """The comment at the top."""
    shown = re.sub(r"[\x00-\x1f\x7f]", " ", cluster)
    subject = f"cluster {shown}" if shown else "a component or a package"
    return f"# Lock of {subject}. Made by commodore; your comments are kept."


def _lines(path: Path, block: Block) -> Iterator[str]:
    header = ".".join([path[0] if _BARE.fullmatch(path[0]) else _text(path[0])])
    header += "".join(f".{_text(part)}" for part in path[1:])
    comment = block.comments.get("", _NONE)
    yield from comment.above
    yield f"[{header}]{_beside(comment)}"
    for key in in_order(path, block):
        comment = block.comments.get(key, _NONE)
        yield from comment.above
        if key == "version" and block.hint:
            yield f"{RENOVATE} {block.hint}"
        yield f"{_key(key)} = {_value(block.values[key])}{_beside(comment)}"


def _beside(comment: Comment) -> str:
    return f" {comment.beside}" if comment.beside else ""


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:  # noqa: ANN401 - what the user added may be anything
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # TOML's other types are numbers, dates and times.
    return repr(value) if isinstance(value, float | int) else str(value.isoformat())


def _table(value: Mapping[str, Any]) -> str:
    match value:
        case {"json": str(text)} if len(value) == 1 and not re.search(r"['\x00-\x1f\x7f]", text):
            return f"{{ json = '{text}' }}"
    inner = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
    return f"{{ {inner} }}" if inner else "{}"


def _text(text: str) -> str:
    escaped = _SPECIAL.sub(lambda match: _ESCAPED.get(match[0]) or f"\\u{ord(match[0]):04x}", text)
    return f'"{escaped}"'
