"""The health of objects in files, and tests of rules."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import reading, yaml
from commodore_py.adapters.yaml.manifests import load_manifests
from commodore_py.errors import CommodoreError, of_system
from commodore_py.live import rules as live_rules
from commodore_py.live.judge import Judge
from commodore_py.manifests.health.assess import missing
from commodore_py.manifests.health.scripts import ScriptTable
from commodore_py.manifests.health.status import Health, worst
from commodore_py.manifests.objects import KubeObject, split_version
from commodore_py.manifests.order.hooks import hook_facts
from commodore_py.manifests.settings import Settings, settings_of

from .objects import read_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.live.rules import UserRules
    from commodore_py.manifests.health.own import OwnRule
    from commodore_py.manifests.health.scripts import Script
    from commodore_py.manifests.health.status import Status
    from commodore_py.manifests.objects import Content

    from .cluster import LiveCluster

TESTS = "health_test.yaml"
_IN_ARGOCD = "Argo CD has a rule for it: name a folder of its rules"


class Judged(NamedTuple):
    """The health of an object."""

    object: KubeObject
    health: Health


class HealthReport(NamedTuple):
    """The health of all objects of some files."""

    objects: tuple[Judged, ...]
    others: int

    @property
    def worst(self) -> Status | None:
        """The worst status of all."""
        return worst(one.health.status for one in self.objects if one.health.status is not None)


class RulesFrom(NamedTuple):
    """What the objects of files are judged by, besides what is built in."""

    own: Mapping[str, OwnRule] = {}
    """Those of the hierarchy."""
    folders: tuple[Path, ...] = ()
    settings: Path | None = None
    as_argocd: bool = False


class Case(NamedTuple):
    """A test of a rule: what it should return, and what it returns."""

    folder: str
    input: str
    expected: tuple[str, str]
    found: tuple[str, str]

    @property
    def passed(self) -> bool:
        """Whether both are the same."""
        return self.expected == self.found


def health_of(
    names: Iterable[str],
    by: RulesFrom,
    *,
    now: datetime | None = None,
) -> HealthReport:
    """The health of the objects in files, in their order."""
    found = read_objects(names)
    time = (now or datetime.now(UTC)).timestamp()
    with _rules(by) as rules:
        judge = Judge(rules, {} if by.as_argocd else by.own, lambda: time)
        judged = tuple(
            Judged(one, _known(judge(one.content, as_argocd=by.as_argocd), one.content))
            for one in found.objects
        )
    return HealthReport(judged, found.others)


def health_in_cluster(cluster: LiveCluster) -> tuple[HealthReport, dict[str, str]]:
    """The health of the catalog's objects as the cluster has them, and what is unseen."""
    judged, unseen = [], {}
    for target in cluster.targets:
        if target.application is None or hook_facts(target.object.content).is_hook:
            continue
        if why := cluster.unseen(target):
            unseen[str(target.id)] = why
            continue
        live = cluster.live(target)
        health = missing() if live is None else _known(cluster.health(live), live)
        shown = KubeObject(target.id, live or target.object.content, target.object.file)
        judged.append(Judged(shown, health))
    return HealthReport(tuple(judged), 0), unseen


def run_tests(folder: Path) -> tuple[Case, ...]:
    """Run the tests of the rules below a folder."""
    table = ScriptTable(folders=live_rules.scripts_in(folder))
    rules = live_rules.UserRules(table)
    try:
        return tuple(
            case
            for where in live_rules.folders_in(folder)
            for case in _cases(where, folder, rules, table)
        )
    finally:
        rules.close()


def settings_in(file: Path | None) -> Settings:
    """The settings of Argo CD in a file."""
    if file is None:
        return Settings()
    found = settings_of(read_objects([str(file)]).objects)
    if not found:
        raise CommodoreError(
            "this file holds no settings of Argo CD",
            where=str(file),
            hint="it needs the ConfigMap argocd-cm, or the object ArgoCD of the operator",
        )
    if len(found) > 1:
        names = ", ".join(one.namespace or "no namespace" for one in found)
        raise CommodoreError(
            f"this file holds settings of several Argo CD instances: {names}",
            where=str(file),
            hint="name a file with those of one instance",
        )
    return found[0]


@contextmanager
def _rules(by: RulesFrom) -> Iterator[UserRules]:
    scripts = tuple(one for folder in by.folders for one in live_rules.scripts_in(folder))
    table = ScriptTable(settings_in(by.settings).scripts, scripts)
    rules = live_rules.UserRules(table, by.own)
    try:
        yield rules
    finally:
        rules.close()


def _known(health: Health, content: Content) -> Health:
    group, _, kind = split_version(content)
    if health.source in ("none", "kstatus") and live_rules.has_rule_in_argocd(group, kind):
        message = health.message if health.source == "kstatus" else _IN_ARGOCD
        return health._replace(message=message, waits=True)
    return health


def _cases(where: Path, root: Path, rules: UserRules, table: ScriptTable) -> Iterator[Case]:
    path = where / TESTS
    if not path.is_file():
        return
    tests = _lowered(yaml.load(_content(str(path)), name=str(path))).get("tests")
    if not isinstance(tests, list):
        raise CommodoreError("it has no list of tests", where=str(path))
    for at, one in enumerate(tests):
        test = _lowered(one)
        expected = _lowered(test.get("healthstatus"))
        name = test.get("inputpath")
        if not isinstance(name, str):
            raise CommodoreError(f"tests[{at}] has no inputPath", where=str(path))
        content = _first_object(where / name, root, where=f"{path}, tests[{at}]")
        found = assess_rule(content, rules, table)
        yield Case(
            where.relative_to(root).as_posix(),
            name,
            (_word(expected.get("status")), _word(expected.get("message"))),
            found,
        )


def assess_rule(content: Content, rules: UserRules, table: ScriptTable) -> tuple[str, str]:
    """What the rule for an object returns, whatever else is known about it."""
    group, _, kind = split_version(content)
    scripts: tuple[Script, ...] = table.find(group, kind)
    if not scripts:
        return "", "no rule fits its kind"
    status, message = rules.run(scripts[0], content)
    return status or "", message


def _first_object(path: Path, root: Path, *, where: str) -> Content:
    if not path.resolve().is_relative_to(root.resolve()):
        raise CommodoreError("its input lies outside of the folder of rules", where=where)
    documents = [one for one in load_manifests(_content(str(path)), name=str(path)) if one]
    if not documents or not isinstance(documents[0], dict):
        raise CommodoreError("its input holds no object", where=f"{where}\n{path}")
    content: Content = documents[0]
    return content


def _lowered(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        return {}
    return {str(key).lower(): one for key, one in value.items()}


def _word(value: object) -> str:
    return "" if value is None else str(value)


def _content(name: str) -> bytes:
    try:
        return reading.bytes_of(name)
    except OSError as error:
        raise of_system(error) from error
