"""One target, loaded again with its layers: normal runs do not keep them.

A path is followed through the layers: which ones set, merge or remove the value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.inventory.engine.loader import META, Loader
from commodore_py.inventory.engine.merge import ConstantKey
from commodore_py.inventory.engine.render import meta_of
from commodore_py.inventory.engine.resolver import Resolver
from commodore_py.inventory.engine.values import (
    Map,
    Reference,
    Sequence,
    Stack,
    Token,
    Unresolved,
    Value,
    plain_key,
)
from commodore_py.inventory.paths import Index
from commodore_py.model.problem import Place

from .lookups import Lookup, lookup, lookups_in, resolved
from .places import items_of, pairs_of
from .steps import ABSENT, Layer, Step, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    import yaml

    from commodore_py.errors import CommodoreError
    from commodore_py.inventory.engine.classes import ClassFiles
    from commodore_py.inventory.engine.reader import ClassFile
    from commodore_py.model.spot import ParameterPath

    Source: TypeAlias = tuple[str, Callable[[], Mapping[str, yaml.Node]]]
    """The file of a class, or of the target itself without a name, and what reads its nodes."""


class _Recorder(Loader):
    """Loads one target, and keeps its layers and its failures."""

    def __init__(self, files: ClassFiles, target: str, source_of: Callable[[str], Source]) -> None:
        super().__init__(files, missing_ok=False)
        itself = Map({META: meta_of(target)})
        self.layers = [Layer(META, META, (f"target {target}",), itself, "set by commodore itself")]
        self.failures: list[tuple[CommodoreError, tuple[str, ...]]] = []
        self._source_of = source_of

    def merged(self, name: str, absolute: str, chain: tuple[str, ...], content: ClassFile) -> None:
        """Keep a layer."""
        source = self._source_of(absolute)
        layer = Layer(name, absolute or name, chain, content.parameters, *source)
        self.layers.append(layer)

    def failed(self, error: CommodoreError, chain: tuple[str, ...]) -> None:
        """Keep a failure."""
        self.failures.append((error, chain))


class Replay:
    """One target: its layers in the order in which they are merged, and its failures."""

    def __init__(
        self,
        files: ClassFiles,
        target: str,
        content: ClassFile,
        source_of: Callable[[str], Source],
    ) -> None:
        self.target = target
        recorder = _Recorder(files, target, source_of)
        self.state = recorder.load(content, meta_of(target), name=target)
        self.layers, self.failures = recorder.layers, recorder.failures
        self._by_key: dict[Hashable, list[Layer]] = {}
        for layer in self.layers:
            for key in layer.parameters.items:
                self._by_key.setdefault(plain_key(key), []).append(layer)
        self.resolver = Resolver(self.state.parameters)
        self._known: dict[ParameterPath, tuple[Step, ...]] = {}

    def layers_with(self, key: Hashable) -> list[Layer]:
        """The layers that hold a top-level parameter; those that hold any for None."""
        if key is None:
            return [layer for layer in self.layers if layer.parameters.items]
        layers = self._by_key.get(key)
        if layers is None:  # a number, written as a text in a path
            names = [name for name in self._by_key if str(name) == key]
            layers = self._by_key[names[0]] if names else []
        return layers

    def place_of_application(self, name: str) -> Place | None:
        """Where the highest layer lists an application."""
        for layer in reversed(self.layers):
            for item, line in items_of(layer.fields.get("applications")):
                if item == name:
                    return Place(layer.file, line)
        return None

    def follow(self, path: ParameterPath) -> tuple[Step, ...]:
        """The steps from nothing to the value at a path, lowest layer first."""
        steps = self._known.get(path)
        if steps is None:
            traced = self._steps(path)
            settle(traced, self.resolved)
            steps = self._known[path] = tuple(traced)
        return steps

    def forget_steps(self) -> None:
        """Free the memory of what was followed."""
        self._known.clear()

    def value(self, path: ParameterPath) -> Value:
        """The final value at a path."""
        steps = self.follow(path)
        return steps[-1].after if steps else ABSENT

    def resolved(self, value: Value) -> Value:
        """A value without references; Unresolved if that is impossible."""
        return resolved(value, self.resolver)

    def lookups(self, value: Value) -> Iterator[Lookup]:
        """The references in a value, each once."""
        return lookups_in(value, self.resolver)

    def tokens_in(self, step: Step) -> Iterator[Step]:
        """The strings with references that a layer holds at a path or below."""
        kind = type(step.value)
        if kind is Token:
            yield step
        elif kind is Map and not step.value.static:
            for key in step.value.items:
                for below in self._of_key(step, step.at, key):
                    yield from self.tokens_in(below)
        elif kind is Sequence:
            for index, item in enumerate(step.value.items):
                node = step.node.value[index] if step.node is not None else None
                at = (*step.at, Index(index))
                below = replace(step, at=at, value=item, node=node, key=node or step.key)
                yield from self.tokens_in(below)

    def _steps(self, path: ParameterPath) -> list[Step]:
        steps = [layer.whole() for layer in self.layers_with(path[0] if path else None)]
        for depth, part in enumerate(path):
            # Values are needed only where a list or something other than mappings is on the way.
            if isinstance(part, Index) or any(type(step.value) is not Map for step in steps):
                settle(steps, self.resolved)
            if isinstance(part, Index):
                steps = list(self._item(steps, path[:depth], part))
            else:
                steps = self._below(steps, path[:depth], part)
        return steps

    def _below(self, steps: list[Step], above: ParameterPath, part: Hashable) -> list[Step]:
        narrowed: list[Step] = []
        constant: set[Hashable] = set()
        for step in steps:
            below = list(self._of_key(step, above, part))
            if step.resets or self._is_null(step):
                constant.clear()
                if not below and narrowed:
                    below = [replace(step, value=ABSENT, resets=True)]
            mapping = self.resolved(step.value) if type(step.value) is Token else step.value
            if type(mapping) is Map:
                again = sorted(constant & mapping.items.keys(), key=str)
                if part in again:
                    below[0].error = ConstantKey.named(part)
                elif again and above:
                    # An error anywhere in a mapping leaves it without values.
                    error = ConstantKey.named(again[0])
                    below = [replace(step, value=ABSENT, error=error, within=False)]
                constant |= mapping.constant
            narrowed += below
        return narrowed

    def _of_key(self, step: Step, above: ParameterPath, part: Hashable) -> Iterator[Step]:
        """The steps of a layer for a key, given its step for the mapping."""
        if step.error is not None and not step.within:
            yield replace(step, value=ABSENT)
            return
        value, lookup = step.value, step.lookup
        if type(value) is Token:
            lookup, value = self._through(value)
            if type(value) is Unresolved:
                yield replace(step, value=ABSENT, error=value.error, lookup=lookup)
                return
        if type(value) is not Map:
            return
        key = _named(value, part)
        if key is ABSENT:
            return
        held = value.items[key]
        values = held.layers if type(held) is Stack else (held,)
        pairs = pairs_of(step.node, key)[-len(values) :] if lookup is None else []
        for index, value_of_key in enumerate(values):
            key_node, node = pairs[index] if index < len(pairs) else (step.key, None)
            overrides = key in value.overriding and index == 0
            written = str(key_node.value) if lookup is None and key_node is not None else ""
            yield Step(
                step.layer,
                (*above, key) if lookup is None else step.at,
                value_of_key,
                node,
                key_node,
                constant=key in value.constant and index == len(values) - 1,
                resets=index == 0 and (overrides or step.resets),
                mark=written if overrides else step.mark,
                lookup=lookup and lookup.below(key, value_of_key),
            )

    def _through(self, token: Token) -> tuple[Lookup | None, Value]:
        """The value of a string with references, and the reference if it is just one."""
        match token.parts:
            case (Reference() as reference,):
                return lookup(reference, self.resolver), self.resolved(token)
        return None, self.resolved(token)

    def _item(self, steps: list[Step], above: ParameterPath, index: Index) -> Iterator[Step]:
        """The step that added an item to a list; items are not merged, so there is one at most."""
        left = int(index)
        live = self.since_reset(steps)
        for step in live:
            if step.error is not None:
                yield replace(step, value=ABSENT)
                return
        for step in live:
            if step.value is ABSENT:
                continue
            lookup, resolved = step.lookup, self.resolved(step.value)
            if type(resolved) is Unresolved:
                yield replace(step, value=ABSENT, error=resolved.error)
                return
            items = _items(resolved)
            if left >= len(items):
                left -= len(items)
                continue
            value: Value = items[left]
            node = None
            if type(step.value) is Token:
                lookup = self._through(step.value)[0]
            elif lookup is None:
                value = _items(step.value)[left]
                node = step.node.value[left] if step.node is not None else None
            at = (*above, Index(left)) if lookup is None else step.at
            below = lookup and lookup.below(Index(left), value)
            yield Step(step.layer, at, value, node, node or step.key, lookup=below)
            return

    def since_reset(self, steps: Iterable[Step]) -> list[Step]:
        """The steps from the last one on that discards the values before."""
        live: list[Step] = []
        for step in steps:
            if step.resets or self._is_null(step):
                live = []
            live.append(step)
        return live

    def clash_with(self, steps: tuple[Step, ...], step: Step) -> Step | None:
        """The lower layer that a step cannot be merged over."""
        for other in reversed(self.since_reset(steps[: steps.index(step)])):
            if isinstance(step.error, ConstantKey):
                if other.constant:
                    return other
            elif other.value is not None and other.value is not ABSENT:
                return other
        return None

    def _is_null(self, step: Step) -> bool:
        if step.error is not None or type(step.value) in (Map, Sequence, list):
            return False  # without resolving a large mapping
        return self.resolved(step.value) is None


def _named(value: Map, part: Hashable) -> Hashable:
    if part in value.items:
        return part
    for key in value.items:
        if not isinstance(key, str) and str(key) == part:
            return key
    absent: Hashable = ABSENT
    return absent


def _items(value: Value) -> list[Value]:
    if type(value) is Sequence:
        return value.items
    return value if type(value) is list else []
