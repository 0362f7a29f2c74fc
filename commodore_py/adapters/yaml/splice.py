"""Changes of a YAML file that leave every byte around them as it is (pure).

A path is made of keys, without their marks, and of numbers for items of lists. What a change
removes loses the comment behind it, but no comment line is ever removed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .parts import MARKS
from .pieces import Layout, block, inline, lines_below
from .source import Absent, Refused, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parts import Part
    from .source import Path

__all__ = ["Absent", "Refused", "add", "put", "take"]


def put(data: bytes, path: Path, value: object, *, name: str = "") -> bytes:
    """Set a value. Keys that are missing are added, as the last part of the path is written."""
    source = Source(data, name)
    if source.root is None:
        # The file is empty, or holds only comments.
        lines = block(_nested(path, value), 0, Layout())
        return source.bytes_of(source.text + "\n".join([*lines, ""]))
    trail = source.follow(path)
    part = trail[-1] if trail else source.root
    if len(trail) < len(path):
        return source.bytes_of(_insert(source, part, _nested(path[len(trail) :], value)))
    if part.kind == "scalar" and part.style and part.text == value:
        return data
    keys = [str(key) for key in value] if isinstance(value, dict) else []
    if isinstance(value, dict) and any(item.key and item.key.text in keys for item in part.items):
        for item in part.items:
            if item.first.text not in keys:
                data = take(data, (*path, item.name), name=name)
        for key, inner in value.items():
            data = put(data, (*path, str(key)), inner, name=name)
        return data
    return source.bytes_of(_replace(source, part, value))


def take(data: bytes, path: Path, *, name: str = "") -> bytes:
    """Remove a value, and the mappings and lists above that would be left empty."""
    source = Source(data, name)
    trail = source.follow(path)
    if len(trail) < len(path):
        raise Absent("nothing is set there", where=name)
    part = trail.pop()
    while trail and len(part.siblings) == 1:
        part = trail.pop()
        is_replacing = part.key is not None and part.key.text.startswith("~")
        if not trail or part.key is None or is_replacing:  # it stays, for what it means
            empty: object = {} if part.kind == "mapping" else []
            return source.bytes_of(_replace(source, part, empty))
    source.refuse_uses(part, part.all())
    without = _without_item if part.in_brackets else _without_lines
    return source.bytes_of(without(source, part))


def add(data: bytes, path: Path, items: Sequence[object], *, name: str = "") -> bytes:
    """Add items to the list at a path; it is made if there is none."""
    source = Source(data, name)
    trail = source.follow(path)
    part = trail[-1] if len(trail) == len(path) else None
    if part is None or part.is_null or (part.kind == "list" and not part.items):
        return put(data, path, list(items), name=name)
    if part.kind != "list":
        raise source.refused("this is not a list", part)
    if part.style == "flow":
        written = [inline(item, in_brackets=True) for item in items]
        return source.bytes_of(_into_brackets(source, part, written))
    indent = source.column(part.items[0].lead)
    lines = block(list(items), indent, source.layout_at(part.end, indent))
    return source.bytes_of(source.with_lines(part.end, lines))


def _nested(keys: Path, value: object) -> dict[object, object]:
    first, *others = keys
    if isinstance(first, int):
        raise Refused("there is no such list")
    return {first: _nested(others, value) if others else value}


def _replace(source: Source, part: Part, value: object) -> str:
    text = source.text
    source.refuse_uses(part, part.all())
    if part.style == "flow" and source.comments(part.start, part.end):
        raise source.refused("a comment stands between the brackets", part)
    if part.in_brackets:
        lead = "" if text[part.start - 1] in " \t\n[{" or part.start < part.end else " "
        return f"{text[: part.start]}{lead}{inline(value, in_brackets=True)}{text[part.end :]}"
    # Behind the colon or the dash.
    start = text.index(":", part.key.end) + 1 if part.key else part.lead + 1
    stop, indent = source.line_end(part.end), source.column(part.lead)
    kept = source.comments(start, part.end)
    layout = source.layout_at(part.end, indent, kept, in_list=part.key is None)
    first, *lines = lines_below(value, indent, layout)
    if not lines and not part.is_block:
        lead = " " if part.start == start else ""
        return f"{text[: part.start]}{lead}{first.lstrip(' ')}{text[part.end :]}"
    rest = ""
    if part.is_block:
        if source.line(part.start) > source.line(start) or part.anchor:
            rest = text[start : source.line_end(start)]
    elif part.style not in {"|", ">"}:
        rest = text[part.end : stop]
    comment = re.search(r"[ \t]+#.*", rest)
    beside = comment[0] if comment else ""
    if part.key is None and lines and not first and not beside and not kept:
        # The first line of a value stands beside the dash.
        first, *lines = [f" {lines[0].lstrip(' ')}", *lines[1:]]
    after = [*lines, *kept] if first else [*kept, *lines]
    return text[:start] + "\n".join([first + beside, *after]) + text[stop:]


def _insert(source: Source, part: Part, nested: dict[object, object]) -> str:
    """Add the key that is missing, with what is to be below it."""
    (key,) = nested
    if part is not source.root and not part.items:
        return _replace(source, part, nested)
    if part.style == "flow":
        return _into_brackets(source, part, [inline(nested)[1:-1]])
    if not part.items:
        raise source.refused("this is not a mapping", part)
    for sibling in part.items:
        source.refuse_odd_key(sibling)
    start, end = part.items[0].lead, _end_before(source, part, str(key))
    indent = source.column(start)
    lines = block(nested, indent, source.layout_at(part.end if end is None else end, indent))
    if end is None:
        start = source.line_start(start)
        return source.text[:start] + "\n".join([*lines, ""]) + source.text[start:]
    return source.with_lines(end, lines)


def _end_before(source: Source, part: Part, key: str) -> int | None:
    """The end of the value that a new key follows; None if it comes first.

    Sorted keys stay sorted, but no key comes between the first one and a comment above it.
    """
    names = [item.name for item in part.items]
    if len(names) == 1 or names != sorted(names):
        return part.end
    before = [item.end for item in part.items if item.name < key.lstrip(MARKS)]
    if before:
        return before[-1]
    first = part.items[0].lead
    above = source.text[: source.line_start(first)].rstrip("\n")
    is_described = above[above.rfind("\n") + 1 :].lstrip().startswith("#")
    return None if source.starts_line(first) and not is_described else part.end


def _into_brackets(source: Source, part: Part, pieces: Sequence[str]) -> str:
    """Add to what stands in brackets, in a line of its own if the last one does."""
    text = source.text
    if not part.items:
        return f"{text[: part.end - 1].rstrip()}{', '.join(pieces)}{text[part.end - 1 :]}"
    lead, first, end = " ", part.items[0].lead, part.items[-1].end
    if source.starts_line(first):
        lead = "\n" + " " * source.column(first)
    return f"{text[:end]}{''.join(f',{lead}{piece}' for piece in pieces)}{text[end:]}"


def _without_item(source: Source, part: Part) -> str:
    """Remove from what stands in brackets, with a comma."""
    text, siblings = source.text, part.siblings
    position = siblings.index(part)
    start, end = part.lead, part.end
    if position + 1 < len(siblings):
        end = siblings[position + 1].lead
    elif position:
        start = siblings[position - 1].end
    if source.comments(start, end) or re.search(r"\s#", text[part.end : end]):
        raise source.refused("a comment stands between the brackets", part.first)
    return text[:start] + text[end:]


def _without_lines(source: Source, part: Part) -> str:
    text, start, stop = source.text, part.lead, source.line_end(part.end)
    kept = source.comments(start, part.end)
    if source.starts_line(start):
        return text[: source.line_start(start)] + "\n".join([*kept, ""]) + text[stop + 1 :]
    # Beside the dash of a list: what comes next takes the place.
    following = part.siblings[part.siblings.index(part) + 1].lead
    if kept or source.comments(stop, following):
        return "\n".join([text[:start].rstrip(" "), *kept]) + text[stop:]
    return text[:start] + text[following:]
