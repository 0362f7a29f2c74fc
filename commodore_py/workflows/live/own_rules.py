"""The rules about health in the hierarchy of the working directory."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, UsageError, raise_collected
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.locator import Locator
from commodore_py.lieutenant import last_compile
from commodore_py.manifests.health.own import OwnRule, own_rules
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.spot import Spot
from commodore_py.workflows.inventory.sources import is_compiled, parameters_here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config

log = logging.getLogger(__name__)


def own_rules_here(config: Config, cluster_id: str | None = None) -> Mapping[str, OwnRule]:
    """The rules of the cluster that was compiled here, if it is this one; else none."""
    paths = config.paths
    if not is_compiled(paths):
        return {}
    try:
        if cluster_id not in (None, last_compile.cluster_id_in(paths)):
            return {}
        parameters = parameters_here(paths)
    except UsageError:
        return {}  # no cluster was compiled here
    except CommodoreError as error:
        # Whoever has no such rules must not need a hierarchy in order to look at a cluster.
        log.warning(
            "the hierarchy cannot be read, its rules about health do not count: %s",
            error,
            extra={"where": error.where, "hint": error.hint},
        )
        return {}
    rules, wrong = own_rules(parameters)
    locator = Locator(lambda: compiled_hierarchy(paths))
    raise_collected(
        (
            CommodoreError(
                invalid.message, where=Spot(BOOTSTRAP, invalid.path).seen_from(locator.parameter)
            )
            for invalid in wrong
        ),
        "the rules about health are not valid",
    )
    return rules
