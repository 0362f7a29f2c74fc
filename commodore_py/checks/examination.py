"""The checks of objects, by themselves and together: what they find is remembered as it is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.model.verdict import CheckRun

from . import custom_resources
from .base import Issue
from .documents import DEFINITIONS, issue_from, items_of
from .kubernetes import schema as kubernetes_schema
from .table import CATALOG_CHECKS, OBJECT_CHECKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from commodore_py.model.verdict import Outcome

    from .base import Context, Item, ObjectCheck
    from .documents import Document, Known, Memory


class Finding(NamedTuple):
    """An issue, and where it is."""

    issue: Issue
    instance: str = ""
    file: str = ""
    object: str = ""
    strict: bool = False


class Examined(NamedTuple):
    """What the checks of objects found."""

    objects: int
    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]

    def plain(self) -> Any:  # noqa: ANN401 - plain data
        """The same as plain data."""
        findings = [(tuple(one.issue), *one[1:]) for one in self.findings]
        return self.objects, [tuple(one) for one in self.runs], findings

    @classmethod
    def restored(cls, values: Any) -> Examined:  # noqa: ANN401 - plain data
        """What was stored as plain data."""
        objects, runs, findings = values
        return cls(
            objects,
            tuple(CheckRun(*one) for one in runs),
            tuple(Finding(Issue(*issue), *where) for issue, *where in findings),
        )


def finding(item: Item, issue: Issue) -> Finding:
    """An issue of an object."""
    return Finding(issue, item.instance, item.file, str(item.id))


def state_of(context: Context) -> tuple[object, ...]:
    """What results depend on besides the objects."""
    reasons = [check.unavailable(context) for check in OBJECT_CHECKS.values()]
    return (context.version, context.known_namespaces, *reasons, kubernetes_schema.used(context))


class Examination:
    """The checks of the objects of one catalog."""

    def __init__(
        self,
        documents: Sequence[tuple[Document, Known]],
        memory: Memory,
        context: Context,
        wants: Callable[[str], bool],
    ) -> None:
        self._documents = documents
        self._memory = memory
        self._wants = wants
        self._findings: list[Finding] = []
        self._definitions = self._items(DEFINITIONS)
        definitions = {
            (one.fact["group"], one.fact["kind"]): one.fact
            for one in self._definitions
            if one.fact is not None
        }
        self._context = context._replace(definitions=definitions)

    def result(self) -> Examined:
        """What all checks that are wanted find."""
        runs: list[CheckRun] = []
        for name, check in CATALOG_CHECKS.items():
            if self._wants(name):
                before = len(self._findings)
                self._add(check.check(self._items(name), self._context))
                runs.append(CheckRun(name, outcome_of(len(self._findings) - before)))
        for name, of_objects in OBJECT_CHECKS.items():
            if self._wants(name):
                runs.append(self._run(name, of_objects))
        objects = sum(len(known.objects) for _, known in self._documents)
        return Examined(objects, tuple(runs), tuple(self._findings))

    def _items(self, check: str) -> list[Item]:
        return [
            item for document, known in self._documents for item in items_of(document, known, check)
        ]

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
        # Each kind once: there are few, and many objects.
        salt_of = cache(lambda api_version, kind: check.salt(api_version, kind, self._context))
        for document, known in self._documents:
            issues = self._issues(name, check, document, known, salt_of=salt_of)
            items = list(items_of(document, known, name)) if issues else []
            self._add((items[number], issue_from(values)) for number, values in issues)
        found = any(severity_in(one.issue) != "info" for one in self._findings[before:])
        return CheckRun(name, outcome_of(int(found)))

    def _issues(
        self,
        name: str,
        check: ObjectCheck,
        document: Document,
        known: Known,
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
                        for issue in check.examine(content, self._context)
                    ]
        self._memory.note_issues(known, name, salts, found)
        return found


def severity_in(issue: Issue) -> str:
    """How bad an issue is."""
    from commodore_py.model.problems.codes import severity_of  # a table that most runs do not need

    return issue.severity or severity_of(issue.code)


def outcome_of(found: int) -> Outcome:
    """How a check ended, by how much it found."""
    return "problems" if found else "passed"
