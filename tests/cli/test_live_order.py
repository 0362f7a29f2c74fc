"""`commodore live order`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

APPLICATION = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}}}
spec:
  source: {{path: {path}}}
  destination: {{namespace: {name}}}
  syncPolicy: {{syncOptions: [CreateNamespace=true]}}
"""


def _write(name: str, text: str) -> None:
    path = Path("catalog", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _object(kind: str, name: str = "one", *, namespace: str = "", **annotations: str) -> str:
    version, _, word = kind.partition(" ")
    named = {f"argocd.argoproj.io/{key.replace('_', '-')}": v for key, v in annotations.items()}
    metadata = {
        "name": name,
        "annotations": named,
        **({"namespace": namespace} if namespace else {}),
    }
    return f"---\n{json.dumps({'apiVersion': version, 'kind': word, 'metadata': metadata})}\n"


def test_objects_of_each_application(commodore: CommandLine) -> None:
    for name, path in (("shop", "manifests/shop"), ("cache", "manifests/shop/cache")):
        _write(f"manifests/apps/{name}.yaml", APPLICATION.format(name=name, path=path))
    _write("manifests/shop/web.yaml", _object("apps/v1 Deployment", "web"))
    _write("manifests/shop/job.yaml", _object("batch/v1 Job", "migrate", hook="PreSync"))
    _write("manifests/shop/cache/all.yaml", _object("v1 ConfigMap", "settings"))
    _write("manifests/shop/late.yaml", _object("v1 Service", "web", sync_wave="2"))

    ran = commodore("live", "order", "-f", "catalog")

    assert ran.code == 0
    assert ran.out.splitlines()[:17] == [
        "cache",
        "  PreSync, wave 0",
        "    Namespace: cache",
        "    then waits for 0 objects; 1 without health are not waited for",
        "  Sync, wave 0",
        "    ConfigMap: cache/settings",
        "shop",
        "  PreSync, wave 0",
        "    Namespace: shop",
        "    Job (hook): shop/migrate",
        "    then waits for 1 objects; 1 without health are not waited for",
        "  Sync, wave 0",
        "    Deployment: shop/web",
        "    then waits for 1 objects",
        "  Sync, wave 2",
        "    Service: shop/web",
        "    then waits for 1 objects",
    ]
    assert commodore("live", "order", "-f", "catalog", "--app", "cache").out.startswith("cache\n")


FINDINGS = [
    pytest.param("wave-word", _object("v1 Pod", sync_wave="1.5")),
    ("never-applied", _object("v1 Pod", hook="PreDelete")),
    ("never-applied", _object("v1 Pod", hook="Skip")),
    ("keeps-forever", _object("v1 Pod", sync_options="Prune=false")),
    ("scoped", _object("v1 Namespace", namespace="a")),
    pytest.param("duplicate", _object("v1 Pod") + _object("v1 Pod")),
    pytest.param("repeated-hook", _object("v1 Pod", hook="PreSync,PostSync")),
    pytest.param(
        "pulled-forward",
        _object("v1 Namespace", "a", sync_wave="5") + _object("v1 Pod", namespace="a"),
    ),
]


@pytest.mark.parametrize(("code", "text"), FINDINGS)
def test_findings(commodore: CommandLine, code: str, text: str) -> None:
    ran = commodore("live", "order", "-f", "-", "-o", "json", stdin=text)

    assert [one["code"] for one in json.loads(ran.out)["findings"]] == [code]


def test_findings_about_applications(commodore: CommandLine) -> None:
    crd = {"group": "example.com", "scope": "Namespaced", "names": {"kind": "Thing"}}
    kind = "apiextensions.k8s.io/v1 CustomResourceDefinition"
    for name in ("a", "b"):
        _write(
            f"manifests/apps/{name}.yaml", APPLICATION.format(name=name, path=f"manifests/{name}")
        )
    _write("manifests/apps/c.yaml", APPLICATION.format(name="c", path="manifests/b"))
    _write("manifests/apps/gone.yaml", APPLICATION.format(name="gone", path="other/repository"))
    _write(
        "manifests/a/crd.yaml", _object(kind).rstrip("}\n") + f'}}}}, "spec": {json.dumps(crd)}}}'
    )
    _write("manifests/b/thing.yaml", _object("example.com/v1 Thing"))

    ran = commodore("live", "order", "-f", "catalog", "-o", "json")

    found = json.loads(ran.out)
    codes = {(one["code"], Path(one["file"]).name) for one in found["findings"]}
    assert ("missing-definition", "thing.yaml") in codes
    assert ("shared", "thing.yaml") in codes
    assert ("unapplied", "a.yaml") in codes
    assert found["outside"] == ["gone"]


def test_catalog_without_application_is_one(commodore: CommandLine) -> None:
    _write("a.yaml", _object("v1 Service") + _object("v1 ConfigMap"))

    ran = commodore("live", "order", "-f", "catalog")

    assert ran.out == "  Sync, wave 0\n    ConfigMap: one\n    Service: one\n"


def test_wave_that_is_a_number(commodore: CommandLine) -> None:
    _write(
        "a.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: one\n  annotations:\n"
        "    argocd.argoproj.io/sync-wave: 5\n",
    )

    ran = commodore("live", "order", "-f", "catalog")

    assert ran.code == 1
    assert "the annotation argocd.argoproj.io/sync-wave of Pod one is not a string: 5" in ran.err
    assert "catalog/a.yaml:6" in ran.err


def test_unknown_application(commodore: CommandLine) -> None:
    _write("a.yaml", _object("v1 Pod"))

    ran = commodore("live", "order", "-f", "catalog", "--app", "other")

    assert ran.code == 1
    assert "no application other syncs objects here" in ran.err
