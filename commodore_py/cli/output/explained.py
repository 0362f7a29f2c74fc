"""Explanations of values, as text of eighty columns and for programs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from commodore_py.inventory.explain.stories import MISSING

from .readable import block, inline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.inventory.explain.line_effects import Effect, Reach
    from commodore_py.inventory.explain.stories import Event, Reference, Story

SCHEMA, REACH_SCHEMA = "explain/v1", "explain-reverse/v1"

_WIDTH = 80
_SHORT = 60
_MOST_LINES = 16
_FEW = 6
_INDENT = "     "


def story_lines(story: Story) -> Iterator[str]:
    """How a parameter got its value, then the same for those that it looked up."""
    yield from _titled(f"{story.path} of target {story.target}", story, story.looked_up)
    for path, below in story.looked_up.items():
        if not _is_simple(below):
            yield ""
            yield from _titled(f"{path}, looked up above,", below, story.looked_up)


def _titled(title: str, story: Story, looked_up: Mapping[str, Story]) -> Iterator[str]:
    if story.problem:
        yield f"{title} cannot be resolved:"
        yield from _wrapped(story.problem, "  ")
    elif story.value is MISSING:
        yield f"{title} has no value"
    elif _is_short(story.value) and len(f"{title} is {inline(story.value)}") <= _WIDTH:
        yield f"{title} is {inline(story.value)}"
    else:
        yield f"{title} is:"
        yield from _block(story.value, "  ")
    for number, event in enumerate(story.events, 1):
        yield ""
        yield f"{number:3}  {event.place}"
        yield from _wrapped(" -> ".join(event.chain), _INDENT, hang="  ")
        yield from _what(event, story.path, looked_up)


def _what(event: Event, path: str, looked_up: Mapping[str, Story]) -> Iterator[str]:
    if event.action == "remove":
        how = f"`{event.mark}` sets {event.at} anew, without {path}"
        how = how if event.mark else f"sets {event.at} to null"
        yield from _wrapped(f"{how}: {_brief(event.before)} is gone", _INDENT)
    else:
        yield from _with_value(_verb(event), event.written)
    for reference in event.references:
        yield from _reference(reference, looked_up)
    if event.constant:
        yield f"{_INDENT}and makes it constant: `{event.key}`"
    if event.problem:
        # A reference that failed has said so.
        if not any(reference.problem for reference in event.references):
            yield from _wrapped(f"which is wrong: {event.problem}", _INDENT)
    elif event.references or event.action == "append":
        yield from _result(event)


def _verb(event: Event) -> str:
    match event.action:
        case "replace" if event.written == event.before:
            return "sets the same again:"
        case "replace" | "null":
            return f"replaces {_brief(event.before)} with"
        case "override":
            mark = f"`{event.mark}` " if event.mark else ""
            return f"{mark}throws away {_brief(event.before)}, and sets"
    return {"set": "sets", "merge": "merges in", "append": "appends"}.get(event.action, "has")


def _result(event: Event) -> Iterator[str]:
    written = event.written == event.after
    if not written and _is_short(event.after):
        yield f"{_INDENT}now {inline(event.after)}"


def _with_value(verb: str, value: Any) -> Iterator[str]:
    if value is MISSING:
        return
    if _is_short(value):
        line = f"{verb} {inline(value)}"
        if len(_INDENT) + len(line) <= _WIDTH:
            yield f"{_INDENT}{line}"
            return
    yield from _wrapped(f"{verb}:" if verb[-1] != ":" else verb, _INDENT)
    yield from _block(value, f"{_INDENT}  ")


def _reference(reference: Reference, looked_up: Mapping[str, Story]) -> Iterator[str]:
    for inner in reference.inner:
        yield from _reference(inner, looked_up)
    if reference.problem:
        problem = reference.problem.removeprefix(f"{reference.written}: ")
        yield from _wrapped(f"where {reference.written} fails: {problem}", _INDENT, "  ")
        return
    place = _place_of(reference, looked_up)
    text = f"where {_leading(reference)} is {_brief(reference.value)}"
    if len(_INDENT) + len(text) + len(place) + 3 <= _WIDTH:
        yield f"{_INDENT}{text}  ({place})" if place else f"{_INDENT}{text}"
        return
    yield from _wrapped(text, _INDENT, "  ")
    if place:
        yield f"{_INDENT}  ({place})"


def _leading(reference: Reference) -> str:
    """A reference, and where it leads if that cannot be seen."""
    start = f"${{{reference.path.replace('.', ':')}"
    if reference.default or reference.written.startswith((f"{start}}}", f"{start}::")):
        return reference.written
    return f"{reference.written}, that is {reference.path},"


def _place_of(reference: Reference, looked_up: Mapping[str, Story]) -> str:
    if reference.default:
        return "by default: there is no such parameter"
    below = looked_up.get(reference.path)
    if below is None:
        return ""
    return str(below.events[-1].place) if _is_simple(below) else "explained below"


def _is_simple(story: Story) -> bool:
    """Whether a place says it all."""
    return len(story.events) == 1 and not story.events[0].references and not story.problem


def _is_short(value: Any) -> bool:
    if isinstance(value, str) and "\n" in value:
        return False
    if isinstance(value, dict) and len(value) > 1:
        return False
    return len(inline(value)) <= _SHORT


def _brief(value: Any) -> str:
    """A value in a sentence."""
    if value is MISSING:
        return "what cannot be resolved"
    if isinstance(value, dict) and value:
        return f"a mapping of {_some([str(key) for key in value], 'keys')}"
    text = inline(value)
    if len(text) <= _SHORT:
        return text
    return f"a list of {len(value)}" if isinstance(value, list) else f"{text[: _SHORT - 1]}…"


def _block(value: Any, indent: str) -> Iterator[str]:
    lines = block(value, _WIDTH - len(indent))
    for line in lines[:_MOST_LINES]:
        yield f"{indent}{line}"
    if len(lines) > _MOST_LINES:
        yield f"{indent}… {len(lines) - _MOST_LINES} more lines"


def _wrapped(text: str, indent: str, hang: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _some(names: Iterable[str], what: str) -> str:
    known = list(names)
    if len(known) <= _FEW:
        return ", ".join(known)
    return f"{', '.join(known[:_FEW])} and {len(known) - _FEW} more {what}"


# ---------------------------------------------------------------- the other way round


def reach_lines(reach: Reach) -> Iterator[str]:
    """What a line reaches."""
    yield str(reach.place)
    yield f"  {reach.says}"
    yield ""
    yield from _wrapped(
        f"sets {', '.join(reach.sets)}" if reach.sets else f"lists {reach.lists}", "", hang="  "
    )
    yield from _wrapped(f"in a file that is part of {_targets(reach.targets, reach)}", "", "  ")
    for effect in reach.effects:
        yield ""
        yield from _effect(effect)
        yield from _wrapped(f"in {_targets(effect.targets, reach)}", "  ", "  ")


def _targets(names: tuple[str, ...], reach: Reach) -> str:
    if not names:
        return "no target"
    if len(names) == reach.all_targets:
        return f"all {len(names)} targets" if len(names) > 1 else f"the only target, {names[0]}"
    return _some(names, "targets")


_WORDS = {
    "value": "has its final value from here",
    "part": "has a part of its final value from here",
    "overridden": "has its final value from a later layer",
}


def _effect(effect: Effect) -> Iterator[str]:
    match effect.kind:
        case "reference":
            yield from _wrapped(f"{effect.parameter} uses it as {effect.through}", "", hang="  ")
            yield f"  {effect.place}"
        case "class":
            yield from _wrapped(f"class {effect.parameter} depends on it", "", hang="  ")
            yield f"  {effect.place}"
        case kind:
            yield from _wrapped(f"{effect.parameter} {_WORDS[kind]}", "", hang="  ")


# ---------------------------------------------------------------- for programs


def story_content(story: Story) -> dict[str, Any]:
    """How a parameter got its value, for programs."""
    return {"schema": SCHEMA, "target": story.target, **_content(story)}


def _content(story: Story) -> dict[str, Any]:
    content: dict[str, Any] = {"path": story.path}
    if story.value is not MISSING:
        content["value"] = story.value
    if story.problem:
        content["problem"] = story.problem
    content["steps"] = [_event_content(event) for event in story.events]
    if story.looked_up:
        content["looked_up"] = [_content(below) for below in story.looked_up.values()]
    return content


def _event_content(event: Event) -> dict[str, Any]:
    content: dict[str, Any] = {
        "action": event.action,
        "file": event.place.file,
        "line": event.place.line or None,
        "classes": list(event.chain),
        "at": event.at,
        "key": event.key,
        **({"mark": event.mark} if event.mark else {}),
        "constant": event.constant,
    }
    for name in ("written", "before", "after"):
        value = getattr(event, name)
        if value is not MISSING:
            content[name] = value
    if event.problem:
        content["problem"] = event.problem
    if event.references:
        content["references"] = [_reference_content(one) for one in event.references]
    return content


def _reference_content(reference: Reference) -> dict[str, Any]:
    content: dict[str, Any] = {"written": reference.written, "path": reference.path}
    if reference.value is not MISSING:
        content["value"] = reference.value
    content["default"] = reference.default
    if reference.problem:
        content["problem"] = reference.problem
    if reference.inner:
        content["references"] = [_reference_content(one) for one in reference.inner]
    return content


def reach_content(reach: Reach) -> dict[str, Any]:
    """What a line reaches, for programs."""
    return {
        "schema": REACH_SCHEMA,
        "file": reach.place.file,
        "line": reach.place.line,
        "sets": list(reach.sets),
        "lists": reach.lists or None,
        "targets": list(reach.targets),
        "effects": [
            {
                "kind": effect.kind,
                "parameter" if effect.kind != "class" else "class": effect.parameter,
                "targets": list(effect.targets),
                **({"through": effect.through} if effect.through else {}),
                **({"file": effect.place.file, "line": effect.place.line} if effect.place else {}),
            }
            for effect in reach.effects
        ],
    }
