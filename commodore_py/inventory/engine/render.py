"""Render targets: the same nodes as reclass-rs gives, with the work shared between targets.

A parameter resolves to the same value wherever it and all parameters that its references look up
have the same layers. Which ones were looked up is known after resolving.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, SeveralErrors, raise_collected
from commodore_py.inventory.paths import dotted
from commodore_py.model.inventory import CLASSES, Node, NodeFields

from .loader import Loader
from .reader import read
from .resolver import Resolver
from .values import (
    Layers,
    Map,
    ResolveError,
    Unresolved,
    is_broken,
    plain,
    plain_key,
    unresolved_in,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from commodore_py.inventory.targets import Target
    from commodore_py.model.spot import ParameterPath

    from .classes import ClassFiles
    from .loader import State
    from .reader import ClassFile

_MISSING = object()
MOST_ERRORS = 100
"""Errors of a target after which the rest of it is not resolved."""


class ParameterError(CommodoreError):
    """A parameter of a target cannot be resolved."""

    path: ParameterPath


class TargetsFailed(SeveralErrors):
    """Targets that cannot be resolved, each with its errors."""

    by_target: Mapping[str, CommodoreError]

    @classmethod
    def of(cls, failed: Mapping[str, CommodoreError]) -> TargetsFailed:
        """Keep the error of each target."""
        error = cls(
            f"the hierarchy cannot be resolved for {len(failed)} targets", errors=failed.values()
        )
        error.by_target = failed
        return error


def render_targets(
    files: ClassFiles,
    targets: Mapping[str, Target],
    uris: Mapping[str, str],
    *,
    missing_ok: bool,
) -> dict[str, Node]:
    """Every target's node; with `missing_ok`, missing classes are ignored."""
    engine = Engine(files, missing_ok=missing_ok)
    nodes: dict[str, Node] = {}
    failed: dict[str, CommodoreError] = {}
    for name, target in targets.items():
        try:
            nodes[name] = engine.render(name, target, uris[name])
        except CommodoreError as error:
            failed[name] = error
    if failed:
        raise TargetsFailed.of(failed)
    return nodes


class Engine:
    """Renders targets over one set of class files, and keeps what they share."""

    def __init__(self, files: ClassFiles, *, missing_ok: bool) -> None:
        self._loader = Loader(files, missing_ok=missing_ok)

    def render(self, name: str, target: Target, uri: str) -> Node:
        """One target's node."""
        # The classes, hundreds of names, are what they are: they need not be written and read.
        text = yaml.dump({key: value for key, value in target.items() if key != "classes"})
        content = read(text, name=f"target {name}")
        classes = tuple(target.get("classes", ()))
        return self.render_content(name, replace(content, classes=classes), uri)

    def render_content(self, name: str, content: ClassFile, uri: str) -> Node:
        """The node of a target whose file was read already."""
        try:
            state = self._loader.load(content, meta_of(name), name=name)
            parameters = _resolved(name, state.parameters)
        except RecursionError:
            # reclass-rs has a larger stack, and crashes when that is used up.
            raise CommodoreError(
                "parameters are nested too deeply", where=f"target {name}"
            ) from None
        return _node(name, uri, state, parameters)


def meta_of(name: str) -> Map:
    """`_reclass_`, as every target has it."""
    names = Map({"full": name, "parts": [name], "path": name, "short": name})
    return Map({"environment": "base", "name": names})


def _resolved(target: str, parameters: Mapping[Hashable, Layers]) -> dict[Any, Any]:
    """The parameters of a target as plain values; what cannot be resolved is raised."""
    resolver = Resolver(parameters)
    values: dict[Any, Any] = {}
    errors: list[CommodoreError] = []
    for key, layers in parameters.items():
        value = _shared_result(layers, parameters)
        if value is _MISSING:
            value = _new_result(layers, parameters, resolver)
        values[plain_key(key)] = value
        if is_broken(value):
            errors += _errors(target, key, value)
            if len(errors) >= MOST_ERRORS:
                break
    raise_collected(errors, f"target {target} cannot be resolved")
    return values


def _shared_result(layers: Layers, parameters: Mapping[Hashable, Layers]) -> Any:
    """The result of another target that has the same layers of all that was looked up."""
    get = parameters.get
    for names, results in layers.results.items():
        result = results.get(tuple(map(get, names)), _MISSING)
        if result is not _MISSING:
            return result
    return _MISSING


def _new_result(layers: Layers, parameters: Mapping[Hashable, Layers], resolver: Resolver) -> Any:
    """A parameter as plain values, or as it is if parts of it could not be resolved."""
    resolver.visited = set()
    try:
        value = resolver.resolve(layers.value)
    except ResolveError as error:
        value = Unresolved(error)
    names = tuple(sorted(resolver.looked_up()))
    result = value if is_broken(value) else plain(value)
    layers.results.setdefault(names, {})[tuple(map(parameters.get, names))] = result
    return result


def _errors(target: str, key: Hashable, value: Any) -> Iterable[ParameterError]:
    for path, unresolved in unresolved_in(value, (str(key),)):
        where = f"target {target}: parameters.{dotted(path)}"
        error = ParameterError(str(unresolved.error), where=where)
        error.path = path
        yield error


def _node(name: str, uri: str, state: State, parameters: dict[Any, Any]) -> Node:
    applications = state.applications.names
    fields = {
        "__reclass__": {
            "node": name,
            "name": name,
            "uri": uri,
            "environment": "base",
            "timestamp": datetime.now(UTC).astimezone().strftime("%c"),
        },
        "applications": list(applications),
        CLASSES: state.included,
        "environment": "base",
        "exports": {},
        "parameters": parameters,
    }
    return Node(name, parameters, applications, state.included, NodeFields(fields))
