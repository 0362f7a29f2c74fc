"""The settings of Argo CD that plans need: its health rule for Applications, a limit (pure).

Without a health rule, waves of Applications do not wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.delivery.drivers.applications import GROUP, KIND
from commodore_py.delivery.findings import Finding
from commodore_py.delivery.settings import DELIVERY
from commodore_py.manifests.health.scripts import ScriptTable, key_of
from commodore_py.manifests.objects import KubeObject, identify, value_in
from commodore_py.manifests.settings import CONFIG_MAP, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.delivery.drivers.documents import Documents
    from commodore_py.delivery.settings import Settings

RULE = """\
hs = {status = "Progressing", message = "waiting for status"}
if obj.status == nil or obj.status.health == nil then return hs end
hs = {status = obj.status.health.status or "Progressing", message = obj.status.health.message or ""}
gate = (obj.metadata.annotations or {})["commodore-py/gate"]; if gate == nil then return hs end
if hs.status == "Degraded" and gate == "degraded-ok" then hs.status = "Healthy" end
if hs.status == "Missing" or (hs.status == "Degraded" and gate == "wait") then hs.status = "Progressing" end
sync, source = obj.status.sync or {}, obj.spec.source or {}; seen = (sync.comparedTo or {}).source or {}
fresh = sync.status == "Synced" and seen.path == source.path and seen.targetRevision == source.targetRevision
if hs.status == "Healthy" and not fresh then hs = {status = "Progressing", message = "not synced to this spec yet"} end
return hs
"""  # noqa: E501 - as it is documented
"""Ready is Synced and Healthy, for the spec of now; as Argo CD's documented rule without a gate."""

_KEY = f"resource.customizations.health.{GROUP}_{KIND}"
_PARAMETERS, _LIMIT = "argocd-cmd-params-cm", "controller.sync.timeout.seconds"
_REMEDY = f"set {_KEY} in ConfigMap {CONFIG_MAP} to the rule in the documentation of plans"


def rule_findings(documents: Documents, settings: Settings) -> Iterator[Finding]:
    """Problems of the settings that the catalog has."""
    if settings.word("argocd", "health_rule") == "external":
        return
    argocd_documents = [
        *(
            document
            for document in documents.of_kind("", "ConfigMap")
            if document.name == CONFIG_MAP
        ),
        *documents.of_kind(GROUP, "ArgoCD"),
    ]
    path = (*DELIVERY, "argocd")
    if not argocd_documents:
        message = "Argo CD is not in the catalog: its health rule for Applications is not checked"
        yield Finding("plan/health-rule", message, path, _REMEDY)
        return
    objects = [
        KubeObject(id_, document.content, str(document.path))
        for document in argocd_documents
        if (id_ := identify(document.content)) is not None
    ]
    scripts = tuple(script for setting in settings_of(objects) for script in setting.scripts)
    rules = ScriptTable(scripts).find(GROUP, KIND)
    if not rules:
        message = "Argo CD has no health rule for Applications, so no wave waits for them"
        yield Finding("plan/no-health-rule", message, path, _REMEDY)
    elif rules[0].pattern != key_of(GROUP, KIND) or _words(rules[0].source) != _words(RULE):
        message = f"the health rule for Applications is not the one of plans ({rules[0].where})"
        yield Finding("plan/health-rule", message, path, _REMEDY)

    if not _has_limit(documents):
        strict = settings.word("argocd", "gate") == "update"
        message = "a sync of Argo CD has no time limit, and keeps newer commits out while it waits"
        remedy = f"set {_LIMIT} in ConfigMap {_PARAMETERS}"
        code = "plan/no-sync-limit" if strict else "plan/sync-limit"
        yield Finding(code, message, path, remedy)


def _has_limit(documents: Documents) -> bool:
    maps = (
        document for document in documents.of_kind("", "ConfigMap") if document.name == _PARAMETERS
    )
    given = [
        *(value_in(document.content, "data", _LIMIT) for document in maps),
        *(
            value_in(document.content, "spec", "cmdParams", _LIMIT)
            for document in documents.of_kind(GROUP, "ArgoCD")
        ),
    ]
    return any(limit is not None and str(limit) != "0" for limit in given)


def _words(text: str) -> list[str]:
    return text.split()
