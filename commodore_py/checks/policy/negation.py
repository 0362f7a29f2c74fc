"""Negated calls, written so that both engines mean the same (pure).

OPA evaluates what a function gets before it negates the call: `not startswith(input.a, "x")` holds
for nothing if there is no `input.a`. The engine in the process negates all of it. So operands are
bound before the negation, where OPA binds them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Tree = Mapping[str, Any]

_SCALARS = {"Number", "String", "RawString", "Bool", "Null", "True", "False"}
_REFERENCES = {"RefDot", "RefBrack"}
_DEFINED = {"ArrayCompr", "SetCompr", "ObjectCompr"}
_NAME = "commodore_operand_"


class _Edit(NamedTuple):
    start: int
    end: int
    text: bytes


def explicit(text: str, tree: Tree) -> str:
    """The text of a module with bound operands; lines stay where they are."""
    source = text.encode()
    edits: list[_Edit] = []
    for statement in _negated(tree["ast"]["rules"]):
        edits += _bound(source, statement, len(edits))
    if not edits:
        return text
    starts = {edit.start for edit in edits}
    for query in _bodies(tree["ast"]["rules"]):
        start, end = query["span"]["start"], query["span"]["end"]
        if source[start : start + 1] != b"{" and any(start <= one < end for one in starts):
            edits += [_Edit(start, start, b"{ "), _Edit(end, end, b" }")]
    for edit in sorted(edits, key=_last_first, reverse=True):
        source = source[: edit.start] + edit.text + source[edit.end :]
    return source.decode()


def wildcards(tree: Tree) -> Iterator[int]:
    """Lines of negated expressions with a `_` that stands for a value: OPA refuses them."""
    for statement in _negated(tree["ast"]["rules"]):
        expression = statement["literal"]["NotExpr"]["expr"]
        if any(_has_wildcard(one) for one in _operands(expression)):
            yield statement["span"]["line"]


def _has_wildcard(value: object) -> bool:
    """Outside of comprehensions, which have variables of their own."""
    if isinstance(value, list):
        return any(map(_has_wildcard, value))
    if not isinstance(value, dict) or value.keys() & _DEFINED:
        return False
    variable = value.get("Var")
    if isinstance(variable, dict) and variable["value"] == "_":
        return True
    return any(map(_has_wildcard, value.values()))


def _last_first(edit: _Edit) -> tuple[int, int, bool]:
    # At one position a brace comes before what is bound.
    return edit.start, edit.end, edit.text != b"{ "


def _negated(value: object) -> Iterator[Tree]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            literal = one.get("literal")
            if isinstance(literal, dict) and "NotExpr" in literal:
                yield one
            waiting += one.values()


def _bodies(rules: object) -> Iterator[Tree]:
    for rule in rules if isinstance(rules, list) else ():
        for body in rule.get("Spec", {}).get("bodies", ()):
            yield body["query"]


def _bound(source: bytes, statement: Tree, count: int) -> Iterator[_Edit]:
    """Edits for the operands of a negated statement."""
    modifiers = statement.get("with_mods") or ()
    replaced = b"".join(b" " + _text(source, one) for one in modifiers)
    start = statement["span"]["start"]
    bound = b""
    for operand in _operands(statement["literal"]["NotExpr"]["expr"]):
        ((kind, content),) = operand.items()
        if kind in _SCALARS or kind in _DEFINED or content.get("value") == "_":
            continue
        if '"NotExpr"' in json.dumps(operand):
            continue
        name = f"{_NAME}{count}".encode()
        count += 1
        bound += name + b" := " + _text(source, content) + replaced + b"; "
        span = content["span"]
        yield _Edit(span["start"], span["end"], name)
    if bound:
        yield _Edit(start, start, bound)


def _text(source: bytes, node: Tree) -> bytes:
    return source[node["span"]["start"] : node["span"]["end"]]


def _operands(expression: Tree) -> Iterator[Tree]:
    """What OPA evaluates before it negates an expression."""
    ((kind, content),) = expression.items()
    if kind == "Call":
        yield from content["params"]
    elif kind in ("BoolExpr", "AssignExpr") and content["op"] == "Eq":
        for side in (content["lhs"], content["rhs"]):
            if side.keys() & _REFERENCES:
                yield from _indexes(side)
            elif "Var" not in side:
                yield side
    elif kind in ("BoolExpr", "ArithExpr", "BinExpr"):
        yield from (content["lhs"], content["rhs"])
    elif kind == "Membership":
        yield from (content[name] for name in ("key", "value", "collection") if content[name])
    elif kind in _REFERENCES:
        yield from _indexes(expression)


def _indexes(reference: Tree) -> Iterator[Tree]:
    here = reference
    while here.keys() & _REFERENCES:
        ((_, content),) = here.items()
        if "index" in content and not content["index"].keys() & {"Var"}:
            yield content["index"]
        here = content["refr"]
