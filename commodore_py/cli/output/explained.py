"""Explanations of values, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.yaml.emitter import Unwritable
from commodore_py.adapters.yaml.pieces import Layout, block, inline
from commodore_py.inventory.explain.steps import ABSENT, plain_value, problem_of
from commodore_py.inventory.paths import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.inventory.explain.explanation import Explanation
    from commodore_py.inventory.explain.line_effects import Effect, LineEffects
    from commodore_py.inventory.explain.lookups import Lookup
    from commodore_py.inventory.explain.steps import Step

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
    elif explanation.value is ABSENT:
        yield f"{title} has no value"
    else:
        yield from _with_value(f"{title} is", explanation.value)
    for number, step in enumerate(explanation.steps, 1):
        yield ""
        yield f"{number:3}  {step.place}"
        yield f"{_INDENT}{' -> '.join(step.layer.chain)}"
        yield from (f"{_INDENT}{line}" for line in _what(step, explanation, looked_up))


def _what(
    step: Step, explanation: Explanation, looked_up: Mapping[str, Explanation]
) -> Iterator[str]:
    written, after = step.written, plain_value(step.after)
    if step.action == "remove":
        how = f"`{step.mark}` replaces {dotted(step.at)}, without {explanation.path}"
        how = how if step.mark else f"sets {dotted(step.at)} to null"
        yield f"{how}: {_brief(plain_value(step.before))} is removed"
    elif written is not ABSENT:
        yield from _with_value(_verb(step), written)
    for lookup in step.references:
        yield from _reference(lookup, looked_up)
    if step.constant:
        yield f"and makes it constant: `{step.key_written(explanation.name)}`"
    if step.problem:
        # The error of a reference is shown with the reference.
        if not any(problem_of(lookup.value) for lookup in step.references):
            yield f"error: {step.problem}"
    elif (step.references or step.action == "append") and written != after and _is_short(after):
        yield f"now {inline(after)}"


def _verb(step: Step) -> str:
    before = plain_value(step.before)
    match step.action:
        case "replace" if step.written == before:
            return "again sets"
        case "replace" | "null":
            return f"replaces {_brief(before)} with"
        case "override":
            mark = f"`{step.mark}` " if step.mark else ""
            return f"{mark}discards {_brief(before)}, sets"
    return {"set": "sets", "merge": "merges in", "append": "appends"}.get(step.action, "has")


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


def _reference(lookup: Lookup, looked_up: Mapping[str, Explanation]) -> Iterator[str]:
    for inner in lookup.inner:
        yield from _reference(inner, looked_up)
    if problem := problem_of(lookup.value):
        yield f"where {lookup.written} fails: {problem.removeprefix(f'{lookup.written}: ')}"
        return
    place = _place_of(lookup, looked_up)
    text = f"where {_leading(lookup)} is {_brief(plain_value(lookup.value))}"
    yield f"{text}  ({place})" if place else text


def _leading(lookup: Lookup) -> str:
    """A reference, and where it leads if that cannot be seen."""
    path = dotted(lookup.path)
    start = f"${{{path.replace('.', ':')}"
    if lookup.default or lookup.written.startswith((f"{start}}}", f"{start}::")):
        return lookup.written
    return f"{lookup.written}, that is {path},"


def _place_of(lookup: Lookup, looked_up: Mapping[str, Explanation]) -> str:
    if lookup.default:
        return "the default: no such parameter"
    below = looked_up.get(dotted(lookup.path))
    if below is None:
        return ""
    return str(below.steps[-1].place) if _is_simple(below) else "explained below"


def _is_simple(explanation: Explanation) -> bool:
    """Return whether the place of the value explains it."""
    (first, *others) = explanation.steps
    return not (others or first.references or explanation.problem)


def _is_short(value: Any) -> bool:
    if isinstance(value, str) and "\n" in value:
        return False
    if isinstance(value, dict) and len(value) > 1:
        return False
    return len(inline(value)) <= _SHORT


def _brief(value: Any) -> str:
    """A value in a sentence."""
    if value is ABSENT:
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
        problem=explanation.problem or ABSENT,
        steps=[_step_content(step, explanation.name) for step in explanation.steps],
        looked_up=[_content(below) for below in explanation.looked_up.values()] or ABSENT,
    )


def _step_content(step: Step, name: str) -> dict[str, Any]:
    return _known(
        action=step.action,
        file=step.place.file,
        line=step.place.line or None,
        classes=list(step.layer.chain),
        at=dotted(step.at),
        key=step.key_written(name),
        mark=step.mark or ABSENT,
        constant=step.constant,
        written=step.written,
        before=plain_value(step.before),
        after=plain_value(step.after),
        problem=step.problem or ABSENT,
        references=[_reference_content(lookup) for lookup in step.references] or ABSENT,
    )


def _reference_content(lookup: Lookup) -> dict[str, Any]:
    return _known(
        written=lookup.written,
        path=dotted(lookup.path),
        value=plain_value(lookup.value),
        default=lookup.default,
        problem=problem_of(lookup.value) or ABSENT,
        references=[_reference_content(inner) for inner in lookup.inner] or ABSENT,
    )


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not ABSENT}


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
