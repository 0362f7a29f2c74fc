"""Checks of a whole catalog: each document is examined once, as long as nothing changes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.model.problem import Place, Problem
from commodore_py.model.verdict import Checked, CheckRun

from . import custom_resources
from .base import Context, Version, mapping
from .documents import DEFINITIONS, Memory, documents_of, issue_from, items_of
from .kubernetes import schema as kubernetes_schema
from .origins import Finder, Unknown
from .table import CATALOG_CHECKS, OBJECT_CHECKS, RUN_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from commodore_py.model.problems.vault import VaultSettings
    from commodore_py.model.tree import Tree
    from commodore_py.model.verdict import Outcome

    from .base import Ended, Issue, Item, ObjectCheck, PolicySettings
    from .documents import Document, Known
    from .origins import Origins

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
_UNREADABLE = "checks/unreadable"


class Settings(NamedTuple):
    """What to check, and against what."""

    only: tuple[str, ...] = ()
    """Names of checks; empty for all."""
    skip: tuple[str, ...] = ()
    version: Version | None = None
    known_namespaces: tuple[str, ...] = ()
    policy: PolicySettings | None = None
    vault: VaultSettings | None = None
    vault_parameters: Mapping[str, Any] = {}
    parameters: Callable[[], Iterable[Problem]] | None = None
    """Problems of the instances' parameters; None without a hierarchy."""
    cache: Path | None = None
    """The user's store of results."""
    subject: str = ""
    """Whose results are remembered: a working directory, a folder."""
    below: str = ""
    """What paths of files begin with in messages, such as `compiled/`."""
    root: str = ""
    """The working directory: paths in it are shown without it."""

    def wants(self, name: str) -> bool:
        """Whether a check is to be made."""
        return (not self.only or name in self.only) and name not in self.skip


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
        self._settings = settings
        self._finder = Finder(origins, settings.root)
        self._memory = Memory(settings.cache, settings.subject)
        self._documents: list[tuple[Document, Known]] = []
        self._problems: list[Problem] = []
        for document in documents_of(trees):
            known = self._memory.known(document, CATALOG_CHECKS)
            if known is None:
                self._unreadable(document)
            else:
                self._documents.append((document, known))

    def run(self) -> Checked:
        """Every check that is wanted."""
        definitions = self._items(DEFINITIONS)
        context = Context(
            self._settings.version,
            {
                (one.fact["group"], one.fact["kind"]): one.fact
                for one in definitions
                if one.fact is not None
            },
            self._settings.known_namespaces,
            self._settings.policy,
            self._settings.vault,
            self._settings.vault_parameters,
            self._settings.parameters,
        )
        runs: list[CheckRun] = []
        for name, check in CATALOG_CHECKS.items():
            if self._settings.wants(name):
                before = len(self._problems)
                self._add(check.check(self._items(name), context))
                runs.append(CheckRun(name, _outcome(len(self._problems) - before)))
        for name, of_objects in OBJECT_CHECKS.items():
            if self._settings.wants(name):
                runs.append(self._examined(name, of_objects, context, definitions))
        for name, of_run in RUN_CHECKS.items():
            ended = (
                of_run.run(self._documents, self._memory, context)
                if self._settings.wants(name)
                else None
            )
            if ended is not None:
                runs = _with(runs, self._ended(name, ended))
        self._memory.keep()
        objects = sum(len(known.objects) for _, known in self._documents)
        return Checked(objects, tuple(runs), tuple(self._problems))

    def _items(self, check: str) -> list[Item]:
        return [
            item for document, known in self._documents for item in items_of(document, known, check)
        ]

    def _examined(
        self, name: str, check: ObjectCheck, context: Context, definitions: Iterable[Item]
    ) -> CheckRun:
        reason = check.unavailable(context)
        if reason:
            outcome: Outcome = "unchecked" if "no schemas" in reason else "skipped"
            self._problems.append(
                Problem.at(
                    Place(), f"checks/{outcome}", f"{name}: {reason}", subject=name, strict=True
                )
            )
            return CheckRun(name, outcome, reason)
        before = len(self._problems)
        if name == kubernetes_schema.NAME and (why := kubernetes_schema.notice(context)):
            self._problems.append(
                Problem.at(Place(), "kubernetes-schema/version", why, subject=name)
            )
        if name == custom_resources.NAME:
            self._add(custom_resources.bad_definitions(tuple(definitions)))
        # Each kind once: there are few, and many objects.
        salt_of = cache(lambda api_version, kind: check.salt(api_version, kind, context))
        for document, known in self._documents:
            issues = self._issues(name, check, document, known, context, salt_of=salt_of)
            items = list(items_of(document, known, name)) if issues else []
            self._add((items[number], issue_from(values)) for number, values in issues)
        found = any(one.severity != "info" for one in self._problems[before:])
        return CheckRun(name, _outcome(int(found)))

    def _ended(self, name: str, ended: Ended) -> CheckRun:
        before = len(self._problems)
        for one in ended.found:
            if isinstance(one, Problem):
                self._problems.append(one)
            else:
                self._add([one])
        found = any(one.severity != "info" for one in self._problems[before:])
        return CheckRun(name, ended.outcome or _outcome(int(found)), ended.reason)

    def _issues(
        self,
        name: str,
        check: ObjectCheck,
        document: Document,
        known: Known,
        context: Context,
        *,
        salt_of: Callable[[str, str], str | None],
    ) -> list[Any]:
        """What a check finds in a document: remembered while nothing that it depends on changes."""
        salts = [salt_of(api_version, parts[1]) for parts, api_version, _ in known.objects]
        there = known.issues.get(name)
        if there is not None and there[0] == salts:
            found: list[Any] = there[1]
            return found
        found = []
        if any(one is not None for one in salts):
            for number, content in enumerate(self._memory.contents(document)):
                if salts[number] is not None:
                    found += [
                        [number, [*issue[:6], list(issue.options), issue.value]]
                        for issue in check.examine(content, context)
                    ]
        self._memory.note_issues(known, name, salts, found)
        return found

    def _add(self, found: Iterable[tuple[Item, Issue]]) -> None:
        for item, issue in found:
            file = self._shown(item.instance, item.file)
            place = Place(file, instance=item.instance, object=str(item.id), field=issue.field)
            self._problems.append(
                Problem.at(
                    place,
                    issue.code,
                    issue.message,
                    severity=issue.severity,
                    remedy=issue.remedy,
                    subject=issue.subject,
                    options=issue.options,
                    related=self._finder.related(item.instance, item.file, issue.value),
                )
            )

    def _shown(self, instance: str, file: str) -> str:
        return self._settings.below + (f"{instance}/{file}" if instance else file)

    def _unreadable(self, document: Document) -> None:
        text = "a document cannot be read as objects: it is not checked"
        file = self._shown(document.instance, document.file)
        place = Place(file, instance=document.instance)
        self._problems.append(Problem.at(place, _UNREADABLE, text))


def _with(runs: list[CheckRun], more: CheckRun) -> list[CheckRun]:
    """A check of two parts ends as the worse of them did."""
    parts = [*(one for one in runs if one.name == more.name), more]
    worst = max(
        parts, key=lambda one: ("passed", "skipped", "unchecked", "problems").index(one.outcome)
    )
    reason = next((one.reason for one in parts if one.reason), "")
    return [*(one for one in runs if one.name != more.name), worst._replace(reason=reason)]


def _outcome(found: int) -> Outcome:
    return "problems" if found else "passed"


def settings_in(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that a hierarchy has for checks: its version, and `parameters.commodore.checks`."""
    given = mapping(mapping(parameters.get("commodore")).get("checks"))
    version = version_of(mapping(parameters.get("dynamic_facts")).get("kubernetesVersion"))
    return {
        "version": version,
        "skip": tuple(map(str, given.get("skip", ()) or ())),
        "known_namespaces": tuple(map(str, given.get("known_namespaces", ()) or ())),
    }
