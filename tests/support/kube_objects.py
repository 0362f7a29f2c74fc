"""Objects for tests, and what must hold for all of them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.paths import Item
from commodore_py.manifests.secrets import hidden

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.manifests.fields import FieldChange

GROUPS = {
    "ConfigMap": "v1",
    "CronJob": "batch/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "StatefulSet": "apps/v1",
}


def make_object(kind: str = "ConfigMap", name: str = "one", **content: Any) -> KubeObject:  # noqa: ANN401 - any content
    """An object of a kind, as diffs read it; `namespace`, `file` and `api` are what they say."""
    file = content.pop("file", "manifests/a.yaml")
    metadata = {"name": name, "namespace": content.pop("namespace", "ns")}
    metadata |= content.pop("metadata", {})
    version = content.pop("api", GROUPS.get(kind, "v1"))
    whole = {"apiVersion": version, "kind": kind, "metadata": metadata, **content}
    id_ = identify(whole)
    assert id_ is not None
    (shown,) = hidden([whole], b"Secret")
    assert isinstance(shown, dict)
    return KubeObject(id_, shown, file)


def pods(*containers: Any, **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - any content
    """The spec of something that has pods."""
    return {**spec, "template": {"spec": {"containers": list(containers)}}}


def applied(old: object, changes: Iterable[FieldChange]) -> object:
    """The value after some changes of its fields."""
    return _applied(deepcopy(old), [(change.path, change) for change in changes])


def _applied(value: Any, changes: list[tuple[tuple[object, ...], FieldChange]]) -> Any:  # noqa: ANN401 - any content
    for path, change in changes:
        if not path and change.happened == "changed":
            return change.new
    if isinstance(value, list):
        return _list(value, changes)
    for key in {path[0]: None for path, _ in changes}:
        below = [(path[1:], change) for path, change in changes if path[0] == key]
        first = below[0][1]
        if below[0][0] == () and first.happened == "removed":
            del value[key]
        elif below[0][0] == () and first.happened == "added":
            value[key] = first.new
        else:
            value[key] = _applied(value[key], below)
    return value


def _list(value: list[Any], changes: list[tuple[tuple[object, ...], FieldChange]]) -> list[Any]:
    order = next((change.order for path, change in changes if not path), None)
    inner: dict[int, list[tuple[tuple[object, ...], FieldChange]]] = {}
    removed, added = set(), []
    for path, change in changes:
        if not path:
            continue
        item = path[0]
        assert isinstance(item, Item)
        if len(path) == 1 and change.happened == "removed":
            removed.add(item.index)
        elif len(path) == 1 and change.happened == "added":
            added.append((item.index, change.new))
        else:
            inner.setdefault(item.index, []).append((path[1:], change))
    stays = [at for at in range(len(value)) if at not in removed]
    if order is not None:
        assert sorted(order) == stays
        stays = list(order)
    result = [_applied(value[at], inner[at]) if at in inner else value[at] for at in stays]
    for at, new in sorted(added, key=lambda one: one[0]):
        result.insert(at, new)
    return result


def after(old: Iterable[KubeObject], changes: Iterable[ObjectChange]) -> list[object]:
    """The contents of all objects after some changes."""
    contents: list[object] = [one.content for one in old]
    for change in changes:
        if change.old is not None:
            contents.remove(change.old.content)
        if change.what in {"changed", "renamed"} and change.old is not None:
            contents.append(applied(change.old.content, change.fields))
        elif change.new is not None:
            contents.append(change.new.content)
    return contents


_ENDS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([0.0, 1.0, 1.5, "", "1", "true", "a", "b\nc\n", "*** (1)"])
)
_KEYS = st.sampled_from(["name", "a", "b.c", "env", "ports", "verbs", "containerPort", "protocol"])


def _below(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=4) | st.dictionaries(_KEYS, values, max_size=4)


VALUES: st.SearchStrategy[Any] = st.recursive(_ENDS, _below, max_leaves=12)
OBJECTS = st.builds(
    lambda kind, name, namespace, more: make_object(kind, name, namespace=namespace, **more),
    st.sampled_from(["ConfigMap", "Deployment", "Secret", "PersistentVolumeClaim"]),
    st.sampled_from(["x", "y", "z"]),
    st.sampled_from(["", "ns"]),
    st.dictionaries(st.sampled_from(["spec", "data", "rules"]), VALUES, max_size=2),
)
