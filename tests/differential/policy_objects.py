"""Made-up objects for policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
