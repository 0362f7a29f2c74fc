"""What a filter can call, and what each call gives: the table of the tests beside it.

Expressions see `com`, the library, and `out`, the folder that FILES were compiled to.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Cases: TypeAlias = dict[str, object]
"""Expressions, and their values."""


class Fails(str):
    """Part of the error that an expression fails with."""

    __slots__ = ()


NODE: Final[dict[str, Any]] = {
    "__reclass__": {"node": "web", "environment": "base"},
    "applications": ["web"],
    "classes": ["global.common"],
    "environment": "base",
    "exports": {},
    "parameters": {
        "global": {"https_proxy": "http://proxy.example.com:3128", "no_proxy": None, "other": 1},
        "key with 'quotes' \"and\" \\": ["ä\u2028", 1.5, True, None, "\U0001f600"],
        "web": {"namespace": "syn-web", "replicas": 3, "big": 9007199254740993},
    },
}

FILES: Final = {
    "one.yaml": "kind: A\nmetadata: {name: a, namespace: old}\n",
    "two.yaml": "kind: A\n---\n---\nkind: List\nmetadata: {name: l}\nitems: [{kind: A}]\n",
    ".hidden.yaml": "kind: B\n",
    "below/three.yaml": "kind: C\n",
}

SCALARS: Final = {
    "empty.yaml": "",
    "nulls.yaml": "---\n---\n",
    "scalars.yaml": "[010, 1_000, 0x1F, yes, 1e3, 12:30, 0o7, 9223372036854775807, '5', .5, ~]\n",
    "twice.yaml": "a: 1\na: 2\n",
    "date.yaml": "a: 2020-01-01\n",
    "keys.yaml": "1: a\n",
    "broken.yaml": "a: [\n",
    "huge.yaml": "a: 9223372036854775808\n",
    "infinite.yaml": "a: .inf\n",
    "merged.yaml": "b: &b {x: 1}\nc: {<<: *b, y: 2}\nd: *b\n",
}

A: Final[dict[str, object]] = {"kind": "A", "metadata": {"name": "a", "namespace": "old"}}
LIST: Final[dict[str, object]] = {
    "kind": "List",
    "metadata": {"name": "l"},
    "items": [{"kind": "A"}],
}
A_IN_N: Final[dict[str, object]] = {"kind": "A", "metadata": {"name": "a", "namespace": "n"}}
BARE_IN_N: Final[dict[str, object]] = {"kind": "A", "metadata": {"namespace": "n"}}
LIST_IN_N: Final[dict[str, object]] = {
    "kind": "List",
    "metadata": {"name": "l", "namespace": "n"},
    "items": [{"kind": "A"}],
}

NATIVES: Final[dict[str, Cases]] = {
    "commodore_inventory": {
        "std.native('commodore_inventory')()": NODE,
        "std.native('commodore_inventory')('web')": Fails("expected 0 positional"),
    },
    "list_dir": {
        "std.native('list_dir')(out, true)": [".hidden.yaml", "one.yaml", "two.yaml"],
        "[std.startsWith(p, out + '/') for p in std.native('list_dir')(out, false)]": [True] * 3,
        "std.native('list_dir')(out + '/below', true)": ["three.yaml"],
        "std.native('list_dir')(out + '/gone', true)": Fails("does not exist"),
        "std.native('list_dir')(out + '/one.yaml', true)": Fails("is not a folder"),
        "std.native('list_dir')(5, true)": Fails("a path must be a string"),
    },
    "yaml_load": {
        "std.native('yaml_load')(out + '/one.yaml')": A,
        "std.native('yaml_load')(out + '/two.yaml')": Fails("another document"),
        "std.native('yaml_load')(scalars + '/empty.yaml')": None,
        "std.native('yaml_load')(scalars + '/nulls.yaml')": Fails("another document"),
        "std.native('yaml_load')(scalars + '/scalars.yaml')": [
            *(8, 1000, 31, True, "1e3", 750, "0o7", 9223372036854775808, "5", 0.5, None)
        ],
        "std.native('yaml_load')(scalars + '/twice.yaml')": {"a": 2},
        "std.native('yaml_load')(scalars + '/merged.yaml')": {
            "b": {"x": 1},
            "c": {"x": 1, "y": 2},
            "d": {"x": 1},
        },
        "std.native('yaml_load')(scalars + '/date.yaml')": Fails("2020-01-01 is a date"),
        "std.native('yaml_load')(scalars + '/keys.yaml')": Fails("the key 1 is not a string"),
        "std.native('yaml_load')(scalars + '/broken.yaml')": Fails("not valid YAML"),
        "std.native('yaml_load')(scalars + '/huge.yaml')": Fails("more than 64 bits"),
        "std.native('yaml_load')(scalars + '/infinite.yaml')": Fails("not a finite number"),
        "std.native('yaml_load')(out + '/gone.yaml')": Fails("there is no such file"),
        "std.native('yaml_load')(out)": Fails("is a folder, not a file"),
    },
    "yaml_load_all": {
        "std.native('yaml_load_all')(out + '/one.yaml')": [A],
        "std.native('yaml_load_all')(out + '/two.yaml')": [{"kind": "A"}, None, LIST],
        "std.native('yaml_load_all')(scalars + '/empty.yaml')": [],
        "std.native('yaml_load_all')(scalars + '/nulls.yaml')": [None, None],
        "std.native('yaml_load_all')(scalars + '/date.yaml')": Fails("2020-01-01 is a date"),
        "std.native('yaml_load_all')(scalars + '/keys.yaml')": Fails("the key 1 is not a string"),
        "std.native('yaml_load_all')(scalars + '/broken.yaml')": Fails("not valid YAML"),
        "std.native('yaml_load_all')(scalars + '/huge.yaml')": Fails("more than 64 bits"),
        "std.native('yaml_load_all')(out + '/gone.yaml')": Fails("there is no such file"),
    },
}

LIBRARY: Final[dict[str, Cases]] = {
    "Kustomization": {
        "com.Kustomization('https://x//p', 'v1', { img: { newTag: 't', newName: 'n' } },"
        " { namespace: 'f', resources: ['x'] })": {
            "kustomization": {
                "images": [{"name": "img", "newName": "n", "newTag": "t"}],
                "namespace": "f",
                "resources": ["https://x//p?ref=v1", "x"],
            }
        },
        "com.Kustomization('u', images={ i: { newTag: 't' } })": Fails("image i has no newName"),
    },
    "addNamespaceToHelmOutput": {
        "com.addNamespaceToHelmOutput(out, 'n')": {
            ".hidden": [{"kind": "B", "metadata": {"namespace": "n"}}],
            "one": [A_IN_N],
            "two": [BARE_IN_N, LIST_IN_N],
        },
        "com.addNamespaceToHelmOutput(template_dir=out, namespace='n',"
        " exclude_objects=[{ kind: 'A', name: 'a' }]).one": [A],
    },
    "envList": {
        "com.envList({ B: 1, A: 'x', C: null, D: { fieldRef: {} } })": [
            {"name": "A", "value": "x"},
            {"name": "B", "value": "1"},
            {"name": "C", "value": None},
            {"name": "D", "valueFrom": {"fieldRef": {}}},
        ],
    },
    "filterNull": {"com.filterNull([1, null, [null]])": [1, [None]]},
    "fixupDir": {
        "com.fixupDir(out, function(o) o { x: 1 })": {
            ".hidden": [{"kind": "B", "x": 1}],
            "one": [{"kind": "A", "metadata": {"name": "a", "namespace": "old"}, "x": 1}],
            "two": [
                {"kind": "A", "x": 1},
                {
                    "kind": "List",
                    "metadata": {"name": "l"},
                    "items": [{"kind": "A"}],
                    "x": 1,
                },
            ],
        },
        "com.fixupDir(out, function(o) if o.kind == 'A' then null else o)": {
            ".hidden": [{"kind": "B"}],
            "one": [None],
            "two": [None, LIST],
        },
        "com.fixupDir(dir=out + '/below', fixupfn=function(o) o)": {"three": [{"kind": "C"}]},
        "com.fixupDir(out + '/gone', function(o) o)": Fails("does not exist"),
    },
    "generateResources": {
        "com.generateResources({ a_b: { x: 1 }, c: null }, function(name) { name: name })": [
            {"name": "a-b", "x": 1}
        ],
    },
    "getValueOrDefault": {
        "[com.getValueOrDefault({ a: null }, f, 'd') for f in ['a', 'b']]": [None, "d"],
    },
    "inventory": {
        "com.inventory()": NODE,
        "com.inventory().parameters.web.namespace": "syn-web",
        "com.inventory() == std.native('commodore_inventory')()": True,
        "std.objectFields(com.inventory().parameters)": sorted(NODE["parameters"]),
        "(com.inventory() { parameters+: { web+: { replicas: 5 } } }).parameters.web.replicas": 5,
        "com.inventory('web')": Fails("expected 0 positional"),
        "com.inventory().parameters.gone": Fails("Field does not exist: gone"),
    },
    "list_dir": {
        "com.list_dir(out)": [".hidden.yaml", "one.yaml", "two.yaml"],
        "com.list_dir(dir=out + '/below', basename=true)": ["three.yaml"],
    },
    "makeMergeable": {
        "{ a: { x: 1 }, l: [1], s: 1 } + com.makeMergeable({ a: { y: 2 }, l: [2], s: 2 })": {
            "a": {"x": 1, "y": 2},
            "l": [1, 2],
            "s": 2,
        },
        "{ a: 1 } + com.makeMergeable({ a: { y: 2 } })": Fails("expected number"),
    },
    "namespaced": {
        "com.namespaced('x', { metadata: { name: 'a', namespace: 'b' } })": {
            "metadata": {"name": "a", "namespace": "x"}
        },
    },
    "patchNamespace": {
        "com.patchNamespace(out + '/one.yaml', 'n')": [A_IN_N],
        "com.patchNamespace(out + '/two.yaml', 'n')": [BARE_IN_N, LIST_IN_N],
        "com.patchNamespace(out + '/two.yaml', 'n', ['List'])": [{"kind": "A"}, LIST_IN_N],
        "com.patchNamespace(out + '/two.yaml', 'n', kinds=[])": [{"kind": "A"}, LIST],
        "com.patchNamespace(obj_file=out + '/one.yaml', namespace='n',"
        " exclude_objects=[{ kind: 'A', name: 'a' }])": [A],
        "com.patchNamespace(out + '/two.yaml', 'n',"
        " exclude_objects=[{ kind: 'A', name: 'a' }])": Fails("Field does not exist: metadata"),
    },
    "proxyVars": {
        "com.proxyVars": {
            "HTTPS_PROXY": "http://proxy.example.com:3128",
            "https_proxy": "http://proxy.example.com:3128",
            "NO_PROXY": None,
            "no_proxy": None,
        },
    },
    "renderArray": {"com.renderArray(['b', 'a', '~b', 'c', '~c', 'c'])": ["a", "c"]},
    "yaml_load": {
        "com.yaml_load(out + '/one.yaml')": A,
        "com.yaml_load(file=out + '/one.yaml').kind": "A",
    },
    "yaml_load_all": {
        "com.yaml_load_all(out + '/two.yaml')": [{"kind": "A"}, None, LIST],
        "com.yaml_load_all(file=scalars + '/nulls.yaml')": [None, None],
    },
}

ENVIRONMENT: Final[dict[str, Cases]] = {
    "other natives": {
        "std.native('inventory')": None,
        "std.native('nope')": None,
        "std.native('file_read')('x')": Fails("expected function"),
    },
    "imports": {
        "(import 'lib/kube.libjsonnet').ConfigMap('c').kind": "ConfigMap",
        "(import 'lib/kube.libsonnet').ConfigMap('c').kind": "ConfigMap",
        "(import 'lib/kube-libsonnet/kube.libsonnet').ConfigMap('c').kind": "ConfigMap",
        "import 'lib/kapitan.libjsonnet'": Fails("there is no such file"),
        "import 'lib/.inventory/self/parameters/global.jsonnet'": NODE["parameters"]["global"],
    },
    "variables": {"std.extVar('target')": "shop", "std.extVar('component')": "shop"},
}
