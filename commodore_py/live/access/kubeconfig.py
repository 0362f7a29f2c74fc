"""Kubeconfig files, merged as kubectl merges them, and the access that a context gives."""

from __future__ import annotations

import base64
import binascii
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.http.address import split_url
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.manifests.objects import mapping, mappings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_SINGULAR = {"clusters": "cluster", "contexts": "context", "users": "user"}


@dataclass(frozen=True, slots=True)
class Exec:
    """A program that prints credentials."""

    api_version: str
    command: str
    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    install_hint: str = ""
    wants_cluster: bool = False
    interactive: str = ""


@dataclass(frozen=True, slots=True)
class User:
    """How to authenticate."""

    token: str = field(default="", repr=False)
    token_file: str = ""
    username: str = ""
    password: str = field(default="", repr=False)
    certificate: bytes = b""
    key: bytes = field(default=b"", repr=False)
    exec: Exec | None = None
    impersonation: tuple[tuple[str, str], ...] = ()
    """Headers of requests that act as another user."""


@dataclass(frozen=True, slots=True)
class Access:
    """Everything that requests to a cluster need."""

    server: str
    user: User
    name: str = ""
    """That of the context."""
    origin: str = ""
    """The file of the context."""
    authority: bytes = b""
    """Certificates in PEM; those of the system, if empty."""
    verify: bool = True
    tls_server_name: str = ""
    proxy: str = ""


def find(
    given: str = "",
    *,
    context: str = "",
    cluster: str = "",
    variables: Mapping[str, str],
    home: Path,
) -> Access:
    """The access to a cluster: of a context that is named, of the one of its name, or the current.

    Without any file, that of the pod this runs in.
    """
    listed = given or variables.get("KUBECONFIG", "")
    places = [Path(part) for part in listed.split(os.pathsep if not given else "\0") if part]
    places = places or [home / ".kube" / "config"]
    current, entries = _merged([place for place in places if given or place.exists()])
    contexts = {name: entry for (kind, name), entry in entries.items() if kind == "contexts"}
    name = context or (cluster if cluster in contexts else current)
    if name in contexts:
        return _access(name, entries)
    if name:
        names = ", ".join(sorted(contexts))
        file = "name a file that has it with --kubeconfig or KUBECONFIG"
        hint = f"contexts: {names}" if names else file
        raise UsageError(f"there is no context {name}", hint=hint)
    if not given and (inside := _in_cluster(variables)) is not None:
        return inside
    raise CommodoreError(
        "no access to a cluster is configured",
        where=f"kubeconfig files: {', '.join(map(str, places))}",
        hint="name a file with --kubeconfig or KUBECONFIG, and a context in it with --context",
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A cluster, context or user, or a mapping in one, and where it is."""

    value: Mapping[str, Any]
    file: Path
    steps: tuple[str | int, ...]
    """Where it is in the file."""

    def text(self, name: str) -> str:
        value = self.value.get(name)
        if not isinstance(value, str | None):
            raise self.wrong(name, "is not a string")
        return value or ""

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.value.get(name) or []
        if not isinstance(value, list):
            raise self.wrong(name, "is not a list")
        return tuple(map(str, value))

    def path(self, name: str) -> Path:
        """A path that is relative to the file."""
        return self.file.parent / self.text(name)

    def pem(self, name: str) -> bytes:
        """Certificates or keys: as data, or in a file."""
        if data := self.text(f"{name}-data"):
            try:
                return base64.b64decode(data, validate=True)
            except (binascii.Error, ValueError) as error:
                raise self.wrong(f"{name}-data", "is not valid base64") from error
        return content_of(self.path(name)) if self.text(name) else b""

    def wrong(self, name: str, what: str) -> CommodoreError:
        kind, at, *rest = self.steps
        line = yaml.line_at(content_of(self.file), [0, *self.steps, name])
        where = f"{self.file}:{line}" if line else str(self.file)
        place = ".".join(map(str, (*rest, name)))
        return CommodoreError(f"{kind}[{at}].{place} {what}", where=where)


def _merged(files: Sequence[Path]) -> tuple[str, Mapping[tuple[str, str], _Entry]]:
    """The current context, and all entries by list and name; of several, the first counts."""
    current = ""
    entries: dict[tuple[str, str], _Entry] = {}
    for file in files:
        content = yaml.load(content_of(file), name=str(file))
        if not isinstance(content, dict | None):
            what = "this is not a kubeconfig file: it is not a mapping"
            raise CommodoreError(what, where=str(file))
        content = content or {}
        if not current and isinstance(named := content.get("current-context"), str):
            current = named
        for kind in _SINGULAR:
            for name, entry in _entries(content, kind, file):
                entries.setdefault((kind, name), entry)
    return current, entries


def _entries(content: Mapping[str, Any], kind: str, file: Path) -> Iterator[tuple[str, _Entry]]:
    listed = content.get(kind) or []
    if not isinstance(listed, list):
        raise CommodoreError(f"{kind} is not a list", where=str(file))
    for at, entry in enumerate(listed):
        name, value = (mapping(entry).get(field) for field in ("name", _SINGULAR[kind]))
        if not isinstance(name, str) or not isinstance(value, dict | None):
            what = f"{kind}[{at}] is not an entry with name and {_SINGULAR[kind]}"
            raise CommodoreError(what, where=str(file))
        yield name, _Entry(value or {}, file, (kind, at, _SINGULAR[kind]))


def _access(name: str, entries: Mapping[tuple[str, str], _Entry]) -> Access:
    context = entries["contexts", name]

    def named(kind: str) -> _Entry:
        word = _SINGULAR[kind]
        other = entries.get((kind, context.text(word)))
        if other is None:
            what = f"names {context.text(word) or 'nothing'}, which no file defines"
            raise context.wrong(word, what)
        return other

    cluster = named("clusters")
    server = cluster.text("server")
    if not server.startswith(("https://", "http://")):
        raise cluster.wrong("server", "is not an http or https URL")
    split_url(server)  # refuses a malformed one
    return Access(
        server=server.rstrip("/"),
        user=_user(named("users")) if context.text("user") else User(),
        name=name,
        origin=str(context.file),
        authority=cluster.pem("certificate-authority"),
        verify=cluster.value.get("insecure-skip-tls-verify") is not True,
        tls_server_name=cluster.text("tls-server-name"),
        proxy=cluster.text("proxy-url"),
    )


def _user(user: _Entry) -> User:
    plugin = user.value.get("exec")
    if plugin is None and user.value.get("auth-provider") is not None:
        raise user.wrong("auth-provider", "is no longer supported: use an exec plugin")
    if not isinstance(plugin, dict | None):
        raise user.wrong("exec", "is not a mapping")
    headers = (
        ("Impersonate-User", user.text("as")),
        *(("Impersonate-Group", group) for group in user.texts("as-groups")),
        ("Impersonate-Uid", user.text("as-uid")),
    )
    return User(
        token=user.text("token"),
        token_file=str(user.path("tokenFile")) if user.text("tokenFile") else "",
        username=user.text("username"),
        password=user.text("password"),
        certificate=user.pem("client-certificate"),
        key=user.pem("client-key"),
        exec=None if plugin is None else _exec(_Entry(plugin, user.file, (*user.steps, "exec"))),
        impersonation=tuple((name, value) for name, value in headers if value),
    )


def _exec(plugin: _Entry) -> Exec:
    command = plugin.text("command")
    if not command:
        raise plugin.wrong("command", "is missing")
    variables = plugin.value.get("env") or []
    if not isinstance(variables, list):
        raise plugin.wrong("env", "is not a list")
    return Exec(
        plugin.text("apiVersion"),
        str(plugin.path("command")) if "/" in command else command,
        plugin.texts("args"),
        {
            str(variable["name"]): str(variable.get("value", ""))
            for variable in mappings(variables)
            if "name" in variable
        },
        plugin.text("installHint"),
        wants_cluster=plugin.value.get("provideClusterInfo") is True,
        interactive=plugin.text("interactiveMode"),
    )


def _in_cluster(variables: Mapping[str, str]) -> Access | None:
    host, port = (variables.get(f"KUBERNETES_SERVICE_{part}", "") for part in ("HOST", "PORT"))
    token = _SERVICE_ACCOUNT / "token"
    if not host or not port or not token.exists():
        return None
    return Access(
        server=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        user=User(token_file=str(token)),
        name="in-cluster",
        origin=str(_SERVICE_ACCOUNT),
        authority=content_of(_SERVICE_ACCOUNT / "ca.crt"),
    )
