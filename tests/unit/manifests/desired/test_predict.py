"""Values of secrets in objects that are compared; golden cases of functions show predictions."""

from __future__ import annotations

import base64
import json
from typing import Any

from commodore_py.adapters import yaml
from commodore_py.manifests.desired.ignoring import hidden_values
from commodore_py.manifests.secret_parts import LAST_APPLIED
from tests.support.tables import each


def _object(kind: str, fields: str, **metadata: object) -> dict[str, Any]:
    version, _, name = kind.partition(" ")
    more = yaml.load(fields, name="") or {}
    head = {"apiVersion": version, "kind": name}
    return {**head, **more, "metadata": {"name": "one", **metadata, **more.get("metadata", {})}}


def _with_record(live: dict[str, Any], record: str) -> dict[str, Any]:
    metadata = {**live["metadata"], "annotations": {LAST_APPLIED: record}}
    return {**live, "metadata": metadata}


def test_secret_values_are_replaced_by_plus_signs() -> None:
    target = _object("v1 Secret", "stringData: {a: x, b: same}")
    live = _object("v1 Secret", f"data: {{a: eQ==, b: {base64.b64encode(b'same').decode()}}}")

    shown = hidden_values([target, _with_record(live, json.dumps(target))])

    assert [one["data"] for one in shown] == [
        {"a": "+" * 8, "b": "+" * 8},
        {"a": "+" * 12, "b": "+" * 8},
    ]
    assert all("annotations" not in one["metadata"] for one in shown)


@each(
    "fields",
    ["data: canary", "stringData: [canary]", "data: {a: {b: canary}}", "data: {a: canary}"],
)
def test_malformed_secrets_are_hidden(fields: str) -> None:
    live = _with_record(_object("v1 Secret", fields), "canary {")

    assert "canary" not in json.dumps(hidden_values([live]))
