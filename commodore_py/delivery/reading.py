"""A plan as the hierarchy has it becomes nodes; all that is wrong is found at once (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .findings import Finding, near
from .nodes import Concurrent, Hooks, Leaf, On, Resource, Serial, When

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.spot import ParameterPath

    from .nodes import Node

PLAN: ParameterPath = ("commodore", "plan")
MOST_LEVELS, MOST_LEAVES = 16, 2000

_KINDS: Mapping[str, frozenset[str]] = {
    "instance": frozenset({"allowDegraded", "render", "hooks", "app"}),
    "serial": frozenset({"name"}),
    "concurrent": frozenset({"name"}),
    "when": frozenset(),
    "on": frozenset(),
    "resource": frozenset({"name"}),
}
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


class Reader:
    """Reads one plan, and collects what is wrong with it."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._leaves = 0

    def node(self, value: Any, path: ParameterPath = PLAN, level: int = 1) -> Node | None:
        """The node, without the children that are invalid; None if it is invalid itself."""
        if level > MOST_LEVELS:
            return self._wrong("plan/too-large", f"deeper than {MOST_LEVELS} levels", path)
        if isinstance(value, str) and value:
            return self._leaf(value, {}, path)
        if value in (None, "", [], {}):
            return self._wrong("plan/empty", "a node of the plan is empty", path)
        if not isinstance(value, dict):
            return self._wrong("plan/shape", f"{value!r} is not a node of a plan", path)
        return self._mapping({str(key): item for key, item in value.items()}, path, level)

    def _mapping(  # noqa: PLR0911 - one for each kind of node
        self, value: dict[str, Any], path: ParameterPath, level: int
    ) -> Node | None:
        kinds = [name for name in value if name in _KINDS]
        if not kinds:
            word = next(iter(value))
            remedy = near(word, _KINDS)
            return self._wrong("plan/unknown-word", f"{word} is not a kind of node", path, remedy)
        kind, *others = kinds
        if others:
            message = f"a node is both {kind} and {others[0]}"
            remedy = f"replace what lower layers set with ~{path[-1]}, or nest one in the other"
            finding = Finding("plan/two-kinds", message, (*path, kind), remedy, (*path, others[0]))
            self.findings.append(finding)
            return None
        options = {name: option for name, option in value.items() if name != kind}
        self._known(options, _KINDS[kind], path, f"option of {kind}")
        if kind == "instance":
            return self._leaf(value[kind], options, path)
        name = self._of_type(options, "name", str, "", path)
        at = (*path, kind)
        if kind == "resource":
            reference = value[kind]
            if not isinstance(reference, str) or "/" not in reference:
                return self._wrong("plan/reference", f"{reference!r} is not INSTANCE/PATH", at)
            return Resource(reference, path, name)
        if kind in {"when", "on"}:
            return self._wrapped(kind, value[kind], at, level)
        return self._group(kind, value[kind], at, level, name)

    def _group(
        self, kind: str, value: Any, at: ParameterPath, level: int, name: str
    ) -> Node | None:
        if not isinstance(value, list):
            remedy = "write a list of nodes"
            message = f"{kind} is not a list" if value else f"{kind} is empty"
            return self._wrong("plan/shape" if value else "plan/empty", message, at, remedy)
        if not value:
            return self._wrong("plan/empty", f"{kind} is empty", at)
        nodes = [
            self.node(item, (*at, f"[{number}]"), level + 1) for number, item in enumerate(value)
        ]
        children = tuple(child for child in nodes if child is not None)
        made = Serial if kind == "serial" else Concurrent
        return made(children, at[:-1], name) if children else None

    def _wrapped(self, kind: str, value: Any, at: ParameterPath, level: int) -> Node | None:
        needed, options = (
            (("if", "then"), frozenset[str]())
            if kind == "when"
            else (("cluster", "do"), frozenset({"background", "name"}))
        )
        if not isinstance(value, dict):
            message = f"{kind} is not a mapping with {' and '.join(needed)}"
            return self._wrong("plan/shape", message, at)
        value = {str(key): item for key, item in value.items()}
        self._known(value, options | set(needed), at, f"option of {kind}")
        missing = [name for name in needed if value.get(name) in (None, "", [], {})]
        for name in missing:
            self._wrong("plan/empty", f"{kind} has no {name}", at)
        if missing:
            return None
        child = self.node(value[needed[1]], (*at, needed[1]), level + 1)
        if child is None:
            return None
        if kind == "when":
            return When(value["if"], child, at[:-1])
        return On(
            self._of_type(value, "cluster", str, "", at),
            child,
            at[:-1],
            self._of_type(value, "background", bool, default=False, path=at),
            self._of_type(value, "name", str, "", at),
        )

    def _leaf(self, name: Any, options: dict[str, Any], path: ParameterPath) -> Node | None:
        self._leaves += 1
        if self._leaves == MOST_LEAVES + 1:
            self._wrong("plan/too-large", f"more than {MOST_LEAVES} instances", path)
        if not isinstance(name, str) or not name:
            return self._wrong("plan/shape", f"{name!r} is not the name of an instance", path)
        app = self._of_type(options, "app", dict, {}, path)
        at = (*path, "app")
        self._known(app, frozenset(_APP), at, "setting of app")
        return Leaf(
            name,
            path,
            self._of_type(options, "allowDegraded", bool, default=False, path=path),
            self._of_type(options, "render", bool, default=False, path=path),
            self._hooks(name, self._of_type(options, "hooks", dict, {}, path), (*path, "hooks")),
            {
                key: self._of_type(app, key, kind, None, at)
                for key, kind in _APP.items()
                if key in app
            },
        )

    def _hooks(self, instance: str, value: dict[str, Any], path: ParameterPath) -> Hooks:
        self._known(value, frozenset(_HOOKS), path, "hook")
        hooks: dict[str, tuple[str, ...]] = {}
        for word, field in _HOOKS.items():
            references = self._of_type(value, word, list, [], path)
            for reference in references:
                if not isinstance(reference, str) or "/" not in reference:
                    self._wrong(
                        "plan/reference", f"{reference!r} is not INSTANCE/PATH", (*path, word)
                    )
                elif not reference.startswith(f"{instance}/"):
                    message = (
                        f"the hook {reference} of instance {instance} is an object of another one"
                    )
                    remedy = f"name an object of {instance}, or a step before or after it"
                    self._wrong("plan/hook", message, (*path, word), remedy)
            hooks[field] = tuple(
                reference for reference in references if isinstance(reference, str)
            )
        return Hooks(**hooks)

    def _known(
        self, value: Mapping[str, Any], allowed: frozenset[str], path: ParameterPath, what: str
    ) -> None:
        for word in value:
            if word not in allowed:
                message = (
                    f"{word} is not an {what}" if what[0] == "o" else f"{word} is not a {what}"
                )
                self._wrong("plan/unknown-word", message, (*path, word), near(str(word), allowed))

    def _of_type(
        self, value: Mapping[str, Any], key: str, kind: type, default: Any, path: ParameterPath
    ) -> Any:
        option = value.get(key)
        if option is None or isinstance(option, kind):
            return default if option is None else option
        words = {bool: "true or false", str: "text", dict: "a mapping", list: "a list"}
        self._wrong("plan/shape", f"{key} is not {words[kind]}: {option!r}", (*path, key))
        return default

    def _wrong(self, code: str, message: str, path: ParameterPath, remedy: str = "") -> Node | None:
        self.findings.append(Finding(code, message, path, remedy))
        return None
