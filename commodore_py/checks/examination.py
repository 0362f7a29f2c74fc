"""The checks of objects, by themselves and together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.model.problems.codes import severity_of
from commodore_py.model.verdict import CheckRun

from . import custom_resources, kubernetes_schema
from .base import Issue, issue_from
from .table import CATALOG_CHECKS, OBJECT_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from commodore_py.model.verdict import Outcome

    from .base import Content, Context, Item, ObjectCheck
    from .documents import Document


class Finding(NamedTuple):
    """An issue, and where it is."""

    issue: Issue
    instance: str = ""
    file: str = ""
    object: str = ""
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Examined:
    """What the checks of objects found."""

    objects: int
    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]

    def plain(self) -> Any:  # noqa: ANN401 - plain data
        """The same as plain data."""
        return self.objects, self.runs, self.findings

    @classmethod
    def restored(cls, values: Any) -> Examined:  # noqa: ANN401 - plain data
        """The findings that were stored as plain data."""
        objects, runs, findings = values
        return cls(
            objects,
            tuple(CheckRun(*run) for run in runs),
            tuple(Finding(issue_from(issue), *where) for issue, *where in findings),
        )


def finding(item: Item, issue: Issue) -> Finding:
    """An issue of an object."""
    return Finding(issue, item.instance, item.file, str(item.id))


def state_of(context: Context) -> tuple[object, ...]:
    """What results depend on besides the objects."""
    reasons = [check.unavailable(context) for check in OBJECT_CHECKS.values()]
    used = kubernetes_schema.version_for(context.version)
    return (context.version, context.known_namespaces, *reasons, used)


class Examination:
    """The checks of the objects of one catalog."""

    def __init__(
        self, documents: Sequence[Document], context: Context, wants: Callable[[str], bool]
    ) -> None:
        self._documents = documents
        self._wants = wants
        self._findings: list[Finding] = []
        self._definitions = self._items(custom_resources.definition_of)
        definitions = {
            (item.fact["group"], item.fact["kind"]): item.fact
            for item in self._definitions
            if item.fact is not None
        }
        self._context = context._replace(definitions=definitions)

    def result(self) -> Examined:
        """What all checks that are wanted find."""
        runs: list[CheckRun] = []
        for name, check in CATALOG_CHECKS.items():
            if self._wants(name):
                before = len(self._findings)
                self._add(check.check(self._items(check.extract), self._context))
                runs.append(CheckRun(name, outcome_of(len(self._findings) - before)))
        for name, of_objects in OBJECT_CHECKS.items():
            if self._wants(name):
                runs.append(self._run(name, of_objects))
        objects = sum(len(document.objects or ()) for document in self._documents)
        return Examined(objects, tuple(runs), tuple(self._findings))

    def _items(self, extract: Callable[[Content], Any]) -> list[Item]:
        return [item for document in self._documents for item in document.items(extract)]

    def _add(self, found: Iterable[tuple[Item, Issue]]) -> None:
        self._findings += (finding(item, issue) for item, issue in found)

    def _run(self, name: str, check: ObjectCheck) -> CheckRun:
        reason = check.unavailable(self._context)
        if reason:
            outcome: Outcome = "unchecked" if "no schemas" in reason else "skipped"
            issue = Issue(f"checks/{outcome}", f"{name}: {reason}", subject=name)
            self._findings.append(Finding(issue, strict=True))
            return CheckRun(name, outcome, reason)
        before = len(self._findings)
        if name == kubernetes_schema.NAME and (why := kubernetes_schema.notice(self._context)):
            self._findings.append(Finding(Issue("kubernetes-schema/version", why, subject=name)))
        if name == custom_resources.NAME:
            self._add(custom_resources.bad_definitions(tuple(self._definitions)))
        for item in self._items(lambda content: tuple(check.examine(content, self._context))):
            self._add((item, issue) for issue in item.fact)
        found = any(severity_in(one.issue) != "info" for one in self._findings[before:])
        return CheckRun(name, outcome_of(int(found)))


def severity_in(issue: Issue) -> str:
    """How bad an issue is."""
    return issue.severity or severity_of(issue.code)


def outcome_of(found: int) -> Outcome:
    """How a check ended, by how much it found."""
    return "problems" if found else "passed"
