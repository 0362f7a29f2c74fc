"""A plan as the hierarchy has it becomes nodes; all that is wrong is found at once (pure)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .findings import Finding, Shapes, near
from .nodes import Concurrent, Hooks, Leaf, On, Resource, Serial, When

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.spot import ParameterPath

    from .nodes import Node

PLAN: ParameterPath = ("commodore", "plan")
MOST_LEVELS, MOST_LEAVES = 16, 2000

_KINDS: Mapping[str, Mapping[str, type]] = {
    "instance": {"allowDegraded": bool, "render": bool, "hooks": dict, "app": dict},
    "serial": {"name": str},
    "concurrent": {"name": str},
    "when": {},
    "on": {},
    "resource": {"name": str},
}
_WRAPPED: Mapping[str, tuple[str, str, Mapping[str, type]]] = {
    "when": ("if", "then", {"if": object, "then": object}),
    "on": ("cluster", "do", {"cluster": str, "do": object, "background": bool, "name": str}),
}
"""What both need, and everything that they have."""
_HOOKS = {"before": "before", "after": "after", "beforeDelete": "before_delete"}
_APP: Mapping[str, type] = {
    "createNamespace": bool,
    "serverSideApply": bool,
    "namespaceMetadata": dict,
    "prune": bool,
    "selfHeal": bool,
    "ignoreDifferences": list,
    "retry": dict,
}
_NOTHING: tuple[object, ...] = (None, "", [], {})


class Reader(Shapes):
    """Reads one plan."""

    def __init__(self) -> None:
        super().__init__(unknown="plan/unknown-word", wrong="plan/shape")
        self._leaves = 0

    def node(self, value: Any, path: ParameterPath = PLAN, level: int = 1) -> Node | None:
        """The node, without the children that are invalid; None if it is invalid itself."""
        if level > MOST_LEVELS:
            return self._wrong_node("plan/too-large", f"deeper than {MOST_LEVELS} levels", path)
        if isinstance(value, str) and value:
            return self._leaf(value, {}, path)
        if value in _NOTHING:
            return self._wrong_node("plan/empty", "a node of the plan is empty", path)
        if not isinstance(value, dict):
            return self._wrong_node("plan/shape", f"{value!r} is not a node of a plan", path)
        return self._mapping({str(key): item for key, item in value.items()}, path, level)

    def _mapping(  # noqa: PLR0911 - one for each kind of node
        self, value: dict[str, Any], path: ParameterPath, level: int
    ) -> Node | None:
        kinds = [name for name in value if name in _KINDS]
        if not kinds:
            word = next(iter(value))
            message = f"{word} is not a kind of node"
            return self._wrong_node("plan/unknown-word", message, path, near(word, _KINDS))
        kind, *others = kinds
        if others:
            message = f"a node is both {kind} and {others[0]}"
            remedy = f"replace what lower layers set with ~{path[-1]}, or nest one in the other"
            finding = Finding("plan/two-kinds", message, (*path, kind), remedy, (*path, others[0]))
            self.findings.append(finding)
            return None
        given = {name: option for name, option in value.items() if name != kind}
        options = self.fields(given, _KINDS[kind], path, f"an option of {kind}")
        item, at = value[kind], (*path, kind)
        match kind:
            case "instance":
                return self._leaf(item, options, path)
            case "resource" if isinstance(item, str) and "/" in item:
                return Resource(item, path, options.get("name", ""))
            case "resource":
                return self._wrong_node("plan/reference", f"{item!r} is not INSTANCE/PATH", at)
            case "when" | "on":
                return self._wrapped(kind, item, at, level)
        return self._group(kind, item, at, level, options.get("name", ""))

    def _group(
        self, kind: str, value: Any, at: ParameterPath, level: int, name: str
    ) -> Node | None:
        if not value:
            return self._wrong_node("plan/empty", f"{kind} is empty", at)
        if not isinstance(value, list):
            message = f"{kind} is not a list"
            return self._wrong_node("plan/shape", message, at, "write a list of nodes")
        nodes = [
            self.node(item, (*at, f"[{number}]"), level + 1) for number, item in enumerate(value)
        ]
        children = tuple(child for child in nodes if child is not None)
        made = Serial if kind == "serial" else Concurrent
        return made(children, at[:-1], name) if children else None

    def _wrapped(self, kind: str, value: Any, at: ParameterPath, level: int) -> Node | None:
        first, inner, types = _WRAPPED[kind]
        if not isinstance(value, dict):
            message = f"{kind} is not a mapping with {first} and {inner}"
            return self._wrong_node("plan/shape", message, at)
        options = self.fields(value, types, at, f"an option of {kind}")
        missing = [name for name in (first, inner) if value.get(name) in _NOTHING]
        for name in missing:
            self.add("plan/empty", f"{kind} has no {name}", at)
        child = None if missing else self.node(value[inner], (*at, inner), level + 1)
        if child is None:
            return None
        if kind == "when":
            return When(value["if"], child, at[:-1])
        cluster, background = options.get("cluster", ""), options.get("background", False)
        child = _placed(child, cluster, background=background)
        return On(cluster, child, at[:-1], options.get("name", ""))

    def _leaf(self, name: Any, options: dict[str, Any], path: ParameterPath) -> Node | None:
        self._leaves += 1
        if self._leaves == MOST_LEAVES + 1:
            self.add("plan/too-large", f"more than {MOST_LEAVES} instances", path)
        if not isinstance(name, str) or not name:
            return self._wrong_node("plan/shape", f"{name!r} is not the name of an instance", path)
        return Leaf(
            name,
            path,
            options.get("allowDegraded", False),
            options.get("render", False),
            self._hooks(name, options.get("hooks", {}), (*path, "hooks")),
            self.fields(options.get("app", {}), _APP, (*path, "app"), "a setting of app"),
        )

    def _hooks(self, instance: str, value: dict[str, Any], path: ParameterPath) -> Hooks:
        hooks: dict[str, tuple[str, ...]] = {}
        given = self.fields(value, dict.fromkeys(_HOOKS, list), path, "a hook")
        for word, references in given.items():
            at = (*path, word)
            for reference in references:
                if not isinstance(reference, str) or "/" not in reference:
                    self.add("plan/reference", f"{reference!r} is not INSTANCE/PATH", at)
                elif not reference.startswith(f"{instance}/"):
                    message = (
                        f"the hook {reference} of instance {instance} is an object of another one"
                    )
                    remedy = f"name an object of {instance}, or a step before or after it"
                    self.add("plan/hook", message, at, remedy)
            hooks[_HOOKS[word]] = tuple(item for item in references if isinstance(item, str))
        return Hooks(**hooks)

    def _wrong_node(
        self, code: str, message: str, path: ParameterPath, remedy: str = ""
    ) -> Node | None:
        self.add(code, message, path, remedy)
        return None


def _placed(node: Node, cluster: str, *, background: bool) -> Node:
    """Place the steps below a node on a cluster; those of an inner `on` keep theirs.

    With `background`, the deletion of an instance is not waited for.
    """
    if isinstance(node, Leaf):
        return replace(node, cluster=cluster, background=background)
    if isinstance(node, Resource):
        return replace(node, cluster=cluster)
    if isinstance(node, When):
        return replace(node, child=_placed(node.child, cluster, background=background))
    if isinstance(node, Serial | Concurrent):
        children = (_placed(child, cluster, background=background) for child in node.children)
        return replace(node, children=tuple(children))
    return node
