"""Conditions of a plan: data, evaluated over the parameters of the cluster (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .findings import Finding, near

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.inventory import Parameters
    from commodore_py.model.spot import ParameterPath

    from .nodes import Condition

_ABSENT = object()
_PAIR = 2
_OPERATORS = ("not", "all", "any", "equals", "in", "exists")


def holds(condition: Condition, parameters: Parameters) -> bool:
    """Return whether a condition without findings is true."""
    if isinstance(condition, bool):
        return condition
    if isinstance(condition, str):
        return value_at(condition, parameters) is True
    ((operator, value),) = condition.items()
    if operator == "not":
        return not holds(value, parameters)
    if operator in {"all", "any"}:
        results = [holds(inner, parameters) for inner in value]
        return all(results) if operator == "all" else any(results)
    if operator == "exists":
        return value_at(value, parameters) is not _ABSENT
    path, expected = value
    value_here = value_at(path, parameters)
    among = expected if operator == "in" else [expected]
    return any(
        (value_here == candidate and isinstance(value_here, bool) == isinstance(candidate, bool))
        for candidate in among
    )


def findings_of(
    condition: Condition, parameters: Parameters, path: ParameterPath
) -> Iterator[Finding]:
    """Why a condition cannot be evaluated."""
    if isinstance(condition, bool):
        return
    if isinstance(condition, str):
        yield from _of_path(condition, parameters, path, boolean=True)
    elif not isinstance(condition, dict) or len(condition) != 1:
        yield _invalid(condition, path)
    else:
        ((operator, value),) = condition.items()
        yield from _of_operator(operator, value, parameters, (*path, operator))


def value_at(name: str, parameters: Parameters) -> Any:
    """The parameter of a name `a.b.c`; a value of its own if there is none."""
    value: Any = parameters
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def with_values(parameters: Parameters, changes: Mapping[str, Any]) -> Parameters:
    """The parameters with other values at some paths."""
    changed = dict(parameters)
    for name, value in changes.items():
        parent: dict[str, Any] = changed
        *above, last = name.split(".")
        for part in above:
            inner = parent.get(part)
            parent[part] = dict(inner) if isinstance(inner, dict) else {}
            parent = parent[part]
        parent[last] = value
    return changed


def _of_operator(
    operator: object, value: Any, parameters: Parameters, path: ParameterPath
) -> Iterator[Finding]:
    if operator == "not":
        yield from findings_of(value, parameters, path)
    elif operator in {"all", "any"} and isinstance(value, list):
        for number, condition in enumerate(value):
            yield from findings_of(condition, parameters, (*path, f"[{number}]"))
    elif operator == "exists" and isinstance(value, str):
        return
    elif operator in {"equals", "in"} and _is_pair(value, lists=operator == "in"):
        yield from _of_path(value[0], parameters, path, boolean=False)
    elif operator in _OPERATORS:
        yield _invalid({operator: value}, path)
    else:
        remedy = near(str(operator), _OPERATORS)
        yield Finding("plan/condition", f"{operator} is not an operator", path, remedy)


def _is_pair(value: Any, *, lists: bool) -> bool:
    if not isinstance(value, list) or len(value) != _PAIR or not isinstance(value[0], str):
        return False
    return isinstance(value[1], list) or not lists


def _of_path(
    name: str, parameters: Parameters, path: ParameterPath, *, boolean: bool
) -> Iterator[Finding]:
    value = value_at(name, parameters)
    if value is _ABSENT:
        text = name.lower() in {"true", "false"}
        remedy = "use a whole ${…}, which keeps the type" if text else _near(name, parameters)
        message = f"the condition names {name}, which is not a parameter of the cluster"
        yield Finding("plan/condition", message, path, remedy)
    elif boolean and not isinstance(value, bool):
        message = f"the condition {name} is not true or false: {value!r}"
        yield Finding("plan/condition", message, path, "use a whole ${…}, which keeps the type")


def _near(name: str, parameters: Parameters) -> str:
    above, _, last = name.rpartition(".")
    inside = value_at(above, parameters) if above else parameters
    names = map(str, inside) if isinstance(inside, dict) else ()
    prefix = f"{above}." if above else ""
    return near(name, (prefix + name for name in names)) if names else near(last, parameters)


def _invalid(condition: object, path: ParameterPath) -> Finding:
    operators = ", ".join(_OPERATORS)
    remedy = f"use a boolean, a path, or one of {operators}"
    return Finding("plan/condition", f"{condition!r} is not a condition", path, remedy)
