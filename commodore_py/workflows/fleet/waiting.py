"""Wait until the clusters of a stage are healthy, before the next stage begins."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.workflows.catalog import several
from commodore_py.workflows.live import cluster as live
from commodore_py.workflows.live.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from commodore_py.config import Config

    from .stages import Stage


def wait_for_stage(
    config: Config, stage: Stage, names: Sequence[str], *, report: Callable[[str], None]
) -> str:
    """Why a stage is not healthy when its time is up; empty if it is.

    Each cluster is reached by the context of the kubeconfig that has its name.
    """
    if not stage.wait:
        return ""
    if not os.environ.get("KUBECONFIG") and not Path("~/.kube/config").expanduser().is_file():
        report(f"stage {stage.name}: its clusters are not waited for, as there is no kubeconfig")
        return ""
    until = time.monotonic() + stage.wait
    for name in names:
        own = several.config_for(config, name)
        reach = live.Reach(context=name)
        try:
            for goal in ("synced", "healthy"):
                with live.opened(own, name, reach, read="targets") as cluster:
                    left = wait_for(cluster, goal, until=until, report=report)
                if left:
                    return f"{name} is not {goal}: {left[0].id}: {left[0].why}"
        except CommodoreError as error:
            return f"{name} is not healthy: {error}"
    return ""
