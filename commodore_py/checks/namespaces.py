"""Namespaces of objects that nothing creates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.manifests.objects import items, value_in
from commodore_py.model.names import counted

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from .base import Content, Item, Settings

NAME = "namespaces"
_BUILT_IN = {"default", "kube-system", "kube-public", "kube-node-lease"}
_CREATING = {"Namespace", "Project", "ProjectRequest"}


def check(items_: Sequence[Item], settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """The first object of each namespace that is missing."""
    created = {name for item in items_ for name in _created(item.content)}
    present: AbstractSet[str] = _BUILT_IN | created | {*settings.known_namespaces}
    missing: dict[str, list[Item]] = {}
    for item in items_:
        if item.id.namespace and item.id.namespace not in present:
            missing.setdefault(item.id.namespace, []).append(item)
    for name, affected in missing.items():
        if name.startswith("openshift-"):
            continue
        more = f", as for {counted(len(affected) - 1, 'other object')}" if affected[1:] else ""
        yield (
            affected[0],
            Issue(
                "namespaces/missing",
                f"nothing here creates namespace {name}{more}",
                "metadata.namespace",
                "add a Namespace, or name it in parameters.commodore.checks.known_namespaces",
                subject=name,
                value=name,
            ),
        )


def _created(content: Content) -> Iterator[str]:
    """The namespaces that an object creates."""
    if content["kind"] in _CREATING:
        yield str(value_in(content, "metadata", "name"))
    elif content["kind"] == "Application" and "CreateNamespace=true" in items(
        value_in(content, "spec", "syncPolicy", "syncOptions")
    ):
        yield str(value_in(content, "spec", "destination", "namespace"))
