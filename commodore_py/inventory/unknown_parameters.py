"""Parameters that the defaults of a component do not have: most are typing mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import mapping, value_in
from commodore_py.model.names import typo_of
from commodore_py.model.problem import Place, Problem
from commodore_py.model.spot import nowhere

from .engine.yaml_values import MARKS
from .parameter_schema import placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from commodore_py.model.spot import PlaceOf

    from .parameter_schema import Subject


def unknown_parameters(
    subjects: Iterable[Subject], place_of: PlaceOf = nowhere
) -> Iterator[Problem]:
    """A problem for each parameter of an instance whose name is close to one of the defaults."""
    defaults: dict[Path, Mapping[str, object]] = {}
    for subject in subjects:
        instance, file = subject.instance, subject.file.with_name("defaults.yml")
        key = instance.component_key
        if file not in defaults:
            defaults[file] = defaults_in(file, key)
        given = subject.parameters.get(key)
        if not isinstance(given, Mapping):
            continue
        for path, meant in misspelled_keys(defaults[file], given):
            name = ".".join((instance.key, *path))
            problem = Problem.at(
                Place(instance=instance.name, field=name),
                "parameters/unknown-key",
                f"{instance.name}: component {instance.component} has no parameter {name};"
                f" did you mean {meant}?",
                subject=name,
            )
            yield placed(problem, place_of(instance.name, (instance.key, *path)))


def misspelled_keys(
    defaults: Mapping[str, object], given: Mapping[str, object], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Keys that are not in the defaults beside them, and those that were meant.

    Any key may be new where the defaults have none: components have mappings that users fill.
    """
    by_name = {str(key).lstrip(MARKS): value for key, value in defaults.items()}
    for key, value in given.items():
        name = str(key).lstrip(MARKS)
        inner = by_name.get(name)
        if name in by_name:
            if isinstance(inner, Mapping) and isinstance(value, Mapping):
                yield from misspelled_keys(inner, value, (*above, name))
        elif meant := typo_of(
            name,
            (default for default in by_name if f"{default}s" != name and f"{name}s" != default),
        ):
            yield (*above, name), ".".join((*above, meant))


def defaults_in(file: Path, key: str) -> Mapping[str, object]:
    """The parameters in the defaults of a component; nothing, if the file cannot be read."""
    try:
        return mapping(value_in(yaml.load_file(file), "parameters", key))
    except (CommodoreError, OSError):  # a compile says so
        return {}
