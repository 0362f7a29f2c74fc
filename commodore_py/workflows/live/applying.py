"""Conditions for carrying out a plan, also a saved one, and values of secret references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text, reading
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.manifests.objects import ObjectId
from commodore_py.manifests.order.applications import KIND
from commodore_py.manifests.secrets import has_reference, with_references_replaced
from commodore_py.model.difference import GRADES

from .notes import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.manifests.desired.ignoring import Reveal
    from commodore_py.model.difference import Grade

    from .cluster import LiveCluster
    from .planning import Plan

CHANGES = ("create", "change", "hook", "delete")
_SCHEMA = "live-plan/v1"
_HEAD = ("cluster", "uid", "commit", "digest")


@dataclass(frozen=True, slots=True)
class How:
    """Permissions and options of a run."""

    force: bool = False
    """Whether to take over fields of other managers, and to apply although Argo CD syncs."""
    max_grade: Grade = "restart"
    """The worst grade of a change that may be carried out."""
    timeout: float = 1800
    reveal: Reveal | None = None
    """What gives the value of a secret reference; without it, objects with one are refused."""


def check(cluster: LiveCluster, plan: Plan, how: How) -> None:
    """Everything that forbids carrying out a plan, before the first write."""
    problems = [*_of_cluster(cluster, plan, how), *_of_actions(plan, how)]
    if how.reveal is not None and not problems:
        problems += _of_references(plan, how.reveal)
    raise_collected(problems, "nothing was applied")


def _of_cluster(cluster: LiveCluster, plan: Plan, how: How) -> Iterator[CommodoreError]:
    identity = cluster.identity
    if not identity.confirmed_by:
        yield CommodoreError(
            f"nothing confirms that this is the cluster of {cluster.id}",
            where=f"{cluster.client.access.server}, context {cluster.client.access.name}",
            hint=f"if it is: --trust-cluster {identity.uid}"
            if identity.uid
            else "--trust-cluster needs the right to get the namespace kube-system: its UID is"
            " that of the cluster",
        )
    # An earlier run of this plan, which was stopped, has created some itself.
    done = unfinished(cluster.state, plan.digest)
    automated = [
        application.name
        for application in identity.applications
        if application.is_automated
        and ("create", str(ObjectId(*KIND, application.namespace, application.name))) not in done
    ]
    if automated and not how.force:
        yield CommodoreError(
            f"Argo CD syncs applications by itself: {', '.join(sorted(automated))}",
            hint="push the catalog instead, or add --force",
        )


def _of_actions(plan: Plan, how: How) -> Iterator[CommodoreError]:
    for action in plan.actions:
        if action.what not in CHANGES:
            if action.what == "unseen":
                yield CommodoreError(f"{action.id} cannot be read: {action.refused}")
            continue
        if action.refused:
            yield CommodoreError(f"{action.id} cannot be applied: {action.refused}")
        if action.references and how.reveal is None:
            yield CommodoreError(
                f"{action.id} has secret references: {', '.join(action.references)}",
                hint="Argo CD replaces them when it syncs; to apply their values: --reveal",
            )
        if GRADES.index(action.grade) < GRADES.index(how.max_grade):
            yield CommodoreError(
                f"{action.what} {action.id}: {action.grade}"
                + (f", {action.reason}" if action.reason else ""),
                hint=f"to do it all the same: --max-grade {action.grade}",
            )


def _of_references(plan: Plan, reveal: Reveal) -> Iterator[CommodoreError]:
    """References without a value; nothing is written before all values are there."""
    for action in plan.actions:
        if action.what in CHANGES and action.references:
            try:
                with_values(action.content, reveal)
            except CommodoreError as error:
                yield CommodoreError(f"{action.id}: {error}", hint=error.hint)


def with_values(content: Any, reveal: Reveal) -> Any:  # noqa: ANN401 - plain data
    """Insert the values of all secret references."""
    if isinstance(content, dict):
        return {key: with_values(item, reveal) for key, item in content.items()}
    if isinstance(content, list):
        return [with_values(item, reveal) for item in content]
    if isinstance(content, str) and has_reference(content):
        return with_references_replaced(content, reveal)
    return content


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """The part of the output of `live diff --out` that is compared."""

    file: str
    cluster: str
    uid: str | None
    commit: str | None
    digest: str
    versions: Mapping[str, str]
    deletes: bool
    """Whether objects that left the catalog are deleted."""


def read_plan(file: Path) -> SavedPlan:
    """Read a plan; whatever else the file may be is an error."""
    try:
        document = json_text.load(reading.bytes_of(str(file)), name=str(file))
        if document["schema"] != _SCHEMA:
            raise ValueError  # noqa: TRY301 - one error for all
        whats = {action["what"] for step in document["steps"] for action in step["actions"]}
        versions = {str(name): str(version) for name, version in document["versions"].items()}
        cluster, uid, commit, digest = (document[name] for name in _HEAD)
        return SavedPlan(str(file), cluster, uid, commit, digest, versions, "delete" in whats)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CommodoreError(
            "this is not a plan of `live diff --out`",
            where=str(file),
            hint="make one: commodore live diff CLUSTER --out FILE",
        ) from error


def check_saved(saved: SavedPlan, plan: Plan, state: Path) -> None:
    """Refuse a plan that was made for another state, and name what differs.

    What an unfinished run of the same plan has applied, and to which version, does not count.
    """
    done = unfinished(state, saved.digest)
    moved = [*_moved(saved, plan, {name: version for (_, name), version in done.items()})]
    if not moved and saved.digest != plan.digest:
        moved.append("the steps are others")
    if moved:
        raise CommodoreError(
            "this plan is out of date:\n" + "\n".join(f"  {difference}" for difference in moved),
            where=saved.file,
            hint=f"make a new one: commodore live diff {plan.cluster} --out {saved.file}",
        )


def _moved(saved: SavedPlan, plan: Plan, applied: Mapping[str, str]) -> Iterator[str]:
    if saved.cluster != plan.cluster or saved.uid not in {plan.uid, None}:
        yield "the cluster is another one"
    if saved.commit != (plan.commit or None):
        yield f"the catalog is at {plan.commit or 'no commit'}, not {saved.commit}"
    for name in dict.fromkeys((*plan.versions, *saved.versions)):
        version = plan.versions.get(name)
        if version != saved.versions.get(name) and (
            version is None or version != applied.get(name)
        ):
            yield f"{name} has changed in the cluster"
