"""Real servers on free ports of this machine: Kubernetes, Argo CD, an S3 store.

Their programs come from `tests/real/build DIR`; REAL_SERVERS_DIR is DIR.
"""

from __future__ import annotations

import base64
import os
import secrets
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

VARIABLE = "REAL_SERVERS_DIR"
_LOCALHOST = "127.0.0.1"
_PART_OF_ARGO_CD = {"app.kubernetes.io/part-of": "argocd"}

# The limited user reads most objects but Secrets, and writes ConfigMaps of one namespace.
_LIMITED = [
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "limited-view"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "Group", "name": "limited"}],
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "limited-write", "namespace": "default"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}],
    },
    {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "limited-write", "namespace": "default"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "Role",
            "name": "limited-write",
        },
        "subjects": [{"kind": "Group", "name": "limited"}],
    },
]


def directory_with(*programs: str) -> Path:
    """The directory of the programs; the test is skipped without them."""
    if VARIABLE not in os.environ:
        pytest.skip(f"no real server: run tests/real/build DIR, and set {VARIABLE} to DIR")
    folder = Path(os.environ[VARIABLE])
    missing = [name for name in programs if not (folder / "bin" / name).is_file()]
    assert not missing, f"{folder} lacks {missing}: run tests/real/build"
    return folder


@contextmanager
def kubernetes(folder: Path, *flags: str, controllers: bool = True) -> Iterator[Path]:
    """An API server, with controllers on request; yields the kubeconfig of the administrator.

    `kubeconfig-limited` beside it is that of a user with few rights.
    """
    programs = directory_with("etcd", "kube-apiserver", "kube-controller-manager") / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    client, peer, secure = _free_ports(3)
    etcd = f"http://{_LOCALHOST}:{client}"
    key = folder / "service-accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    tokens = {"admin": secrets.token_hex(16), "limited": secrets.token_hex(16)}
    groups = {"admin": "system:masters", "limited": "limited"}
    lines = (f'{token},{user},{user},"{groups[user]}"\n' for user, token in tokens.items())
    (folder / "tokens.csv").write_text("".join(lines))
    with ExitStack() as stack:
        stack.enter_context(
            _started(
                folder,
                "etcd",
                [
                    programs / "etcd",
                    *("--data-dir", folder / "etcd", "--unsafe-no-fsync", "--log-level", "warn"),
                    *("--listen-client-urls", etcd, "--advertise-client-urls", etcd),
                    *("--listen-peer-urls", f"http://{_LOCALHOST}:{peer}"),
                    *("--initial-advertise-peer-urls", f"http://{_LOCALHOST}:{peer}"),
                    *("--initial-cluster", f"default=http://{_LOCALHOST}:{peer}"),
                ],
            )
        )
        stack.enter_context(
            _started(
                folder,
                "kube-apiserver",
                [
                    programs / "kube-apiserver",
                    *("--etcd-servers", etcd, "--secure-port", str(secure)),
                    *("--bind-address", _LOCALHOST, "--advertise-address", _LOCALHOST),
                    *("--cert-dir", folder / "certificates", "--endpoint-reconciler-type", "none"),
                    *("--service-cluster-ip-range", "10.0.0.0/24", "--allow-privileged"),
                    *("--service-account-issuer", "https://kubernetes.default.svc"),
                    *("--service-account-key-file", key),
                    *("--service-account-signing-key-file", key),
                    *("--token-auth-file", folder / "tokens.csv", "--authorization-mode", "RBAC"),
                    *flags,
                ],
            )
        )
        certificate = folder / "certificates/apiserver.crt"
        _wait(120, "the certificate of the API server", certificate.is_file)
        url = f"https://{_LOCALHOST}:{secure}"
        for user, token in tokens.items():
            name = "kubeconfig" if user == "admin" else f"kubeconfig-{user}"
            _write_kubeconfig(folder / name, url, certificate.read_bytes(), user, token)
        admin = folder / "kubeconfig"
        _wait(180, "the API server", lambda: kubectl(admin, "get", "--raw", "/readyz") == "ok")
        apply(admin, _LIMITED)
        if controllers:
            manager = [
                programs / "kube-controller-manager",
                *("--kubeconfig", admin, "--leader-elect=false", "--secure-port", "0"),
                *("--service-account-private-key-file", key, "--root-ca-file", certificate),
            ]
            stack.enter_context(_started(folder, "kube-controller-manager", manager))
            account = ("get", "serviceaccount", "default", "-n", "default", "-o", "name")
            _wait(60, "the controllers", lambda: bool(kubectl(admin, *account)))
        yield admin


@contextmanager
def argo_cd(
    folder: Path, kubeconfig: Path, *, tracking: str = "annotation", resync: int = 10
) -> Iterator[None]:
    """The controller and the repository server of Argo CD for a cluster of `kubernetes`.

    There is no API server: make Applications with kubectl, for `https://kubernetes.default.svc`.
    """
    directory = directory_with("argocd")
    work = folder / "argocd"
    for name in ("tls", "ssh", "gpg", "plugins", "tmp"):
        (work / name).mkdir(parents=True, exist_ok=True)
    for file in sorted((directory / "share/argocd").glob("*.yaml")):
        kubectl(kubeconfig, "apply", "--server-side", "-f", str(file), check=True)
    projects = ("get", "appprojects,applications", "-A")
    _wait(60, "the kinds of Argo CD", lambda: kubectl(kubeconfig, *projects, code=True) == "0")
    apply(kubeconfig, _argo_cd_objects(tracking))
    redis, repository, *metrics = _free_ports(4)
    debian = directory / "debian/root/usr"
    libraries = ":".join(map(str, debian.glob("lib/*-linux-gnu")))
    variables = {
        "PATH": f"{directory / 'libexec'}:{os.environ['PATH']}",
        "KUBECONFIG": str(kubeconfig),
        "ARGOCD_FAKE_IN_CLUSTER": "true",
        "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_TLS_DATA_PATH": str(work / "tls"),
        "ARGOCD_SSH_DATA_PATH": str(work / "ssh"),
        "ARGOCD_GNUPGHOME": str(work / "gpg"),
        "ARGOCD_PLUGINSOCKFILEPATH": str(work / "plugins"),
        "ARGOCD_ASK_PASS_SOCK": str(work / "ask.sock"),
        "ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_PLAINTEXT": "true",
        "TMPDIR": str(work / "tmp"),
        "HOME": str(work),
        "XDG_CONFIG_HOME": str(work),
        "HOSTNAME": "controller-0",
    }
    argocd = directory / "bin/argocd"
    servers: tuple[tuple[str, list[object], dict[str, str]], ...] = (
        (
            "redis",
            [
                *(debian / "bin/redis-server", "--port", str(redis), "--bind", _LOCALHOST),
                *("--save", "", "--appendonly", "no", "--dir", work),
            ],
            {"LD_LIBRARY_PATH": libraries},
        ),
        (
            "argocd-repo-server",
            [
                *(argocd, "--address", _LOCALHOST, "--port", str(repository)),
                *("--metrics-address", _LOCALHOST, "--metrics-port", str(metrics[0])),
                *("--redis", f"{_LOCALHOST}:{redis}", "--disable-tls", "--client-ca-path", ""),
                *("--revision-cache-expiration", "1s"),
            ],
            variables,
        ),
        (
            "argocd-application-controller",
            [
                *(argocd, "--namespace", "argocd", "--repo-server", f"{_LOCALHOST}:{repository}"),
                *("--redis", f"{_LOCALHOST}:{redis}", "--metrics-port", str(metrics[1])),
                *("--status-processors", "4", "--operation-processors", "4"),
                *("--app-resync", str(resync), "--app-resync-jitter", "0"),
            ],
            variables,
        ),
    )
    with ExitStack() as stack:
        for name, command, more in servers:
            env = {**os.environ, **more, "ARGOCD_BINARY_NAME": name}
            stack.enter_context(_started(folder, name, command, env))
        for port in metrics:
            _wait(60, "Argo CD", lambda port=port: _is_open(port))  # type: ignore[misc]
        yield


@contextmanager
def s3(folder: Path) -> Iterator[tuple[dict[str, str], subprocess.Popen[bytes]]]:
    """An S3 store that checks signatures: the variables that lead to it, and its process."""
    program = directory_with("versitygw") / "bin/versitygw"
    for name in ("objects", "versions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (port,) = _free_ports(1)
    secret = secrets.token_hex(16)
    keys = {"ROOT_ACCESS_KEY": "testing", "ROOT_SECRET_KEY": secret}
    command = [
        *(program, "--port", f"{_LOCALHOST}:{port}", "--region", "us-east-1"),
        *("posix", "--versioning-dir", folder / "versions", folder / "objects"),
    ]
    variables = {
        "AWS_ENDPOINT_URL": f"http://{_LOCALHOST}:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with _started(folder, "s3", command, {**os.environ, **keys}) as process:
        _wait(20, "the S3 store", lambda: _is_open(port))
        yield variables, process


def kubectl(
    kubeconfig: Path, *words: str, stdin: str = "", check: bool = False, code: bool = False
) -> str:
    """Run kubectl; returns what it prints on stdout, or its exit code."""
    done = subprocess.run(
        ["kubectl", "--kubeconfig", kubeconfig, *words],
        check=False,
        capture_output=True,
        text=True,
        input=stdin,
    )
    if check and done.returncode:
        raise AssertionError(done.stderr)
    return str(done.returncode) if code else done.stdout


def apply(kubeconfig: Path, objects: Sequence[object]) -> None:
    """Apply objects as kubectl does; it may ask for kinds that are not served yet."""
    text = yaml.safe_dump_all(objects)
    _wait(30, "kubectl", lambda: kubectl(kubeconfig, "apply", "-f-", stdin=text, code=True) == "0")


def _argo_cd_objects(tracking: str) -> list[object]:
    """The objects that the parts of Argo CD look for; its project allows everything."""
    settings: dict[str, dict[str, str]] = {
        "argocd-cm": {"application.resourceTrackingMethod": tracking},
        "argocd-rbac-cm": {},
        "argocd-ssh-known-hosts-cm": {"ssh_known_hosts": ""},
        "argocd-tls-certs-cm": {},
        "argocd-gpg-keys-cm": {},
    }
    where = {"namespace": "argocd", "labels": _PART_OF_ARGO_CD}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}},
        *(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name, **where},
                "data": data,
            }
            for name, data in settings.items()
        ),
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "argocd-secret", **where},
            "stringData": {"server.secretkey": secrets.token_hex(16)},
        },
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "AppProject",
            "metadata": {"name": "default", "namespace": "argocd"},
            "spec": {
                "sourceRepos": ["*"],
                "destinations": [{"namespace": "*", "server": "*"}],
                "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
            },
        },
    ]


def _write_kubeconfig(file: Path, url: str, certificate: bytes, user: str, token: str) -> None:
    authority = base64.b64encode(certificate).decode()
    cluster = {"server": url, "certificate-authority-data": authority}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "real", "cluster": cluster}],
        "users": [{"name": user, "user": {"token": token}}],
        "contexts": [{"name": "real", "context": {"cluster": "real", "user": user}}],
        "current-context": "real",
    }
    file.touch(0o600)
    file.write_text(yaml.safe_dump(content, sort_keys=False))


@contextmanager
def _started(
    folder: Path, name: str, command: Sequence[object], env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the end of the block; what it prints goes to a file."""
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=dict(env or os.environ),
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind((_LOCALHOST, 0))
        return [one.getsockname()[1] for one in sockets]


def _is_open(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex((_LOCALHOST, port)) == 0


def _wait(seconds: float, what: str, is_there: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while not is_there():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.2)
