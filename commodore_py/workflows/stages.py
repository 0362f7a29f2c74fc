"""Stages of a fleet: which clusters come first, and what has to hold before the next ones."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from commodore_py.adapters import yaml
from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.clones import make_clone
from commodore_py.dependencies.git.mirrors import Mirrors
from commodore_py.dependencies.git.remotes import list_refs
from commodore_py.dependencies.git.revisions import find
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.manifests.objects import value_in
from commodore_py.model.difference import GRADES
from commodore_py.workflows.catalog import several
from commodore_py.workflows.live import cluster as live
from commodore_py.workflows.live.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster, RepositoryRef
    from commodore_py.model.difference import Grade

FILE = "commodore.yml"
"""The class of the global configuration that has the stages."""
PARAMETER = ("parameters", "commodore", "fleet", "stages")
OTHERS = "others"
"""The last stage: clusters that belong to no other one."""
_KEYS = ("facts", "max-grade", "wait")
_MOST_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Stage:
    """Clusters that are rolled out together."""

    name: str
    facts: Mapping[str, str]
    """The facts that each of its clusters has."""
    max_grade: Grade = GRADES[0]
    """The worst change that is pushed."""
    wait: int = 0
    """How many seconds the clusters have to become healthy before the next stage."""

    def has(self, cluster: Cluster) -> bool:
        """Return whether a cluster belongs to it, unless it belongs to an earlier one."""
        facts = {name: _text(value) for name, value in cluster.facts.items()}
        return all(facts.get(name) == value for name, value in self.facts.items())


ONLY = Stage("", {})
"""The stage of clusters without any."""


def stages_for(config: Config, clusters: Iterable[Cluster]) -> tuple[Stage, ...]:
    """The stages in the global configuration of some clusters, in their order.

    Clusters with another global configuration are refused if one of these has stages.
    """
    repositories = {cluster.global_repo for cluster in clusters}
    stage_lists: list[tuple[Stage, ...]] = []
    errors = []
    for repository in repositories:
        try:
            stage_lists.append(_stages_in(config, repository))
        except CommodoreError as error:  # its clusters will not compile either
            errors.append(error)
    if errors and not stage_lists:
        raise errors[0]
    if len(repositories) > 1 and any(stages != (ONLY,) for stages in stage_lists):
        raise CommodoreError(
            "the clusters have several global configurations, and one of these has stages",
            where="\n".join(sorted(without_secrets(repository.url) for repository in repositories)),
            hint="compile the clusters of each by themselves, such as with --tenant",
        )
    return stage_lists[0] if stage_lists else (ONLY,)


def wait_for_stage(
    config: Config, stage: Stage, names: Sequence[str], *, report: Callable[[str], None]
) -> str:
    """Why a stage is not healthy when its time is up; empty if it is.

    Each cluster is reached by the context of the kubeconfig that has its name.
    """
    if not stage.wait or not has_kubeconfig():
        return ""
    until = time.monotonic() + stage.wait
    for name in names:
        cluster_config = several.config_for(config, name)
        reach = live.Reach(context=name)
        try:
            for goal in ("synced", "healthy"):
                with live.opened(cluster_config, name, reach, read="targets") as cluster:
                    left = wait_for(cluster, goal, until=until, report=report)
                if left:
                    return f"{name} is not {goal}: {left[0].id}: {left[0].why}"
        except CommodoreError as error:
            return f"{name} is not healthy: {error}"
    return ""


def has_kubeconfig() -> bool:
    """Return whether clusters can be reached at all."""
    return bool(os.environ.get("KUBECONFIG")) or Path("~/.kube/config").expanduser().is_file()


def _stages_in(config: Config, repository: RepositoryRef) -> tuple[Stage, ...]:
    text = _class_file(config, repository)
    if b"stages" not in text:
        return (ONLY,)
    name = f"{without_secrets(repository.url)} {FILE}"
    content = value_in(yaml.load(text, name=name), *PARAMETER)
    if content is None:
        return (ONLY,)
    place = f"{name}:{yaml.line_at(text, (0, *PARAMETER))}"
    if not isinstance(content, Mapping):
        raise CommodoreError(f"{'.'.join(PARAMETER)} is not a mapping", where=place)
    if len({str(stage) for stage in content}) < len(content):
        raise CommodoreError("two stages have one name", where=place)
    raise_collected(
        (
            CommodoreError(problem, where=f"{name}:{yaml.line_at(text, (0, *PARAMETER, stage))}")
            for stage, settings in content.items()
            for problem in _problems(str(stage), settings)
        ),
        f"stages in {name}",
    )
    stages = tuple(
        Stage(
            str(name),
            {str(fact): _text(value) for fact, value in (settings or {}).get("facts", {}).items()},
            cast("Grade", (settings or {}).get("max-grade", GRADES[0])),
            (settings or {}).get("wait", 0),
        )
        for name, settings in content.items()
    )
    return (*stages, Stage(OTHERS, {})) if all(stage.facts for stage in stages) else stages


def _text(value: object) -> str:
    """A fact as YAML and the API write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problems(name: str, settings: object) -> Iterator[str]:
    if name == OTHERS:
        yield f"the name {OTHERS} is that of clusters without a stage"
    if settings is None:
        return
    if not isinstance(settings, Mapping):
        yield f"stage {name} is not a mapping"
        return
    for key in settings:
        if key not in _KEYS:
            yield f"stage {name} has an unknown key {key}; known are {', '.join(_KEYS)}"
    facts = settings.get("facts", {})
    if not isinstance(facts, Mapping) or any(
        fact is None or isinstance(fact, Mapping | list) for fact in facts.values()
    ):
        yield f"stage {name}: facts are names and values"
    if settings.get("max-grade", GRADES[0]) not in GRADES:
        yield f"stage {name}: max-grade is one of {', '.join(GRADES)}"
    wait = settings.get("wait", 0)
    if not isinstance(wait, int) or isinstance(wait, bool) or not 0 <= wait <= _MOST_SECONDS:
        yield f"stage {name}: wait is a number of seconds, at most a day"


def _class_file(config: Config, repository: RepositoryRef) -> bytes:
    """The class of a global configuration; empty if there is none."""
    listed = list_refs(repository.url)
    version = config.global_revision or repository.revision or listed.default_branch
    with tempfile.TemporaryDirectory(prefix="commodore-") as folder:
        clone = Path(folder) / "global.git"
        make_clone(clone, repository.url, {version}, listed, Mirrors.of(config))
        commit = find(clone, listed, version, prefer="branch").commit
        try:
            return git_bytes(clone, "cat-file", "blob", f"{commit}:{FILE}")
        except ProgramFailed:  # it has no such file
            return b""
