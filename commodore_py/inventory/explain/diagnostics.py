"""What keeps the hierarchy from being resolved, with places: worked out only after a failure."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, SeveralErrors, notes_of, raise_collected
from commodore_py.inventory.engine.loader import ConstantParameter, HierarchyError, MissingClass
from commodore_py.inventory.engine.render import ParameterError

from .causes import Cause, Causes
from .tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from commodore_py.inventory.engine.nodes import TargetsFailed
    from commodore_py.model.spot import ParameterPath

    from .replay import Hierarchy, Replay

_PLACE = re.compile(r"^(?P<file>[^\n]*?):(?P<line>\d+)(?P<column>:\d+)?$", re.MULTILINE)
_NOT_YET = "component defaults are not known yet while packages and components are looked for"
_FEW = 3


@dataclass(slots=True)
class _Problem:
    """One mistake, and the targets that suffer from it."""

    error: CommodoreError
    targets: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Circumstances:
    """What a failure means depends on when it happens."""

    missing_ok: bool = False
    """Whether classes may be missing."""
    early: bool = False
    """Whether components are still being looked for."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Repository and version of classes, by their first part."""


def located(
    failure: TargetsFailed, hierarchy: Hierarchy, circumstances: Circumstances
) -> CommodoreError:
    """The same failure with places, each mistake once."""
    problems = _Problems(hierarchy, circumstances)
    for target, error in failure.by_target.items():
        problems.add(target, _single(error))
    errors = problems.errors()
    if len(errors) == 1:
        return errors[0]
    return SeveralErrors(f"the hierarchy cannot be resolved: {len(errors)} problems", errors=errors)


def raise_failures(hierarchy: Hierarchy, replay: Replay) -> None:
    """Refuse to go on with a target whose layers are not all there."""
    problems = _Problems(hierarchy, Circumstances())
    errors = [
        problems.of_loading(error, chain)[1]
        for error, chain in replay.failures
        if not isinstance(error, ConstantParameter)
    ]
    raise_collected(errors, f"target {replay.target} cannot be resolved")


def with_line(error: CommodoreError, hierarchy: Hierarchy) -> CommodoreError:
    """A file that cannot be read, with the line that is to blame."""
    match = _PLACE.match(error.where)
    if match is None:
        return error
    file, number = Path(match["file"]), int(match["line"])
    try:
        lines = file.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    place = f"{hierarchy.shown(file)}:{number}{match['column'] or ''}"
    if 0 < number <= len(lines):
        place += f"\n  {lines[number - 1].rstrip()}"
        if match["column"]:
            place += f"\n  {' ' * (int(match['column'][1:]) - 1)}^"
    return _copy(error, where=place)


class _Problems:
    """Collects mistakes; the same one in many targets is one."""

    def __init__(self, hierarchy: Hierarchy, circumstances: Circumstances) -> None:
        self._hierarchy = hierarchy
        self._circumstances = circumstances
        self._found: dict[Hashable, _Problem] = {}
        # What the engine said before, word for word, needs no second look.
        self._alike: dict[Hashable, set[Hashable]] = {}

    def add(self, target: str, errors: Iterable[CommodoreError]) -> None:
        """What went wrong with a target."""
        for error in errors:
            words = _words(error)
            keys = self._alike.get(words)
            if keys is None:
                keys = self._alike[words] = set(self._look_at(target, error))
            for key in keys:
                if target not in self._found[key].targets:
                    self._found[key].targets.append(target)

    def errors(self) -> tuple[CommodoreError, ...]:
        """Each mistake, naming a few of its targets."""
        for problem in self._found.values():
            problem.error.add_note(f"while resolving {_targets(problem.targets)}")
        return tuple(problem.error for problem in self._found.values())

    def of_loading(
        self, error: CommodoreError, chain: tuple[str, ...]
    ) -> tuple[Hashable, CommodoreError]:
        """A failure to put the layers together, and what makes it different from others."""
        if isinstance(error, ConstantParameter):
            raise AssertionError("told like any other parameter")  # noqa: TRY004 - not about types
        if not isinstance(error, HierarchyError):
            told = with_line(error, self._hierarchy)
            return (str(error), told.where), told
        place = str(self._hierarchy.place_of_class(chain[-1], str(error.subject)))
        lines = [place]
        told = _copy(error, where="")
        if isinstance(error, MissingClass):
            name = str(error).split()[1]
            lines += self._looked_for(name)
            close = near(name, self._hierarchy.files.names())
            told.hint = f"did you mean {' or '.join(close)}?" if close else error.hint
        told.where = "\n".join(lines)
        if len(chain) > 1:
            told.add_note(f"included by {' -> '.join(chain)}")
        return (str(error), place), told

    def _looked_for(self, name: str) -> Iterator[str]:
        origin = self._circumstances.origins.get(name.split(".", maxsplit=1)[0])
        if origin:
            yield f"looked for in {origin}"

    def _look_at(self, target: str, error: CommodoreError) -> Iterator[Hashable]:
        try:
            replay = self._hierarchy.replay(target)
        except CommodoreError as unreadable:
            yield self._keep((str(unreadable), unreadable.where), unreadable)
            return
        failures = [
            (failure, chain)
            for failure, chain in replay.failures
            if not (self._circumstances.missing_ok and isinstance(failure, MissingClass))
        ]
        paths: list[ParameterPath] = [
            (str(f.subject),) for f, _ in failures if isinstance(f, ConstantParameter)
        ]
        for failure, chain in failures:
            if not isinstance(failure, ConstantParameter):
                yield self._keep(*self.of_loading(failure, chain))
        if isinstance(error, ParameterError):
            paths.append(error.path)
        causes = Causes(Tracer(replay))
        for path in paths:
            cause = causes.of(path)
            if cause is None:
                yield self._keep((path, str(error)), error)
            else:
                yield self._keep((cause.message, cause.places), self._told(cause))

    def _keep(self, key: Hashable, error: CommodoreError) -> Hashable:
        self._found.setdefault(key, _Problem(error))
        return key

    def _told(self, cause: Cause) -> CommodoreError:
        where = [*cause.places, *([f"parameters.{cause.holder}"] if cause.holder else [])]
        return ParameterError(cause.message, where="\n".join(where), hint=self._hint(cause))

    def _hint(self, cause: Cause) -> str:
        if cause.hint:
            return cause.hint
        if cause.missing is None:
            return ""
        hint = similar(cause.missing, cause.present)
        if not self._circumstances.early:
            return hint
        # Whatever is near is a guess; that defaults are missing is sure.
        return f"{hint} ({_NOT_YET})" if near(cause.missing, cause.present) else _NOT_YET


def near(name: str, known: Iterable[str]) -> list[str]:
    """The names that one may stand for: those that are about as close as the closest."""
    close = difflib.get_close_matches(name, list(known), n=_FEW)
    likeness = [difflib.SequenceMatcher(None, one, name).ratio() for one in close]
    return [one for one, ratio in zip(close, likeness, strict=True) if ratio > likeness[0] - 0.1]


def similar(name: str, known: Iterable[str], otherwise: str = "there are") -> str:
    """What a name may have meant, or a few of the names that there are."""
    names = sorted(known)
    close = near(name, names)
    if close:
        return f"did you mean {' or '.join(close)}?"
    few = names[:8]
    more = len(names) - len(few)
    return f"{otherwise} {', '.join(few)}" + (f" and {more} more" if more else "") if few else ""


def _single(error: CommodoreError) -> Iterator[CommodoreError]:
    if isinstance(error, SeveralErrors):
        for one in error.errors:
            yield from _single(one)
    else:
        yield error


def _words(error: CommodoreError) -> Hashable:
    """What the engine says about an error, without the target."""
    if isinstance(error, ParameterError):
        return error.path, str(error)
    if isinstance(error, HierarchyError):
        return str(error), error.chain[1:]
    return str(error), error.where


def _targets(names: list[str]) -> str:
    few = names[:_FEW]
    more = len(names) - len(few)
    word = "target" if len(names) == 1 else "targets"
    return f"{word} {', '.join(few)}" + (f" and {more} more" if more else "")


def _copy(error: CommodoreError, *, where: str) -> CommodoreError:
    told = type(error)(str(error), where=where, hint=error.hint)
    for note in notes_of(error):
        if not note.startswith("while resolving"):
            told.add_note(note)
    return told
