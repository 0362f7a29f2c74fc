"""The interface of checks, and their input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from commodore_py.manifests.objects import KubeObject, items, mapping, value_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.problems.vault import VaultSettings
    from commodore_py.model.verdict import Outcome

Content: TypeAlias = "Mapping[str, Any]"
"""An object as it was written: of any form."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Something that is wrong with an object, without its place."""

    code: str
    message: str
    field: str = ""
    remedy: str = ""
    subject: str = ""
    severity: Severity | None = None
    """None for the severity of the code."""
    options: tuple[str, ...] = ()
    value: str = ""
    """The value in question, to find the parameter that set it; never one that may be secret."""


@dataclass(frozen=True, slots=True)
class Item(KubeObject):
    """An object of the catalog, as servers read it."""

    content: Content
    instance: str = ""

    @property
    def api_version(self) -> str:
        """Group and version."""
        return str(self.content["apiVersion"])


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a file."""

    instance: str
    file: str
    text: bytes
    items: tuple[Item, ...] | None
    """None if it cannot be read."""
    others: tuple[object, ...] = ()
    """What is in it besides objects."""


Documents: TypeAlias = "Callable[[], Sequence[Document]]"
"""The documents of a catalog that can be read: parsed when they are needed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a check that reaches beyond the objects."""

    problems: Sequence[Problem | tuple[Item, Issue]]
    outcome: Outcome | None = None
    """None for what the problems say."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ServerVerdict:
    """The answer of an API server to the dry run of an object; empty if it accepts it."""

    refused: str = ""
    unknown: str = ""
    """Why the server cannot tell."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Policies and their data about the cluster."""

    folder: Path
    shown: str
    """The path of the folder in messages."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """The cluster and its facts."""
    origins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Component and version of each instance."""
    without_opa: Severity = "error"
    """The severity of a missing `opa`."""


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version of Kubernetes."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of checks: of what, against what, and how to show it."""

    skip: tuple[str, ...] = ()
    """Names of checks."""
    version: Version | None = None
    """The version of the cluster; None if it is unknown."""
    known_namespaces: tuple[str, ...] = ()
    policy: PolicySettings | None = None
    """The policies; None where there is no configuration."""
    vault: VaultSettings | None = None
    """Where secrets are looked up; None if they are not."""
    vault_parameters: Mapping[str, Any] = field(default_factory=dict)
    """The hierarchy's parameters about the server and its engine."""
    server: Callable[[Content], ServerVerdict] | None = None
    """Asks an API server about an object; None if it is not asked."""
    parameters: Callable[[], Iterable[Problem]] | None = None
    """Problems of the instances' parameters; None without a hierarchy."""
    cache: Path | None = None
    """The user's store of results."""
    below: str = ""
    """A prefix for the paths of files in messages, such as `compiled/`."""

    def wants(self, name: str) -> bool:
        """Return whether a check is to be made."""
        return name not in self.skip


class Unavailable(Exception):
    """A check cannot run; the reason."""

    def __init__(self, reason: str, outcome: Outcome = "skipped") -> None:
        super().__init__(reason)
        self.outcome = outcome


class Check(Protocol):
    """Looks at the objects and nothing else: results are stored."""

    NAME: str

    def check(
        self, items: Sequence[Item], settings: Settings
    ) -> Iterable[tuple[Item | None, Issue]]:
        """Problems with their objects; raises `Unavailable` if it cannot run."""


class RunCheck(Protocol):
    """May ask servers, start programs, or look at the hierarchy."""

    NAME: str

    def run(self, documents: Documents, settings: Settings) -> Ended | None:
        """Run it; None if there is nothing to check."""


def issue_from(values: Mapping[str, Any]) -> Issue:
    """An issue that was stored as plain data."""
    return Issue(**{**values, "options": tuple(values["options"])})


def pods_in(content: Content) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The specifications of pods in an object, with their paths."""
    spec = mapping(content.get("spec"))
    kind = content.get("kind")
    if kind == "Pod":
        yield "spec", spec
    elif kind == "CronJob":
        path = "spec.jobTemplate.spec.template.spec"
        yield path, mapping(value_in(content, *path.split(".")))
    elif isinstance(spec.get("template"), dict) and "spec" in spec["template"]:
        yield "spec.template.spec", mapping(spec["template"]["spec"])


def containers_in(pod: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The containers of a pod, with their paths in it."""
    for key in ("initContainers", "containers", "ephemeralContainers"):
        for number, container in enumerate(items(pod.get(key))):
            if isinstance(container, dict):
                yield f"{key}[{number}]", container
