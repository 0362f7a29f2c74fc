"""Resolved parameters that several targets have in common.

A parameter comes out the same wherever it has the same layers, and so has every parameter that its
references looked at. What was looked at is known once it was resolved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .values import ResolveError, Unresolved, Value, is_broken, is_dynamic, plain

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from .interpolate import Resolver


@dataclass(frozen=True, slots=True)
class Resolved:
    """A parameter's value, also without our classes unless it is broken."""

    value: Value
    plain: Any
    broken: bool


class SharedResults:
    """Results by parameter, layers and what was looked at."""

    def __init__(self) -> None:
        self._static: dict[int, tuple[Value, Resolved]] = {}
        # For each parameter and its layers: what was looked at, then results by what was there.
        self._dynamic: dict[
            tuple[Hashable, int], dict[tuple[str, ...], dict[tuple[int, ...], Resolved]]
        ] = {}
        # The keys above are identities: nothing they stand for may be freed.
        self._alive: list[Value] = []

    def resolve(
        self,
        key: Hashable,
        value: Value,
        parameters: Mapping[Hashable, Value],
        resolver: Resolver,
    ) -> Resolved:
        """A parameter of a target, resolved now or for an earlier target."""
        if not is_dynamic(value):
            known = self._static.get(id(value))
            if known is None or known[0] is not value:
                known = self._static[id(value)] = (value, Resolved(value, plain(value), False))  # noqa: FBT003 - a field, not a flag
            return known[1]
        results = self._dynamic.setdefault((key, id(value)), {})
        for looked_at, by_identity in results.items():
            found = by_identity.get(tuple(id(parameters.get(one)) for one in looked_at))
            if found is not None:
                return found
        return self._resolve(value, parameters, resolver, results)

    def _resolve(
        self,
        value: Value,
        parameters: Mapping[Hashable, Value],
        resolver: Resolver,
        results: dict[tuple[str, ...], dict[tuple[int, ...], Resolved]],
    ) -> Resolved:
        resolver.visited = set()
        try:
            resolved = resolver.resolve(value)
        except ResolveError as error:
            resolved = Unresolved(error)
        broken = is_broken(resolved)
        result = Resolved(resolved, None if broken else plain(resolved), broken)
        looked_at = tuple(sorted(resolver.looked_up()))
        values = [parameters.get(one) for one in looked_at]
        self._alive += [value, *values]
        results.setdefault(looked_at, {})[tuple(map(id, values))] = result
        return result
