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

    from .parts import Entry, Part
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
    if len(trail) < len(path):
        part = trail[-1].value if trail else source.root
        return source.bytes_of(_insert(source, trail, part, _nested(path[len(trail) :], value)))
    part = trail[-1].value
    if part.kind == "scalar" and part.style and part.text == value:
        return data
    keys = [str(key) for key in value] if isinstance(value, dict) else []
    if isinstance(value, dict) and any(key.text in keys for key, _ in part.pairs):
        for entry in part.entries:
            if entry.first.text not in keys:
                data = take(data, (*path, entry.name), name=name)
        for key, item in value.items():
            data = put(data, (*path, str(key)), item, name=name)
        return data
    return source.bytes_of(_replace(source, trail[-1], value))


def take(data: bytes, path: Path, *, name: str = "") -> bytes:
    """Remove a value, and the mappings and lists above that would be left empty."""
    source = Source(data, name)
    trail = source.follow(path)
    if len(trail) < len(path):
        raise Absent("nothing is set there", where=name)
    entry = trail.pop()
    while trail and len(entry.holder.entries) == 1:
        kind, entry = entry.holder.kind, trail.pop()
        is_replacing = entry.key is not None and entry.key.text.startswith("~")
        if not trail or entry.key is None or is_replacing:  # it stays, for what it means
            return source.bytes_of(_replace(source, entry, {} if kind == "mapping" else []))
    source.refuse_uses(entry.value)
    without = _without_item if entry.holder.style == "flow" else _without_lines
    return source.bytes_of(without(source, entry))


def add(data: bytes, path: Path, items: Sequence[object], *, name: str = "") -> bytes:
    """Add items to the list at a path; it is made if there is none."""
    source = Source(data, name)
    trail = source.follow(path)
    part = trail[-1].value if trail else None
    is_list = part is not None and part.kind == "list"
    if part is None or len(trail) < len(path) or part.is_null or (is_list and not part.entries):
        return put(data, path, list(items), name=name)
    if not is_list:
        raise source.refused("this is not a list", part)
    if part.style == "flow":
        written = [inline(item, in_brackets=True) for item in items]
        return source.bytes_of(_into_brackets(source, part, written))
    indent = source.column(part.entries[0].start)
    layout = source.layout_before(part.end, indent, source.layout, ())
    return source.bytes_of(source.with_lines(part.end, block(list(items), indent, layout)))


def _nested(keys: Path, value: object) -> dict[object, object]:
    first, *others = keys
    if isinstance(first, int):
        raise Refused("there is no such list")
    return {first: _nested(others, value) if others else value}


def _replace(source: Source, entry: Entry, value: object) -> str:
    part, text = entry.value, source.text
    source.refuse_uses(part)
    if part.style == "flow" and source.comments(part.start, part.end):
        raise source.refused("a comment stands between the brackets", part)
    if entry.holder.style == "flow":
        lead = "" if text[part.start - 1] in " \t\n[{" or part.start < part.end else " "
        return f"{text[: part.start]}{lead}{inline(value, in_brackets=True)}{text[part.end :]}"
    start, stop = source.head_end(entry), source.line_end(part.end)
    indent, layout = source.column(entry.start), source.layout
    if entry.key is None:
        layout = layout._replace(step=2, list_step=2)
    kept = source.comments(start, part.end)
    layout = source.layout_before(part.end, indent, layout, kept)
    first, *lines = lines_below(value, indent, layout)
    if not lines and not part.is_block:
        lead = " " if part.start == start else ""
        return f"{text[: part.start]}{lead}{first.lstrip(' ')}{text[part.end :]}"
    beside = ""
    if part.is_block:
        if source.line(part.start) > source.line(start) or part.anchor:
            beside = _comment(text[start : source.line_end(start)])
    elif part.style not in {"|", ">"}:
        beside = _comment(text[part.end : stop])
    if entry.key is None and lines and not first and not beside and not kept:
        # The first line of a value stands beside the dash.
        first, *lines = [f" {lines[0].lstrip(' ')}", *lines[1:]]
    after = [*lines, *kept] if first else [*kept, *lines]
    return text[:start] + "\n".join([first + beside, *after]) + text[stop:]


def _comment(rest: str) -> str:
    """The comment in the rest of a line, with the blanks before it."""
    comment = re.search(r"[ \t]+#.*", rest)
    return comment[0] if comment else ""


def _insert(source: Source, trail: list[Entry], part: Part, nested: dict[object, object]) -> str:
    """Add the key that is missing, with what is to be below it."""
    (key,) = nested
    if trail and (part.is_null or not part.pairs):
        return _replace(source, trail[-1], nested)
    if part.style == "flow":
        return _into_brackets(source, part, [inline(nested)[1:-1]])
    if not part.pairs:
        raise source.refused("this is not a mapping", part)
    for sibling, _ in part.pairs:
        source.refuse_odd_key(sibling)
    start = part.entries[0].start
    end = _end_before(source, part, str(key))
    after = part.end if end is None else end
    indent = source.column(start)
    lines = block(nested, indent, source.layout_before(after, indent, source.layout, ()))
    if end is None:
        start = source.line_start(start)
        return source.text[:start] + "\n".join([*lines, ""]) + source.text[start:]
    return source.with_lines(end, lines)


def _end_before(source: Source, part: Part, key: str) -> int | None:
    """The end of the value that a new key follows; None if it comes first.

    Sorted keys stay sorted, but no key comes between the first one and a comment above it.
    """
    names = [entry.name for entry in part.entries]
    if len(names) == 1 or names != sorted(names):
        return part.end
    before = [entry.value.end for entry in part.entries if entry.name < key.lstrip(MARKS)]
    if before:
        return before[-1]
    first = part.entries[0].start
    above = source.text[: source.line_start(first)].rstrip("\n")
    is_described = above[above.rfind("\n") + 1 :].lstrip().startswith("#")
    return None if source.starts_line(first) and not is_described else part.end


def _into_brackets(source: Source, part: Part, pieces: list[str]) -> str:
    """Add to what stands in brackets, in a line of its own if the last one does."""
    text = source.text
    if not part.entries:
        return f"{text[: part.end - 1].rstrip()}{', '.join(pieces)}{text[part.end - 1 :]}"
    lead, first, end = " ", part.entries[0].start, part.entries[-1].value.end
    if source.starts_line(first):
        lead = "\n" + " " * source.column(first)
    return f"{text[:end]}{''.join(f',{lead}{piece}' for piece in pieces)}{text[end:]}"


def _without_item(source: Source, entry: Entry) -> str:
    """Remove from what stands in brackets, with a comma."""
    text, siblings = source.text, entry.holder.entries
    position = siblings.index(entry)
    start, end = entry.start, entry.value.end
    if position + 1 < len(siblings):
        end = siblings[position + 1].start
    elif position:
        start = siblings[position - 1].value.end
    if source.comments(start, end) or re.search(r"\s#", text[entry.value.end : end]):
        raise source.refused("a comment stands between the brackets", entry.first)
    return text[:start] + text[end:]


def _without_lines(source: Source, entry: Entry) -> str:
    text, start, stop = source.text, entry.start, source.line_end(entry.value.end)
    kept = source.comments(start, entry.value.end)
    if source.starts_line(start):
        return text[: source.line_start(start)] + "\n".join([*kept, ""]) + text[stop + 1 :]
    # Beside the dash of a list: what comes next takes the place.
    siblings = entry.holder.entries
    following = siblings[siblings.index(entry) + 1].start
    if kept or source.comments(stop, following):
        return "\n".join([text[:start].rstrip(" "), *kept]) + text[stop:]
    return text[:start] + text[following:]
