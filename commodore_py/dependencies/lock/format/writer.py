"""Write a lock file in its canonical form: equal inputs give equal bytes (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commodore_py.dependencies.lock.document import SCHEMA, Comment, in_order
from commodore_py.dependencies.lock.renovate import RENOVATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.dependencies.lock.document import Block, Lock, Path

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t"}
_ESCAPED |= {"\n": "\\n", "\f": "\\f", "\r": "\\r"}
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]')
_NONE = Comment()


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
