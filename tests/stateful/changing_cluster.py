"""A small cluster in which every kind of input can change, and change back again."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from tests.support.builders import git, make_repository, url_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLUSTER, OTHER, TENANT = "c-one", "c-two", "t-acme"
CATALOGS = {CLUSTER: "catalog", OTHER: "catalog-two"}
REPOSITORIES = ("global", "tenant", *CATALOGS.values(), "web", "app", "base")
HELM = shutil.which("helm")

_BASE = "${_base_directory}"
_SECRET = "?{vaultkv:${cluster:tenant}/${cluster:name}/web/%s}"
_MAIN = """
local kap = import 'lib/kapitan.libjsonnet';
local inv = kap.inventory();
local base = import 'lib/base.libsonnet';
local params = inv.parameters.web;
local read = std.native('yaml_load')('dependencies/web/component/data.yaml');
local maybe = std.native('file_exists')('dependencies/web/component/maybe.txt').exists;
local object(name, data) = {
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name }, data: data,
};
{
  out: base.labelled(object('web', params.data { read: read, maybe: maybe })),
  %s
}
"""
_EXTRAS = (
    "secret: object('secret', { pass: params.secret }),",
    "fact: object('fact', inv.parameters.facts),",
    "other: object('other', kap.inventory_global()['app'].parameters.app),",
    "note: object('note', { text: importstr 'note.txt' }),",
    "near: object('near', import 'near.libsonnet'),",
)
_FILTER = """
local com = import 'lib/commodore.libjsonnet';
local inv = com.inventory();
com.fixupDir(std.extVar('output_path'), function(o) o { filtered: %s })
"""
_FOREIGN = (
    {"input_type": "jinja2", "input_paths": [f"{_BASE}/templates"], "output_path": "web"},
    {"input_type": "remove", "input_paths": ["compiled/web/web/files/x.txt"]},
    {
        "input_type": "jsonnet",
        "input_paths": [f"{_BASE}/component/after.jsonnet"],
        "output_path": "web",
    },
)


def _defaults(**data: object) -> str:
    secret = {"secret": _SECRET % "pass"}
    return yaml.safe_dump({"parameters": {"web": {"data": {"of": "web"}, **secret, **data}}})


def _web(
    *,
    files: str = "files",
    prune: bool = False,
    filters: bool = True,
    may_fail: bool = False,
    foreign: bool = False,
) -> str:
    jsonnet = {"input_type": "jsonnet", "output_path": "web", "prune": prune}
    jsonnet["continue_on_compile_error"] = may_fail
    compile_ = [
        {**jsonnet, "input_paths": [f"{_BASE}/component/main.jsonnet"]},
        {**jsonnet, "input_paths": [f"{_BASE}/component/more/*.jsonnet"]},
        {"input_type": "copy", "input_paths": [f"{_BASE}/{files}"], "output_path": "web/files"},
        *(_FOREIGN if foreign else ()),
    ]
    own = {"path": "web", "type": "jsonnet", "filter": "postprocess/filter.jsonnet"}
    space = {"path": "web", "type": "builtin", "filter": "helm_namespace"}
    space["filterargs"] = {"namespace": "${web:data:of}"}  # type: ignore[assignment] # by design
    chosen = {"filters": [{**own, "enabled": filters}, space]}
    parameters = {"kapitan": {"compile": compile_}, "commodore": {"postprocess": chosen}}
    return yaml.safe_dump({"parameters": parameters})


def _app(folder: str = "kustomize") -> str:
    entries: list[dict[str, object]] = [
        {
            "input_type": "external",
            "input_paths": ["${_kustomize_wrapper}"],
            "output_path": ".",
            "env_vars": {"INPUT_DIR": f"{_BASE}/{folder}"},
            "args": [r"\${compiled_target_dir}/${_instance}"],
        },
        {
            "input_type": "jsonnet",
            "input_paths": [f"{_BASE}/component/app.jsonnet"],
            "output_path": "${_instance}",
        },
    ]
    if HELM:
        entries.append(
            {
                "input_type": "helm",
                "input_paths": [f"{_BASE}/chart"],
                "output_path": "${_instance}/chart",
                "helm_params": {"name": "${_instance}"},
                "helm_values": "${app:values}",
            }
        )
    return yaml.safe_dump({"parameters": {"kapitan": {"compile": entries}}})


def _base() -> str:
    entry = {"input_type": "jsonnet", "input_paths": [f"{_BASE}/component/main.jsonnet"]}
    return yaml.safe_dump({"parameters": {"kapitan": {"compile": [{**entry, "output_path": "."}]}}})


def _map(name: str, **data: str) -> str:
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    return yaml.safe_dump({**head, "data": data})


def _tenant(*applications: str, **parameters: object) -> str:
    return yaml.safe_dump({"applications": list(applications), "parameters": parameters})


_ALL = ("web", "app", "app as app-2", "base")

COMPONENT_FILES: Mapping[tuple[str, str], tuple[str | None, ...]] = {
    ("web", "component/main.jsonnet"): tuple(_MAIN % extra for extra in _EXTRAS),
    ("web", "component/near.libsonnet"): ("{ a: '1' }", "{ a: '2' }", None),
    ("web", "component/note.txt"): ("one", "two", "three words"),
    ("web", "component/maybe.txt"): (None, "there"),
    ("web", "component/data.yaml"): ("a: 1\n", "a: 2\n", "a: [x, y]\n", "a: {\n"),
    ("web", "component/more/one.jsonnet"): ("{ one: { kind: 'A' } }", "{ one: { kind: 'B' } }"),
    ("web", "component/more/two.jsonnet"): (None, "{ two: { kind: 'A' } }", "{ two: {} }"),
    ("web", "component/lib/base.libsonnet"): (None, "{ labelled(o):: o { near: true } }"),
    ("web", "component/after.jsonnet"): (
        "{ after: { left: std.native('list_dir')('compiled/web/web/files', true) } }",
        "{ after: { made: importstr 'compiled/web/web/made.txt' } }",
    ),
    ("web", "templates/made.txt"): (
        "of {{ inventory.parameters.web.data.of }}",
        "{% for key in inventory.parameters.web %}{{ key }} {% endfor %}",
    ),
    ("web", "files/x.txt"): ("x", "y"),
    ("web", "files/X.txt"): (None, "X"),
    ("web", "files/deep/z.sh"): ("#!/bin/sh\n", None),
    ("web", "postprocess/filter.jsonnet"): (
        _FILTER % "'yes'",
        _FILTER % "inv.parameters.web.data",
        "{ web_filtered: std.native('yaml_load')(std.extVar('output_path') + '/out.yaml') }",
        "{ web_note: { of: std.native('yaml_load')('note.yaml') } }",
        None,
    ),
    ("web", "class/defaults.yml"): (
        _defaults(),
        _defaults(unused=1),
        _defaults(data={"of": "default"}),
        _defaults(secret=_SECRET % "word"),
    ),
    ("web", "class/web.yml"): (
        _web(),
        _web(files="files/deep"),
        _web(prune=True),
        _web(filters=False),
        _web(may_fail=True),
        _web(foreign=True),
    ),
    ("app", "class/defaults.yml"): (
        "parameters: {app: {'=_metadata': {multi_instance: true}, of: app, values: {}}}",
        "parameters: {app: {'=_metadata': {multi_instance: true}, of: new, values: {a: b}}}",
    ),
    ("app", "class/app.yml"): (_app(), _app("kustomize/base")),
    ("app", "component/app.jsonnet"): (
        "{ app: { of: (import 'lib/kapitan.libjsonnet').inventory().parameters.app.of } }",
        "{ app: { of: std.extVar('target') } }",
    ),
    ("app", "kustomize/kustomization.yaml"): ("resources: [base]\n", "resources: [own.yaml]\n"),
    ("app", "kustomize/own.yaml"): (_map("own", a="1"), _map("own", a="2")),
    ("app", "kustomize/base/kustomization.yaml"): ("resources: [cm.yaml]\n",),
    ("app", "kustomize/base/cm.yaml"): (_map("base", a="1"), _map("base", a="2")),
    ("app", "chart/Chart.yaml"): (
        "{apiVersion: v2, name: chart, version: 1.0.0}",
        "{apiVersion: v2, name: chart, version: 1.0.1}",
    ),
    ("app", "chart/templates/cm.yaml"): (
        _map("chart", v="{{ .Chart.Version }}"),
        _map("chart", v="{{ .Values.a }}", files='{{ .Files.Get "f.txt" }}'),
        _map("of", namespace="{{ .Release.Namespace }}"),
        _map("random", v='{{ randAlpha 8 | replace "a" "b" | trunc 0 }}'),
    ),
    ("app", "chart/f.txt"): (None, "f", "g"),
    ("base", "lib/base.libsonnet"): (
        "{ labelled(o):: o }",
        "{ labelled(o):: o { metadata+: { labels: { base: '1' } } } }",
    ),
    ("base", "class/defaults.yml"): ("parameters: {base: {}}", "parameters: {base: {x: 1}}"),
    ("base", "class/base.yml"): (_base(),),
    ("base", "component/main.jsonnet"): ("{ base: {} }", "{ base: { a: 1 } }"),
}
"""What a component's file may hold, None if it may be missing; the first is what it begins with."""

CONFIGURATION: Mapping[tuple[str, str], tuple[str | None, ...]] = {
    ("tenant", "common.yml"): (
        _tenant(*_ALL),
        _tenant(*_ALL, web={"data": {"of": "tenant"}}),
        _tenant(*_ALL, web={"data": {"of": "1"}}),
        _tenant(*_ALL, web={"data": {"of": 1}}),
        _tenant(*_ALL, app={"of": "${facts:cloud}"}),
        _tenant(*_ALL, app_2={"of": "second"}),
        _tenant(*_ALL, nobody={"needs": "this"}),
        _tenant("web", "app", "base"),
        _tenant("web", "base", web={"data": {"of": "${nothing:there}"}}),
    ),
}

_TOOL = """#!/bin/sh
# kustomize build INPUT -o OUTPUT
folder=$2
grep -q base "$2/kustomization.yaml" && folder=$2/base
cat "$folder"/*.yaml | grep -v resources: > "$4/made.yaml"
%s
"""

_KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: one
contexts: [{name: one, context: {cluster: one, user: one, namespace: %s}}]
"""

BESIDE: Mapping[str, tuple[str, ...]] = {
    "bin/kustomize": (_TOOL % "", _TOOL % 'echo "more: 1" >> "$4/made.yaml"'),
    f"facts/clusters/{CLUSTER}.yaml": ("cloud-a", "cloud-b"),
    "kube/config": (_KUBECONFIG % "one", _KUBECONFIG % "two"),
    "here/note.yaml": ("note: 1", "note: 2"),
    "there/note.yaml": ("note: 3", "note: 1"),
}
"""Files outside of all repositories; of the facts, only what differs."""


@dataclass(frozen=True)
class ChangingCluster:
    """Where everything is."""

    root: Path

    @property
    def work(self) -> Path:
        """The working directory."""
        return self.root / "work"

    @property
    def facts(self) -> Path:
        """What stands for an API."""
        return self.root / "facts"

    def remote(self, name: str) -> Path:
        """A bare repository."""
        return self.root / "remotes" / f"{name}.git"

    def make(self) -> None:
        """Everything as it is at first."""
        content: dict[str, dict[str, str]] = {name: {} for name in REPOSITORIES}
        for (name, path), variants in (*COMPONENT_FILES.items(), *CONFIGURATION.items()):
            if variants[0] is not None:
                content[name][path] = variants[0]
        content["global"]["commodore.yml"] = self._global()
        for name, files in content.items():
            make_repository(self.remote(name), files)
        git(self.remote("base"), "tag", "v1", "master")
        for path in BESIDE:
            self.put_beside(path, 0)
        (self.facts / f"clusters/{OTHER}.yaml").write_text(self._cluster(OTHER, "cloud-b"))
        tenant = {
            "id": TENANT,
            "displayName": "Acme",
            "gitRepo": {"url": url_of(self.remote("tenant"))},
            "globalGitRepoURL": url_of(self.remote("global")),
        }
        (self.facts / "tenants").mkdir()
        (self.facts / "tenants" / f"{TENANT}.yaml").write_text(yaml.safe_dump(tenant))

    def put_beside(self, path: str, variant: int) -> None:
        """Write one of the files outside of repositories."""
        place, text = self.root / path, BESIDE[path][variant]
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.startswith("facts"):
            text = self._cluster(CLUSTER, text)
        place.write_text(text)
        if path.startswith("bin"):
            place.chmod(0o755)

    def _cluster(self, name: str, cloud: str) -> str:
        return yaml.safe_dump(
            {
                "id": name,
                "tenant": TENANT,
                "displayName": "One",
                "facts": {"cloud": cloud, "distribution": "dist-b"},
                "gitRepo": {"url": url_of(self.remote(CATALOGS[name]))},
            }
        )

    def _global(self) -> str:
        components = {
            name: {
                "url": url_of(self.remote(name)),
                "version": "v1" if name == "base" else "master",
            }
            for name in ("web", "app", "base")
        }
        classes = ["${cluster:tenant}.common"]
        vault = {"VAULT_ADDR": "https://vault.example.com", "auth": "token", "engine": "kv-v2"}
        kapitan = {"secrets": {"vaultkv": vault}}
        return yaml.safe_dump(
            {"classes": classes, "parameters": {"components": components, "kapitan": kapitan}}
        )
