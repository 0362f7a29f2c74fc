"""Errors of a hierarchy with file, line and hint: computed only after a failure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import bytes_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.errors import CommodoreError, SeveralErrors, notes_of, raise_collected
from commodore_py.inventory.engine.loader import ConstantParameter, HierarchyError, MissingClass
from commodore_py.inventory.engine.render import ParameterError

from .causes import Causes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from commodore_py.inventory.engine.render import TargetsFailed
    from commodore_py.model.spot import ParameterPath

    from .hierarchy import Hierarchy
    from .replay import Replay

_FEW = 3
_EXCERPT = 200


@dataclass(frozen=True)
class Context:
    """Circumstances that decide about the meaning of a failure."""

    missing_ok: bool = False
    """Whether missing classes are ignored."""
    early: bool = False
    """Whether components are not known yet."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Repository and version of classes, by their first part."""


@dataclass(slots=True)
class _Problem:
    """One error, and the targets that it affects."""

    error: CommodoreError
    targets: list[str] = field(default_factory=list)

    def named(self) -> CommodoreError:
        """The error, naming a few of its targets."""
        names = self.targets
        few = ", ".join(names[:_FEW])
        more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
        word = "target" if len(names) == 1 else "targets"
        self.error.add_note(f"while resolving {word} {few}{more}")
        return self.error


def diagnose(failure: TargetsFailed, hierarchy: Hierarchy, context: Context) -> CommodoreError:
    """A failure with places, each error once."""
    problems: dict[Hashable, _Problem] = {}
    # By error of the engine, without its target: the problems behind it.
    problems_of: dict[Hashable, list[_Problem]] = {}
    for target, of_target in failure.by_target.items():
        for error in of_target.parts:
            same = _without_target(error)
            if same not in problems_of:
                problems_of[same] = [
                    problems.setdefault(identity, _Problem(located))
                    for identity, located in _causes(hierarchy, context, target, error)
                ]
            for problem in problems_of[same]:
                if target not in problem.targets:
                    problem.targets.append(target)
    errors = tuple(problem.named() for problem in problems.values())
    if len(errors) == 1:
        return errors[0]
    return SeveralErrors(f"the hierarchy cannot be resolved: {len(errors)} problems", errors=errors)


def raise_failures(hierarchy: Hierarchy, replay: Replay) -> None:
    """Refuse a target whose layers are incomplete."""
    errors = [
        _located(hierarchy, Context(), error, chain)
        for error, chain in replay.failures
        if not isinstance(error, ConstantParameter)
    ]
    raise_collected(errors, f"target {replay.target} cannot be resolved")


def _located(
    hierarchy: Hierarchy, context: Context, error: CommodoreError, chain: tuple[str, ...]
) -> CommodoreError:
    """A failure to load a class, with its place."""
    if not isinstance(error, HierarchyError):
        return _with_line(error, hierarchy)
    lines = [str(hierarchy.place_of_class(chain[-1], str(error.subject)))]
    if isinstance(error, MissingClass):
        origin = context.origins.get(error.name.partition(".")[0])
        lines += [f"looked for in {origin}"] if origin else []
    located = _copy(error, where="\n".join(lines), hint=error.hint)
    if len(chain) > 1:
        located.add_note(f"included by {' -> '.join(chain)}")
    return located


def _causes(
    hierarchy: Hierarchy, context: Context, target: str, error: CommodoreError
) -> Iterator[tuple[Hashable, CommodoreError]]:
    """The errors with places that are behind an error of the engine, with their identity."""
    try:
        replay = hierarchy.replay(target)
    except CommodoreError as unreadable:
        yield _identity(unreadable), unreadable
        return
    paths: list[ParameterPath] = []
    for failure, chain in replay.failures:
        if isinstance(failure, ConstantParameter):
            paths.append((str(failure.subject),))
        elif not (context.missing_ok and isinstance(failure, MissingClass)):
            located = _located(hierarchy, context, failure, chain)
            yield _identity(located), located
    if isinstance(error, ParameterError):
        paths.append(error.path)
    causes = Causes(replay, early=context.early)
    for path in paths:
        cause = causes.of(path)
        yield (_identity(cause), cause) if cause is not None else ((path, str(error)), error)


def _with_line(error: CommodoreError, hierarchy: Hierarchy) -> CommodoreError:
    """An error in a file, with the line of the file."""
    if not isinstance(error, YamlError) or not error.line:
        return error
    file = Path(error.file)
    try:
        lines = bytes_of(str(file)).decode(errors="replace").splitlines()
    except OSError:
        lines = []
    place = f"{hierarchy.shown(file)}:{error.line}"
    place += f":{error.column}" if error.column else ""
    if error.line <= len(lines):
        # Of a long line, what is around the column.
        start = max(0, error.column - _EXCERPT // 2)
        place += f"\n  {lines[error.line - 1][start : start + _EXCERPT].rstrip()}"
        if error.column:
            place += f"\n  {' ' * (error.column - 1 - start)}^"
    return _copy(error, where=place, hint=error.hint)


def _without_target(error: CommodoreError) -> Hashable:
    """An error of the engine, equal for all targets that have it."""
    if isinstance(error, ParameterError):
        return error.path, str(error)
    if isinstance(error, HierarchyError):
        return str(error), error.chain[1:]
    return _identity(error)


def _identity(error: CommodoreError) -> Hashable:
    return str(error), error.where


def _copy(error: CommodoreError, *, where: str, hint: str) -> CommodoreError:
    copy = type(error)(str(error), where=where, hint=hint)
    for note in notes_of(error):
        if not note.startswith("while resolving"):
            copy.add_note(note)
    return copy
