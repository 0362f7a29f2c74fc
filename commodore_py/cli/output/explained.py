"""Explanations of values, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.yaml.emitter import Unwritable
from commodore_py.adapters.yaml.pieces import Layout, block, inline
from commodore_py.inventory.explain.explanation import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.inventory.explain.explanation import Change, Explanation, Reference
    from commodore_py.inventory.explain.line_effects import Effect, LineEffects

SCHEMA, REVERSE_SCHEMA = "explain/v1", "explain-reverse/v1"

_SHORT = 60
_MOST_LINES = 16
_FEW = 6
_INDENT = "     "


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """How a parameter got its value, then the same for those that it looked up."""
    yield from _titled(
        f"{explanation.path} of target {explanation.target}", explanation, explanation.looked_up
    )
    for path, below in explanation.looked_up.items():
        if not _is_simple(below):
            yield ""
            yield from _titled(f"{path}, looked up above,", below, explanation.looked_up)


def _titled(
    title: str, explanation: Explanation, looked_up: Mapping[str, Explanation]
) -> Iterator[str]:
    if explanation.problem:
        yield f"{title} cannot be resolved:"
        yield f"  {explanation.problem}"
    elif explanation.value is MISSING:
        yield f"{title} has no value"
    else:
        yield from _with_value(f"{title} is", explanation.value)
    for number, change in enumerate(explanation.changes, 1):
        yield ""
        yield f"{number:3}  {change.place}"
        yield f"{_INDENT}{' -> '.join(change.chain)}"
        yield from (f"{_INDENT}{line}" for line in _what(change, explanation.path, looked_up))


def _what(change: Change, path: str, looked_up: Mapping[str, Explanation]) -> Iterator[str]:
    if change.action == "remove":
        how = f"`{change.mark}` replaces {change.at}, without {path}"
        how = how if change.mark else f"sets {change.at} to null"
        yield f"{how}: {_brief(change.before)} is removed"
    elif change.written is not MISSING:
        yield from _with_value(_verb(change), change.written)
    for reference in change.references:
        yield from _reference(reference, looked_up)
    if change.constant:
        yield f"and makes it constant: `{change.key}`"
    if change.problem:
        # The error of a reference is shown with the reference.
        if not any(reference.problem for reference in change.references):
            yield f"error: {change.problem}"
    elif (
        (change.references or change.action == "append")
        and change.written != change.after
        and _is_short(change.after)
    ):
        yield f"now {inline(change.after)}"


def _verb(change: Change) -> str:
    match change.action:
        case "replace" if change.written == change.before:
            return "again sets"
        case "replace" | "null":
            return f"replaces {_brief(change.before)} with"
        case "override":
            mark = f"`{change.mark}` " if change.mark else ""
            return f"{mark}discards {_brief(change.before)}, sets"
    return {"set": "sets", "merge": "merges in", "append": "appends"}.get(change.action, "has")


def _with_value(verb: str, value: Any) -> Iterator[str]:
    """A value behind a verb, or below it."""
    if _is_short(value):
        yield f"{verb} {inline(value)}"
        return
    yield f"{verb}:"
    lines = value_lines(value)
    yield from (f"  {line}" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"  … {len(lines) - _MOST_LINES} more lines"


def value_lines(value: Any) -> list[str]:
    """A value as edits write it, on as many lines as it takes."""
    if not isinstance(value, dict | list):
        return str(value).splitlines()
    try:
        return block(value, 0, Layout(list_step=0)) if value else [inline(value)]
    except Unwritable:  # a key that is too long for a line of its own
        return [inline(value)]


def _reference(reference: Reference, looked_up: Mapping[str, Explanation]) -> Iterator[str]:
    for inner in reference.inner:
        yield from _reference(inner, looked_up)
    if reference.problem:
        problem = reference.problem.removeprefix(f"{reference.written}: ")
        yield f"where {reference.written} fails: {problem}"
        return
    place = _place_of(reference, looked_up)
    text = f"where {_leading(reference)} is {_brief(reference.value)}"
    yield f"{text}  ({place})" if place else text


def _leading(reference: Reference) -> str:
    """A reference, and where it leads if that cannot be seen."""
    start = f"${{{reference.path.replace('.', ':')}"
    if reference.default or reference.written.startswith((f"{start}}}", f"{start}::")):
        return reference.written
    return f"{reference.written}, that is {reference.path},"


def _place_of(reference: Reference, looked_up: Mapping[str, Explanation]) -> str:
    if reference.default:
        return "the default: no such parameter"
    below = looked_up.get(reference.path)
    if below is None:
        return ""
    return str(below.changes[-1].place) if _is_simple(below) else "explained below"


def _is_simple(explanation: Explanation) -> bool:
    """Return whether the place of the value explains it."""
    (first, *others) = explanation.changes
    return not (others or first.references or explanation.problem)


def _is_short(value: Any) -> bool:
    if isinstance(value, str) and "\n" in value:
        return False
    if isinstance(value, dict) and len(value) > 1:
        return False
    return len(inline(value)) <= _SHORT


def _brief(value: Any) -> str:
    """A value in a sentence."""
    if value is MISSING:
        return "an unresolved value"
    if isinstance(value, dict) and value:
        return f"a mapping of {_some([str(key) for key in value], 'keys')}"
    text = inline(value)
    if len(text) <= _SHORT:
        return text
    return f"a list of {len(value)}" if isinstance(value, list) else f"{text[: _SHORT - 1]}…"


def _some(names: Iterable[str], what: str) -> str:
    listed = list(names)
    if len(listed) <= _FEW:
        return ", ".join(listed)
    return f"{', '.join(listed[:_FEW])} and {len(listed) - _FEW} more {what}"


# ---------------------------------------------------------------- effects of a line


def reverse_lines(line: LineEffects) -> Iterator[str]:
    """Render the effects of a line."""
    yield str(line.place)
    yield f"  {line.text}"
    yield ""
    yield f"sets {', '.join(line.sets)}" if line.sets else f"lists {line.lists}"
    yield f"in a file that is part of {_targets(line.targets, line)}"
    for effect in line.effects:
        yield ""
        yield from _effect(effect)
        yield f"  in {_targets(effect.targets, line)}"


def _targets(names: tuple[str, ...], line: LineEffects) -> str:
    if not names:
        return "no target"
    if len(names) == line.all_targets:
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
            yield f"{effect.parameter} uses it as {effect.through}"
            yield f"  {effect.place}"
        case "class":
            yield f"class {effect.parameter} depends on it"
            yield f"  {effect.place}"
        case kind:
            yield f"{effect.parameter} {_WORDS[kind]}"


# ---------------------------------------------------------------- JSON


def explanation_content(explanation: Explanation) -> dict[str, Any]:
    """How a parameter got its value, as JSON."""
    return {"schema": SCHEMA, "target": explanation.target, **_content(explanation)}


def _content(explanation: Explanation) -> dict[str, Any]:
    return _known(
        path=explanation.path,
        value=explanation.value,
        problem=explanation.problem or MISSING,
        steps=[_change_content(change) for change in explanation.changes],
        looked_up=[_content(below) for below in explanation.looked_up.values()] or MISSING,
    )


def _change_content(change: Change) -> dict[str, Any]:
    return _known(
        action=change.action,
        file=change.place.file,
        line=change.place.line or None,
        classes=list(change.chain),
        at=change.at,
        key=change.key,
        mark=change.mark or MISSING,
        constant=change.constant,
        written=change.written,
        before=change.before,
        after=change.after,
        problem=change.problem or MISSING,
        references=[_reference_content(reference) for reference in change.references] or MISSING,
    )


def _reference_content(reference: Reference) -> dict[str, Any]:
    return _known(
        written=reference.written,
        path=reference.path,
        value=reference.value,
        default=reference.default,
        problem=reference.problem or MISSING,
        references=[_reference_content(inner) for inner in reference.inner] or MISSING,
    )


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not MISSING}


def reverse_content(line: LineEffects) -> dict[str, Any]:
    """Render the effects of a line, as JSON."""
    return {
        "schema": REVERSE_SCHEMA,
        "file": line.place.file,
        "line": line.place.line,
        "sets": list(line.sets),
        "lists": line.lists or None,
        "targets": list(line.targets),
        "effects": [
            {
                "kind": effect.kind,
                "parameter" if effect.kind != "class" else "class": effect.parameter,
                "targets": list(effect.targets),
                **({"through": effect.through} if effect.through else {}),
                **({"file": effect.place.file, "line": effect.place.line} if effect.place else {}),
            }
            for effect in line.effects
        ],
    }
