"""The checks of a catalog that is about to be published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from commodore_py.config import Config
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree
    from commodore_py.model.verdict import Checked


class OfSources:
    """Where objects come from, by the sources of this run."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def parameters(self, instance: str) -> Parameters | None:
        """The parameters of an instance."""
        node = self._sources.inventory.nodes.get(instance)
        return node.parameters if node is not None else None

    def line(self, instance: str, path: ParameterPath) -> str:
        """File and line of a parameter."""
        return self._sources.places.parameter(instance, path)


def check_compiled(
    config: Config,
    sources: Sources,
    trees: Mapping[str, Tree],
    about_parameters: Callable[[], Iterable[Problem]],
    *,
    without_opa: Severity = "warning",
) -> Checked:
    """The problems of the instances' trees, before anything is written."""
    from .run import check_catalog, policies_for, settings_in  # most runs have no checks

    parameters = sources.inventory.bootstrap.parameters
    settings = Settings(
        cache=config.result_cache,
        below="compiled/",
        root=str(config.paths.root),
        parameters=about_parameters,
        policy=policies_for(
            config.paths.classes / "global",
            parameters,
            sources.inventory.instances,
            shown="inventory/classes/global",
            without_opa=without_opa,
        ),
        **settings_in(parameters),
    )
    return check_catalog(trees, settings, OfSources(sources))
