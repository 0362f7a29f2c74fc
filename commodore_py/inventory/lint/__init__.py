"""Lint: findings about the files of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.inventory.unknown_parameters import defaults_in, misspelled_keys
from commodore_py.model.problems.codes import LINT as RULES
from commodore_py.model.problems.codes import SEVERITIES

from . import file_rules, hierarchy_rules
from .files import finding, read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.codes import Severity

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
    "classes": Linter(in_all=hierarchy_rules.classes),
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


def unknown_parameters(trees: Sequence[Tree], defaults: Path) -> Iterator[Problem]:
    """Parameters with almost the name of a component's; the folder has the defaults of each."""
    components = {
        (key := file.stem.replace("-", "_")): defaults_in(file, key)
        for file in (sorted(defaults.glob("*.yml")) if defaults.is_dir() else ())
    }
    for document in (document for tree in trees for document in tree.documents):
        parameters = document.content.get("parameters")
        for key, given in parameters.items() if isinstance(parameters, dict) else ():
            if isinstance(given, dict):
                for path, meant in misspelled_keys(components.get(key, {}), given):
                    yield finding(
                        "parameters/unknown-key",
                        f"component {key} has no parameter {'.'.join((key, *path))}",
                        document.file,
                        document.line_of("parameters", key, *path),
                        hint=f"did you mean {meant}?",
                    )


def at_least(problems: Iterable[Problem], threshold: Severity) -> bool:
    """Test for a problem with this severity or a higher one."""
    severities = SEVERITIES[: SEVERITIES.index(threshold) + 1]
    return any(problem.severity in severities for problem in problems)


__all__ = ["LINTERS", "RULES", "at_least", "lint", "read_tree", "unknown_parameters"]
