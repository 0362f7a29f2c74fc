"""Checks of a whole catalog: it is examined once, as long as nothing changes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.cache.digests import digest
from commodore_py.cache.program import program_digest
from commodore_py.cache.results import cached_value
from commodore_py.model.problem import Place, Problem
from commodore_py.model.verdict import Checked, CheckRun

from .base import Context, Issue, PolicySettings, Version, mapping
from .documents import ROOMS, documents_of, files_of
from .examination import Examination, Examined, Finding, finding, outcome_of, state_of
from .origins import Finder, Unknown
from .table import RUN_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.inventory import Instance
    from commodore_py.model.problems.severity import Severity
    from commodore_py.model.problems.vault import VaultSettings
    from commodore_py.model.tree import Tree

    from .base import Ended
    from .documents import Document
    from .origins import Origins

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
_FORMAT = 1
_UNREADABLE = "checks/unreadable"
_NOT_READ = "a document cannot be read as objects: it is not checked"


class Settings(NamedTuple):
    """What to check, and against what."""

    skip: tuple[str, ...] = ()
    """Names of checks."""
    version: Version | None = None
    known_namespaces: tuple[str, ...] = ()
    policy: PolicySettings | None = None
    vault: VaultSettings | None = None
    vault_parameters: Mapping[str, Any] = {}
    parameters: Callable[[], Iterable[Problem]] | None = None
    """Problems of the instances' parameters; None without a hierarchy."""
    cache: Path | None = None
    """The user's store of results."""
    below: str = ""
    """What paths of files begin with in messages, such as `compiled/`."""
    root: str = ""
    """The working directory: paths in it are shown without it."""

    def wants(self, name: str) -> bool:
        """Whether a check is to be made."""
        return name not in self.skip


def check_catalog(
    trees: Mapping[str, Tree], settings: Settings, origins: Origins | None = None
) -> Checked:
    """All problems of a catalog, and how each check ended."""
    return _Run(trees, settings, origins or Unknown()).run()


def version_of(text: object) -> Version | None:
    """A version as clusters report it: `v1.27.3`, or a mapping with `minor: 27+`."""
    if isinstance(text, dict):
        text = f"{text.get('major', 1)}.{text.get('minor')}"
    found = _VERSION.match(str(text))
    return Version(int(found[1]), int(found[2])) if found else None


class _Run:
    def __init__(self, trees: Mapping[str, Tree], settings: Settings, origins: Origins) -> None:
        self._trees = trees
        self._settings = settings
        self._finder = Finder(origins, settings.root)
        self._problems: list[Problem] = []

    def run(self) -> Checked:
        """Every check that is wanted."""
        settings = self._settings
        context = Context(
            settings.version,
            known_namespaces=settings.known_namespaces,
            policy=settings.policy,
            vault=settings.vault,
            vault_parameters=settings.vault_parameters,
            parameters=settings.parameters,
            cache=settings.cache,
        )
        examined = self._examined(context)
        for one in examined.findings:
            self._add(one)
        runs = list(examined.runs)
        for name, of_run in RUN_CHECKS.items():
            ended = of_run.run(self._documents, context) if settings.wants(name) else None
            if ended is not None:
                runs = _with(runs, self._ended(name, ended))
        return Checked(examined.objects, tuple(runs), tuple(self._problems))

    def _examined(self, context: Context) -> Examined:
        """What the checks of objects find, or found with the same files and settings."""
        settings = self._settings
        state = (*state_of(context), settings.skip)
        files = [f"{one}/{path} {digest(text)}" for one, path, text in files_of(self._trees)]
        given = (_FORMAT, program_digest(*ROOMS), state, files)
        key = digest(repr(given).encode(errors="surrogatepass"))

        def examined() -> Any:  # noqa: ANN401 - plain data
            unreadable = [
                Finding(Issue(_UNREADABLE, _NOT_READ), document.instance, document.file)
                for document in self._read
                if document.objects is None
            ]
            found = Examination(self._documents(), context, settings.wants).result()
            return replace(found, findings=(*unreadable, *found.findings)).plain()

        return Examined.restored(cached_value(settings.cache, key, examined))

    @cached_property
    def _read(self) -> list[Document]:
        return list(documents_of(self._trees))

    def _documents(self) -> list[Document]:
        return [document for document in self._read if document.objects is not None]

    def _ended(self, name: str, ended: Ended) -> CheckRun:
        before = len(self._problems)
        for one in ended.found:
            if isinstance(one, Problem):
                self._problems.append(one)
            else:
                self._add(finding(*one))
        found = any(one.severity != "info" for one in self._problems[before:])
        return CheckRun(name, ended.outcome or outcome_of(int(found)), ended.reason)

    def _add(self, found: Finding) -> None:
        issue = found.issue
        place = Place(
            (
                self._settings.below
                + (f"{found.instance}/{found.file}" if found.instance else found.file)
            )
            if found.file
            else "",
            instance=found.instance,
            object=found.object,
            field=issue.field,
        )
        self._problems.append(
            Problem.at(
                place,
                issue.code,
                issue.message,
                severity=issue.severity,
                remedy=issue.remedy,
                subject=issue.subject,
                options=issue.options,
                strict=found.strict,
                related=self._finder.related(found.instance, found.file, issue.value)
                if found.object
                else (),
            )
        )


def _with(runs: list[CheckRun], more: CheckRun) -> list[CheckRun]:
    """A check of two parts ends as the worse of them did."""
    parts = [*(one for one in runs if one.name == more.name), more]
    worst = max(
        parts, key=lambda one: ("passed", "skipped", "unchecked", "problems").index(one.outcome)
    )
    reason = next((one.reason for one in parts if one.reason), "")
    return [*(one for one in runs if one.name != more.name), worst._replace(reason=reason)]


def settings_in(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that a hierarchy has for checks: its version, and `parameters.commodore.checks`."""
    given = mapping(mapping(parameters.get("commodore")).get("checks"))
    version = version_of(mapping(parameters.get("dynamic_facts")).get("kubernetesVersion"))
    return {
        "version": version,
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
