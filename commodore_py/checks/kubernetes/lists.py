"""Lists of custom resources whose items differ by some of their fields, or altogether."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import items, mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYWORD = "x-commodore-distinct"
"""In schemas: the fields with their defaults; null for items that differ altogether."""


def distinct(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a structural schema says about the items of a list."""
    kind = schema.get("x-kubernetes-list-type")
    if kind not in ("map", "set"):
        return {}
    if kind == "set":
        return {KEYWORD: None}
    fields = mapping(mapping(schema.get("items")).get("properties"))
    keys = map(str, items(schema.get("x-kubernetes-list-map-keys")))
    return {KEYWORD: {key: mapping(fields.get(key)).get("default") for key in keys}}


class Distinct:
    """The rule, as the validator calls it."""

    def __init__(self, _parent: object, value: Any, _path: Sequence[object]) -> None:  # noqa: ANN401 - of a schema
        self._keys: Mapping[str, Any] | None = value

    def validate(self, instance: object) -> None:
        """Raise an error with the number of an item that is in the list before."""
        seen: set[str] = set()
        for number, one in enumerate(items(instance)):
            value = one
            if self._keys is not None:
                given = mapping(one)
                value = [given.get(key, default) for key, default in self._keys.items()]
            text = json.dumps(value, sort_keys=True, default=str)
            if text in seen:
                same = " and ".join(self._keys) if self._keys is not None else "value"
                message = f"item {number} has the same {same} as another one"
                raise ValueError(message)
            seen.add(text)
