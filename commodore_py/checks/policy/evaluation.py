"""Each object by the policies, and all of them together by those of package `catalog`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from commodore_py.cache.store import digest_of
from commodore_py.checks.base import Issue
from commodore_py.checks.documents import issue_from, items_of
from commodore_py.manifests.documents import read
from commodore_py.manifests.objects import identify
from commodore_py.manifests.secrets import MAY_BE_SECRET, hidden
from commodore_py.model.problem import Place, Problem

from .rules import WHOLE_CATALOG
from .sources import Refusal, policies_in
from .worker import Job

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.checks.base import Content, Item, PolicySettings
    from commodore_py.checks.documents import Document, Known, Memory

    from .engine import Engine
    from .rules import Rule
    from .worker import Result

_NAME = "policy"
_FAILED, _REFUSED = "policy/failed", "policy/refused"
_FORMAT = "policy 1"
_LONGEST = 2_000


class Evaluation:
    """The policies, and what is remembered of earlier runs."""

    def __init__(
        self, engine: Engine, settings: PolicySettings, memory: Memory, version: str
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._memory = memory
        self._policies = policies_in(settings.folder, settings.shown)
        self._about = {**settings.about, "version": version}
        about = json.dumps(self._about, default=str, sort_keys=True)
        parts = (_FORMAT, engine.version(), self._policies.digest, about)
        self._salt = digest_of(repr(parts).encode(errors="surrogatepass"))
        self._rules: tuple[Rule, ...] | None = None
        self._refused: tuple[Refusal, ...] = ()

    def found(
        self, documents: Sequence[tuple[Document, Known]]
    ) -> Iterator[Problem | tuple[Item, Issue]]:
        """The problems of all objects, and those of the policies themselves."""
        remembered: dict[Any, list[Any] | None] = {
            _key(one): self._known_about(one, known) for one, known in documents
        }
        waiting = [one for one in documents if remembered[_key(one[0])] is None]
        fresh = self._evaluated(waiting) if waiting else {}
        for document, known in documents:
            values = remembered[_key(document)] or fresh.get(_key(document)) or []
            items = list(items_of(document, known, _NAME)) if values else []
            yield from ((items[number], issue_from(one)) for number, one in values)
        yield from self._of_catalog(documents)
        for rule in self._engine.given_up():
            text = f"{rule.name} was not evaluated for all objects: it failed for several"
            yield failure(self._settings, text, rule.name)

    def _known_about(self, document: Document, known: Known) -> list[Any] | None:
        there = known.issues.get(_NAME)
        if there is None or there[0] != self._salts(document) or self._policies.changes_each_time:
            return None
        found: list[Any] = there[1]
        return found

    def _salts(self, document: Document) -> list[str]:
        """What results about a document depend on."""
        return [self._salt, document.instance if self._policies.asks_for_origin else ""]

    def _evaluated(self, documents: Sequence[tuple[Document, Known]]) -> dict[Any, list[Any]]:
        """What policies find in documents: for each issue the number of its object."""
        rules = [one for one in self._loaded() if one.package != WHOLE_CATALOG]
        jobs: list[Job] = []
        places: list[tuple[Document, int]] = []
        for document, _ in documents:
            for number, content in enumerate(self._contents(document)):
                jobs.append(Job(_json(content), self._about_object(document.instance)))
                places.append((document, number))
        found: dict[Any, list[Any]] = {_key(document): [] for document, _ in documents}
        uncertain = set()
        for (document, number), results in zip(
            places, self._engine.evaluate(jobs, rules), strict=True
        ):
            for result in results:
                found[_key(document)] += [
                    [number, [*issue[:6], list(issue.options), issue.value]]
                    for _, issue in _issues(result)
                ]
                if result.failed:
                    uncertain.add(_key(document))
        for document, known in documents:
            # What failed may succeed: a machine was busy.
            if _key(document) not in uncertain and not self._policies.changes_each_time:
                issues = found[_key(document)]
                self._memory.note_issues(known, _NAME, self._salts(document), issues)
        return found

    def _of_catalog(
        self, documents: Sequence[tuple[Document, Known]]
    ) -> Iterator[Problem | tuple[Item, Issue]]:
        """What the policies for all objects find, after what is wrong with policies."""
        digests = "".join(document.digest + document.instance for document, _ in documents)
        salt = [self._salt, digest_of(digests.encode(errors="surrogatepass"))]
        there = self._memory.of_catalog(_NAME)
        if there is None or there[0] != salt or self._policies.changes_each_time:
            rules = [one for one in self._loaded() if one.package == WHOLE_CATALOG]
            refused = [list(one) for one in self._refused]
            there = [salt, refused, *self._catalog_issues(documents, rules)]
        if not there[3] and not self._policies.changes_each_time:
            self._memory.note_catalog(_NAME, there)
        for values in there[1]:
            refusal = Refusal(*values)
            yield Problem.at(
                Place(refusal.file, refusal.line),
                _REFUSED,
                refusal.message,
                remedy=refusal.remedy,
                subject=refusal.message,
            )
        if there[2]:
            items = {
                str(item.id): item
                for document, known in documents
                for item in items_of(document, known, _NAME)
            }
            for id_, values in there[2]:
                issue, item = issue_from(values), items.get(id_)
                yield (item, issue) if item is not None else self._of_no_object(issue)

    def _catalog_issues(
        self, documents: Sequence[tuple[Document, Known]], rules: Sequence[Rule]
    ) -> tuple[list[Any], bool]:
        """Issues with the ids of their objects, and whether a rule failed."""
        if not rules:
            return [], False
        objects = [
            {
                "path": f"{one.instance}/{one.file}" if one.instance else one.file,
                "contents": content,
            }
            for one, _ in documents
            for content in self._contents(one)
        ]
        (results,) = self._engine.evaluate([Job(_json(objects), self._about_object(""))], rules)
        found = [
            [id_, [*issue[:6], list(issue.options), issue.value]]
            for result in results
            for id_, issue in _issues(result)
        ]
        return found, any(one.failed for one in results)

    def _of_no_object(self, issue: Issue) -> Problem:
        return Problem.at(
            Place(self._settings.shown),
            issue.code,
            issue.message,
            severity=issue.severity,
            remedy=issue.remedy,
            subject=issue.subject or issue.message,
        )

    def _loaded(self) -> tuple[Rule, ...]:
        if self._rules is None:
            loaded = self._engine.load(self._policies)
            self._rules = loaded.rules
            self._refused = tuple(sorted({*self._policies.refused, *loaded.refused}))
        return self._rules

    def _about_object(self, instance: str) -> str:
        origin: Mapping[str, str] = {}
        if self._policies.asks_for_origin and instance:
            origin = self._settings.origins.get(instance) or {"instance": instance}
        return _json({**self._about, "origin": origin})

    def _contents(self, document: Document) -> Sequence[Content]:
        """The objects of a document, without values of Secrets."""
        if not MAY_BE_SECRET.search(document.text):
            return self._memory.contents(document)
        found = read(document.text, document.file, hide=hidden)
        return [one.content for one in found.objects] if found is not None else ()


def _key(document: Document) -> tuple[str, str]:
    return document.digest, document.instance


def _json(value: object) -> str:
    return json.dumps(value, default=str)


def _issues(result: Result) -> Iterator[tuple[str, Issue]]:
    """The problems that a rule found, with the id of the object that each names, if any."""
    rule = result.rule
    called = f"{rule.name} of package {rule.package}"
    if result.failed:
        yield "", Issue(_FAILED, f"{called} failed: {result.failed}"[:_LONGEST], subject=rule.name)
        return
    values = json.loads(result.values)
    for value in values if isinstance(values, list) else [None]:
        details = value if isinstance(value, dict) else {"msg": value}
        message = details.get("msg")
        if not isinstance(message, str):
            text = f"{called} gives something else than texts, or objects with a text as msg"
            yield "", Issue(_FAILED, text, subject=rule.name)
            continue
        text = message[:_LONGEST]
        yield (
            _named(details.get("object")),
            Issue(
                rule.code,
                f"{text} (an exception applies)" if result.exempt else text,
                _text(details.get("field")),
                _text(details.get("remedy")),
                subject=_text(details.get("subject")) or text,
                severity="info" if result.exempt else rule.severity,
            ),
        )


def _text(value: object) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""


def _named(value: object) -> str:
    id_ = identify(value) if isinstance(value, dict) else None
    return "" if id_ is None else str(id_)


def failure(settings: PolicySettings, text: str, subject: str = _NAME) -> Problem:
    """What is wrong with the policies as a whole."""
    return Problem.at(Place(settings.shown), _FAILED, text, subject=subject)
