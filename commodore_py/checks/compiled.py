"""The checks of a catalog that is about to be published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Settings
from .origins import Origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from commodore_py.config import Config
    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.stages import Sources
    from commodore_py.model.tree import Tree
    from commodore_py.model.verdict import Checked


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
    parameters_by_name = {name: node.parameters for name, node in sources.inventory.nodes.items()}
    root = str(config.paths.root)
    origins = Origins(parameters_by_name.get, sources.places.parameter, root)
    return check_catalog(trees, settings, origins)
