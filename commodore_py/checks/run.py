"""Checks of a whole catalog."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.cache.digests import digest, program_digest
from commodore_py.cache.results import cached_value
from commodore_py.manifests.documents import faults_in, may_hold_objects, read, split_documents
from commodore_py.manifests.objects import mapping, value_in
from commodore_py.model.problem import Place, Problem
from commodore_py.model.problems.codes import severity_of
from commodore_py.model.verdict import Checked, CheckRun

from .base import (
    Document,
    Issue,
    Item,
    PolicySettings,
    Settings,
    Unavailable,
    Version,
    issue_from,
)
from .schemas.kubernetes import version_for
from .schemas.validation import as_json, is_installed
from .table import CHECKS, RUN_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.inventory import Instance
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.tree import Tree
    from commodore_py.model.verdict import Outcome

    from .origins import Origins

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
_FORMAT = 4
_OUTCOMES = ("passed", "skipped", "unchecked", "problems")
"""From the best to the worst."""


class Finding(NamedTuple):
    """An issue, and where it is."""

    issue: Issue
    instance: str = ""
    file: str = ""
    object: str = ""

    @classmethod
    def of(cls, item: Item | None, issue: Issue) -> Finding:
        """An issue of an object, or of a check as a whole."""
        return cls(issue, item.instance, item.file, str(item.id)) if item else cls(issue)


def check_catalog(
    trees: Mapping[str, Tree], settings: Settings, origins: Origins | None = None
) -> Checked:
    """All problems of a catalog, and how each check ended."""
    catalog = _Catalog(trees)
    count, examined, findings = _stored_results(catalog, settings)
    runs = {run.name: run for run in examined}
    problems = [_problem(finding, settings, origins) for finding in findings]
    for name, check in RUN_CHECKS.items():
        ended = check.run(catalog.readable, settings) if settings.wants(name) else None
        if ended is None:
            continue
        added = [
            problem
            if isinstance(problem, Problem)
            else _problem(Finding.of(*problem), settings, origins)
            for problem in ended.problems
        ]
        problems += added
        outcome = ended.outcome or _outcome(problem.severity for problem in added)
        run = CheckRun(name, outcome, ended.reason)
        # A check of two parts ends as the worse of them.
        parts = [runs.pop(name), run] if name in runs else [run]
        worst = max(parts, key=lambda part: _OUTCOMES.index(part.outcome))
        reason = next((part.reason for part in parts if part.reason), "")
        runs[name] = CheckRun(name, worst.outcome, reason)
    return Checked(count, tuple(runs.values()), tuple(problems))


class _Catalog:
    """The documents of a catalog, read when a check needs them."""

    def __init__(self, trees: Mapping[str, Tree]) -> None:
        self.trees = trees

    @cached_property
    def documents(self) -> list[Document]:
        """All documents."""
        return list(_documents_of(self.trees))

    def readable(self) -> list[Document]:
        """The documents that can be read."""
        return [document for document in self.documents if document.items is not None]

    def digests(self) -> list[str]:
        """The state of all files."""
        return [
            f"{instance}/{path} {digest(text)}" for instance, path, text in _files_of(self.trees)
        ]


def _stored_results(
    catalog: _Catalog, settings: Settings
) -> tuple[int, list[CheckRun], list[Finding]]:
    """The number of objects, and the results of the checks that look at these only.

    They are from the cache if files and settings are the same.
    """
    libraries = is_installed(), version_for(settings.version)
    state = (settings.version, settings.known_namespaces, settings.skip, libraries)
    given = (_FORMAT, program_digest(), state, catalog.digests())

    def examined() -> Any:  # noqa: ANN401 - plain data
        items = [item for document in catalog.documents for item in document.items or ()]
        runs, findings = examine(items, settings)
        findings = [*_not_objects(catalog), *findings]
        return len(items), runs, [(asdict(issue), *place) for issue, *place in findings]

    key = digest(repr(given).encode(errors="surrogatepass"))
    count, runs, findings = cached_value(settings.cache, key, examined)
    return (
        count,
        [CheckRun(*run) for run in runs],
        [Finding(issue_from(issue), *place) for issue, *place in findings],
    )


def _not_objects(catalog: _Catalog) -> Iterator[Finding]:
    """Documents that cannot be read, and those that are not objects."""
    text = "a document cannot be read as objects: it is not checked"
    others: dict[str, dict[str, list[object]]] = {}
    for document in catalog.documents:
        if document.items is None:
            yield Finding(Issue("checks/unreadable", text), document.instance, document.file)
        of_file = others.setdefault(document.instance, {}).setdefault(document.file, [])
        of_file.extend(document.others)
    for instance, tree in catalog.trees.items():
        for path, fault in faults_in(tree, others.get(instance, {})):
            yield Finding(Issue("objects/invalid", fault), instance, str(path))


def examine(items: list[Item], settings: Settings) -> tuple[list[CheckRun], list[Finding]]:
    """Run all checks of objects that are wanted."""
    runs: list[CheckRun] = []
    findings: list[Finding] = []
    for name, check in CHECKS.items():
        if not settings.wants(name):
            continue
        try:
            added = [Finding.of(*pair) for pair in check.check(items, settings)]
        except Unavailable as error:
            issue = Issue(f"checks/{error.outcome}", f"{name}: {error}", subject=name)
            findings.append(Finding(issue))
            runs.append(CheckRun(name, error.outcome, str(error)))
            continue
        findings += added
        severities = (
            finding.issue.severity or severity_of(finding.issue.code) for finding in added
        )
        runs.append(CheckRun(name, _outcome(severities)))
    return runs, findings


def _outcome(severities: Iterable[Severity]) -> Outcome:
    """How a check ended, by what it found."""
    return "problems" if set(severities) - {"info"} else "passed"


def _problem(finding: Finding, settings: Settings, origins: Origins | None) -> Problem:
    issue, instance, file, object_ = finding
    path = f"{instance}/{file}" if instance else file
    place = Place(
        settings.below + path if file else "", instance=instance, object=object_, field=issue.field
    )
    return Problem.at(
        place,
        issue.code,
        issue.message,
        severity=issue.severity,
        remedy=issue.remedy,
        subject=issue.subject,
        options=issue.options,
        strict=issue.code in _STRICT,
        related=origins.related(instance, file, issue.value) if origins and object_ else (),
    )


_STRICT = ("checks/skipped", "checks/unchecked")
"""Problems that fail a strict run."""


def _files_of(trees: Mapping[str, Tree]) -> Iterator[tuple[str, str, bytes]]:
    """Instance, path and content of each file that may hold objects."""
    for instance, tree in trees.items():
        for path, entry in tree.items():
            name = str(path)
            if may_hold_objects(name):
                yield instance, name, entry.content


def _documents_of(trees: Mapping[str, Tree]) -> Iterator[Document]:
    """Every document of files that may hold objects."""
    for instance, name, content in _files_of(trees):
        for text in (content,) if name.endswith(".json") else split_documents(content):
            if text.strip():
                parsed = read(text, name)
                if parsed is None:
                    yield Document(instance, name, text, None)
                    continue
                items = tuple(
                    Item(kube_object.id, as_json(kube_object.content), name, instance)
                    for kube_object in parsed.objects
                )
                yield Document(instance, name, text, items, parsed.others)


def version_of(text: object) -> Version | None:
    """A version as clusters report it: `v1.27.3`, or a mapping with `minor: 27+`."""
    if isinstance(text, dict):
        text = f"{text.get('major', 1)}.{text.get('minor')}"
    version = _VERSION.match(str(text))
    return Version(int(version[1]), int(version[2])) if version else None


def settings_in(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that a hierarchy has for checks: its version, and `parameters.commodore.checks`."""
    given = mapping(value_in(parameters.get("commodore"), "checks"))
    return {
        "version": version_of(mapping(parameters.get("dynamic_facts")).get("kubernetesVersion")),
        "skip": tuple(map(str, given.get("skip", ()) or ())),
        "known_namespaces": tuple(map(str, given.get("known_namespaces", ()) or ())),
    }


def policies_for(
    configuration: Path,
    parameters: Mapping[str, Any],
    instances: Iterable[Instance],
    *,
    shown: str,
    without_opa: Severity = "error",
) -> PolicySettings:
    """The policies of a checkout of the global configuration, and facts for them."""
    cluster = mapping(parameters.get("cluster"))
    about = {
        "cluster": {key: cluster.get(key, "") for key in ("name", "tenant")},
        "facts": mapping(parameters.get("facts")),
    }
    origins = dict(_origins(parameters, instances))
    return PolicySettings(
        configuration / "policies", f"{shown}/policies", about, origins, without_opa
    )


def _origins(
    parameters: Mapping[str, Any], instances: Iterable[Instance]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Name, component and version of each instance."""
    components = mapping(parameters.get("components"))
    for name, component in instances:
        # An instance may have a version of its own.
        entry = mapping(components.get(name)) or mapping(components.get(component))
        version = str(entry.get("version") or "")
        yield name, {"instance": name, "component": component, "version": version}
