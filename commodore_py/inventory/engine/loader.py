"""Load class lists to layers per parameter: what targets have in common is merged once.

Class lists of targets differ in their last class, few before: the state after all but the last is
kept by these classes, and each target continues from a copy of it. The layers of a parameter are
kept by the classes that set them, so they are one object in all targets that have the same.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean

from .classes import ClassFiles, absolute_name
from .reader import Applications, ClassFile
from .references import parse
from .resolver import Resolver
from .values import Layers, Map, ResolveError, Stack, Token, Value, stacked

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

log = logging.getLogger(__name__)

META = "_reclass_"
"""The parameter that names the target: the only one that differs before any class is loaded."""
_ROOT = PurePosixPath()


class HierarchyError(CommodoreError):
    """The hierarchy cannot be resolved."""

    chain: tuple[str, ...] = ()
    """The includes from the target to the class with the mistake."""
    subject: Hashable = None
    """The included class, as written, or the parameter."""


class MissingClass(HierarchyError):
    """An included class does not exist."""

    name: str
    """The absolute name of the class."""


class ConstantParameter(HierarchyError):
    """A parameter that was made constant is set again."""


@dataclass(slots=True)
class State:
    """The result of the classes that are merged so far."""

    meta: Map
    parameters: dict[Hashable, Layers]
    constant: frozenset[Hashable] = frozenset()
    applications: Applications = field(default_factory=Applications)
    included: tuple[tuple[str, ...], ...] = ()
    """The lists of included classes, in the order in which they were merged."""
    seen: set[str] = field(default_factory=set)
    """The classes that are merged."""
    is_shared: bool = True
    """False if a class name depends on the name of the target."""

    def of_target(self, meta: Map) -> State:
        """A copy for another target, with the name of that target as the lowest layer."""
        parameters = dict(self.parameters)
        value = parameters[META].value
        if value is self.meta:
            parameters[META] = Layers(meta)
        elif type(value) is Stack and value.layers[0] is self.meta:
            parameters[META] = Layers(Stack((meta, *value.layers[1:])))
        return replace(self, meta=meta, parameters=parameters, seen=set(self.seen))


class Loader:
    """Loads classes for any number of targets."""

    def __init__(self, files: ClassFiles, *, missing_ok: bool) -> None:
        self._files = files
        self._missing_ok = missing_ok
        self._states: dict[tuple[str, ...], State] = {}
        self._lowest: dict[tuple[Hashable, str], Layers] = {}
        """The first layer of each parameter, by the class that sets it."""

    def merged(self, name: str, absolute: str, chain: tuple[str, ...], content: ClassFile) -> None:
        """Receive a class, or finally the target itself, when it is merged: for subclasses."""

    def failed(self, error: CommodoreError, chain: tuple[str, ...]) -> None:  # noqa: ARG002
        """Receive an error; where it is not raised, loading continues without its subject."""
        raise error

    def load(self, target: ClassFile, meta: Map, *, name: str) -> State:
        """The layers of a target, before references are resolved."""
        itself = f"target {name}"
        chain = (itself,)
        names = _absolute_names(target, _ROOT)
        shared, last = names[:-1], names[-1:]
        state = self._states.get(shared)
        if state is not None:
            state = state.of_target(meta)
        else:
            state = State(meta, {META: Layers(meta)})
            self._include(state, shared, chain, _ROOT)
            if state.is_shared:
                self._states[shared] = state.of_target(meta)
        self._include(state, last, chain, _ROOT)
        self.merged(itself, "", chain, target)
        self._merge(state, target, names, "", chain)
        return state

    def _include(
        self, state: State, names: Iterable[str], chain: tuple[str, ...], folder: PurePosixPath
    ) -> None:
        """Merge all classes that a file in this folder includes."""
        for written in names:
            name = self._resolved(written, state, chain) if "${" in written else written
            if name is None or name in state.seen:
                continue
            absolute = absolute_name(name, folder)
            if absolute not in self._files:
                self._missing(absolute, written, chain)
            # The first of the chain is the target, which may have the name of a class.
            elif name in chain[1:]:
                circle = HierarchyError(
                    "classes include each other in a circle: "
                    + " -> ".join((*chain[chain.index(name, 1) :], name)),
                    where=" -> ".join(chain),
                    hint="remove one of the includes",
                )
                self._fail(circle, chain, written)
            else:
                self._class(state, name, absolute, (*chain, name))

    def _class(self, state: State, name: str, absolute: str, chain: tuple[str, ...]) -> None:
        try:
            content = self._files.load(absolute)
        except CommodoreError as error:
            self.failed(error, chain[:-1])
            content = ClassFile()
        folder = self._files.folder(absolute)
        names = _absolute_names(content, folder)
        self._include(state, names, chain, folder)
        self.merged(name, absolute, chain, content)
        self._merge(state, content, names, absolute, chain)
        state.seen.add(name)

    def _merge(
        self,
        state: State,
        content: ClassFile,
        included: tuple[str, ...],
        source: str,
        chain: tuple[str, ...],
    ) -> None:
        """Merge what a class adds, or the target itself, which is no source."""
        more, parameters = content.parameters, state.parameters
        for key, value in more.items.items():
            below = parameters.get(key)
            if below is not None and key in state.constant:
                constant = ConstantParameter(
                    f"constant parameter {key} cannot be overwritten",
                    where=str(self._files.path(source)) if source else chain[0],
                    hint=f"a class that was merged before set it as ={key}",
                )
                self._fail(constant, chain, key)
            else:
                kept = None if key in more.overriding else below
                parameters[key] = self._layers(key, kept, value, source)
        state.constant |= more.constant
        state.applications = state.applications.merged(content.applications)
        if included:
            state.included = (*state.included, included)

    def _layers(self, key: Hashable, below: Layers | None, value: Value, source: str) -> Layers:
        """A value over the layers that a parameter has; the same object for the same classes."""
        if not source:
            return Layers(value if below is None else stacked(below.value, value))
        if below is not None:
            return below.plus(value, source)
        lowest = self._lowest.get((key, source))
        if lowest is None:
            lowest = self._lowest[key, source] = Layers(value)
        return lowest

    def _resolved(self, written: str, state: State, chain: tuple[str, ...]) -> str | None:
        token = parse(written)
        if not isinstance(token, Token):
            return str(token)
        resolver = Resolver(state.parameters)
        try:
            name = resolver.text(token)
        except ResolveError as error:
            failure = HierarchyError(
                f"class name {written} cannot be resolved: {error}",
                where=" -> ".join(chain),
                hint="a class name may only use parameters of classes that are included before it",
            )
            failure.__cause__ = error
            self._fail(failure, chain, written)
            return None
        if META in resolver.looked_up():
            state.is_shared = False
        return name

    def _fail(self, error: HierarchyError, chain: tuple[str, ...], subject: Hashable) -> None:
        error.chain, error.subject = chain, subject
        self.failed(error, chain)

    def _missing(self, name: str, written: str, chain: tuple[str, ...]) -> None:
        if self._missing_ok:
            log.info("class %s not found, ignored", name)
            return
        error = MissingClass(
            f"class {name} not found",
            where=" -> ".join(chain),
            hint=did_you_mean(
                name,
                self._files.names(),
                otherwise="check the spelling, or add the package that provides it",
            ),
        )
        error.name = name
        self._fail(error, chain, written)


def _absolute_names(content: ClassFile, folder: PurePosixPath) -> tuple[str, ...]:
    """The classes that a file in this folder includes."""
    names = (absolute_name(name, folder) if name[:1] == "." else name for name in content.classes)
    return tuple(dict.fromkeys(names))
