"""Rendered plans keep the order of what was written, by Argo CD's engine and by simulations.

The order is read from the plan as it is written, by a few lines that share nothing with ours.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.differential.live import engine
from tests.real import servers
from tests.support.plan_proofs import Rendered, rendered_random
from tests.support.plans import PARAMETERS
from tests.support.tables import each

from .simulators import Argo, Flux, step_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.tree import Tree

pytestmark = [pytest.mark.slow, pytest.mark.long]
_LOG = logging.getLogger(__name__)  # figures: --log-cli-level=INFO
PLANS = int(os.environ.get("PLANS", "2000"))


def below(written: Any) -> Iterator[str]:  # noqa: ANN401 - a plan as it is written
    """The instances that are deployed."""
    if isinstance(written, str):
        yield written
    elif "instance" in written:
        yield written["instance"]
    elif "when" in written:
        yield from below(written["when"]["then"]) if PARAMETERS[written["when"]["if"]] else ()
    elif "on" in written:
        yield from below(written["on"]["do"])
    else:
        yield from (
            one
            for kind in ("serial", "concurrent")
            for child in written.get(kind, ())
            for one in below(child)
        )


def pairs(written: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a plan as it is written
    """What has to be ready before what is started."""
    if isinstance(written, str) or "instance" in written:
        return
    if "when" in written:
        if PARAMETERS[written["when"]["if"]]:
            yield from pairs(written["when"]["then"])
    elif "on" in written:
        inner = written["on"]["do"]
        yield from ((f"cluster-{written['on']['cluster']}", one) for one in below(inner))
        yield from pairs(inner)
    else:
        children = written.get("serial") or written["concurrent"]
        for number, child in enumerate(children):
            yield from pairs(child)
            for later in children[number + 1 :] if "serial" in written else ():
                yield from ((one, two) for one in below(child) for two in below(later))


def wanted(case: Rendered) -> set[tuple[str, str]]:
    """All pairs, with those of the instances that are not in the plan."""
    found = set(pairs(case.written))
    return found | {(one, last) for one in below(case.written) for last in case.unlisted}


def objects_in(manifests: Tree, folder: str) -> list[dict[str, Any]]:
    return [
        one
        for path, entry in manifests.items()
        if str(path.parent) == folder
        for one in yaml.load_all(entry.content, yaml.CSafeLoader)
    ]


def positions(
    argo: engine.Engine, manifests: Tree, folder: str
) -> dict[str, tuple[tuple[str, int], ...]]:
    """For each step, folder and wave from the outermost on, as the engine sorts them."""
    objects = objects_in(manifests, folder)
    answer = argo.ask(
        "order",
        objects=objects,
        namespace="syn",
        apis=[
            {"Group": "argoproj.io", "Version": "v1alpha1", "Kind": kind}
            for kind in ("Application", "AppProject")
        ],
    )
    tasks = [one for one in answer["tasks"] if one["phase"] == "Sync"]
    assert len(tasks) == len(objects)
    waves = [one["wave"] for one in tasks]
    assert waves == sorted(waves)
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in objects}
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    for task in tasks:
        one = by_name[task["kind"], task["name"]]
        here = (folder, int(task["wave"]))
        step = step_of(one)
        if step.startswith("plan/"):
            inner = positions(argo, manifests, step)
            found |= {name: (here, *rest) for name, rest in inner.items()}
        else:
            found[step] = (here,)
    return found


def test_argocd_engine_sorts_rendered_objects_in_plan_order() -> None:
    argo = _engine()
    checked = 0
    for seed in range(PLANS):
        case = rendered_random("argocd", Random(seed))  # noqa: S311 - cases, not secrets
        found = positions(argo, case.laid.manifests, "apps")
        for early, late in wanted(case):
            one, two = found[early], found[late]
            both = [(a, b) for a, b in zip(one, two, strict=False) if a != b]
            assert both, (seed, early, late)
            assert both[0][0][0] == both[0][1][0], (seed, early, late)
            assert both[0][0][1] < both[0][1][1], (seed, early, late)
            checked += 1
    argo.close()
    _LOG.info("%d plans, %d ordered pairs", PLANS, checked)


@each(("driver", "simulator"), [("argocd", Argo), ("flux", Flux)])
def test_step_starts_after_its_predecessors_are_ready(
    driver: str, simulator: type[Argo | Flux]
) -> None:
    checked = steps = 0
    for seed in range(PLANS):
        random = Random(seed)  # noqa: S311 - cases, not secrets
        case = rendered_random(driver, random)
        run = simulator(case.laid.manifests, random, case.degraded)
        run.run()
        ready = {one.step: one.ready for one in run.started}
        assert {*below(case.written), *case.unlisted} <= ready.keys(), seed
        assert len(ready) == len(run.started), seed
        for early, late in wanted(case):
            if early in ready or driver == "argocd":
                assert early in ready[late], (seed, early, late)
                checked += 1
        steps += len(ready)
    _LOG.info("%s: %d plans, %d steps, %d ordered pairs", driver, PLANS, steps, checked)


def _engine() -> engine.Engine:
    folder = os.environ.get(servers.VARIABLE)
    if engine.PROGRAM not in os.environ and folder:
        return engine.Engine(str(Path(folder) / "bin" / "gitops-oracle"))
    return engine.start()
