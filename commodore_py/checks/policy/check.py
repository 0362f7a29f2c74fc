"""Policies in Rego about each object and about the catalog as a whole."""

from __future__ import annotations

import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.cache.digests import digest, program_digest
from commodore_py.cache.results import cached_value
from commodore_py.checks.base import Ended, Issue, issue_from
from commodore_py.errors import CommodoreError
from commodore_py.manifests.documents import read
from commodore_py.manifests.objects import identify, items, mapping
from commodore_py.manifests.secrets import MAY_BE_SECRET, hidden

from .opa import EXCEPTION, Policies, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.checks.base import Document, Documents, Item, Settings
    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.codes import Severity

    from .opa import Result

NAME = "policy"
_FORMAT = "policy 3"
_LONGEST = 2_000
_CHANGES_EACH_TIME = re.compile(r"\b(?:now_ns|intn|rfc4122)\b")


def run(documents: Documents, settings: Settings) -> Ended | None:
    """Problems that the policies find; None without policies."""
    policy = settings.policy
    if policy is None:
        return None
    policies = Policies(policy.shown, {}, {})
    try:
        policies = Policies.read(policy.folder, policy.shown)
        if not policies.modules:
            return None
        program = shutil.which("opa")
        if program is None:
            text = "there are policies and no opa: run `commodore tool install opa`"
            issue = Issue("policy/not-installed", text, severity=policy.without_opa)
            return Ended((policies.problem(issue),), "skipped", text)
        about = {**policy.about, "version": str(settings.version or "")}
        given = {"about": about, "origins": policy.origins}
        return Ended(tuple(_found(program, policies, given, documents(), settings.cache)))
    except CommodoreError as error:
        text = f"the policies cannot be evaluated: {error}"
        issue = Issue("policy/failed", text, remedy=error.hint, subject=NAME)
        return Ended((policies.problem(issue),))


def _found(
    program: str,
    policies: Policies,
    given: Mapping[str, Any],
    documents: Sequence[Document],
    cache: Path | None,
) -> Iterator[Problem | tuple[Item, Issue]]:
    """Evaluate the policies, unless all that they depend on is as in an earlier run."""
    catalog = [item for document in documents for item in document.items or ()]
    opa = Path(program).stat()
    digests = [(document.instance, document.file, digest(document.text)) for document in documents]
    state = (
        _FORMAT,
        program_digest(),
        program,
        opa.st_mtime_ns,
        opa.st_size,
        policies,
        given,
        digests,
    )
    key = digest(repr(state).encode(errors="surrogatepass"))
    problems: list[Problem] = []
    issues: list[tuple[int, Mapping[str, Any]]] = []

    def evaluated() -> list[tuple[int, Mapping[str, Any]]] | None:
        objects = [kube_object for document in documents for kube_object in _objects(document)]
        results, new_problems = evaluate(program, policies, {**given, "objects": objects})
        problems.extend(new_problems)
        issues.extend((at, asdict(issue)) for at, issue in _issues(results, catalog))
        return None if problems else issues

    changes = any(map(_CHANGES_EACH_TIME.search, policies.modules.values()))
    remembered = cached_value(None if changes else cache, key, evaluated)
    yield from problems
    for at, values in remembered or issues:
        issue = issue_from(values)
        yield (catalog[at], issue) if at >= 0 else policies.problem(issue)


def _objects(document: Document) -> Iterator[Mapping[str, Any]]:
    """The objects of a document, without values of Secrets."""
    contents = [item.content for item in document.items or ()]
    if MAY_BE_SECRET.search(document.text):
        masked = read(document.text, document.file, hide=hidden)
        contents = [kube_object.content for kube_object in masked.objects] if masked else []
    path = f"{document.instance}/{document.file}" if document.instance else document.file
    for content in contents:
        yield {"path": path, "instance": document.instance, "contents": content}


def _issues(results: Sequence[Result], catalog: Sequence[Item]) -> Iterator[tuple[int, Issue]]:
    """Issues by the results of rules, with the numbers of their objects."""
    exempt = {
        (result.at, result.rule.package, name)
        for result in results
        if result.rule.name == EXCEPTION
        for names in items(result.value)
        for name in map(str, items(names))
    }
    numbers = {str(item.id): number for number, item in enumerate(catalog)}
    for result in results:
        kind, _, name = result.rule.name.partition("_")
        is_exempt = (result.at, result.rule.package, name) in exempt
        severity: Severity = "info" if is_exempt else "warning" if kind == "warn" else "error"
        package = ".".join(result.rule.package)
        code = f"policy/{name or package}"
        for value in () if kind == EXCEPTION else items(result.value) or (None,):
            details = value if isinstance(value, dict) else {"msg": value}
            id_ = identify(mapping(details.get("object")))
            at = numbers.get(str(id_), -1) if result.at < 0 else result.at
            if not isinstance(details.get("msg"), str):
                text = f"{result.rule.name} of package {package} gives other values than messages"
                yield at, Issue("policy/failed", text, subject=result.rule.name)
                continue
            text, field, remedy, subject = (
                detail[:_LONGEST] if isinstance(detail := details.get(key), str) else ""
                for key in ("msg", "field", "remedy", "subject")
            )
            shown = f"{text} (an exception applies)" if is_exempt else text
            yield at, Issue(code, shown, field, remedy, subject or text, severity)
