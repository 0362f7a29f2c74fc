"""The request of an edit, how it is validated, and which of its effects are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.problem import Place, Problem
from commodore_py.problems.ignore_file import NAME
from commodore_py.problems.judge import verdict_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.model.verdict import Verdict

Level = Literal["cluster", "tenant", "global"]
Verb = Literal["set", "unset", "add", "remove"]


class UnknownName(CommodoreError):
    """An edit names a target, a component or an application that does not exist."""

    problem_code = "edit/unknown-name"


@dataclass(frozen=True, slots=True)
class Request:
    """A change of a parameter, or of the list of applications."""

    verb: Verb
    path: str
    value: Any = None
    """What is set, added or removed."""
    level: Level = "cluster"
    at: Path | None = None
    """A class file; otherwise the layer is looked for."""
    target: str = ""
    """The target whose layers count; all have the same classes of tenant and global repository."""
    item: str = ""
    """The key or the text of an item of the list at the path, which is set or removed."""

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"


_HINT = (
    "nothing was written; --dry-run shows all changes. If you want them: edit the file by hand, or"
    f" ignore the code %s in {NAME} of the global configuration"
)
KNOWN_ERROR = "edit/still-broken"
_NOTHING_WRITTEN = "the edit is refused; nothing was written"


@dataclass(frozen=True, slots=True)
class Rules:
    """How an edit is validated, and what is accepted."""

    strict: bool = False
    dry_run: bool = False
    clusters: tuple[str, ...] = ()
    """Other clusters to validate, by their ids."""
    commit: bool = False
    push: bool = False
    """Also push the commit."""
    author: str = ""
    """The author of the commit, if it is not the user of this process."""
    base: str = ""
    """The version of the configuration that the edit is based on; any if empty."""


def judged(problems: Sequence[Problem], rules: Rules, global_folder: Path | None) -> Verdict:
    """Problems that count; raises if any fails the edit. The folder may have an ignore file."""
    folders = () if global_folder is None else (global_folder,)
    verdict = verdict_of(problems, folders, strict=rules.strict)
    if not rules.dry_run:
        failing = [problem.as_error(_HINT % problem.code) for problem in verdict.failing]
        raise_collected(failing, _NOTHING_WRITTEN)
    return verdict


def of_changes(diff: ObjectDiff) -> list[Problem]:
    """The changes of objects that harm, as problems."""
    return [
        Problem.at(
            Place(object=str(object_change.id)),
            f"change/{object_change.grade}",
            f"the edit would {_HARM[object_change.grade]}: {object_change.id}",
        )
        for object_change in diff.objects
        if object_change.grade in _HARM
    ]


_HARM = {
    "data-loss": "lose data",
    "recreate": "delete and create again",
    "outage": "interrupt",
}


def known_error(error: CommodoreError) -> Problem:
    """An error that is there without the edit, too."""
    return Problem(f"not caused by the edit: {error}", where=error.where, code=KNOWN_ERROR)
