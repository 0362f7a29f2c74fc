"""Charts that show what Helm and its users are up to, each with the entries that render it."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

Files = dict[str, str]
Case = tuple[Files, list[dict[str, Any]]]
"""Files of a component, and its helm entries."""

_KUBE = {"kube_version": "1.27.4"}


def _entry(path: str = "chart", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as people write them
    params = {"name": "rel", "namespace": "ns", **_KUBE, **fields.pop("helm_params", {})}
    return {
        "input_type": "helm",
        "input_paths": ["${_base_directory}/" + path],
        "output_path": "out",
        "helm_params": {key: value for key, value in params.items() if value is not None},
        **fields,
    }


def _map(name: str, data: str = "{}", more: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{more}data: {data}\n"


def _hook(name: str, kinds: str, kind: str = "Job", weight: int = 0) -> str:
    return (
        f"kind: {kind}\nmetadata:\n  name: {name}\n  annotations:\n"
        f'    helm.sh/hook: {kinds}\n    helm.sh/hook-weight: "{weight}"\n'
    )


def _templates(at: str = "chart", more: str = "", **templates: str) -> Files:
    head = f"apiVersion: v2\nname: c-{at}\nversion: 1.2.3\nappVersion: 'v9'\n"
    made = {f"{at}/templates/{name}": dedent(text).lstrip() for name, text in templates.items()}
    return {f"{at}/Chart.yaml": head + more, **made}


VALUES = {
    "a_text": "text",
    "zero": "0123",
    "seven": "007",
    "long": "12345678901",
    "short": "123456",
    "exponent": "1e5",
    "yes": "yes",
    "lines": "one\ntwo\n",
    "umlaut": "ü",
    "nothing": None,
    "number": 12345678,
    "small": 5,
    "float": 0.1,
    "big": 12345678901234567890,
    "true": True,
    "list": [1, "1", None, {"a": None}],
    "empty": {},
    "nested": {"deleted": None, "kept": {"x": None}},
}

_ALL_VALUES = """
kind: ConfigMap
metadata: {name: values}
data:
{{- range $key, $value := .Values }}
  {{ $key }}: {{ $value | toJson | quote }}
  {{ $key }}_printed: {{ printf "%v" $value | quote }}
  {{ $key }}_type: {{ kindOf $value }}
{{- end }}
"""

_SUB = {
    "Chart.yaml": "apiVersion: v2\nname: {name}\nversion: 0.1.0\n",
    "values.yaml": "of: {name}\nexports:\n  data: {{out: {name}}}\nx: {{y: 1}}\n",
    "crds/crd.yaml": "kind: CustomResourceDefinition\nmetadata: {{name: {name}}}\n",
    "templates/cm.yaml": "kind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n"
    "  of: {{{{ .Values.of }}}}\n  global: {{{{ .Values.global | toJson | quote }}}}\n"
    "  release: {{{{ .Release.Name }}}}-{{{{ .Chart.Name }}}}-{{{{ .Template.BasePath }}}}\n"
    '  lib: {{{{ include "lib.name" . }}}}\n',
    "templates/NOTES.txt": "notes of {name}\n",
}
_LIBRARY = {
    "chart/charts/lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n",
    "chart/charts/lib/templates/_lib.tpl": '{{ define "lib.name" }}lib-{{ .Chart.Name }}{{ end }}',
    "chart/charts/lib/templates/never.yaml": "kind: Never\n",
}


def _sub(name: str, at: str = "chart") -> Files:
    return {f"{at}/charts/{name}/{path}": text.format(name=name) for path, text in _SUB.items()}


_DEPENDENCIES = """dependencies:
- {name: sub-on, version: 0.1.0, condition: sub-on.enabled, import-values: [data]}
- {name: sub-off, version: 0.1.0, condition: sub-off.enabled}
- {name: sub-tag, version: 0.1.0, tags: [extra]}
- {name: sub-on, alias: second, version: 0.1.0, import-values: [{child: x, parent: imported}]}
- {name: lib, version: 0.1.0}
"""

CASES: dict[str, Case] = {
    "values": (
        {
            **_templates(**{"values.yaml": _ALL_VALUES}),
            "chart/values.yaml": dedent("""
            number: 1
            default: 12345678
            precise: 1.10
            nested: {deleted: 1, kept: {x: 1, y: 2}, stays: true}
            nothing: something
            octal: 010
            """),
        },
        [_entry(helm_values=VALUES)],
    ),
    "values files": (
        {
            **_templates(**{"values.yaml": _ALL_VALUES}),
            "v/one.yml": "a: {b: 1, c: [1, 2]}\nd: 1\nbig: 123456789\n",
            "v/two.yml": "a: {b: null, c: [3]}\nn: 0x1F\n",
            "v/empty.yml": "# nothing\n",
        },
        [
            _entry(
                helm_values={"a": {"z": 1}, "d": 5},
                helm_values_files=[
                    "${_base_directory}/v/" + name for name in ("one.yml", "two.yml", "empty.yml")
                ],
            )
        ],
    ),
    "hooks": (
        _templates(
            **{
                "hooks.yaml": "\n---\n".join(
                    [
                        _hook("late", "post-install,post-upgrade", weight=5),
                        _hook("account", "pre-install", "ServiceAccount", 3),
                        _hook("early", "PRE-INSTALL", weight=-5),
                        _map("plain"),
                        _hook("test", "test", "Pod"),
                        _hook("old-test", "test-success", "Pod"),
                        _hook("crd", "crd-install", "CustomResourceDefinition"),
                        _hook("mixed", "pre-install,unheard-of"),
                    ]
                ),
                "only-test.yaml": _hook("t", "test", "Pod"),
            }
        ),
        [
            _entry(),
            _entry(output_path="tests", helm_params={"skip_tests": False}),
            _entry(output_path="none", helm_params={"no_hooks": True}),
        ],
    ),
    "crds": (
        {
            **_templates(**{"a.yaml": _map("a")}),
            "chart/crds/b.yaml": "kind: CustomResourceDefinition\nmetadata: {name: b}\n"
            "---\n# nothing\n---\nkind: CustomResourceDefinition\nmetadata: {name: '{{ b2 }}'}\n",
            "chart/crds/deep/c.json": '{"kind": "CustomResourceDefinition"}',
            "chart/crds/README.md": "no crd",
        },
        [_entry(), _entry(output_path="without", helm_params={"include_crds": False})],
    ),
    "sub-charts": (
        {
            **_templates(
                more=_DEPENDENCIES,
                **{
                    "a.yaml": _map(
                        "a",
                        "{out: {{ .Values.out }}, y: '{{ .Values.imported.y }}',"
                        ' lib: {{ include "lib.name" . }}}',
                    )
                },
            ),
            **_sub("sub-on"),
            **_sub("sub-off"),
            **_sub("sub-tag"),
            **_LIBRARY,
            "chart/values.yaml": "sub-off: {enabled: false}\ntags: {extra: false}\n"
            "global: {all: true}\nsub-on: {of: parent}\nsecond: {of: alias}\n",
        },
        [
            _entry(),
            _entry(output_path="more", helm_values={"tags": {"extra": True}, "global": {"x": 1}}),
        ],
    ),
    "capabilities": (
        _templates(
            **{
                "a.yaml": _map(
                    "{{ .Release.Name }}",
                    "{v: '{{ .Capabilities.KubeVersion.Version }}',"
                    " minor: '{{ .Capabilities.KubeVersion.Minor }}',"
                    ' mine: {{ .Capabilities.APIVersions.Has "example.com/v1" }},'
                    ' apps: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }},'
                    ' new: {{ semverCompare ">=1.27-0" .Capabilities.KubeVersion.Version }},'
                    " install: {{ .Release.IsInstall }}, upgrade: {{ .Release.IsUpgrade }},"
                    " revision: {{ .Release.Revision }}, service: {{ .Release.Service }},"
                    " app: {{ .Chart.AppVersion }}, ns: {{ .Release.Namespace }}}",
                )
            }
        ),
        [
            _entry(kube_version="example.com/v1,other/v1"),
            _entry(
                output_path="upgrade", helm_params={"is_upgrade": True, "kube_version": "v1.26"}
            ),
        ],
    ),
    "lookup": (
        _templates(
            **{
                "a.yaml": """
                    {{- $found := lookup "v1" "Secret" "ns" "s" -}}
                    kind: Secret
                    metadata: {name: s}
                    data:
                      found: {{ $found | toJson | quote }}
                      list: {{ (lookup "v1" "Namespace" "" "").items | default list | toJson }}
                      host: {{ getHostByName "example.com" | quote }}
                    """
            }
        ),
        [_entry()],
    ),
    "files and tpl": (
        {
            **_templates(
                **{
                    "a.yaml": """
                        kind: ConfigMap
                        metadata: {name: a}
                        data:
                        {{ (.Files.Glob "data/*").AsConfig | indent 2 }}
                        ---
                        kind: Secret
                        metadata: {name: b}
                        data:
                        {{ (.Files.Glob "data/**").AsSecrets | indent 2 }}
                          one: {{ .Files.Get "data/one.txt" | b64enc }}
                          lines: {{ .Files.Lines "data/one.txt" | toJson }}
                          none: {{ .Files.Get "nowhere" | quote }}
                          ignored: {{ .Files.Get "ignored.txt" | quote }}
                          tpl: {{ tpl .Values.text . | quote }}
                          file: {{ tpl (.Files.Get "data/t.tpl") $ | quote }}
                        """
                }
            ),
            "chart/data/one.txt": "one\ntwo ü\n",
            "chart/data/t.tpl": "{{ .Release.Name }} of {{ .Chart.Name }}",
            "chart/data/deep/x.txt": "x",
            "chart/ignored.txt": "ignored",
            "chart/.helmignore": "ignored.txt\n",
            "chart/values.yaml": "text: '{{ .Values.of }} {{ 1 | add 2 }}'\nof: values\n",
        },
        [_entry()],
    ),
    "schema": (
        {
            **_templates(**{"a.yaml": _map("a", "{n: '{{ .Values.number }}'}")}),
            "chart/values.schema.json": '{"type": "object", "required": ["number"],'
            ' "properties": {"number": {"type": "integer"}}}',
        },
        [_entry(helm_values={"number": 5})],
    ),
    "notes": (
        {
            **_templates(**{"a.yaml": _map("a"), "NOTES.txt": "{{ .Release.Name }}: well done\n"}),
            "chart/templates/deep/NOTES.txt": "deeper",
        },
        [_entry()],
    ),
    "order": (
        _templates(
            **{
                "b.yaml": "\n---\n".join(
                    f"kind: {kind}\nmetadata: {{name: {name}}}\n"
                    for name, kind in enumerate(
                        ["Zebra", "Service", "Apple", "ConfigMap", "Zebra", "Namespace", "Service"]
                    )
                ),
                "a.yaml": "kind: Deployment\nmetadata: {name: d}\n---\n---\nkind: Secret\n",
            }
        ),
        [_entry()],
    ),
    "formats": (
        {
            **_templates(
                **{
                    "types.yaml": """
                        kind: Types
                        v: "1.20"
                        w: 1.20
                        o: 010
                        d: 2020-01-01
                        t: 2020-01-01T10:00:00Z
                        eq: =
                        anchor: &a {x: [1]}
                        again: *a
                        merged: {<<: *a, y: 2}
                        listed: &l [1, *a]
                        relisted: *l
                        day: &d 2020-02-02
                        same: *d
                        "null": null
                        yes: no
                        1: one
                        text: |+
                          kept

                        folded: >-
                          a
                          b
                        bin: !!binary aGVsbG8=
                        e: 1e3
                        f: 1.0e+3
                        umlaut: grüezi
                        secret: "?{vaultkv:a/b/c}"
                        """,
                    "x.yml": "kind: X\n",
                    "j.json": '{"kind": "J", "a": [1, {"b": null}]}',
                    "t.tpl": "kind: T\n",
                    "noext": "kind: N\n",
                    "comments.yaml": "# only\n# comments\n",
                    "empty.yaml": "{{ if false }}kind: X{{ end }}\n",
                    "nulls.yaml": "kind: A\n---\nnull\n---\n# c\n---\nkind: B\n",
                    "crlf.yaml": "kind: C\r\ntext: |\r\n  a\r\n  b\r\n",
                    "long.yaml": "kind: L\ntext: " + "word " * 40 + "\n",
                    "_helpers.tpl": "kind: Never\n",
                }
            ),
            "chart/templates/deep/er/y.yaml": "kind: Y\n",
        },
        [_entry()],
    ),
    "a file of its own": (
        _templates(**{"a.yaml": _map("a"), "b.yaml": _map("b")}),
        [_entry(helm_params={"output_file": "all.yaml"})],
    ),
    "names": (
        {
            **_templates(**{"a.yaml": _map("a")}),
            **_templates(at="second", **{"b.yaml": _map("b")}),
        },
        [
            _entry(
                input_paths=["${_base_directory}/chart", "${_base_directory}/second"],
            ),
            _entry(output_path="old", helm_params={"name": None, "release_name": "old"}),
            _entry(output_path="flag", helm_params={"release_name": True}),
            _entry(output_path="none", helm_params={"name": None}),
        ],
    ),
    "sub-charts that are there already": (
        {
            **_templates(
                more="dependencies: [{name: sub, version: 0.1.0}, {name: lib, version: 0.1.0}]\n",
                **{"a.yaml": _map("a")},
            ),
            **_sub("sub"),
            **_LIBRARY,
        },
        [_entry(helm_params={"dependency_update": True, "create_namespace": True})],
    ),
    "prune": (
        _templates(**{"a.yaml": _map("a", "{a: {}, b: null}"), "b.yaml": "kind: B\n"}),
        [_entry(prune=True, output_type="json")],
    ),
    "prepared in the checkout": (
        {
            **_templates(**{"a.yaml": _map("a", "{x: {{ .Values.x }}}")}),
            "main.jsonnet": "{ values: { x: 'made' } }",
        },
        [
            {
                "input_type": "jsonnet",
                "input_paths": ["${_base_directory}/main.jsonnet"],
                "output_path": "${_base_directory}/chart",
            },
            _entry(),
        ],
    ),
    "from earlier output": (
        _templates(**{"a.yaml": _map("a", "{x: {{ .Chart.Name }}}")}),
        [
            {
                "input_type": "copy",
                "input_paths": ["${_base_directory}/chart"],
                "output_path": "copied",
            },
            _entry(input_paths=["compiled/@NAME@/copied"]),
        ],
    ),
}

FAILING: dict[str, Case] = {
    "a value against the schema": (
        {
            **_templates(**{"a.yaml": _map("a")}),
            "chart/values.schema.json": '{"required": ["number"]}',
        },
        [_entry()],
    ),
    "an error in a template": (_templates(**{"a.yaml": '{{ fail "no" }}'}), [_entry()]),
    "a missing sub-chart": (
        _templates(more="dependencies:\n- {name: x, version: 1.0.0}\n", **{"a.yaml": _map("a")}),
        [_entry()],
    ),
    "a library": (_templates(more="type: library\n", **{"a.yaml": _map("a")}), [_entry()]),
    "a text": (_templates(**{"a.txt": "hello\n"}), [_entry()]),
    "no YAML": (_templates(**{"a.yaml": "a: [\n"}), [_entry()]),
    "no chart": ({"chart/x": ""}, [_entry()]),
    "a bad name": (_templates(**{"a.yaml": _map("a")}), [_entry(helm_params={"name": "A_b"})]),
    "no values file": (
        _templates(**{"a.yaml": _map("a")}),
        [_entry(helm_values_files=["nowhere/v.yml"])],
    ),
    "a short flag": (_templates(**{"a.yaml": _map("a")}), [_entry(helm_params={"n": "x"})]),
    "a flag with dashes": (
        _templates(**{"a.yaml": _map("a")}),
        [_entry(helm_params={"skip-tests": True})],
    ),
    "a value by a flag": (
        _templates(**{"a.yaml": _map("a")}),
        [_entry(helm_params={"set": "a=b"})],
    ),
    "a denied flag": (
        _templates(**{"a.yaml": _map("a")}),
        [_entry(helm_params={"show_only": "x"})],
    ),
    "an unknown flag": (_templates(**{"a.yaml": _map("a")}), [_entry(helm_params={"nonsense": 5})]),
    "a helm that is nowhere": (
        _templates(**{"a.yaml": _map("a")}),
        [_entry(helm_path="/nowhere/helm")],
    ),
}
