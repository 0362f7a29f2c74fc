"""Made-up rules in Rego, and objects to evaluate them for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_IMAGES = (
    "registry.example.com/shop/web:1.2.3",
    "docker.io/library/nginx",
    "docker.io/library/nginx:latest",
    "localhost:5000/a",
    "quay.io/x/y@sha256:" + "0" * 64,
)
_TEXTS = ("", "a", "Über-Maß", 'with "quotes" and \\', "two\nlines", "2Gi", "512Mi", "100m", "1.5")


def _container(random: Random, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {"name": f"c{number}", "image": random.choice(_IMAGES)}
    optional: dict[str, Any] = {
        "securityContext": {
            "privileged": random.random() < 0.5,
            "runAsNonRoot": random.random() < 0.5,
            "capabilities": {"add": random.sample(["NET_ADMIN", "sys_time", "CHOWN"], 2)},
        },
        "resources": {"limits": {"memory": random.choice(["1Gi", "2.5Gi", "4G", "64Mi"])}},
        "ports": [{"containerPort": random.choice([80, 443])} for _ in range(2)],
        "env": [
            {"name": "DB_PASSWORD", "value": random.choice(_TEXTS)},
            {"name": "API_TOKEN", "valueFrom": {"secretKeyRef": {"name": "x", "key": "y"}}},
        ],
        "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
    }
    chosen = {key: value for key, value in optional.items() if random.random() < 0.5}
    return {**found, **chosen}


def _spec(random: Random, kind: str) -> dict[str, Any]:
    pod: dict[str, Any] = {"containers": [_container(random, at) for at in range(2)]}
    if random.random() < 0.3:
        path = random.choice(["/var/log/x", "/etc"])
        pod |= {"hostNetwork": True, "volumes": [{"name": "v", "hostPath": {"path": path}}]}
    if kind == "Pod":
        return {"spec": pod}
    if kind == "CronJob":
        job = {"jobTemplate": {"spec": {"template": {"spec": pod}}}}
        return {"spec": {**job, "schedule": random.choice(["* * * * *", "@daily", "0 1 * *"])}}
    labels = {"app": random.choice(["a", "b"])}
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {"spec": {"replicas": random.choice([0, 1, 3]), "template": template}}


def _others(random: Random) -> dict[str, Any]:
    hosts = ["web.apps.example.com", "a.b.apps.example.com", "other.org"]
    rule = {
        "apiGroups": random.choice([["*"], [""]]),
        "resources": random.choice([["*"], ["pods"]]),
        "verbs": ["*", "get"],
    }
    return random.choice(
        [
            {
                "kind": "Service",
                "spec": {
                    "type": random.choice(["LoadBalancer", "ClusterIP"]),
                    "ports": [{"port": 80, "nodePort": 30080}, {"port": 443}],
                    "loadBalancerSourceRanges": random.sample(["0.0.0.0/0", "10.0.0.0/8"], 1),
                },
            },
            {
                "kind": "Ingress",
                "spec": {
                    "rules": [{"host": host} for host in random.sample(hosts, 2)],
                    "tls": [{"hosts": random.sample(hosts, 1)}],
                },
            },
            {"kind": "ClusterRole", "rules": [rule, {**rule, "verbs": ["get"]}]},
            {
                "kind": "ClusterRoleBinding",
                "roleRef": {"name": random.choice(["cluster-admin", "view"])},
                "subjects": [{"kind": "User", "name": "ada"}, {"kind": "Group", "name": "dev"}],
            },
            {
                "kind": "ConfigMap",
                "data": {
                    "a.json": random.choice(['{"a": [1]}', "{a"]),
                    "b.yaml": random.choice(["a:\n- b: changeme\n", "a: [", "x: changeme\n"]),
                    "text": random.choice(_TEXTS),
                },
            },
            {"kind": "Secret", "stringData": {"a": "?{vaultkv:t/c/x}", "b": "***"}},
            {"kind": "PodDisruptionBudget", "spec": {"selector": {"matchLabels": {"app": "a"}}}},
        ]
    )


def make_objects(random: Random, number: int) -> list[dict[str, Any]]:
    """Objects of several kinds, some with everything that policies look for."""
    return [_object(random, at) for at in range(number)]


def _object(random: Random, at: int) -> dict[str, Any]:
    kind = random.choice(["Deployment", "StatefulSet", "Pod", "CronJob", "", ""])
    content = {"kind": kind, **_spec(random, kind)} if kind else _others(random)
    labels = {
        "app.kubernetes.io/name": random.choice(["web", "Web_1", "-bad-"]),
        "team": "a",
        "legacy": random.choice(["true", "false"]),
    }
    metadata: dict[str, Any] = {"name": random.choice(["web", "Web_1", "a--b"]) + str(at)}
    if random.random() < 0.6:
        metadata["labels"] = dict(random.sample(sorted(labels.items()), 2))
    if random.random() < 0.6:
        metadata["namespace"] = random.choice(["default", "shop"])
    return {"apiVersion": "v1", **content, "metadata": metadata}


_PATHS = (
    "input.metadata.name",
    "input.metadata.labels.team",
    'input.metadata.labels["app.kubernetes.io/name"]',
    "input.kind",
    "input.spec.replicas",
    "input.spec.template.spec.containers[_].image",
    "input.spec.template.spec.containers[_].resources.limits.memory",
    "input.spec.ports[_].port",
    "input.data.text",
    "input.rules[_].verbs",
    "data.limits.labels",
    "data.limits.memory",
)
_EXPRESSIONS = (
    "upper({0})",
    "split({0}, {text})",
    "replace({0}, {text}, {other})",
    "substring({0}, 1, 2)",
    "trim({0}, {text})",
    "sprintf({text}, [{0}])",
    'sprintf("%v|%s", [{0}, {0}])',
    "count({0})",
    "concat({text}, {0})",
    "regex.find_n(`[a-z]+`, {0}, 2)",
    "regex.replace({0}, `[aeiou]`, {text})",
    "object.get(input, [{text}, {other}], {0})",
    "to_number({0})",
    "units.parse_bytes({0})",
    "base64.encode({0})",
    "json.marshal({0})",
    "yaml.marshal({0})",
    "urlquery.encode({0})",
    "type_name({0})",
    "array.concat([{0}], [{text}])",
    "sort([{0}, {text}])",
    "[x | some x in [{0}, {text}]; is_string(x)]",
    "{{x: y | some x, y in input.metadata.labels; x != {text}}}",
    "{{x | some x in [{0}, {text}, {other}]}}",
    "indexof({0}, {text})",
    "max([{0}, {number}])",
    "{0} + {number}",
    "{number} % 7",
    "strings.reverse({0})",
    "object.union({{{text}: {0}}}, {{{other}: 1}})",
    "numbers.range(1, {number})",
    "trim_prefix({0}, {text})",
    "format_int({number}, 16)",
    "round({number} / 3)",
)
_CONDITIONS = (
    "{0} == {text}",
    "{0} != {text}",
    "{0} > {number}",
    "not {0}",
    "contains({0}, {text})",
    "not startswith({0}, {text})",
    "endswith({0}, {text})",
    "{0} in [{text}, {other}, {number}]",
    "not {0} in data.limits.labels",
    "regex.match(`^[a-z]`, {0})",
    "is_string({0})",
    "count({0}) > 1",
    "every x in [{0}] {{ x != {text} }}",
    "some y in data.limits.registries; startswith({0}, y)",
    "glob.match(`*b*`, [], {0})",
    "walk(input, [_, {text}])",
    "{0}",
)


def make_rules(random: Random, number: int) -> Iterator[str]:
    """Bodies of rules, each with an own name."""
    for at in range(number):
        name = f"{random.choice(['deny', 'violation', 'warn'])}_r{at}"
        conditions = [
            _filled(random, random.choice(_CONDITIONS)) for _ in range(random.choice((1, 2)))
        ]
        value = _filled(random, random.choice(_EXPRESSIONS))
        body = "\n".join(f"\t{one}" for one in conditions)
        yield f"{name} contains [value] if {{\n{body}\n\tvalue := {value}\n}}\n"


def _filled(random: Random, form: str) -> str:
    import json

    return form.format(
        random.choice(_PATHS),
        text=json.dumps(random.choice(_TEXTS), ensure_ascii=random.random() < 0.5),
        other=json.dumps(random.choice(("team", "a", "-"))),
        number=random.choice((0, 1, 2, 80, 1.5)),
    )
