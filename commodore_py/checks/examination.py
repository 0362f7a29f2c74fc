"""The checks of the objects of one catalog, by themselves and together."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py.model.problems.codes import severity_of
from commodore_py.model.verdict import CheckRun

from .base import Issue, issue_from
from .schemas import custom_resources
from .schemas import kubernetes as kubernetes_schema
from .table import CATALOG_CHECKS, OBJECT_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from commodore_py.model.verdict import Outcome

    from .base import Item, ObjectCheck, Settings
    from .documents import Document


@dataclass(frozen=True, slots=True)
class Finding:
    """An issue, and where it is."""

    issue: Issue
    instance: str = ""
    file: str = ""
    object: str = ""
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Examined:
    """The result of the checks of objects."""

    objects: int
    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]

    def plain(self) -> Any:  # noqa: ANN401 - plain data
        """The result as plain data."""
        return self.objects, self.runs, [asdict(result) for result in self.findings]

    @classmethod
    def restored(cls, values: Any) -> Examined:  # noqa: ANN401 - plain data
        """A result that was stored as plain data."""
        objects, runs, findings = values
        return cls(
            objects,
            tuple(CheckRun(*run) for run in runs),
            tuple(
                Finding(**{**result, "issue": issue_from(result["issue"])}) for result in findings
            ),
        )


def finding(item: Item, issue: Issue) -> Finding:
    """An issue of an object."""
    return Finding(issue, item.instance, item.file, str(item.id))


def state_of(settings: Settings) -> tuple[object, ...]:
    """The state that results depend on, besides the objects."""
    reasons = [check.unavailable(settings) for check in OBJECT_CHECKS.values()]
    used = kubernetes_schema.version_for(settings.version)
    return (settings.version, settings.known_namespaces, *reasons, used)


def examine(
    documents: Sequence[Document], settings: Settings, before: Sequence[Finding] = ()
) -> Examined:
    """Run all checks that are wanted; the findings follow those from before."""
    definitions = [
        item
        for document in documents
        for item in document.items(custom_resources.definition_of)
        if item.fact is not None
    ]
    settings = replace(
        settings,
        definitions={(item.fact["group"], item.fact["kind"]): item.fact for item in definitions},
    )
    runs: list[CheckRun] = []
    findings = list(before)
    for name, of_catalog in CATALOG_CHECKS.items():
        if settings.wants(name):
            items = [item for document in documents for item in document.items(of_catalog.extract)]
            added = [finding(*result) for result in of_catalog.check(items, settings)]
            findings += added
            runs.append(CheckRun(name, outcome_of(bool(added))))
    for name, check in OBJECT_CHECKS.items():
        if not settings.wants(name):
            continue
        if reason := check.unavailable(settings):
            outcome: Outcome = "unchecked" if "no schemas" in reason else "skipped"
            issue = Issue(f"checks/{outcome}", f"{name}: {reason}", subject=name)
            findings.append(Finding(issue, strict=True))
            runs.append(CheckRun(name, outcome, reason))
            continue
        added = list(_of_check(name, check, documents, settings, definitions))
        findings += added
        severities = {result.issue.severity or severity_of(result.issue.code) for result in added}
        runs.append(CheckRun(name, outcome_of(bool(severities - {"info"}))))
    objects = sum(len(document.objects or ()) for document in documents)
    return Examined(objects, tuple(runs), tuple(findings))


def _of_check(
    name: str,
    check: ObjectCheck,
    documents: Sequence[Document],
    settings: Settings,
    definitions: Sequence[Item],
) -> Iterable[Finding]:
    if name == kubernetes_schema.NAME and (why := kubernetes_schema.notice(settings)):
        yield Finding(Issue("kubernetes-schema/version", why, subject=name))
    if name == custom_resources.NAME:
        for item, issue in custom_resources.bad_definitions(definitions):
            yield finding(item, issue)
    for document in documents:
        for item in document.items(lambda content: tuple(check.examine(content, settings))):
            for issue in item.fact:
                yield finding(item, issue)


def outcome_of(has_problems: bool) -> Outcome:  # noqa: FBT001 - a plain answer
    """How a check ended, by whether it found problems."""
    return "problems" if has_problems else "passed"
