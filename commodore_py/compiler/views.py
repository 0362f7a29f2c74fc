"""A target as component code sees it: Kapitan's typed model, written out in full (pure).

Filters and our own stages read the node as the hierarchy has it; `inventory()` in component code
gives this view of it, and components have come to rely on its completed entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.model.inventory import CLASSES, NodeFields

from .entries import entries_of
from .fields import flag

if TYPE_CHECKING:
    from commodore_py.model.inventory import Inventory, Node

_CONNECTION = (
    "addr",
    "skip_verify",
    "client_key",
    "client_cert",
    "cacert",
    "capath",
    "namespace",
)
"""Keys that may be written like variables of the program vault, too."""
_FLAGS = ("skip_verify", "always_latest")
_VAULT_KEYS: Mapping[str, Any] = {
    **dict.fromkeys(_CONNECTION),
    **dict.fromkeys(("engine", "auth", "crypto_key", "always_latest", "mount", "key")),
    "skip_verify": True,
    "always_latest": False,
}
_SECRET_BACKENDS: Mapping[str, Mapping[str, Any]] = {
    "gpg": {"recipients": []},
    "awskms": {},
    "vaultkv": {**_VAULT_KEYS, "engine": "kv-v2", "mount": "secret"},
    "gkms": {},
    "vaulttransit": {**_VAULT_KEYS, "engine": "transit", "mount": "transit"},
    "azkms": {},
}


@dataclass(frozen=True, slots=True)
class Views:
    """The targets of an inventory as component code sees them, each completed once."""

    inventory: Inventory
    _made: dict[str, NodeFields] = field(default_factory=dict)

    def of(self, target: str) -> Mapping[str, Any]:
        """One target; a KeyError if there is none."""
        if target not in self._made:
            self._made[target] = view_of(self.inventory.nodes[target])
        return self._made[target]

    def names(self) -> tuple[str, ...]:
        """Every target."""
        return tuple(sorted(self.inventory.nodes))


def view_of(node: Node) -> NodeFields:
    """The target with every default filled in."""
    fields = {
        "applications": list(node.applications),
        CLASSES: node.included,
        "exports": dict(node.raw.get("exports") or {}),
        "parameters": _parameters(node),
    }
    return NodeFields(fields)


def _parameters(node: Node) -> dict[str, Any]:
    completed = dict(node.parameters)
    for name in ("_kapitan_", "_reclass_"):
        completed.setdefault(name, None)
    written = node.parameters.get("kapitan", {})
    completed["kapitan"] = _kapitan(node, written) if isinstance(written, Mapping) else written
    return completed


def _kapitan(node: Node, written: Mapping[str, Any]) -> dict[str, Any]:
    entries = entries_of(node)
    variables = written.get("vars")
    dependencies = written.get("dependencies", [])
    return {
        **written,
        "compile": [dict(entry.fields) for entry in entries.compiled],
        "vars": {"target": None, **(variables if isinstance(variables, Mapping) else {})},
        "labels": written.get("labels") or {},
        "dependencies": (
            None if dependencies is None else [dict(fields) for fields in entries.dependencies]
        ),
        "target_full_path": node.name.replace(".", "/"),
        "secrets": _secrets(written.get("secrets")),
        "validate": written.get("validate") or [],
    }


def _secrets(written: object) -> dict[str, Any] | None:
    if not isinstance(written, Mapping):
        return None
    return {
        backend: _backend(written.get(backend), defaults)
        for backend, defaults in _SECRET_BACKENDS.items()
    }


def _backend(written: object, defaults: Mapping[str, Any]) -> object:
    if not isinstance(written, Mapping) or "addr" not in defaults:
        return {**defaults, **written} if isinstance(written, Mapping) else written
    completed = dict(defaults)
    for key, value in written.items():
        short = str(key).removeprefix("VAULT_").lower()
        name = short if str(key) == f"VAULT_{short.upper()}" and short in _CONNECTION else key
        if name in completed:
            completed[name] = value
            if name in _FLAGS:
                with suppress(ValueError):
                    completed[name] = flag(value)
    return completed
