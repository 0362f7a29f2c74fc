"""Random edits of class files: an edit is refused, or changes its node and no other byte.

PyYAML, which takes every scalar for text, judges what was edited; aliases are followed by it, too.
"""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from commodore_py.adapters.yaml.parts import Part, parts_of, text_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import Edit, edited
from commodore_py.inventory.paths import Index

if TYPE_CHECKING:
    import random

Value: TypeAlias = Any

_TEXTS = (
    "x", "", "two words", "- a", "a: b", "# no", "yes", "0o17", "1e3", "12:30", "~", "é ü 漢",
    "it's", '"', "\\", "a\nb", "a\nb\n", "a\n\n", "\n a\n", " lead", "trail ", "tab\there", "<<",
    "${a:b}", "=", "[", "{", "}", "x, y", "2026-11-22", "null", "\x07", "x" * 200, "a b " * 60,
    "::error", "1_000",
)  # fmt: skip
_KEYS = ("new", "a", "zz", "with space", "1", "a.b", "é", "a: b", "#", "m~", "true", "x" * 130)


def value(draw: random.Random, depth: int = 0) -> Value:
    """A value as somebody may set it."""
    match draw.randrange(9 if depth < 3 else 6):
        case 0:
            return draw.choice((0, 1, -5, 1 << 62, 1.5, 1e20, -0.0, 1e-7))
        case 1:
            return draw.choice((True, False, None))
        case 2 | 3 | 4 | 5:
            return draw.choice(_TEXTS)
        case 6:
            return [value(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {draw.choice(_KEYS): value(draw, depth + 1) for _ in range(draw.randrange(4))}


def paths(part: Part, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path of a text."""
    found = [at] if at else []
    for index, item in enumerate(part.items):
        found += paths(item, (*at, item.name if item.key else Index(index)))
    return found


def random_edit(draw: random.Random, known: list[tuple[Any, ...]]) -> Edit:
    """An edit of a path that exists, or of a new one below."""
    path = draw.choice(known) if known else ("parameters",)
    kind = draw.randrange(10)
    if kind < 2:
        return Edit("unset", path)
    if kind == 2:
        lists = [one[:-1] for one in known if isinstance(one[-1], int)] or [path]
        return Edit("append", draw.choice(lists), [value(draw) for _ in range(draw.randint(1, 2))])
    if kind < 6:
        path = (*path, *draw.sample(_KEYS, draw.randint(1, 2)))
    return Edit("set", path, value(draw))


def varied(draw: random.Random, data: bytes) -> bytes:
    """The same file as another editor may have saved it."""
    match draw.randrange(8):
        case 0:
            return data.replace(b"\n", b"\r\n")
        case 1:
            return data.rstrip(b"\n")
        case 2:
            return b"\xef\xbb\xbf# bom\n" + data
    return data


def judge(data: bytes, edit: Edit) -> str:
    """What an edit did: "edited", or the reason for its refusal; raises if it was wrong."""
    try:
        after = edited(data, edit, name="class.yml")
    except CommodoreError as error:
        return re.sub(r"[&*\[`][^ ]+|[0-9, ]{2,}", "…", str(error).splitlines()[0])
    before = _plainly(data)
    wanted = _applied(deepcopy(before), edit)
    assert _plainly(after) == wanted, "values differ"
    assert data.startswith(b"\xef\xbb\xbf") == after.startswith(b"\xef\xbb\xbf"), "mark"
    lost = _comments(data) - _comments(after)
    assert not lost, f"comments are lost: {lost}"
    _assert_only_its_lines(data, after, edit)
    return "edited"


def _plainly(data: bytes) -> Value:
    text = text_of(data, name="class.yml")
    return _Texts(yaml.load(text, Loader=yaml.BaseLoader) or {}).value  # noqa: S506 - texts only


class _Texts:
    def __init__(self, value: Value) -> None:
        self.value = self._copied(value)

    def _copied(self, value: Value) -> Value:
        """A copy without shared parts."""
        if isinstance(value, dict):
            return {str(key): self._copied(item) for key, item in value.items()}
        return [self._copied(item) for item in value] if isinstance(value, list) else value


def _as_text(value: Value) -> Value:
    if isinstance(value, dict):
        return {_as_text(key): _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if isinstance(value, str):
        return value
    return yaml.load(yaml.safe_dump(value), Loader=yaml.BaseLoader)  # noqa: S506 - texts only


def _applied(data: Value, edit: Edit) -> Value:
    """The values as they must be after an edit, step by step in place."""
    trail: list[tuple[Any, Any]] = []
    current = data
    for position, part in enumerate(edit.path):
        key: Any = part
        if not isinstance(part, int):
            key = _key_for(current, part)
        trail.append((current, key))
        if current[key] in ("", "~", "null", "Null", "NULL", []):
            following = edit.path[position + 1 : position + 2]
            if following or edit.verb == "append":
                current[key] = {} if following else []
        current = current[key]
    container, part = trail[-1]
    match edit.verb:
        case "set":
            container[part] = _as_text(edit.value)
        case "append":
            container[part] = [*(container[part] or []), *_as_text(edit.value)]
        case "unset":
            _remove(trail)
    return data


def _key_for(current: dict[str, Any], part: str) -> str:
    """The key of a part of a path, made if it is missing."""
    own = [key for key in current if key.lstrip("=~") == part.lstrip("=~")]
    if not own:
        current[part] = {}
        return part
    return own[0]


def _remove(trail: list[tuple[Any, Any]]) -> None:
    for depth in range(len(trail) - 1, -1, -1):
        container, part = trail[depth]
        del container[part]
        if container or not depth:
            return
        _, above = trail[depth - 1]
        if depth == 1 or isinstance(above, int) or above.startswith("~"):
            return


def _comments(data: bytes) -> Counter[str]:
    """The comment lines of a file: lines that a parser does not see."""
    text = text_of(data, name="class.yml")
    root = parts_of(text, name="class.yml")
    inside = set[int]()
    for part in root.all() if root else ():
        if part.kind == "scalar":
            first = text.count("\n", 0, part.start)
            inside |= set(range(first + 1, first + 1 + text.count("\n", part.start, part.end)))
    return Counter(
        line.strip()
        for number, line in enumerate(text.split("\n"))
        if number not in inside and line.strip().startswith("#")
    )


def _assert_only_its_lines(data: bytes, after: bytes, edit: Edit) -> None:
    """Every line that went away is one of the edited node, or of what it left empty."""
    text = text_of(data, name="class.yml")
    root = parts_of(text, name="class.yml")
    if data == after:
        return
    old, new = data.split(b"\n"), after.split(b"\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    first, last = _lines_of(text, root, edit)
    assert first - 1 <= start, f"line {start + 1} was changed, {first + 1} to {last + 1} may be"
    assert len(old) - end - 1 <= last + 1, f"line {len(old) - end} was changed"


def _lines_of(text: str, root: Part | None, edit: Edit) -> tuple[int, int]:
    """The first and last line of the deepest node on the path, or of all that unset may empty."""
    part, first = root, 0
    if part is None:
        return 0, text.count("\n") + 1
    trail = [(part, 0)]
    for step in edit.path:
        if isinstance(step, int) and part.items:
            part = part.items[step]
            first = text.count("\n", 0, part.start)
        else:
            found = [item for item in part.items if item.name == str(step).lstrip("=~")]
            if not found:
                break
            part = found[0]
            first = text.count("\n", 0, part.lead)
        trail.append((part, first))
    while edit.verb == "unset" and len(trail) > 2 and len(trail[-2][0].items) == 1:
        trail.pop()
    if edit.verb == "unset" and len(trail) > 1 and trail[-2][0].style == "flow":
        trail.pop()  # the blanks up to the next item go, too
    part, first = trail[-1]
    if part.kind == "list" or edit.verb == "unset":
        first -= 1
    return first, text.count("\n", 0, part.end)


def written_file(draw: random.Random) -> bytes:
    """A class file in some style, with comments and empty lines."""
    shared = value(draw, 1)
    content = {
        draw.choice((key, key, f"~{key}")): draw.choice((value(draw), value(draw), shared))
        for key in draw.sample(_KEYS, draw.randint(1, 6))
    }
    root = {"classes": draw.sample(("a", "b.c", "d"), draw.randrange(4)), "parameters": content}
    text = yaml.dump(
        {key: root[key] for key in draw.sample(sorted(root), 2)},
        Dumper=draw.choice((yaml.SafeDumper, _Indented)),
        default_flow_style=draw.choice((False, False, None, True)),
        indent=draw.choice((2, 2, 3, 4, 8)),
        width=draw.choice((20, 80, 1000)),
        allow_unicode=draw.random() < 0.5,
        default_style=draw.choice((None, None, None, "|", "'", '"')),
        explicit_start=draw.random() < 0.1,
        sort_keys=draw.random() < 0.5,
    )
    return _commented(draw, text).encode()


class _Indented(yaml.SafeDumper):
    """Lists go in below their keys."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)


def _commented(draw: random.Random, text: str) -> str:
    """A text with comments that do not change its values."""
    for _ in range(draw.randrange(4)):
        lines = text.split("\n")
        at = draw.randrange(len(lines))
        if draw.random() < 0.5:
            lines.insert(at, draw.choice(("", " " * draw.randrange(8) + "# note")))
        else:
            lines[at] += " # beside"
        changed = "\n".join(lines)
        try:
            if _plainly(changed.encode()) == _plainly(text.encode()):
                text = changed
        except (CommodoreError, yaml.YAMLError):
            continue
    return text
