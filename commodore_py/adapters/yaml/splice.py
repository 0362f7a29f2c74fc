"""Changes of a YAML text that leave every byte around them as it is (pure).

A path is made of keys, without their marks, and of numbers for items of lists. What a change
removes loses the comment behind it, but no comment line is ever removed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .pieces import Layout, block, inline, lines_below, pair
from .source import MARKS, Absent, Place, Refused, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parts import Part
    from .source import Path

__all__ = ["MARKS", "Absent", "Refused", "add", "put", "take"]


def put(text: str, path: Path, value: object, *, name: str = "") -> str:
    """Set a value. Keys that are missing are added, as the last part of the path is written."""
    source = Source(text, name)
    if source.root is None:
        return _first(source, path, value)
    trail = source.follow(path)
    if len(trail) < len(path):
        part = trail[-1].part if trail else source.root
        return _insert(source, trail, part, _nested(path[len(trail) :], value))
    place = trail[-1]
    if place.part.kind == "scalar" and place.part.style and place.part.text == value:
        return text
    if isinstance(value, dict) and value and place.part.kind == "mapping" and place.part.pairs:
        return _put_keys(source, place.part, path, value)
    return _replace(source, trail, value)


def take(text: str, path: Path, *, name: str = "") -> str:
    """Remove a value, and the mappings and lists above that would be left empty."""
    source = Source(text, name)
    trail = source.follow(path)
    if len(trail) < len(path):
        raise Absent("nothing is set there", where=name)
    while len(trail) > 1 and len(trail[-1].siblings) == 1:
        above = trail[-2]
        is_replacing = above.key is not None and above.key.text.startswith("~")
        if len(trail) == 2 or above.container.kind == "list" or is_replacing:  # noqa: PLR2004 - a field of the class
            return _replace(source, trail[:-1], {} if trail[-1].container.kind == "mapping" else [])
        trail.pop()
    place = trail[-1]
    source.refuse_uses(place.part)
    if place.container.style == "flow":
        return _without_item(source, place)
    return _without_lines(source, place)


def add(text: str, path: Path, items: Sequence[object], *, name: str = "") -> str:
    """Add items to the list at a path; it is made if there is none."""
    source = Source(text, name)
    trail = source.follow(path)
    if len(trail) < len(path) or trail[-1].part.is_null or trail[-1].part.is_empty_list:
        return put(text, path, list(items), name=name)
    part = trail[-1].part
    if part.kind != "list":
        raise source.refused("this is not a list", part)
    if part.style == "flow":
        return _into_brackets(source, part, [inline(item, in_brackets=True) for item in items])
    indent = source.column(source.dash(part.items[0]))
    layout = source.layout_before(part.end, indent, source.layout, ())
    return source.with_lines(part.end, block(list(items), indent, layout))


def _first(source: Source, path: Path, value: object) -> str:
    """The first value of a file that is empty, or holds only comments."""
    text = source.text
    breaks = source.line_break(0)
    if text.strip(" ") and not text.endswith("\n"):
        text += breaks
    return text + "".join(line + breaks for line in block(_nested(path, value), 0, Layout()))


def _nested(keys: Path, value: object) -> dict[object, object]:
    first, *others = keys
    if isinstance(first, int):
        raise Refused("there is no such list")
    return {first: _nested(others, value) if others else value}


def _put_keys(source: Source, part: Part, path: Path, value: dict[object, object]) -> str:
    """Make a mapping equal to another, key by key: what stays keeps its bytes."""
    written = {key.text: item for key, item in part.pairs}
    wanted = {str(key) for key in value}
    if len(written) < len(part.pairs) or not wanted & set(written):
        return _replace(source, source.follow(path), value)
    text, name = source.text, source.name
    for gone in written.keys() - wanted:
        text = take(text, (*path, gone.lstrip(MARKS)), name=name)
    for key, item in value.items():
        text = put(text, (*path, str(key)), item, name=name)
    return text


def _replace(source: Source, trail: Sequence[Place], value: object) -> str:
    place = trail[-1]
    part = place.part
    source.refuse_uses(part)
    text = source.text
    if part.style == "flow" and any(source.comments(part.start, part.end)):
        raise source.refused("a comment stands between the brackets", part)
    if place.container.style == "flow":
        lead = "" if text[part.start - 1] in " \t\n[{" or part.start < part.end else " "
        written = inline(value, in_brackets=True)
        return f"{text[: part.start]}{lead}{written}{text[part.end :]}"
    start = source.head_end(place)
    indent = source.column(source.dash(part) if place.key is None else place.key.start)
    layout = source.layout
    if place.key is None:
        layout = layout._replace(step=2, list_step=2)
    kept = list(source.comments(start, part.end)) if part.is_block else []
    layout = source.layout_before(part.end, indent, layout, kept)
    first, *lines = lines_below(value, indent, layout)
    if not lines and not part.is_block:
        lead = " " if part.start == start else ""
        return f"{text[: part.start]}{lead}{first.lstrip(' ')}{text[part.end :]}"
    return _with_block(source, place, start, [first, *lines], kept)


def _with_block(
    source: Source, place: Place, start: int, written: list[str], kept: list[str]
) -> str:
    """Replace what goes over several lines, or will do so; `kept` are comments in the old value."""
    part, text = place.part, source.text
    first, *lines = written
    beside, stop = "", source.line_end(part.end)
    if part.is_block:
        if source.line(part.start) > source.line(start) or part.anchor:
            beside = _comment(text[start : source.line_end(start)])
    elif part.style not in {"|", ">"}:
        beside = _comment(text[part.end : stop]) if text[part.end : stop].strip() else ""
    if place.key is None and lines and not first and not beside and not kept:
        # The first line of a value stands beside the dash.
        first, *lines = [f" {lines[0].lstrip(' ')}", *lines[1:]]
    after = [*lines, *kept] if not lines or first else [*kept, *lines]
    breaks = source.line_break(start)
    below = "".join(breaks + line for line in after)
    return f"{text[:start]}{first}{beside}{below}{text[stop:]}"


def _comment(rest: str) -> str:
    """The comment in the rest of a line, with the blanks before it."""
    comment = re.search(r"[ \t]+#.*", rest)
    return comment[0].rstrip("\r") if comment else ""


def _insert(source: Source, trail: list[Place], part: Part, nested: dict[object, object]) -> str:
    """Add the key that is missing, with what is to be below it."""
    ((key, value),) = nested.items()
    if trail and (part.is_null or part.kind == "list" or not part.pairs):
        return _replace(source, trail, nested)
    if part.style == "flow":
        return _into_brackets(source, part, [pair(key, value)])
    if part.kind != "mapping" or not part.pairs:
        raise source.refused("this is not a mapping", part)
    for sibling, _ in part.pairs:
        source.refuse_odd_key(sibling)
    first = part.pairs[0][0].start
    indent = source.column(first)
    end = _end_before(source, part, str(key))
    after = part.pairs[-1][1].end if end is None else end
    lines = block(nested, indent, source.layout_before(after, indent, source.layout, ()))
    if end is not None:
        return source.with_lines(end, lines)
    start, breaks = source.line_start(first), source.line_break(first)
    return f"{source.text[:start]}{''.join(line + breaks for line in lines)}{source.text[start:]}"


def _end_before(source: Source, part: Part, key: str) -> int | None:
    """The end of the value that a new key follows; None if it comes first.

    Sorted keys stay sorted, but no key comes between the first one and a comment above it.
    """
    names = [name.text.lstrip(MARKS) for name, _ in part.pairs]
    ends = [value.end for _, value in part.pairs]
    if len(names) == 1 or names != sorted(names):
        return ends[-1]
    before = [end for name, end in zip(names, ends, strict=True) if name < key.lstrip(MARKS)]
    if before:
        return before[-1]
    first = part.pairs[0][0].start
    above = source.text[: source.line_start(first)].rstrip("\r\n")
    is_described = above[above.rfind("\n") + 1 :].lstrip().startswith("#")
    return None if source.starts_line(first) and not is_described else ends[-1]


def _into_brackets(source: Source, part: Part, pieces: list[str]) -> str:
    """Add to what stands in brackets, in a line of its own if the last one does."""
    text = source.text
    inside = part.pairs[-1] if part.pairs else part.items[-1:]
    if not inside:
        return f"{text[: part.end - 1].rstrip()}{', '.join(pieces)}{text[part.end - 1 :]}"
    first, last = inside[0], inside[-1]
    lead = " "
    if source.starts_line(first.start):
        lead = source.line_break(first.start) + " " * source.column(first.start)
    more = "".join(f",{lead}{piece}" for piece in pieces)
    return f"{text[: last.end]}{more}{text[last.end :]}"


def _without_item(source: Source, place: Place) -> str:
    """Remove from what stands in brackets, with a comma."""
    text = source.text
    if place.position + 1 < len(place.siblings):
        start, end = place.first.start, place.following.start
    elif place.position:
        previous = place.container
        before = previous.pairs[-2][1] if previous.pairs else previous.items[-2]
        start, end = before.end, place.part.end
    else:
        start, end = place.first.start, place.part.end
    if any(source.comments(start, end)) or re.search(r"\s#", text[place.part.end : end]):
        raise source.refused("a comment stands between the brackets", place.first)
    return text[:start] + text[end:]


def _without_lines(source: Source, place: Place) -> str:
    text = source.text
    start = place.first.start if place.key is not None else source.dash(place.part)
    stop = source.line_end(place.part.end)
    kept = list(source.comments(start, place.part.end))
    if source.starts_line(start):
        return _without(source, source.line_start(start), stop, kept)
    # Beside the dash of a list: what comes next takes the place.
    following = place.following
    upto = following.start if place.key is not None else source.dash(following)
    if kept or any(source.comments(stop, upto)):
        return (
            text[:start].rstrip(" ")
            + "".join(source.line_break(start) + line for line in kept)
            + text[stop:]
        )
    return text[:start] + text[upto:]


def _without(source: Source, start: int, stop: int, kept: list[str]) -> str:
    """The text without some whole lines, but for comments."""
    text = source.text
    if kept:
        return text[:start] + source.line_break(start).join(kept) + text[stop:]
    end = text.find("\n", stop) + 1
    if end:
        return text[:start] + text[end:]
    # The last line of a file that ends without a line break: a block of text needs its own.
    before = text[:start].rstrip()
    if any(part.style in {"|", ">"} and part.end >= len(before) for part in source.scalars):
        return text[:start]
    return text[:start].removesuffix("\n").removesuffix("\r")
