"""Requests that change a cluster; only `live apply`, and dry runs of a diff, make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .client import Client

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.manifests.objects import Content

_JSON, _APPLY = "application/json", "application/apply-patch+yaml"  # JSON is YAML


class Writer(Client):
    """Applies and deletes objects of one cluster."""

    def apply(
        self,
        path: str,
        content: Content,
        *,
        manager: str,
        force: bool = False,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Apply an object on the server; what it is afterwards."""
        params = {"fieldManager": manager, "fieldValidation": "Strict"}
        params |= {"force": "true"} if force else {}
        params |= {"dryRun": "All"} if dry_run else {}
        answer = self._exchange("PATCH", path, params, _JSON, (content, _APPLY))
        return answer if isinstance(answer, dict) else {}

    def delete(self, path: str, *, uid: str, version: str) -> None:
        """Delete an object with all that it owns, if it is still the one that was seen."""
        options: Mapping[str, Any] = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Foreground",
            "preconditions": {"uid": uid, "resourceVersion": version},
        }
        self._exchange("DELETE", path, {}, _JSON, (options, _JSON))
