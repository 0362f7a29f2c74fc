"""Conditions of a plan: data, evaluated over the parameters of the cluster (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .findings import Finding, near

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.inventory import Parameters
    from commodore_py.model.spot import ParameterPath

    from .nodes import Condition

_ABSENT = object()
_KEEPS_TYPE = "use a whole ${…}, which keeps the type"
_OPERATORS = ("not", "all", "any", "equals", "in", "exists")


def evaluate(
    condition: Condition, parameters: Parameters, path: ParameterPath = ()
) -> tuple[bool, tuple[Finding, ...]]:
    """Return whether a condition is true, and why it cannot be evaluated."""
    if isinstance(condition, bool):
        return condition, ()
    if isinstance(condition, str):
        value, findings = _named(condition, parameters, path)
        if not findings and not isinstance(value, bool):
            message = f"the condition {condition} is not true or false: {value!r}"
            findings = (Finding("plan/condition", message, path, _KEEPS_TYPE),)
        return value is True, findings
    if not isinstance(condition, dict) or len(condition) != 1:
        return False, (_invalid(condition, path),)
    ((operator, operand),) = condition.items()
    return _operation(operator, operand, parameters, (*path, operator))


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


def _operation(
    operator: object, operand: Any, parameters: Parameters, path: ParameterPath
) -> tuple[bool, tuple[Finding, ...]]:
    findings: tuple[Finding, ...] = ()
    match operator, operand:
        case "not", _:
            result, findings = evaluate(operand, parameters, path)
            return not result, findings
        case "all" | "any", list():
            results = [
                evaluate(inner, parameters, (*path, f"[{number}]"))
                for number, inner in enumerate(operand)
            ]
            holding = [result for result, _ in results]
            findings = tuple(finding for _, each in results for finding in each)
            return all(holding) if operator == "all" else any(holding), findings
        case "exists", str():
            return value_at(operand, parameters) is not _ABSENT, findings
        case ("equals", [str() as name, _]) | ("in", [str() as name, list()]):
            value, findings = _named(name, parameters, path)
            among = operand[1] if operator == "in" else [operand[1]]
            result = any(
                value == candidate and isinstance(value, bool) == isinstance(candidate, bool)
                for candidate in among
            )
            return result, findings
    if operator in _OPERATORS:
        return False, (_invalid({operator: operand}, path),)
    remedy = near(str(operator), _OPERATORS)
    return False, (Finding("plan/condition", f"{operator} is not an operator", path, remedy),)


def _named(
    name: str, parameters: Parameters, path: ParameterPath
) -> tuple[Any, tuple[Finding, ...]]:
    """The parameter that a condition names, or why there is none."""
    value = value_at(name, parameters)
    if value is not _ABSENT:
        return value, ()
    text = name.lower() in {"true", "false"}
    remedy = _KEEPS_TYPE if text else _near(name, parameters)
    message = f"the condition names {name}, which is not a parameter of the cluster"
    return value, (Finding("plan/condition", message, path, remedy),)


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
