"""The playground with one more component: a chart, a kustomization and a download."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import yaml

from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.peer import serve_facts, write_jb
from tests.support.servers import charts, web

from .cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.servers.web import Web

TOOLS = "tools"
_PROGRAMS = {"helm": "commodore tool install helm", "kustomize": "commodore tool install kustomize"}

_CLASS = """\
parameters:
  kapitan:
    dependencies:
      - type: helm
        source: @CHARTS@
        chart_name: web
        version: 1.2.3
        output_path: ${_base_directory}/charts/web/1.2.3
      - type: https
        source: @MANIFEST@
        output_path: ${_base_directory}/manifests/one.yaml
    compile:
      - input_type: helm
        input_paths:
          - ${_base_directory}/charts/web/1.2.3
        output_path: tools/chart
        helm_values:
          replicas: 3
        helm_params:
          name: web
          namespace: tools
      - input_type: copy
        input_paths:
          - ${_base_directory}/manifests/one.yaml
        output_path: tools/download
      - input_type: external
        input_paths:
          - ${_kustomize_wrapper}
        output_path: .
        env_vars:
          INPUT_DIR: ${_base_directory}/kustomization
        args:
          - \\${compiled_target_dir}/tools/kustomized
"""
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-%d
  labels: {helm.sh/chart: "{{ .Chart.Name }}-{{ .Chart.Version }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "{{ .Values.image }}"}]}
"""
_MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: downloaded}\n"


def missing_programs() -> list[str]:
    """What is needed and cannot be found."""
    return [f"{name} ({how})" for name, how in _PROGRAMS.items() if shutil.which(name) is None]


@contextmanager
def playground(root: Path) -> Iterator[Cluster]:
    """Write it, and serve it."""
    shutil.rmtree(root, ignore_errors=True)
    written = write_demo(root)
    repositories = root / "repos"
    component = repositories / "component-tools.git"
    with web.serve() as server, serve_facts(root / "facts") as api:
        make_repository(component, _component(server))
        tenant = repositories / "t-demo.git"
        common = yaml.safe_load(git(tenant, "show", "master:common.yml"))
        common["applications"].append("tools")
        components = common["parameters"].setdefault("components", {})
        components["tools"] = {"url": url_of(component), "version": "master"}
        commit_to(tenant, {"common.yml": yaml.safe_dump(common, allow_unicode=True)})
        yield Cluster(
            name=TOOLS,
            id=written.clusters[0],
            api_url=api.url,
            programs=write_jb(root / "bin"),
            instances=11,
        )


def _component(server: Web) -> dict[str, str]:
    templates = {f"templates/web-{number}.yaml": _DEPLOYMENT % number for number in range(20)}
    values = {"values.yaml": "replicas: 2\nimage: web:1\n"}
    packed = charts.chart_archive("web", "1.2.3", **templates, **values)
    repository = charts.chart_repository(server, {("web", "1.2.3"): packed})
    manifest = server.put("/manifest.yaml", _MANIFEST, content_type="text/yaml")
    return {
        "class/defaults.yml": "parameters:\n  tools:\n    =_metadata: {}\n",
        "class/tools.yml": _CLASS.replace("@CHARTS@", repository).replace("@MANIFEST@", manifest),
        "kustomization/kustomization.yaml": "namePrefix: x-\nresources: [one.yaml]\n",
        "kustomization/one.yaml": _MANIFEST,
    }
