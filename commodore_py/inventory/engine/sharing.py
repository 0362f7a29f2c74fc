"""Share resolved parameters between targets.

A parameter resolves to the same value wherever it and all that its references look up have the same
layers. Which parameters were looked up is known after resolving. Layers are the same if they are
one object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .lasting import Lasting
from .templates import Marks, template_of
from .values import MISSING, ResolveError, Unresolved, Value, is_broken, is_dynamic, plain

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from .resolver import KnownScalar, Resolver
    from .templates import Template


@dataclass(frozen=True, slots=True)
class Resolved:
    """A parameter as plain values, or as it is if parts of it could not be resolved."""

    value: Any
    broken: bool = False


class SharedResults:
    """Results by parameter, layers and looked up parameters."""

    def __init__(self) -> None:
        self._static: dict[int, tuple[Value, Resolved]] = {}
        # For each parameter and its layers: what was looked up, then results by the values found.
        self._dynamic: dict[
            tuple[Hashable, int], dict[tuple[str, ...], dict[tuple[int, ...], Resolved]]
        ] = {}
        # The keys above are identities: none of the objects may be freed.
        self._alive: list[Value] = []
        self._templates: dict[int, Template | None] = {}
        self._target = _Target({})
        self._last: Lasting[Hashable, Resolved] = Lasting()
        """Results of this target, and until then of the one before."""
        self._scalars: Lasting[int, KnownScalar] = Lasting()
        """What tokens are, by their identity: equal texts are one token."""

    def of(
        self, parameters: Mapping[Hashable, Value], resolver: Resolver, *, most_broken: int
    ) -> Mapping[Hashable, Resolved]:
        """The parameters of a target, resolved now or for an earlier target.

        Once so many have parts that cannot be resolved, those that follow are left out.
        """
        self._begin(parameters)
        last = self._last.results
        for key in [key for key in parameters if key not in last]:
            looked_up, result = self._shared(key, parameters[key], resolver)
            self._last.add(key, result, looked_up)
            most_broken -= result.broken
            if most_broken <= 0:
                break
        return last

    def _begin(self, parameters: Mapping[Hashable, Value]) -> None:
        """Keep what is the same as for the target before: nearly everything."""
        before = self._target.parameters
        changed = {
            key for key, value in parameters.items() if before.get(key, MISSING) is not value
        }
        changed.update(before.keys() - parameters.keys())
        for key in changed:
            self._last.results.pop(key, None)
        self._last.forget(changed)
        self._scalars.forget(changed)
        self._target = _Target(parameters)

    def _shared(
        self, key: Hashable, value: Value, resolver: Resolver
    ) -> tuple[tuple[str, ...], Resolved]:
        """The result for the same layers, and the parameters looked up."""
        if not is_dynamic(value):
            known = self._static.get(id(value))
            if known is None or known[0] is not value:
                known = self._static[id(value)] = (value, Resolved(plain(value)))
            return (), known[1]
        results = self._dynamic.setdefault((key, id(value)), {})
        identities = self._target.identities
        for looked_up, by_identity in results.items():
            found = by_identity.get(identities(looked_up))
            if found is not None:
                return looked_up, found
        result, looked_up = self._resolved_now(value, resolver, again=bool(results))
        self._alive += [value, *self._target.values(looked_up)]
        results.setdefault(looked_up, {})[identities(looked_up)] = result
        return looked_up, result

    def _resolved_now(
        self, value: Value, resolver: Resolver, *, again: bool
    ) -> tuple[Resolved, tuple[str, ...]]:
        """The same by resolving now; `again` with the layers that another target has."""
        resolver.visited = set()
        result = self._filled(value, resolver) if again else None
        if result is None:
            resolver.visited = set()
            result = _plainly(value, resolver)
        return result, tuple(sorted(resolver.looked_up()))

    def _filled(self, value: Value, resolver: Resolver) -> Resolved | None:
        """The result if only scalars differ from those of other targets."""
        if id(value) not in self._templates:
            self._templates[id(value)] = _template(value, resolver)
        template = self._templates[id(value)]
        scalars = resolver.scalars(template.tokens, self._scalars) if template else None
        return Resolved(template.filled(scalars)) if template and scalars else None


class _Target:
    """The parameters of a target before they are resolved: many results depend on the same ones."""

    def __init__(self, parameters: Mapping[Hashable, Value]) -> None:
        self.parameters = parameters
        self._identities: dict[tuple[str, ...], tuple[int, ...]] = {}

    def values(self, names: tuple[str, ...]) -> list[Value]:
        """Some of them; what is missing has a value of its own."""
        get = self.parameters.get
        return [get(name, MISSING) for name in names]

    def identities(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """What some of them are."""
        found = self._identities.get(names)
        if found is None:
            found = self._identities[names] = tuple(map(id, self.values(names)))
        return found


def _plainly(value: Value, resolver: Resolver) -> Resolved:
    try:
        resolved = resolver.resolve(value)
    except ResolveError as error:
        resolved = Unresolved(error)
    broken = is_broken(resolved)
    return Resolved(resolved if broken else plain(resolved), broken)


def _template(value: Value, resolver: Resolver) -> Template | None:
    marks = Marks()
    try:
        resolved = resolver.marked(value, marks)
    except ResolveError:
        return None
    return None if is_broken(resolved) else template_of(plain(resolved), marks)
