"""Conditions for carrying out a plan, and values in the place of secret references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.manifests.objects import ObjectId
from commodore_py.manifests.order.applications import KIND
from commodore_py.manifests.secrets import has_reference, with_references_replaced
from commodore_py.model.difference import GRADES

from .notes import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.manifests.desired.ignoring import Reveal
    from commodore_py.model.difference import Grade

    from .cluster import LiveCluster
    from .planning import Plan

CHANGES = ("create", "change", "hook", "delete")


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
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise SeveralErrors(f"nothing was applied: {len(problems)} problems", errors=problems)


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
    done = unfinished(cluster.state, plan.digest).done
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
