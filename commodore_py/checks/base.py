"""The interface of a check, and its input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.manifests.objects import ObjectId
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
class Item:
    """An object of the catalog, and what a check extracted from it."""

    id: ObjectId
    api_version: str
    file: str
    instance: str
    fact: Any
    """None if `extract` returned nothing."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a check of a whole run."""

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
    definitions: Mapping[tuple[str, str], Content] = field(default_factory=dict)
    """Definitions of custom resources in the catalog, by group and kind."""
    cache: Path | None = None
    """The user's store of results."""
    below: str = ""
    """A prefix for the paths of files in messages, such as `compiled/`."""
    root: str = ""
    """The working directory: paths in it are shown without it."""

    def wants(self, name: str) -> bool:
        """Return whether a check is to be made."""
        return name not in self.skip


class ObjectCheck(Protocol):
    """Examines each object by itself."""

    NAME: str

    def unavailable(self, settings: Settings) -> str:
        """Why it cannot run; empty if it can."""

    def examine(self, content: Content, settings: Settings) -> Iterable[Issue]:
        """Examine an object; no problems for kinds that it does not know."""


class Extract(Protocol):
    """Reads from an object what is compared or listed."""

    NAME: str

    def extract(self, content: Content) -> Any:  # noqa: ANN401 - plain data, of the reader's form
        """Note plain data about an object; None for nothing."""


class CatalogCheck(Extract, Protocol):
    """Looks at all objects together, by what it extracted from each."""

    def check(self, items: Sequence[Item], settings: Settings) -> Iterable[tuple[Item, Issue]]:
        """Problems with their objects."""


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
        job = mapping(mapping(spec.get("jobTemplate")).get("spec"))
        yield (
            "spec.jobTemplate.spec.template.spec",
            mapping(mapping(job.get("template")).get("spec")),
        )
    elif isinstance(spec.get("template"), dict) and "spec" in spec["template"]:
        yield "spec.template.spec", mapping(spec["template"]["spec"])


def containers_in(pod: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The containers of a pod, with their paths in it."""
    for key in ("initContainers", "containers", "ephemeralContainers"):
        for number, container in enumerate(items(pod.get(key))):
            if isinstance(container, dict):
                yield f"{key}[{number}]", container


def mapping(value: object) -> Mapping[str, Any]:
    """The value, or an empty mapping instead of anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Any]:
    """The value, or an empty list instead of anything else."""
    return value if isinstance(value, list) else ()
