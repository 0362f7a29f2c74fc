"""Render all targets: the same nodes as reclass-rs gives, with the work shared between targets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.inventory.paths import dotted

from .loader import Loader
from .merge import LayerCache
from .nodes import ResolvedTarget, TargetsFailed
from .reader import read
from .resolver import Resolver
from .sharing import SharedResults
from .values import Map, plain_key, unresolved_in

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from commodore_py.inventory.targets import Target
    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import ParameterPath

    from .classes import ClassFiles
    from .reader import ClassFile
    from .sharing import Resolved


MOST_ERRORS = 100
"""Errors of a target after which the rest of it is not resolved."""


class ParameterError(CommodoreError):
    """A parameter of a target cannot be resolved."""

    path: ParameterPath


class Engine:
    """Renders targets over one set of class files, and caches what they share."""

    def __init__(self, files: ClassFiles, *, missing_ok: bool) -> None:
        self._cache = LayerCache()
        self._loader = Loader(files, self._cache, missing_ok=missing_ok)
        self._shared = SharedResults()

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
            return self._render(name, content, uri)
        except RecursionError:
            # reclass-rs has a larger stack, and crashes when that is used up.
            raise CommodoreError(
                "parameters are nested too deeply", where=f"target {name}"
            ) from None

    def _render(self, name: str, content: ClassFile, uri: str) -> Node:
        meta = meta_of(name)
        loaded = self._loader.load(content, meta, name=name)
        resolver = Resolver(loaded.parameters, self._cache)
        found = self._shared.of(loaded.parameters, resolver, most_broken=MOST_ERRORS)
        raise_collected(
            _errors(name, loaded.parameters, found), f"target {name} cannot be resolved"
        )
        parameters = {
            key if type(key) is str else plain_key(key): found[key].value
            for key in loaded.parameters
        }
        applications = loaded.applications.names
        return ResolvedTarget(parameters, applications, loaded.included).node(name, uri)


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


def meta_of(name: str) -> Map:
    """`_reclass_`, as every target has it."""
    names = Map()
    names.items = {"full": name, "parts": [name], "path": name, "short": name}
    meta = Map()
    meta.items = {"environment": "base", "name": names}
    return meta


def _errors(
    target: str, keys: Iterable[Hashable], found: Mapping[Hashable, Resolved]
) -> list[CommodoreError]:
    """What cannot be resolved, in the order of the parameters."""
    broken = {key: one.value for key, one in found.items() if one.broken}
    errors: list[CommodoreError] = []
    for key in keys if broken else ():
        for path, unresolved in unresolved_in(broken.get(key), (str(key),)):
            where = f"target {target}: parameters.{dotted(path)}"
            error = ParameterError(str(unresolved.error), where=where)
            error.path = path
            errors.append(error)
        if len(errors) >= MOST_ERRORS:
            break
    return errors
