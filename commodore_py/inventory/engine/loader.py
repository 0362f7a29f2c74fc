"""Load class lists to layers per parameter: every prefix of a class list is loaded once."""

from __future__ import annotations

import difflib
import functools
import logging
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from commodore_py.errors import CommodoreError

from .additions import Recording
from .classes import ClassFiles, absolute_name
from .reader import Applications, ClassFile
from .references import parse
from .resolver import Resolver
from .values import Map, ResolveError, Stack, Token, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from .additions import Addition
    from .merge import LayerCache

log = logging.getLogger(__name__)

Includes: TypeAlias = "tuple[Includes | None, tuple[str, ...]]"
"""Lists of included classes, the last one first; what is before it is shared."""

RUN = 16
"""As many classes of a target's list are added at once: lists part at few places."""
MOST_ADDITIONS = 4
"""Of a run: where more lists before it differ in what it depends on, it is merged again."""

META = "_reclass_"
"""The parameter that names the target: the only one that differs before any class is loaded."""


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


class UnresolvedName(HierarchyError):
    """A class name holds a reference that cannot be resolved."""


class ConstantParameter(HierarchyError):
    """A parameter that was made constant is set again."""


class Observer(Protocol):
    """Receives each step of loading a target, and its failures; normal runs have none."""

    def merged(self, name: str, absolute: str, chain: tuple[str, ...], content: ClassFile) -> None:
        """Called when a class, or at last the target itself, is merged."""

    def failed(self, error: CommodoreError, chain: tuple[str, ...]) -> None:
        """Called with an error that would end the loading; with an observer it goes on."""


class Loaded(NamedTuple):
    """All that the classes of a target say, before references are resolved."""

    parameters: dict[Hashable, Value]
    applications: Applications
    included: tuple[tuple[str, ...], ...]


class State:
    """The result of a list of classes: the state before, and what one more class has added.

    Never changed, as seen from outside. Of a list that no other one shares, only the last state
    has all parameters; those of others are put together again when they are asked for.
    """

    __slots__ = (
        "_all",
        "_before",
        "_includes",
        "added",
        "applications",
        "constant",
        "next",
        "seen",
    )

    def __init__(  # noqa: PLR0917 - one after the other, as they are merged
        self,
        before: State | None,
        added: dict[Hashable, Value],
        constant: frozenset[Hashable] = frozenset(),
        applications: Applications = Applications(),  # noqa: B008 - frozen
        includes: Includes | None = None,
        seen: int = 0,
    ) -> None:
        self._before = before
        self.added = added
        self._all: dict[Hashable, Value] | None = before.handed_on(added) if before else {**added}
        self.constant = constant
        self.applications = applications
        self._includes = includes
        self.seen = seen
        """A bit for each class, by its number: thousands of states hold thousands of classes."""
        self.next: dict[str | tuple[str, ...], State] = {}
        """The states after a class more, or after several."""

    @property
    def parameters(self) -> dict[Hashable, Value]:
        """All parameters, with their layers; the next state may change the object."""
        if self._all is None:
            added: list[dict[Hashable, Value]] = []
            state = self
            while state._all is None and state._before:
                added.append(state.added)
                state = state._before
            self._all = {**state.parameters}
            for more in reversed(added):
                self._all.update(more)
        return self._all

    def handed_on(self, added: dict[Hashable, Value]) -> dict[Hashable, Value]:
        """All parameters of a state that follows; where lists part, this one needs its own."""
        parameters = self.parameters
        if self.next or not self._before:
            return {**parameters, **added}
        self._all = None
        parameters.update(added)
        return parameters

    def follow(self, before: State) -> None:
        """Have this state follow directly on an earlier one, without those between them."""
        between, state = [], self
        while state is not before and state._before:
            between.append(state.added)
            state = state._before
        self.added = {key: value for added in reversed(between) for key, value in added.items()}
        self._before = before

    def includes(self, more: tuple[str, ...]) -> Includes | None:
        """The lists of included classes so far, with one more."""
        return (self._includes, more) if more else self._includes

    @property
    def included(self) -> tuple[tuple[str, ...], ...]:
        """The lists of included classes, in the order in which they were merged."""
        lists, rest = [], self._includes
        while rest:
            rest, names = rest
            lists.append(names)
        return tuple(reversed(lists))


_ROOT = PurePosixPath()

# Stands for the target's own `_reclass_` while a state is shared by several targets.
_TARGET = Map()


class Loader:
    """Loads classes for any number of targets."""

    def __init__(
        self,
        files: ClassFiles,
        cache: LayerCache,
        *,
        missing_ok: bool,
        observer: Observer | None = None,
    ) -> None:
        self._files = files
        self._observer = observer
        self._cache = cache
        self._missing_ok = missing_ok
        self._start = State(None, {META: _TARGET})
        self._stacks: dict[int, Stack] = {}
        self._bits: dict[str, int] = {}
        self._names_by_target = 0
        self._additions: dict[tuple[str, ...], list[Addition]] = {}
        """What classes have added that targets include directly, one after the other."""
        self._recording: Recording | None = None

    def load(self, target: ClassFile, meta: Map, *, name: str) -> Loaded:
        """The layers of a target, before references are resolved."""
        itself = f"target {name}"
        chain = (itself,)
        names = _absolute_names(target, _ROOT)
        state = self._start
        if self._observer:
            state = self._include(state, names, meta, chain, _ROOT)
            self._observer.merged(itself, "", chain, target)
        else:
            for run in _runs(names):
                state = state.next.get(run) or self._after_run(state, run, meta, chain)
        state = self._merge(state, target, names, itself, chain)
        return Loaded(_of_target(state.parameters, meta), state.applications, state.included)

    def _after_run(
        self, state: State, names: tuple[str, ...], meta: Map, chain: tuple[str, ...]
    ) -> State:
        """The state after a run of a target's own list: others have the run elsewhere in theirs."""
        additions = self._additions.setdefault(names, [])
        for one in additions:
            if one.fits(state.seen, state.parameters, state.constant):
                known = state.next[names] = self._added_again(state, one)
                return known
        recorded = len(additions) < MOST_ADDITIONS
        recording = self._recording = Recording() if recorded else None
        try:
            merge = functools.partial(self._include, state, names, meta, chain, _ROOT)
            known = self._kept(state, names, merge)
        finally:
            self._recording = None
        if recording and recording.complete and names in state.next:
            additions.append(recording.closed(state.seen, known.seen))
        return known

    def _include(
        self,
        state: State,
        names: tuple[str, ...],
        meta: Map,
        chain: tuple[str, ...],
        folder: PurePosixPath,
    ) -> State:
        """The state after all classes that a file in this folder includes."""
        for written in names:
            name = self._resolved(written, state, meta, chain) if "${" in written else written
            if name is None or self._is_merged(name, state):
                continue
            absolute = absolute_name(name, folder)
            if absolute not in self._files:
                self._missing(absolute, written, chain)
                continue
            # The first of the chain is the target, which may have the name of a class.
            if name in chain and name in chain[1:]:
                self._fail(_circle(name, chain), chain, written)
                continue
            key = name if name == absolute else f"{name}\0{absolute}"
            known = state.next.get(key)
            if known is None:
                merge = functools.partial(self._class, state, name, absolute, meta, chain)
                known = self._kept(state, key, merge)
            elif self._recording:
                self._recording.complete = False
            state = known
        return state

    def _is_merged(self, name: str, state: State) -> bool:
        bit = self._bits.setdefault(name, 1 << len(self._bits))
        if self._recording:
            self._recording.examined(bit)
        return bool(state.seen & bit)

    def _kept(self, state: State, key: str | tuple[str, ...], merge: Callable[[], State]) -> State:
        """The state after some classes more, which is noted in the state before them."""
        before, others = self._names_by_target, len(state.next)
        known = merge()
        if self._names_by_target == before and known is not state:
            while len(state.next) > others:
                state.next.popitem()  # states between: the last is enough
            known.follow(state)
            state.next[key] = known
        return known

    def _added_again(self, state: State, addition: Addition) -> State:
        known = state.parameters
        return State(
            state,
            {
                key: value if replaces else self._over(known, key, value)
                for key, value, replaces in addition.parameters
            },
            state.constant.union(addition.constant) if addition.constant else state.constant,
            functools.reduce(Applications.merged, addition.applications, state.applications),
            state.includes(addition.includes),
            state.seen | addition.seen,
        )

    def _class(
        self, state: State, name: str, absolute: str, meta: Map, chain: tuple[str, ...]
    ) -> State:
        content = self._content(absolute, chain)
        folder = self._files.folder(absolute)
        chain = (*chain, name)
        names = _absolute_names(content, folder)
        state = self._include(state, names, meta, chain, folder)
        if self._observer:
            self._observer.merged(name, absolute, chain, content)
        state = self._merge(state, content, names, str(self._files.path(absolute)), chain)
        state.seen |= self._bits[name]
        return state

    def _content(self, absolute: str, chain: tuple[str, ...]) -> ClassFile:
        try:
            return self._files.load(absolute)
        except CommodoreError as error:
            if self._observer is None:
                raise
            self._observer.failed(error, chain)
            return ClassFile()

    def _merge(
        self,
        state: State,
        content: ClassFile,
        included: tuple[str, ...],
        place: str,
        chain: tuple[str, ...],
    ) -> State:
        """A new state, with what a file adds."""
        constant = content.parameters.constant
        if self._recording:
            self._recording.merged(content, included, state.parameters)
        return State(
            state,
            self._added(state, content.parameters, place, chain),
            state.constant.union(constant) if constant else state.constant,
            state.applications.merged(content.applications),
            state.includes(included),
            state.seen,
        )

    def _added(
        self, state: State, more: Map, place: str, chain: tuple[str, ...]
    ) -> dict[Hashable, Value]:
        if not more.items:
            return {}
        added: dict[Hashable, Value] = {}
        known = state.parameters
        for key, value in more.items.items():
            if key in known and key in state.constant:
                self._fail(_constant(key, place), chain, key)
            else:
                added[key] = value if key in more.overriding else self._over(known, key, value)
        return added

    def _over(self, known: Mapping[Hashable, Value], key: Hashable, value: Value) -> Value:
        """A value over the layers that a parameter has."""
        return self._stack(known[key]).plus(value) if key in known else value

    def _stack(self, value: Value) -> Stack:
        """A value as the lowest layer of a stack; the same stack for the same value."""
        if isinstance(value, Stack):
            return value
        stack = self._stacks.get(id(value))
        if stack is None or stack.layers[0] is not value:
            stack = self._stacks[id(value)] = Stack((value,))
        return stack

    def _resolved(
        self, written: str, state: State, meta: Map, chain: tuple[str, ...]
    ) -> str | None:
        token = parse(written)
        if not isinstance(token, Token):
            return str(token)
        resolver = Resolver(_of_target(state.parameters, meta), self._cache)
        try:
            name = resolver.text(token)
        except ResolveError as error:
            failure = UnresolvedName(
                f"class name {written} cannot be resolved: {error}",
                where=_included_by(chain),
                hint="a class name may only use parameters of classes that are included before it",
            )
            failure.__cause__ = error
            self._fail(failure, chain, written)
            return None
        looked_up = resolver.looked_up()
        if META in looked_up:
            self._names_by_target += 1
        if self._recording:
            self._recording.looked_up(looked_up, state.parameters)
        return name

    def _fail(self, error: HierarchyError, chain: tuple[str, ...], subject: Hashable) -> None:
        error.chain, error.subject = chain, subject
        if self._observer is None:
            raise error
        self._observer.failed(error, chain)

    def _missing(self, name: str, written: str, chain: tuple[str, ...]) -> None:
        if self._missing_ok:
            log.info("class %s not found, ignored", name)
            return
        close = difflib.get_close_matches(name, self._files.names(), n=3)
        error = MissingClass(
            f"class {name} not found",
            where=_included_by(chain),
            hint=f"did you mean {' or '.join(close)}?"
            if close
            else "check the spelling, or add the package that provides it",
        )
        error.name = name
        self._fail(error, chain, written)


def _absolute_names(content: ClassFile, folder: PurePosixPath) -> tuple[str, ...]:
    """The classes that a file in this folder includes."""
    names = (absolute_name(one, folder) if one[:1] == "." else one for one in content.classes)
    return tuple(dict.fromkeys(names))


def _runs(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A target's classes: first several at a time; the last, of which some are its own, alone."""
    alone = max(0, len(names) // RUN - 1) * RUN
    yield from (names[start : start + RUN] for start in range(0, alone, RUN))
    yield from ((name,) for name in names[alone:])


def _of_target(parameters: Mapping[Hashable, Value], meta: Map) -> dict[Hashable, Value]:
    """Parameters with the target's own `_reclass_` in its place."""
    shared = parameters.get(META)
    if isinstance(shared, Stack) and shared.layers[0] is _TARGET:
        return {**parameters, META: Stack((meta, *shared.layers[1:]))}
    return {**parameters, META: meta} if shared is _TARGET else dict(parameters)


def _constant(key: Hashable, place: str) -> ConstantParameter:
    return ConstantParameter(
        f"constant parameter {key} cannot be overwritten",
        where=place,
        hint=f"a class that was merged before set it as ={key}",
    )


def _circle(name: str, chain: tuple[str, ...]) -> HierarchyError:
    circle = (*chain[chain.index(name, 1) :], name)
    return HierarchyError(
        f"classes include each other in a circle: {' -> '.join(circle)}",
        where=_included_by(chain),
        hint="remove one of the includes",
    )


def _included_by(chain: tuple[str, ...]) -> str:
    return " -> ".join(chain)
