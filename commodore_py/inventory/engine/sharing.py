"""Resolved parameters that several targets have in common, or that an earlier run has resolved.

A parameter comes out the same wherever it has the same layers, and so has every parameter that its
references looked at. What was looked at is known once it was resolved. Within a run, values are the
same if they are one object; from one run to the next, if they have the same mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .marks import MISSING
from .values import ResolveError, Unresolved, Value, is_broken, is_dynamic, plain

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from .marks import Marks
    from .resolver import Resolver

Record: TypeAlias = "tuple[str, bytes, tuple[str, ...], tuple[bytes, ...], Any]"
"""A parameter, the mark of its layers, what was looked at with its marks, and what it came to."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A parameter's value, also without our classes unless it is broken."""

    value: Value
    plain: Any
    broken: bool


class SharedResults:
    """Results by parameter, layers and what was looked at."""

    def __init__(self, marks: Marks | None = None, earlier: Iterable[Record] = ()) -> None:
        self._static: dict[int, tuple[Value, Resolved]] = {}
        # For each parameter and its layers: what was looked at, then results by what was there.
        self._dynamic: dict[
            tuple[Hashable, int], dict[tuple[str, ...], dict[tuple[int, ...], Resolved]]
        ] = {}
        # The keys above are identities: nothing they stand for may be freed.
        self._alive: list[Value] = []
        self._marks = marks
        self._earlier: dict[
            tuple[str, bytes], dict[tuple[str, ...], dict[tuple[bytes, ...], Record]]
        ] = {}
        for record in earlier:
            key, mark, looked_at, seen, _ = record
            of_layers = self._earlier.setdefault((key, mark), {})
            of_layers.setdefault(looked_at, {})[seen] = record
        self.records: list[Record] = []
        """What a later run may go by."""

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
        get = parameters.get
        for looked_at, by_identity in results.items():
            found = by_identity.get(tuple([id(get(one, MISSING)) for one in looked_at]))
            if found is not None:
                return found
        return self._resolve(key, value, parameters, resolver, results)

    def _resolve(
        self,
        key: Hashable,
        value: Value,
        parameters: Mapping[Hashable, Value],
        resolver: Resolver,
        results: dict[tuple[str, ...], dict[tuple[int, ...], Resolved]],
    ) -> Resolved:
        mark = self._marks.of(value) if self._marks and type(key) is str else None
        record = self._found(key, mark, parameters)
        if record is None:
            result, looked_at = _anew(value, resolver)
            record = (
                None if result.broken else self._record(key, mark, parameters, looked_at, result)
            )
        else:
            result, looked_at = Resolved(value, record[4], broken=False), record[2]
        if record is not None:
            self.records.append(record)
        values = [parameters.get(one, MISSING) for one in looked_at]
        self._alive += [value, *values]
        results.setdefault(looked_at, {})[tuple(map(id, values))] = result
        return result

    def _found(
        self, key: Hashable, mark: bytes | None, parameters: Mapping[Hashable, Value]
    ) -> Record | None:
        known = self._earlier.get((str(key), mark)) if mark else None
        for looked_at, by_marks in known.items() if known else ():
            seen = self._seen(parameters, looked_at)
            if seen is not None and seen in by_marks:
                return by_marks[seen]
        return None

    def _record(
        self,
        key: Hashable,
        mark: bytes | None,
        parameters: Mapping[Hashable, Value],
        looked_at: tuple[str, ...],
        result: Resolved,
    ) -> Record | None:
        seen = self._seen(parameters, looked_at) if mark else None
        return (
            None
            if mark is None or seen is None
            else (str(key), mark, looked_at, seen, result.plain)
        )

    def _seen(
        self, parameters: Mapping[Hashable, Value], looked_at: tuple[str, ...]
    ) -> tuple[bytes, ...] | None:
        if self._marks is None:
            return None
        marks = [self._marks.of(parameters.get(one, MISSING)) for one in looked_at]
        known = tuple(mark for mark in marks if mark is not None)
        return known if len(known) == len(marks) else None


def _anew(value: Value, resolver: Resolver) -> tuple[Resolved, tuple[str, ...]]:
    resolver.visited = set()
    try:
        resolved = resolver.resolve(value)
    except ResolveError as error:
        resolved = Unresolved(error)
    broken = is_broken(resolved)
    result = Resolved(resolved, None if broken else plain(resolved), broken)
    return result, tuple(sorted(resolver.looked_up()))
