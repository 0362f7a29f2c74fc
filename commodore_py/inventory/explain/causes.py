"""Why a parameter cannot be resolved: the string or the layers that cause it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.merge import Conflict, ConstantKey
from commodore_py.inventory.engine.resolver import KeyMissing, Loop
from commodore_py.inventory.engine.values import (
    ResolveError,
    Sequence,
    Token,
    Unresolved,
    kind_of,
    unresolved_in,
)
from commodore_py.inventory.paths import dotted
from commodore_py.model.names import did_you_mean, nearest

from .steps import ABSENT

if TYPE_CHECKING:
    from commodore_py.model.spot import ParameterPath

    from .lookups import Lookup
    from .replay import Replay
    from .steps import Step

_EARLY = "component defaults are not known yet while packages and components are looked for"
# References that are longer chained than that fail for their number, wherever they lead.
_MOST_PATHS = 128


class Causes:
    """Finds root causes in one target; `early` if components are not known yet."""

    def __init__(self, replay: Replay, *, early: bool) -> None:
        self._replay = replay
        self._early = early

    def of(self, path: ParameterPath) -> CommodoreError | None:
        """Why the parameter at a path cannot be resolved, with its places; None if it can."""
        return self._of(path, set())

    def _of(self, path: ParameterPath, seen: set[ParameterPath]) -> CommodoreError | None:
        if path in seen or len(seen) > _MOST_PATHS:
            return None
        seen.add(path)
        steps = self._replay.follow(path)
        value = steps[-1].after if steps else ABSENT
        if type(value) is not Unresolved:
            # A mapping can be resolved although some of its values cannot.
            causes = (self._of((*path, *below), seen) for below, _ in unresolved_in(value, ()))
            return next(filter(None, causes), None)
        for step in steps:
            if step.error is value.error and isinstance(step.error, (Conflict, ConstantKey)):
                return self._clash(path)
        for step in reversed(steps):
            if step.error is not None or type(self._replay.resolved(step.value)) is Unresolved:
                cause = self._of_value(self._failing_value(step), seen)
                if cause is not None:
                    return cause
        return None

    def _clash(self, path: ParameterPath) -> CommodoreError | None:
        """Two layers that cannot be merged, at a path or above it."""
        for length in range(1, len(path) + 1):
            above = path[:length]
            for step in self._replay.follow(above):
                if not _is_clash(step):
                    continue
                if isinstance(step.error, ConstantKey):
                    inner = (*above, step.error.key)
                    for inner_step in self._replay.follow(inner):
                        if _is_clash(inner_step):
                            return self._of_clash(inner, inner_step)
                return self._of_clash(above, step)
        return None

    def _of_clash(self, path: ParameterPath, step: Step) -> CommodoreError:
        other = self._replay.clash_with(self._replay.follow(path), step)
        name = dotted(path)
        if isinstance(step.error, ConstantKey):
            message = f"parameters.{name} is constant and cannot be overwritten"
            words = ("sets it again", "makes it constant")
            hint = "remove the later value, or the `=` in front of the key"
        else:
            message = f"parameters.{name}: {step.error}"
            words = (self._kind(step), self._kind(other) if other else "")
            hint = f"give both the same kind, or replace the lower one: `~{path[-1]}:`"
        places = [f"{step.place} ({words[0]})"]
        if other is not None:
            places.append(f"{other.place} ({words[1]})")
        return CommodoreError(message, where="\n".join(places), hint=hint)

    def _kind(self, step: Step) -> str:
        kind = kind_of(self._replay.resolved(step.value))
        return f"{kind}, through {step.value.text}" if type(step.value) is Token else kind

    def _failing_value(self, step: Step) -> Step:
        """The string that fails in a list, or the whole value of a layer."""
        if type(step.value) is Sequence:
            for inner in self._replay.tokens_in(step):
                if type(self._replay.resolved(inner.value)) is Unresolved:
                    return inner
        return step

    def _of_value(self, step: Step, seen: set[ParameterPath]) -> CommodoreError | None:
        """The cause in a string with references, or in a parameter that it looks up."""
        if step.lookup is not None:
            return self._of_lookup(step, step.lookup, seen)
        for lookup in self._replay.lookups(step.value):
            if lookup.error is not None:
                return self._of_lookup(step, lookup, seen)
        error = step.error or getattr(self._replay.resolved(step.value), "error", None)
        return self._here(step, error) if error is not None else None

    def _of_lookup(
        self, step: Step, lookup: Lookup, seen: set[ParameterPath]
    ) -> CommodoreError | None:
        for inner in lookup.inner:
            if inner.error is not None:
                return self._of_lookup(step, inner, seen)
        error = lookup.error or step.error or getattr(lookup.value, "error", None)
        if isinstance(error, Loop):
            return self._loop(error)
        path = ":".join(map(str, lookup.path))
        if not (isinstance(error, KeyMissing) and error.path == path) and lookup.path:
            deeper = self._of(lookup.path, seen)
            if deeper is not None:
                return deeper
        return self._here(step, error, lookup.written) if error is not None else None

    def _here(self, step: Step, error: ResolveError, written: str = "") -> CommodoreError:
        where = f"{step.place}\nparameters.{dotted(step.at)}"
        if not isinstance(error, KeyMissing):
            return CommodoreError(str(error), where=where)
        # The part of the path up to the key that is missing.
        parts = error.path.split(":")
        above = parts[: parts.index(error.key)] if error.key in parts else []
        missing = ".".join((*above, error.key))
        message = f"{written or f'${{{error.path}}}'} cannot be resolved: {missing} not found"
        return CommodoreError(message, where=where, hint=self._hint(error, missing))

    def _hint(self, error: KeyMissing, missing: str) -> str:
        is_fact = missing == f"facts.{error.key}"
        listed = "add it to the facts of the cluster, which are" if is_fact else "there are"
        hint = did_you_mean(error.key, error.present, listed=listed)
        if not self._early or is_fact:
            return hint
        # Similar names are a guess; that defaults are missing is certain.
        return f"{hint} ({_EARLY})" if nearest(error.key, error.present) else _EARLY

    def _loop(self, error: Loop) -> CommodoreError:
        """All references of a loop, in a fixed order."""
        start = error.ring.index(min(error.ring))
        ring = (*error.ring[start:], *error.ring[:start])
        names = " -> ".join(f"${{{name}}}" for name in (*ring, ring[0]))
        places = []
        for name, following in zip(ring, (*ring[1:], ring[0]), strict=True):
            step = self._holder(tuple(name.split(":")), tuple(following.split(":")))
            if step is not None:
                places.append(f"{step.place} ({dotted(step.at)})")
        return CommodoreError(
            f"references form a loop: {names}",
            where="\n".join(dict.fromkeys(places)),
            hint="replace one of the references by a value",
        )

    def _holder(self, path: ParameterPath, referenced: ParameterPath) -> Step | None:
        """The layer below a path that holds a reference to another path."""
        for step in reversed(self._replay.follow(path)):
            for inner in self._replay.tokens_in(step):
                if any(lookup.path == referenced for lookup in self._replay.lookups(inner.value)):
                    return inner
        return None


def _is_clash(step: Step) -> bool:
    """Test for a layer that is the cause itself, not one that sets a parameter above."""
    return isinstance(step.error, (Conflict, ConstantKey)) and step.value is not ABSENT
