"""Lint: findings about the files of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.model.problems.codes import LINT as RULES
from commodore_py.model.problems.severity import SEVERITIES

from . import file_rules, hierarchy_rules
from .files import read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.severity import Severity

    from .files import Document, Tree


@dataclass(frozen=True, slots=True)
class Linter:
    """The rules for each file, and for all files together."""

    in_a_file: Callable[[Document], Iterable[Problem]] | None = None
    in_all: Callable[[Sequence[Tree]], Iterable[Problem]] | None = None


LINTERS: dict[str, Linter] = {
    "components": Linter(file_rules.components, hierarchy_rules.unused_components),
    "deprecated-parameters": Linter(file_rules.deprecated_parameters),
    "packages": Linter(file_rules.packages, hierarchy_rules.unused_packages),
    "classes": Linter(in_all=hierarchy_rules.unreachable_classes),
}


def lint(trees: Sequence[Tree], linters: Sequence[str]) -> tuple[Problem, ...]:
    """Check files and folders: target by target and linter by linter, in the given order."""
    chosen = [LINTERS[name] for name in linters]
    problems: list[Problem] = []
    for tree in trees:
        problems += tree.findings
        for linter in chosen:
            if linter.in_a_file is not None:
                for document in tree.documents:
                    problems += linter.in_a_file(document)
    for linter in chosen:
        if linter.in_all is not None:
            problems += linter.in_all(trees)
    return tuple(problems)


def at_least(problems: Iterable[Problem], threshold: Severity) -> bool:
    """Test for a problem with this severity or a higher one."""
    severities = SEVERITIES[: SEVERITIES.index(threshold) + 1]
    return any(problem.severity in severities for problem in problems)


__all__ = ["LINTERS", "RULES", "at_least", "lint", "read_tree"]
