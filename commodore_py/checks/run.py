"""Checks of a whole catalog."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from commodore_py.cache.digests import digest
from commodore_py.cache.program import program_digest
from commodore_py.cache.results import cached_value
from commodore_py.manifests.documents import faults_in
from commodore_py.model.problem import Place, Problem
from commodore_py.model.verdict import Checked, CheckRun

from .base import Issue, PolicySettings, Settings, Version, mapping
from .documents import documents_of, files_of
from .examination import Examined, Finding, examine, finding, outcome_of, state_of
from .origins import Finder, Unknown
from .table import RUN_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.inventory import Instance
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.tree import Tree

    from .documents import Document
    from .origins import Origins

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
_FORMAT = 3
_OUTCOMES = ("passed", "skipped", "unchecked", "problems")
"""From the best to the worst."""


def check_catalog(
    trees: Mapping[str, Tree], settings: Settings, origins: Origins | None = None
) -> Checked:
    """All problems of a catalog, and how each check ended."""
    catalog = _Catalog(trees)
    finder = Finder(origins or Unknown(), settings.root)
    examined = _examined(catalog, settings)
    runs = {run.name: run for run in examined.runs}
    problems = [_problem(result, settings, finder) for result in examined.findings]
    for name, check in RUN_CHECKS.items():
        ended = check.run(catalog.objects, settings) if settings.wants(name) else None
        if ended is None:
            continue
        added = [
            problem
            if isinstance(problem, Problem)
            else _problem(finding(*problem), settings, finder)
            for problem in ended.problems
        ]
        problems += added
        outcome = ended.outcome or outcome_of(any(problem.severity != "info" for problem in added))
        run = CheckRun(name, outcome, ended.reason)
        # A check of two parts ends as the worse of them.
        parts = [runs[name], run] if name in runs else [run]
        worst = max(parts, key=lambda part: _OUTCOMES.index(part.outcome))
        reason = next((part.reason for part in parts if part.reason), "")
        runs.pop(name, None)
        runs[name] = CheckRun(name, worst.outcome, reason)
    return Checked(examined.objects, tuple(runs.values()), tuple(problems))


class _Catalog:
    """The documents of a catalog, read when a check needs them."""

    def __init__(self, trees: Mapping[str, Tree]) -> None:
        self.trees = trees

    @cached_property
    def documents(self) -> list[Document]:
        """All documents."""
        return list(documents_of(self.trees))

    def objects(self) -> list[Document]:
        """The documents that can be read."""
        return [document for document in self.documents if document.objects is not None]

    def digests(self) -> list[str]:
        """The state of all files."""
        return [
            f"{instance}/{path} {digest(text)}" for instance, path, text in files_of(self.trees)
        ]


def _examined(catalog: _Catalog, settings: Settings) -> Examined:
    """The result of the checks of objects, from the cache if files and settings are the same."""
    state = (*state_of(settings), settings.skip)
    given = (_FORMAT, program_digest(), state, catalog.digests())

    def examined() -> Any:  # noqa: ANN401 - plain data
        unreadable = [
            Finding(
                Issue(
                    "checks/unreadable",
                    "a document cannot be read as objects: it is not checked",
                ),
                document.instance,
                document.file,
            )
            for document in catalog.documents
            if document.objects is None
        ]
        others: dict[str, dict[str, list[object]]] = {}
        for document in catalog.documents:
            of_file = others.setdefault(document.instance, {}).setdefault(document.file, [])
            of_file.extend(document.others)
        not_objects = [
            Finding(Issue("objects/invalid", fault), instance, str(path))
            for instance, tree in catalog.trees.items()
            for path, fault in faults_in(tree, others.get(instance, {}))
        ]
        return examine(catalog.objects(), settings, [*unreadable, *not_objects]).plain()

    key = digest(repr(given).encode(errors="surrogatepass"))
    return Examined.restored(cached_value(settings.cache, key, examined))


def _problem(located: Finding, settings: Settings, finder: Finder) -> Problem:
    issue = located.issue
    path = f"{located.instance}/{located.file}" if located.instance else located.file
    place = Place(
        settings.below + path if located.file else "",
        instance=located.instance,
        object=located.object,
        field=issue.field,
    )
    return Problem.at(
        place,
        issue.code,
        issue.message,
        severity=issue.severity,
        remedy=issue.remedy,
        subject=issue.subject,
        options=issue.options,
        strict=located.strict,
        related=finder.related(located.instance, located.file, issue.value)
        if located.object
        else (),
    )


def version_of(text: object) -> Version | None:
    """A version as clusters report it: `v1.27.3`, or a mapping with `minor: 27+`."""
    if isinstance(text, dict):
        text = f"{text.get('major', 1)}.{text.get('minor')}"
    version = _VERSION.match(str(text))
    return Version(int(version[1]), int(version[2])) if version else None


def settings_in(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that a hierarchy has for checks: its version, and `parameters.commodore.checks`."""
    given = mapping(mapping(parameters.get("commodore")).get("checks"))
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
