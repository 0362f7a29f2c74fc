"""Kubeconfig files, merged as kubectl merges them, and the access that a context gives."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import reading, yaml
from commodore_py.adapters.http.address import split_url
from commodore_py.errors import CommodoreError, UsageError, of_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_LISTS = ("clusters", "contexts", "users")
_SINGULAR = {"clusters": "cluster", "contexts": "context", "users": "user"}


class Exec(NamedTuple):
    """A program that prints credentials."""

    api_version: str
    command: str
    arguments: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    install_hint: str = ""
    wants_cluster: bool = False
    interactive: str = "IfAvailable"


class Impersonation(NamedTuple):
    """Who requests act as."""

    user: str = ""
    groups: tuple[str, ...] = ()
    uid: str = ""


class User(NamedTuple):
    """How to authenticate."""

    token: str = ""
    token_file: str = ""
    username: str = ""
    password: str = ""
    certificate: bytes = b""
    key: bytes = b""
    exec: Exec | None = None
    impersonate: Impersonation = Impersonation()


class Access(NamedTuple):
    """Everything that requests to a cluster need."""

    server: str
    user: User
    name: str = ""
    """That of the context."""
    origin: str = ""
    """The file of the context."""
    namespace: str = ""
    authority: bytes = b""
    """Certificates in PEM; those of the system, if empty."""
    verify: bool = True
    tls_server_name: str = ""
    proxy: str = ""


class _Named(NamedTuple):
    value: Mapping[str, Any]
    file: Path
    place: str


class KubeConfig(NamedTuple):
    """The merged content of kubeconfig files."""

    files: tuple[Path, ...]
    current: str
    clusters: Mapping[str, _Named]
    contexts: Mapping[str, _Named]
    users: Mapping[str, _Named]

    def access(self, name: str) -> Access:
        """The access that a context gives."""
        context = self.contexts.get(name)
        if context is None:
            raise _unknown_context(name, self.contexts)
        cluster = self._named("clusters", context, "cluster")
        user = self._named("users", context, "user", optional=True)
        server = _text(cluster, "server")
        if not server.startswith(("https://", "http://")):
            raise _wrong(cluster, "server", "is not an http or https URL")
        split_url(server)  # refuses a malformed one
        return Access(
            server=server.rstrip("/"),
            user=_user(user) if user is not None else User(),
            name=name,
            origin=str(context.file),
            namespace=_text(context, "namespace"),
            authority=_pem(cluster, "certificate-authority"),
            verify=cluster.value.get("insecure-skip-tls-verify") is not True,
            tls_server_name=_text(cluster, "tls-server-name"),
            proxy=_text(cluster, "proxy-url"),
        )

    def _named(self, kind: str, context: _Named, field: str, *, optional: bool = False) -> Any:  # noqa: ANN401 - None only if optional
        name = _text(context, field)
        if not name and optional:
            return None
        found = (self.clusters if kind == "clusters" else self.users).get(name)
        if found is None:
            raise _wrong(context, field, f"names {name or 'nothing'}, which no file defines")
        return found


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
    files, passed = _places(given, variables, home)
    config = _merged(files)
    name = context or (cluster if cluster in config.contexts else config.current)
    if name:
        return config.access(name)
    if not given and (inside := _in_cluster(variables)) is not None:
        return inside
    looked = ", ".join(str(one) for one in (*files, *passed)) or "nowhere"
    raise CommodoreError(
        "no access to a cluster is configured",
        where=f"kubeconfig files: {looked}",
        hint="name a file with --kubeconfig or KUBECONFIG, and a context in it with --context",
    )


def _places(
    given: str, variables: Mapping[str, str], home: Path
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The files there are, and those that do not exist."""
    if given:
        return (Path(given),), ()
    listed = variables.get("KUBECONFIG", "")
    named = [Path(one) for one in listed.split(os.pathsep) if one]
    candidates = named or [home / ".kube" / "config"]
    there = tuple(one for one in candidates if one.exists())
    return there, tuple(one for one in candidates if one not in there)


def _merged(files: Sequence[Path]) -> KubeConfig:
    found: dict[str, dict[str, _Named]] = {kind: {} for kind in _LISTS}
    current = ""
    for file in files:
        content = _content(file)
        current = current or _plain_text(content.get("current-context"))
        for kind in _LISTS:
            for name, one in _entries(content, kind, file):
                found[kind].setdefault(name, one)  # the first one counts
    return KubeConfig(tuple(files), current, found["clusters"], found["contexts"], found["users"])


def _content(file: Path) -> Mapping[str, Any]:
    try:
        content = yaml.load(reading.bytes_of(str(file)), name=str(file))
    except FileNotFoundError as error:
        raise CommodoreError("this kubeconfig file does not exist", where=str(file)) from error
    except OSError as error:
        raise of_system(error) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise CommodoreError("this is not a kubeconfig file: it is not a mapping", where=str(file))
    return content


def _entries(content: Mapping[str, Any], kind: str, file: Path) -> Iterable[tuple[str, _Named]]:
    listed = content.get(kind) or []
    if not isinstance(listed, list):
        raise CommodoreError(f"{kind} is not a list", where=str(file))
    for at, entry in enumerate(listed):
        place = f"{kind}[{at}]"
        name = entry.get("name") if isinstance(entry, dict) else None
        value = entry.get(_SINGULAR[kind]) if isinstance(entry, dict) else None
        if not isinstance(name, str) or not isinstance(value, dict | None):
            raise CommodoreError(
                f"{place} is not an entry with name and {_SINGULAR[kind]}", where=str(file)
            )
        yield name, _Named(value or {}, file, f"{place}.{_SINGULAR[kind]}")


def _user(one: _Named) -> User:
    groups = one.value.get("as-groups") or []
    if not isinstance(groups, list):
        raise _wrong(one, "as-groups", "is not a list")
    token_file = _text(one, "tokenFile")
    return User(
        token=_text(one, "token"),
        token_file=str(_relative(one, token_file)) if token_file else "",
        username=_text(one, "username"),
        password=_text(one, "password"),
        certificate=_pem(one, "client-certificate"),
        key=_pem(one, "client-key"),
        exec=_exec(one),
        impersonate=Impersonation(_text(one, "as"), tuple(map(str, groups)), _text(one, "as-uid")),
    )


def _exec(one: _Named) -> Exec | None:
    found = one.value.get("exec")
    if found is None:
        if one.value.get("auth-provider") is not None:
            raise _wrong(one, "auth-provider", "is no longer supported: use an exec plugin")
        return None
    if not isinstance(found, dict):
        raise _wrong(one, "exec", "is not a mapping")
    plugin = _Named(found, one.file, f"{one.place}.exec")
    command = _text(plugin, "command")
    if not command:
        raise _wrong(plugin, "command", "is missing")
    if "/" in command:
        command = str(_relative(plugin, command))
    arguments, variables = found.get("args") or [], found.get("env") or []
    if not isinstance(arguments, list) or not isinstance(variables, list):
        raise _wrong(plugin, "args", "and env must be lists")
    pairs = tuple(
        (str(pair["name"]), str(pair.get("value", "")))
        for pair in variables
        if isinstance(pair, dict) and "name" in pair
    )
    return Exec(
        _text(plugin, "apiVersion"),
        command,
        tuple(map(str, arguments)),
        pairs,
        _text(plugin, "installHint"),
        found.get("provideClusterInfo") is True,
        _text(plugin, "interactiveMode") or "IfAvailable",
    )


def _pem(one: _Named, field: str) -> bytes:
    """Certificates or keys: as data, or in a file named relative to this one."""
    data = _text(one, f"{field}-data")
    if data:
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise _wrong(one, f"{field}-data", "is not valid base64") from error
    name = _text(one, field)
    return _read(_relative(one, name)) if name else b""


def _read(path: Path) -> bytes:
    try:
        return reading.bytes_of(str(path))
    except OSError as error:
        raise of_system(error) from error


def _relative(one: _Named, name: str) -> Path:
    return one.file.parent / name


def _in_cluster(variables: Mapping[str, str]) -> Access | None:
    host, port = (variables.get(f"KUBERNETES_SERVICE_{part}", "") for part in ("HOST", "PORT"))
    token = _SERVICE_ACCOUNT / "token"
    if not host or not port or not token.exists():
        return None
    shown = f"[{host}]" if ":" in host else host
    namespace = _SERVICE_ACCOUNT / "namespace"
    return Access(
        server=f"https://{shown}:{port}",
        user=User(token_file=str(token)),
        name="in-cluster",
        origin=str(_SERVICE_ACCOUNT),
        namespace=_read(namespace).decode().strip() if namespace.exists() else "",
        authority=_read(_SERVICE_ACCOUNT / "ca.crt"),
    )


def _text(one: _Named, field: str) -> str:
    value = one.value.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(one, field, "is not a string")
    return value


def _plain_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _wrong(one: _Named, field: str, what: str) -> CommodoreError:
    where = f"{one.file}{_line(one, field)}"
    return CommodoreError(f"{one.place}.{field} {what}", where=where)


def _line(one: _Named, field: str) -> str:
    """The line of a field, or of what should hold it."""
    kind, _, rest = one.place.partition("[")
    at, _, singular = rest.partition("].")
    path: list[object] = [0, kind, int(at), *singular.split(".")]
    number = yaml.line_at(_read(one.file), [*path, field])
    return f":{number}" if number else ""


def _unknown_context(name: str, known: Iterable[str]) -> UsageError:
    names = ", ".join(sorted(known))
    file = "name a file that has it with --kubeconfig or KUBECONFIG"
    hint = f"contexts: {names}" if names else file
    return UsageError(f"there is no context {name}", hint=hint)
