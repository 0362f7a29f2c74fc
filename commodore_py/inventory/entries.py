"""Entries that tell Kapitan what to compile and to fetch: refused if it would not understand them.

Kapitan's own models decide. They are slow to load, so they are only asked about entries that are
not plainly what nearly all of them are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.errors import CommodoreError, raise_collected

from .places import Index
from .whereabouts import with_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model import Inventory, Node

    from .places import ParameterPath
    from .whereabouts import Whereabouts

# By list, the key that tells the kind of an entry.
_KIND_KEYS = {"compile": "input_type", "dependencies": "type"}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


def _is_format(value: object) -> bool:
    return value in ("yaml", "json", "plain")


_Check: TypeAlias = Callable[[object], bool]
_INPUT: dict[str, _Check] = {"input_paths": _is_texts, "output_path": _is_text}
_PARAMS: dict[str, _Check] = {"input_params": _is_map, "output_type": _is_format}
_VALUES: dict[str, _Check] = {"helm_values": _is_map, "helm_params": _is_map}
_SOURCE: dict[str, _Check] = {"source": _is_text, "output_path": _is_text}
_CHART: dict[str, _Check] = {**_SOURCE, "chart_name": _is_text, "version": _is_text}

# What nearly all entries are: by list and kind, the keys that must and those that may be there.
_PLAIN: dict[tuple[str, object], tuple[dict[str, _Check], dict[str, _Check]]] = {
    ("compile", "jsonnet"): (_INPUT, _PARAMS),
    ("compile", "kadet"): (_INPUT, _PARAMS),
    ("compile", "jinja2"): (_INPUT, _PARAMS),
    ("compile", "copy"): (_INPUT, {}),
    ("compile", "helm"): (_INPUT, _VALUES),
    ("dependencies", "helm"): (_CHART, {}),
    ("dependencies", "https"): (_SOURCE, {}),
    ("dependencies", "git"): (_SOURCE, {"ref": _is_text}),
}


def check_entries(inventory: Inventory, whereabouts: Whereabouts) -> None:
    """Refuse entries of the compile and dependencies lists that Kapitan would not understand."""
    raise_collected(
        (
            error
            for instance in inventory.instances
            for error in _of_target(inventory.nodes[instance.name], whereabouts)
        ),
        "Kapitan would not understand what components tell it",
    )


def _of_target(node: Node, whereabouts: Whereabouts) -> Iterator[CommodoreError]:
    kapitan = node.parameters.get("kapitan")
    if not isinstance(kapitan, Mapping):
        return
    for name in _KIND_KEYS:
        entries = kapitan.get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if not _plain(name, entry):
                path = ("kapitan", name, Index(index))
                yield from _problems(node.name, entry, path, whereabouts)


def _plain(name: str, entry: object) -> bool:
    """Whether an entry is one of those that need no second look."""
    if not isinstance(entry, dict):
        return False
    kind_key = _KIND_KEYS[name]
    kind = entry.get(kind_key)
    known = _PLAIN.get((name, kind)) if isinstance(kind, str) else None
    if known is None:
        return False
    needed, possible = known
    rest = entry.keys() - needed.keys() - {kind_key}
    return (
        all(key in entry and check(entry[key]) for key, check in needed.items())
        and rest <= possible.keys()
        and all(possible[key](entry[key]) for key in rest)
    )


def _problems(
    target: str, entry: object, path: ParameterPath, whereabouts: Whereabouts
) -> Iterator[CommodoreError]:
    _, name, index = path
    for key, text, hint in _judged(str(name), entry):
        place = whereabouts.parameter(target, (*path, *([key] if key else ())))
        field = f"parameters.kapitan.{name}[{index}]" + (f".{key}" if key else "")
        yield CommodoreError(
            f"instance {target}: {text}",
            where=with_place(f"target {target}: {field}", place),
            hint=hint,
        )


def _judged(name: str, entry: object) -> Iterator[tuple[str, str, str]]:
    """What is wrong with an entry: the key, what about it, and what is expected there."""
    from kapitan.inventory.model.dependencies import DependencyTypeConfig  # noqa: PLC0415 - slow
    from kapitan.inventory.model.input_types import CompileInputTypeConfig  # noqa: PLC0415
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    models: dict[str, Any] = {
        "compile": CompileInputTypeConfig,
        "dependencies": DependencyTypeConfig,
    }
    try:
        TypeAdapter(models[name]).validate_python(entry)
    except ValidationError as error:
        kind_key = _KIND_KEYS[name]
        kinds = dict(_kinds_of(models[name], kind_key))
        known = kinds.get(str(entry.get(kind_key)), []) if isinstance(entry, Mapping) else []
        for one in error.errors(include_url=False):
            yield _in_our_words(one, name, tuple(kinds), known)


def _in_our_words(
    one: Mapping[str, Any], name: str, kinds: Sequence[str], known: Sequence[str]
) -> tuple[str, str, str]:
    kind_key, found = _KIND_KEYS[name], one["input"]
    # The first step is the kind of the entry, then come its key and places inside its value.
    key, inner = (str(one["loc"][1]), one["loc"][2:]) if len(one["loc"]) > 1 else ("", ())
    match one["type"]:
        case "union_tag_invalid":
            kind = str(one["ctx"]["tag"])
            text = f"{kind} is no {kind_key} of a {name} entry"
            return kind_key, text, f"{_meant(kind, kinds)}it is one of {', '.join(kinds)}"
        case "union_tag_not_found":
            return "", f"a {name} entry has no {kind_key}", f"add {kind_key}"
        case "missing":
            return "", f"a {name} entry has no {key}", f"add {key}"
        case "extra_forbidden":
            hint = f"{_meant(key, known)}the keys are {', '.join(known)}"
            return key, f"a {name} entry of this kind has no key {key}", hint
    at = "".join(f"[{step}]" for step in inner)
    expected = str(one["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    what = f"{key}{at} of a {name} entry is {found!r}" if key else f"a {name} entry is {found!r}"
    return key, what, f"expected is {expected}"


def _meant(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}? Else, " if close else ""


def _kinds_of(union: Any, kind_key: str) -> Iterator[tuple[str, list[str]]]:  # noqa: ANN401 - a typing construct
    """The kinds of entries, and the keys of each."""
    for model in union.__origin__.__args__:
        fields = model.model_fields
        for kind in fields[kind_key].annotation.__args__:
            yield str(kind.value), sorted(fields)
