"""Changes of a YAML text that leave every byte around them as it is (pure).

A path is made of keys, without their marks, and of numbers for items of lists. What a change
removes loses the comment behind it, but no comment line is ever removed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.errors import CommodoreError

from .parts import Part, parts_of
from .pieces import Layout, block, inline, lines_below, pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Path = Sequence[str | int]

MARKS = "=~"
"""What a key may begin with in a hierarchy."""
_MERGE = "<<"


class Refused(CommodoreError):
    """A change that cannot be made without touching something else."""


class Absent(CommodoreError):
    """There is nothing at this path."""


def put(text: str, path: Path, value: object, *, name: str = "") -> str:
    """Set a value. Keys that are missing are added, as the last part of the path is written."""
    source = _Source(text, name)
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
    source = _Source(text, name)
    trail = source.follow(path)
    if len(trail) < len(path):
        raise Absent("nothing is set there", where=name)
    while len(trail) > 1 and trail[-1].is_alone:
        above = trail[-2]
        if len(trail) == 2 or above.container.kind == "list" or above.marked("~"):  # noqa: PLR2004 - a field of the class
            return _replace(source, trail[:-1], {} if trail[-1].container.kind == "mapping" else [])
        trail.pop()
    place = trail[-1]
    source.refuse_uses(place.part)
    if place.container.style == "flow":
        return _without_item(source, place)
    return _without_lines(source, place)


def add(text: str, path: Path, items: Sequence[object], *, name: str = "") -> str:
    """Add items to the list at a path; it is made if there is none."""
    source = _Source(text, name)
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


class _Place(NamedTuple):
    """A value, and where it is in what holds it."""

    container: Part
    position: int
    part: Part
    key: Part | None

    @property
    def is_alone(self) -> bool:
        return len(self.container.pairs or self.container.items) == 1

    def marked(self, sign: str) -> bool:
        return self.key is not None and self.key.text.startswith(sign)

    @property
    def following(self) -> Part:
        """Where the next value begins: at its key, if it has one."""
        if self.container.pairs:
            return self.container.pairs[self.position + 1][0]
        return self.container.items[self.position + 1]

    @property
    def first(self) -> Part:
        return self.part if self.key is None else self.key

    @property
    def is_last(self) -> bool:
        return self.position + 1 == len(self.container.pairs or self.container.items)


class _Source:
    """A text, its parts, and how it is laid out."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.root = parts_of(text, name=name)
        parts = list(self.root.all()) if self.root else []
        self.aliases = [part for part in parts if part.kind == "alias"]
        self.scalars = [part for part in parts if part.kind == "scalar"]
        for part in parts:
            if part.tag:
                raise self.refused(f"tag {part.tag} cannot be edited around", part)

    @property
    def layout(self) -> Layout:
        """How the text indents, by the first mapping and the first list below a key."""
        steps: dict[str, int] = {}
        for part in self.root.all() if self.root else ():
            for key, value in part.pairs if part.style != "flow" else ():
                if value.is_block and self.line(value.start) > self.line(key.end):
                    first = value.pairs[0][0].start if value.pairs else self.dash(value.items[0])
                    steps.setdefault(value.kind, self.column(first) - self.column(key.start))
        return Layout(steps.get("mapping", 2), steps.get("list", 2))

    def follow(self, path: Path) -> list[_Place]:
        """The places on the way, as far as there are any."""
        trail: list[_Place] = []
        if self.root is None:
            return trail
        part = self.root
        for step in path:
            place = self._below(part, step)
            if place is None:
                break
            trail.append(place)
            part = place.part
            self._refuse_odd(place)
        left = len(path) - len(trail)
        if left > 1 and any(key.text == _MERGE for key, _ in part.pairs):
            raise self.refused(f"`{_MERGE}` merges a mapping here", part)
        return trail

    def _below(self, part: Part, step: str | int) -> _Place | None:
        if isinstance(step, int):
            if part.kind != "list":
                raise self.refused("this is not a list", part)
            if step >= len(part.items):
                raise self.refused(f"the list has {len(part.items)} items, and no [{step}]", part)
            return _Place(part, step, part.items[step], None)
        if part.kind == "alias":
            raise self.refused(f"alias *{part.text} stands for the value of another place", part)
        if part.kind != "mapping":
            if part.is_null or part.is_empty_list:
                return None
            raise self.refused("this is not a mapping", part)
        found = [
            index for index, (key, _) in enumerate(part.pairs) if key.text.lstrip(MARKS) == step
        ]
        if len(found) > 1:
            raise self.refused(f"key `{step}` stands here twice", part.pairs[found[1]][0])
        if not found:
            return None
        key, value = part.pairs[found[0]]
        return _Place(part, found[0], value, key)

    def _refuse_odd(self, place: _Place) -> None:
        part = place.part
        if place.key is not None:
            self.refuse_odd_key(place.key)
        if self._uses(part.anchor):
            raise self._shared(part)

    def refuse_odd_key(self, key: Part) -> None:
        """Refuse keys that are not followed by a colon, or that another place may refer to."""
        if (
            key.kind != "scalar"
            or key.anchor
            or not re.match(r"[ \t]*:", self.text[key.end : key.end + 80])
            or self.text[: key.start].rstrip(" ").endswith("?")
        ):
            raise self.refused("this form of a key cannot be edited", key)

    def refuse_uses(self, part: Part) -> None:
        """Refuse to remove what aliases elsewhere lead to, or an alias."""
        if part.kind == "alias":
            raise self.refused(f"alias *{part.text} stands for the value of another place", part)
        for one in part.all():
            outside = [
                use for use in self._uses(one.anchor) if not part.start <= use.start < part.end
            ]
            if outside:
                raise self._shared(one)

    def _uses(self, anchor: str) -> list[Part]:
        return [alias for alias in self.aliases if anchor and alias.text == anchor]

    def _shared(self, part: Part) -> Refused:
        lines = ", ".join(str(self.line(use.start)) for use in self._uses(part.anchor))
        return self.refused(f"anchor &{part.anchor} is used in line {lines}, too", part)

    def refused(self, problem: str, part: Part) -> Refused:
        """An error with the line of a part."""
        return Refused(problem, where=f"{self.name}:{self.line(part.start)}")

    def line(self, index: int) -> int:
        """The number of the line of a character."""
        return self.text.count("\n", 0, index) + 1

    def column(self, index: int) -> int:
        """How far to the right a character stands."""
        return index - self.line_start(index)

    def line_start(self, index: int) -> int:
        """Where the line of a character begins."""
        return self.text.rfind("\n", 0, index) + 1

    def line_end(self, index: int) -> int:
        """Where the line of a character ends, before its line break."""
        end = self.text.find("\n", index)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1 : end] == "\r" and end > index else end

    def starts_line(self, index: int) -> bool:
        """Whether only blanks stand before a character."""
        return not self.text[self.line_start(index) : index].strip(" ")

    def dash(self, item: Part) -> int:
        """Where the dash of an item of a list stands."""
        return self.text.rindex("-", 0, max(item.start, 1))

    def head_end(self, place: _Place) -> int:
        """Behind the colon or the dash of a value."""
        if place.key is None:
            return self.dash(place.part) + 1
        return self.text.index(":", place.key.end) + 1

    def line_break(self, index: int) -> str:
        """The line break of a line, or that of the line before if it has none."""
        end = self.text.find("\n", index)
        if end < 0:
            end = self.text.rfind("\n", 0, index)
        return "\r\n" if end > 0 and self.text[end - 1] == "\r" else "\n"

    def comments(self, start: int, end: int) -> Iterator[str]:
        """The comment lines between two places, but for the rest of the first line."""
        at = self.text.find("\n", start) + 1
        while 0 < at < end:
            stop = self.line_end(at)
            line = self.text[at:stop]
            if line.lstrip().startswith("#") and not any(
                part.start < at < part.end for part in self.scalars
            ):
                yield line
            at = self.text.find("\n", stop) + 1

    def layout_before(self, index: int, indent: int, layout: Layout, kept: Sequence[str]) -> Layout:
        """How to lay out what ends before the rest of the text.

        A block of text would swallow comments that stand as far to the right as it does, and lacks
        its last line break where the file does.
        """
        stop = self.line_end(index)
        following = "\n".join([*kept, self.text[stop:]]).split("\n")
        comment = next((line for line in following if line.strip()), "")
        swallowed = re.match(f" {{{indent + layout.step},}}#", comment)
        ends = stop < len(self.text) or bool(kept)
        return layout._replace(blocks_of_text=ends and not swallowed)

    def _refuse_longer_text(self, end: int) -> None:
        """Refuse to give the last line of a text a line break that the file does not have."""
        last = self.scalars[-1] if self.scalars else None
        if last and end == last.end == len(self.text) and last.style in {"|", ">"}:
            raise self.refused("the file ends in this text, without a line break; add one", last)

    def with_lines(self, index: int, lines: Iterable[str]) -> str:
        """The text with more lines below that of a character."""
        end = self.line_end(index)
        self._refuse_longer_text(end)
        breaks = self.line_break(index)
        return f"{self.text[:end]}{''.join(breaks + line for line in lines)}{self.text[end:]}"


def _first(source: _Source, path: Path, value: object) -> str:
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


def _put_keys(source: _Source, part: Part, path: Path, value: dict[object, object]) -> str:
    """Make a mapping equal to another, key by key: what stays keeps its bytes."""
    written = {key.text: own for key, own in part.pairs}
    wanted = {str(key) for key in value}
    if len(written) < len(part.pairs) or not wanted & set(written):
        return _replace(source, source.follow(path), value)
    text, name = source.text, source.name
    for gone in written.keys() - wanted:
        text = take(text, (*path, gone.lstrip(MARKS)), name=name)
    for key, item in value.items():
        text = put(text, (*path, str(key)), item, name=name)
    return text


def _replace(source: _Source, trail: Sequence[_Place], value: object) -> str:
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
    source: _Source, place: _Place, start: int, written: list[str], kept: list[str]
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
    found = re.search(r"[ \t]+#.*", rest)
    return found[0].rstrip("\r") if found else ""


def _insert(source: _Source, trail: list[_Place], part: Part, nested: dict[object, object]) -> str:
    """Add the key that is missing, with what is to be below it."""
    ((key, value),) = nested.items()
    if trail and (part.is_null or part.kind == "list" or not part.pairs):
        return _replace(source, trail, nested)
    if part.style == "flow":
        return _into_brackets(source, part, [pair(key, value)])
    if part.kind != "mapping" or not part.pairs:
        raise source.refused("this is not a mapping", part)
    for own, _ in part.pairs:
        source.refuse_odd_key(own)
    indent = source.column(part.pairs[0][0].start)
    after = _end_of_previous(part, str(key))
    layout = source.layout_before(after, indent, source.layout, ())
    lines = block(nested, indent, layout)
    if _sorted_before(source, part, str(key)):
        at = source.line_start(part.pairs[0][0].start)
        breaks = source.line_break(at)
        return f"{source.text[:at]}{''.join(line + breaks for line in lines)}{source.text[at:]}"
    return source.with_lines(after, lines)


def _names(part: Part) -> list[str]:
    return [key.text.lstrip(MARKS) for key, _ in part.pairs]


def _is_sorted(names: list[str]) -> bool:
    return len(names) > 1 and names == sorted(names)


def _sorted_before(source: _Source, part: Part, key: str) -> bool:
    """Whether a key comes first: where that would part a comment from its key, it comes last."""
    names = _names(part)
    first = part.pairs[0][0].start
    if not _is_sorted(names) or key.lstrip(MARKS) > names[0] or not source.starts_line(first):
        return False
    above = source.text[: source.line_start(first)].rstrip("\r\n")
    return not above[above.rfind("\n") + 1 :].lstrip().startswith("#")


def _end_of_previous(part: Part, key: str) -> int:
    names = _names(part)
    ends = [value.end for _, value in part.pairs]
    if _is_sorted(names):
        before = [end for own, end in zip(names, ends, strict=True) if own < key.lstrip(MARKS)]
        return before[-1] if before else ends[-1]
    return ends[-1]


def _into_brackets(source: _Source, part: Part, pieces: list[str]) -> str:
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


def _without_item(source: _Source, place: _Place) -> str:
    """Remove from what stands in brackets, with a comma."""
    text = source.text
    if not place.is_last:
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


def _without_lines(source: _Source, place: _Place) -> str:
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


def _without(source: _Source, start: int, stop: int, kept: list[str]) -> str:
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
