"""Parameters of a component against its own schema, `class/defaults.schema.json`, or its defaults.

The schema is JSON Schema 2020-12 about the merged parameters below the key of the component, with
three keywords of ours: secrets, values that other parameters such as facts list, and messages.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.errors import CommodoreError
from commodore_py.inventory.paths import dotted, path_parts
from commodore_py.model.names import did_you_mean
from commodore_py.model.problem import Place, Problem
from commodore_py.model.spot import nowhere

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.inventory import Instance, Inventory, Parameters
    from commodore_py.model.spot import ParameterPath, PlaceOf

_Json: TypeAlias = Any

FILE = "class/defaults.schema.json"
_LARGEST = 1 << 22
_SECRET = "x-commodore-secret"  # noqa: S105 - a keyword
_OPTIONS = "x-commodore-options"
_MESSAGE = "x-commodore-message"
_REFERENCE = re.compile(r"\?\{.+\}", re.DOTALL)
_TEXT_RULES = frozenset({"const", "enum", "format", "maxLength", "minLength", "pattern"})
_MOST = 20


@dataclass(frozen=True, slots=True)
class Legal:
    """Values that a schema accepts at a path, the most likely first."""

    values: tuple[Any, ...] = ()
    options_at: str = ""
    """A path of a parameter: its keys or items are legal, too."""
    secret: bool = False


def read_schema(file: Path) -> dict[str, Any] | None:
    """The schema in a file; None if there is none. One that cannot be used is an error."""
    if not file.is_file():
        return None
    from jsonschema import Draft202012Validator, SchemaError

    try:
        schema = json.loads(content_of(file, limit=_LARGEST))
        if not isinstance(schema, dict):
            raise CommodoreError("the schema of parameters is not a mapping", where=str(file))
        remote = sorted(value for value in _values_of("$ref", schema) if not value.startswith("#"))
        if remote:
            raise CommodoreError(
                f"the schema of parameters refers to another file: {remote[0]}",
                where=str(file),
                hint="define it below $defs",
            )
        for path in _values_of(_OPTIONS, schema):
            path_parts(path)
        Draft202012Validator.check_schema(schema)
    except (ValueError, RecursionError) as error:
        raise CommodoreError(f"not valid JSON: {error}", where=str(file)) from error
    except SchemaError as error:
        at = "/".join(map(str, error.absolute_path))
        raise CommodoreError(
            f"not a valid schema: {error.message}", where=f"{file} {at}"
        ) from error
    return schema


@dataclass(frozen=True, slots=True)
class Subject:
    """An instance, and the schema that its component may have."""

    instance: Instance
    file: Path
    parameters: Parameters


def subjects_of(inventory: Inventory, classes: ClassPath) -> Iterator[Subject]:
    """The instances of an inventory."""
    for instance in inventory.instances:
        component = classes.component(instance.name)
        node = inventory.nodes.get(instance.name)
        if component is not None and node is not None:
            yield Subject(instance, component.directory / FILE, node.parameters)


def problems_of(subjects: Iterable[Subject], place_of: PlaceOf = nowhere) -> Iterator[Problem]:
    """Problems of the parameters of instances whose components have a schema."""
    schemas: dict[str, dict[str, Any] | None] = {}
    for subject in subjects:
        instance, file = subject.instance, str(subject.file)
        if file not in schemas:
            try:
                schemas[file] = read_schema(subject.file)
            except CommodoreError as error:
                schemas[file] = None
                place = Place(error.where, field=instance.component_key)
                yield Problem.at(place, "parameters/bad-schema", str(error), remedy=error.hint)
        schema = schemas[file]
        if schema is not None:
            value = subject.parameters.get(instance.component_key, {})
            problems = _problems(schema, value, instance, subject.parameters)
            for parts, problem in problems:
                yield placed(problem, place_of(instance.name, parts))


def placed(problem: Problem, where: str) -> Problem:
    """The problem with a file and line, if these are known."""
    file, _, number = where.rpartition(":")
    if not number.isdecimal():
        return problem
    place = problem.place._replace(file=file, line=int(number))
    return problem._replace(place=place, where=str(place))


def legal_at(schema: Mapping[str, Any], path: Iterable[object]) -> Legal:
    """Values that a schema accepts at a path below the key of its component."""
    current: Any = _resolved(schema, schema)
    for part in path:
        properties = current.get("properties", {})
        inner = properties.get(str(part), current.get("additionalProperties", {}))
        current = _resolved(schema, inner if isinstance(inner, dict) else {})
    values = list(current.get("enum", ()))
    if "const" in current:
        values.append(current["const"])
    if current.get("type") == "boolean":
        values += [True, False]
    values += [example for example in current.get("examples", ()) if example not in values]
    return Legal(tuple(values), str(current.get(_OPTIONS, "")), current.get(_SECRET) is True)


def _problems(
    schema: dict[str, Any], value: _Json, instance: Instance, parameters: Parameters
) -> Iterator[tuple[ParameterPath, Problem]]:
    """Problems, each with the path of its parameter."""
    name, key = instance.name, instance.key
    validator = _validator(schema, parameters)
    plain = json.loads(json.dumps(value, default=str))
    for number, error in enumerate(validator.iter_errors(plain)):
        if number == _MOST:
            return
        secret = isinstance(error.schema, dict) and error.schema.get(_SECRET) is True
        if secret and error.validator in _TEXT_RULES:
            continue  # a secret reference satisfies them; anything else is an error already
        parts = (key, *error.absolute_path)
        at = tuple(f"[{part}]" if isinstance(part, int) else part for part in parts)
        if error.validator == "additionalProperties":
            for problem in _unknown_keys(error, name, parts):
                yield (*at, problem.subject), problem
        elif error.validator == "required" and _MESSAGE not in error.schema:
            yield at, _missing(error, schema, name, parts)
        else:
            legal = _options(error.schema, parameters) if error.validator == _OPTIONS else None
            yield at, _problem(error, name, parts, legal, secret=secret)


def _validator(schema: dict[str, Any], parameters: Parameters) -> _Json:
    """A validator that knows our keywords, and what they refer to."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    def options_rule(_: _Json, __: _Json, value: _Json, schema: _Json) -> Iterator[Exception]:
        legal = _options(schema, parameters)
        if legal is not None and value not in legal:
            yield ValidationError("is not an option")

    def enum_rule(
        validator: _Json, legal: _Json, value: _Json, schema: _Json
    ) -> Iterator[Exception]:
        if _options(schema, parameters) is None:
            yield from Draft202012Validator.VALIDATORS["enum"](validator, legal, value, schema)

    rules = {_SECRET: _secret_rule, _OPTIONS: options_rule, "enum": enum_rule}
    return validators.extend(Draft202012Validator, rules)(schema)


def _problem(
    error: _Json,
    instance: str,
    parts: tuple[Hashable, ...],
    legal: list[_Json] | None,
    *,
    secret: bool,
) -> Problem:
    path = dotted(parts)
    options: tuple[str, ...] = ()
    if error.validator in ("enum", "const"):
        legal = error.validator_value if error.validator == "enum" else [error.validator_value]
    if secret:
        message = f"{path} must be a secret reference, such as ?{{vaultkv:…}}"
    elif isinstance(error.schema, dict) and _MESSAGE in error.schema:
        message = f"{path}: {error.schema[_MESSAGE]}"
        options = tuple(map(inline, legal or ()))
    elif legal is not None:
        options = tuple(map(inline, legal))
        message = f"{path}: {inline(error.instance)} is not one of {', '.join(options)}"
    else:
        rule = f"{error.validator} {inline(error.validator_value)}"
        message = f"{path}: {inline(error.instance)} violates {rule}"
    place = Place(instance=instance, field=path)
    remedy = f"legal values: {', '.join(options)}" if options else ""
    return Problem.at(place, "parameters/schema", message, options=options, remedy=remedy)


def _missing(error: _Json, schema: _Json, instance: str, parts: tuple[Hashable, ...]) -> Problem:
    """A required parameter, which jsonschema names in its message alone."""
    names = [name for name in error.validator_value if name not in error.instance]
    name = next((name for name in names if error.message.startswith(repr(name))), names[0])
    path = dotted((*parts, name))
    legal = legal_at(schema, (*parts[1:], name))
    options = tuple(map(inline, legal.values))
    value = "?{vaultkv:…}" if legal.secret else options[0] if options else "VALUE"
    return Problem.at(
        Place(instance=instance, field=path),
        "parameters/schema",
        f"{path} is missing, and the component needs it",
        options=options,
        remedy=f"set it: commodore edit set {path} {value}"
        + (f"; legal values: {', '.join(options)}" if options else ""),
    )


def _unknown_keys(error: _Json, instance: str, parts: tuple[Hashable, ...]) -> Iterator[Problem]:
    declared = list(error.schema.get("properties", {}))
    for name in sorted(str(key) for key in error.instance if key not in declared):
        if name.startswith("_"):
            continue
        yield Problem.at(
            Place(instance=instance, field=dotted((*parts, name))),
            "parameters/unknown-key",
            f"the component does not know {dotted((*parts, name))}",
            subject=name,
            options=tuple(declared),
            remedy=did_you_mean(name, declared),
        )


def _secret_rule(_: _Json, is_secret: _Json, value: _Json, __: _Json) -> Iterator[Exception]:
    """The rule of `x-commodore-secret`; its message never has the value."""
    from jsonschema import ValidationError

    if is_secret is True and not (isinstance(value, str) and _REFERENCE.fullmatch(value)):
        yield ValidationError("must be a secret reference")


def _options(schema: _Json, parameters: Parameters) -> list[_Json] | None:
    """The legal values of `x-commodore-options`; None if nothing lists them."""
    path = schema.get(_OPTIONS)
    if not isinstance(path, str):
        return None
    listed: _Json = parameters
    for part in path_parts(path):
        listed = listed.get(part) if isinstance(listed, dict) else None
    if listed is None:
        return None
    return [*schema.get("enum", ()), *(listed if isinstance(listed, dict | list) else [listed])]


def _values_of(keyword: str, schema: _Json) -> Iterator[str]:
    """The texts of a keyword anywhere in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get(keyword), str):
            yield schema[keyword]
        for value in schema.values():
            yield from _values_of(keyword, value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _values_of(keyword, item)


def _resolved(root: Mapping[str, Any], schema: _Json) -> Mapping[str, Any]:
    """The schema behind a reference within the file."""
    for _ in range(_MOST):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            break
        current: Any = root
        for part in reference.lstrip("#/").split("/"):
            current = current.get(part, {}) if isinstance(current, dict) and part else current
        schema = current
    return schema if isinstance(schema, dict) else {}
