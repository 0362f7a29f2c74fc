"""Lint: findings about the files of a hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.inventory.unknown_parameters import defaults_in, misspelled_keys
from commodore_py.manifests.objects import mapping
from commodore_py.model.problems.codes import LINT as RULES

from . import file_rules, hierarchy_rules
from .files import documents_in, finding, read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.model.problem import Problem

    from .files import Tree


LINTERS: dict[str, tuple[Callable[[Sequence[Tree]], Iterable[Problem]], ...]] = {
    "components": (file_rules.components, hierarchy_rules.unused_components),
    "deprecated-parameters": (file_rules.deprecated_parameters,),
    "packages": (file_rules.packages, hierarchy_rules.unused_packages),
    "classes": (hierarchy_rules.unknown_classes, hierarchy_rules.unreachable_classes),
}
"""The rules of each linter."""


def lint(trees: Sequence[Tree], linters: Sequence[str]) -> tuple[Problem, ...]:
    """Check files and folders; files that cannot be read are the first."""
    return (
        *(problem for tree in trees for problem in tree.findings),
        *(problem for name in linters for rule in LINTERS[name] for problem in rule(trees)),
    )


def unknown_parameters(trees: Sequence[Tree], defaults: Path) -> Iterator[Problem]:
    """Parameters with almost the name of a component's; the folder has the defaults of each."""
    components = {
        (key := file.stem.replace("-", "_")): defaults_in(file, key)
        for file in (sorted(defaults.glob("*.yml")) if defaults.is_dir() else ())
    }
    for document in documents_in(trees):
        for key, given in mapping(document.content.get("parameters")).items():
            if isinstance(given, dict):
                for path, meant in misspelled_keys(components.get(key, {}), given):
                    yield finding(
                        "parameters/unknown-key",
                        f"component {key} has no parameter {'.'.join((key, *path))}",
                        document.file,
                        document.line_of("parameters", key, *path),
                        hint=f"did you mean {meant}?",
                    )


__all__ = ["LINTERS", "RULES", "lint", "read_tree", "unknown_parameters"]
