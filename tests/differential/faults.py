"""Mistakes that a hierarchy is refused for, one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .yaml_text import File, Hierarchy, Pairs, Text

if TYPE_CHECKING:
    import random

_BASE = "classes/base.yml"
_CIRCLE = "refused: classes in a circle"

# Parameters that make a class wrong by themselves, or together with those of the base class.
_PARAMETERS: dict[str, tuple[tuple[tuple[str, str], ...], ...]] = {
    "refused: key twice": ((("w", "{a: 1, a: 2}"),), (("w", "1"), ("w", "2"))),
    "refused: custom tag": ((("w", "!mine 1"),), (("w", "!mine {a: 1}"),), (("w", "[!mine [a]]"),)),
    "refused: tag that does not fit": ((("w", "!!int abc"),), (("w", "!!bool yes"),)),
    "refused: constant set again": ((("=w", "1"), ("~w", "2")), (("=w", "1"), ("w", "2"))),
    "refused: type clash": (
        (("m1", "[1]"),),
        (("l1", "{a: 1}"),),
        (("s1", "[1]"),),
        (("l1", "1"),),
    ),
    "refused: type clash of nested values": ((("m1", "{l1: {a: 1}}"),), (("m2", "{m1: 5}"),)),
    "refused: missing reference": (
        (("w", "${nope}"),),
        (("w", "x${s1:nope}"),),
        (("w", "['${no}']"),),
    ),
    "refused: missing reference below a mapping": (
        (("w", "${m1:nope:x}"),),
        (("m1", "{s2: '${no}'}"),),
    ),
    "refused: reference that cannot be parsed": (
        (("w", "'${'"),),
        (("w", "'${}'"),),
        (("w", "'${a${'"),),
    ),
    "refused: cycle": (
        (("w", "${w}"),),
        (("w", "${v}"), ("v", "x${w}")),
        (("w", "{a: '${w:a}'}"),),
    ),
    "refused: cycle over several targets": ((("w", "${m1:q}"), ("m1", "{q: '${w}'}")),),
    "refused: key of a list": ((("w", "${l1:0}"),), (("w", "'${l1:0::x}'"),)),
    "refused: key of a scalar": ((("w", "${p1:x}"),), (("w", "'${p1:x::y}'"),)),
    "refused: integer of more than 64 bits": (
        (("w", "18446744073709551616"),),
        (("w", "-9223372036854775809"),),
        (("w", "'${nope::0x10000000000000000}'"),),
    ),
    "refused: merge key without mapping": ((("w", "{<<: 1}"),), (("w", "{<<: [1]}"),)),
    "refused: unknown alias": ((("w", "*nothing"),),),
    "refused: alias of itself": ((("w", "&w {a: *w}"),), (("w", "&w [*w]"),)),
    "refused: nested too deeply": (
        (("w", "[" * 130 + "]" * 130),),
        (("w", "{a: " * 127 + "1" + "}" * 127),),
    ),
    "refused: references too deep": (
        (*((f"w{index}", f"${{w{index + 1}}}") for index in range(66)), ("w66", "x")),
        (*((f"w{index}", f"${{w{index - 1}}}") for index in range(70, 0, -1)), ("w0", "x")),
    ),
    "noise: mapping as key": ((("w", "{? [a] : 1}"),), (("w", "{? {a: 1} : 1}"),)),
}
_FILES: dict[str, tuple[str, ...]] = {
    "refused: file is a list": ("- a\n", "[a]\n", "just text\n"),
    "refused: two documents": ("parameters: {}\n---\nparameters: {}\n", "a: 1\n...\n---\nb: 1\n"),
    "refused: parameters are not a mapping": (
        "parameters: [1]\n",
        "parameters: abc\n",
        "parameters: ~\n",
    ),
    "refused: field twice": ("parameters: {}\nparameters: {}\n", "classes: []\nclasses: []\n"),
    "refused: no YAML": ("parameters: {\n", "a: b: c\n", "\ta\n", "parameters: 'x\n", "@\n"),
}
_CLASSES: dict[str, tuple[str, ...]] = {
    "refused: missing class": ("no.such", ".nope", "..nope", ""),
    "refused: class name without value": ("${nope}", "a.${m1}.${nope:x}", "${", "${l1:0}"),
}


def with_fault(rng: random.Random, hierarchy: Hierarchy, name: str) -> Hierarchy:
    """The hierarchy with one mistake, mostly where every target meets it."""
    classes = [path for path in hierarchy.files if path.startswith("classes/")]
    path = _BASE if rng.random() < 0.7 else rng.choice(classes)
    file = hierarchy.files[path]
    if name in _PARAMETERS:
        return _with(hierarchy, path, _with_pairs(file, rng.choice(_PARAMETERS[name])))
    if name in _FILES:
        return _with(hierarchy, path, File(raw=rng.choice(_FILES[name])))
    if name in _CLASSES or name == _CIRCLE:
        entry = rng.choice(_CLASSES[name]) if name in _CLASSES else class_name(path)
        changed = replace(file, raw=None, classes=(*(file.classes or ()), entry))
        return replace(_with(hierarchy, path, changed), missing_ok=False)
    if name == "refused: both extensions":
        other = ".yml" if path.endswith(".yaml") else ".yaml"
        return _with(hierarchy, path.rpartition(".")[0] + other, File())
    if name == "refused: broken symlink":
        link = rng.choice((("dangling.yml", "nothing"), ("dangling", "nothing"), ("round", ".")))
        return replace(hierarchy, links={**hierarchy.links, f"classes/{link[0]}": link[1]})
    return _with_constant(hierarchy)


def class_name(path: str) -> str:
    """The name of the class that a file holds."""
    name = path.removeprefix("classes/").rpartition(".")[0].replace("/", ".")
    return name.removesuffix(".init")


def _with_constant(hierarchy: Hierarchy) -> Hierarchy:
    """A constant key, and targets that merge another value over it by a reference."""
    base = _with_pairs(hierarchy.files[_BASE], (("w", "{a: {=k: 1}}"), ("v", "{a: {k: 2}}")))
    hierarchy = _with(hierarchy, _BASE, base)
    for path, file in hierarchy.files.items():
        if path.startswith("targets/"):
            hierarchy = _with(hierarchy, path, _with_pairs(file, (("w", "${v}"),)))
    return hierarchy


def _with(hierarchy: Hierarchy, path: str, file: File) -> Hierarchy:
    return replace(hierarchy, files={**hierarchy.files, path: file})


def _with_pairs(file: File, pairs: tuple[tuple[str, str], ...]) -> File:
    before = file.parameters.pairs if isinstance(file.parameters, Pairs) else ()
    more = tuple((key, Text(value)) for key, value in pairs)
    return replace(file, raw=None, parameters=Pairs((*before, *more)))


NAMES = (
    # Twice what is cheap: a circle of classes costs a new process.
    *(*_PARAMETERS, *_FILES, *_CLASSES),
    *(*_PARAMETERS, *_FILES, *_CLASSES),
    _CIRCLE,
    "refused: both extensions",
    "refused: broken symlink",
    "refused: constant set again through reference",
)
