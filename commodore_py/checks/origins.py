"""Where an object comes from: the component's file that rendered it, the line that set a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import items, mapping
from commodore_py.model.problem import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from commodore_py.model.inventory import Parameters
    from commodore_py.model.spot import PlaceOf

_SHORTEST = 4
# Values of these parameters are the component's own business, or everybody's.
_OTHER_KEYS = {"kapitan", "components", "packages", "commodore", "facts", "dynamic_facts"}


@dataclass(frozen=True, slots=True)
class Origins:
    """Finds where objects of one catalog come from, each instance looked up once."""

    parameters: Callable[[str], Parameters | None]
    """The resolved parameters of an instance; None if they are not known."""
    line: PlaceOf
    """File and line that set a parameter."""
    root: str = ""
    """The working directory: paths in it are shown without it."""
    _parameters: dict[str, Parameters | None] = field(default_factory=dict, init=False)
    _values: dict[str, dict[str, list[tuple[Any, ...]]]] = field(default_factory=dict, init=False)

    def related(self, instance: str, file: str, value: str) -> tuple[Place, ...]:
        """The input that rendered a file, and the line of the one parameter that has the value."""
        if not instance:
            return ()
        if instance not in self._parameters:
            self._parameters[instance] = self.parameters(instance)
        parameters = self._parameters[instance]
        if parameters is None:
            return ()
        root = f"{self.root}/" if self.root else ""
        places = [
            Place(path.removeprefix(root), note="rendered by")
            for path in inputs_of(parameters, file)
        ]
        paths = self._values_of(instance, parameters).get(value, [])
        if len(value) >= _SHORTEST and len(paths) == 1:
            where, _, line = self.line(instance, paths[0]).rpartition(":")
            name = ".".join(map(str, ("parameters", *paths[0])))
            if where and line.isdecimal():
                places.append(Place(where, int(line), field=name, note="set by"))
        return tuple(places)

    def _values_of(
        self, instance: str, parameters: Parameters
    ) -> Mapping[str, list[tuple[Any, ...]]]:
        if instance not in self._values:
            paths: dict[str, list[tuple[Any, ...]]] = {}
            for path, value in _leaves(parameters):
                paths.setdefault(value, []).append(path)
            self._values[instance] = paths
        return self._values[instance]


def inputs_of(parameters: Parameters, file: str) -> tuple[str, ...]:
    """The inputs of the compile entries that write to a file's folder."""
    path = PurePosixPath(file)
    deepest: list[str] = []
    depth = -1
    for entry in items(mapping(parameters.get("kapitan")).get("compile")):
        output = PurePosixPath(str(mapping(entry).get("output_path", ".")))
        length = len(output.parts)
        if length >= depth and path.is_relative_to(output):
            inputs = [str(item) for item in items(mapping(entry).get("input_paths"))]
            deepest = inputs if length > depth else [*deepest, *inputs]
            depth = length
    return tuple(dict.fromkeys(deepest))


def _leaves(parameters: Parameters) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Strings and numbers of parameters, with their paths; items of a list as `[0]`."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [
        ((key,), value) for key, value in parameters.items() if key not in _OTHER_KEYS
    ]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, f"[{at}]"), inner) for at, inner in enumerate(value)]
        elif isinstance(value, bool):
            yield path, str(value).lower()
        elif isinstance(value, str | int | float):
            yield path, str(value)
