"""What a module must offer to be a check, and what it gets to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.manifests.objects import ObjectId
    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.severity import Severity
    from commodore_py.model.problems.vault import VaultSettings
    from commodore_py.model.verdict import Outcome

Content: TypeAlias = "Mapping[str, Any]"
"""An object as it was written: of any form."""


class Issue(NamedTuple):
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


class Ended(NamedTuple):
    """What a check of a whole run found, and how it ended."""

    found: Sequence[Problem | tuple[Item, Issue]]
    outcome: Outcome | None = None
    """None for what the problems say."""
    reason: str = ""


class PolicySettings(NamedTuple):
    """Policies and their data about the cluster."""

    folder: Path
    shown: str
    """What paths of its files begin with in messages."""
    about: Mapping[str, Any] = {}
    """The cluster and its facts."""
    origins: Mapping[str, Mapping[str, str]] = {}
    """What is known about each instance."""
    without_opa: Severity = "error"
    """The severity of a missing `opa`."""


class Version(NamedTuple):
    """A version of Kubernetes."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


class Context(NamedTuple):
    """What a check knows besides the objects."""

    version: Version | None = None
    """The version of the cluster; None if it is unknown."""
    definitions: Mapping[tuple[str, str], Content] = {}
    """Definitions of custom resources, by group and kind."""
    known_namespaces: tuple[str, ...] = ()
    policy: PolicySettings | None = None
    """The policies; None where there is no configuration."""
    vault: VaultSettings | None = None
    """Where secrets are looked up; None if they are not."""
    vault_parameters: Mapping[str, Any] = {}
    """What the hierarchy says about the server and its engine."""
    parameters: Callable[[], Iterable[Problem]] | None = None
    """Problems of the instances' parameters; None without a hierarchy."""
    cache: Path | None = None
    """The user's store of results."""


class Item(NamedTuple):
    """An object of the catalog, as far as a check extracted it."""

    id: ObjectId
    api_version: str
    file: str
    instance: str
    fact: Any
    """What `extract` gave; None if it found nothing."""


class ObjectCheck(Protocol):
    """Examines each object by itself."""

    NAME: str

    def unavailable(self, context: Context) -> str:
        """Why it cannot run; empty if it can."""

    def examine(self, content: Content, context: Context) -> Iterable[Issue]:
        """What is wrong with an object; nothing for kinds that it does not examine."""


class Extract(Protocol):
    """Reads from an object what is compared or listed."""

    NAME: str

    def extract(self, content: Content) -> Any:  # noqa: ANN401 - plain data, of the reader's form
        """What there is to know about an object, as plain data; None for nothing."""


class CatalogCheck(Extract, Protocol):
    """Looks at all objects together, by what it extracted from each."""

    def check(self, items: Sequence[Item], context: Context) -> Iterable[tuple[Item, Issue]]:
        """What is wrong with which object."""


def issue_from(values: Sequence[Any]) -> Issue:
    """An issue that was stored as plain data."""
    issue = Issue(*values)
    return issue._replace(options=tuple(issue.options))


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
        for number, one in enumerate(items(pod.get(key))):
            if isinstance(one, dict):
                yield f"{key}[{number}]", one


def mapping(value: object) -> Mapping[str, Any]:
    """The value, or an empty mapping instead of anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Any]:
    """The value, or an empty list instead of anything else."""
    return value if isinstance(value, list) else ()
