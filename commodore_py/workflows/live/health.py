"""The health of objects in files, rules of the hierarchy about it, and tests of rules."""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.adapters import reading, yaml
from commodore_py.errors import CommodoreError, UsageError, raise_collected
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.locator import Locator
from commodore_py.lieutenant import last_compile
from commodore_py.live import rules as live_rules
from commodore_py.live.rules import Judge
from commodore_py.manifests.documents import load_manifests
from commodore_py.manifests.health.own import OwnRule, own_rules
from commodore_py.manifests.health.scripts import ScriptTable
from commodore_py.manifests.health.status import Health, worst
from commodore_py.manifests.objects import split_version
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.spot import Spot
from commodore_py.workflows.inventory.sources import is_compiled, parameters_here

from .objects import objects_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.manifests.health.scripts import Script
    from commodore_py.manifests.health.status import Status
    from commodore_py.manifests.objects import Content, KubeObject

log = logging.getLogger(__name__)

TESTS = "health_test.yaml"
_IN_ARGOCD = "Argo CD has a rule for it: name a folder of its rules"


@dataclass(frozen=True, slots=True)
class Judged:
    """The health of an object."""

    object: KubeObject
    health: Health


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The health of all objects of some files."""

    objects: tuple[Judged, ...]
    others: int

    @property
    def worst(self) -> Status | None:
        """The worst status of all."""
        return worst(
            judged.health.status for judged in self.objects if judged.health.status is not None
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A test of a rule: what it should return, and what it returns."""

    folder: str
    input: str
    expected: tuple[str, str]
    actual: tuple[str, str]

    @property
    def passed(self) -> bool:
        """True if both are the same."""
        return self.expected == self.actual


def health_of(
    names: Iterable[str], own_rules: Mapping[str, OwnRule], folders: Iterable[Path]
) -> HealthReport:
    """The health of the objects in files, in their order.

    They are judged by rules of the hierarchy and of folders, besides those that are built in.
    """
    objects = objects_in(names)
    scripts = tuple(script for folder in folders for script in live_rules.scripts_in(folder))
    with closing(Judge(ScriptTable(folders=scripts), own_rules)) as judge:
        judged = tuple(
            Judged(kube_object, _known(judge(kube_object.content), kube_object.content))
            for kube_object in objects.objects
        )
    return HealthReport(judged, objects.others)


def run_tests(folder: Path) -> tuple[Case, ...]:
    """Run the tests of the rules below a folder."""
    table = ScriptTable(folders=live_rules.scripts_in(folder))
    with closing(Judge(table)) as judge:
        return tuple(
            case
            for where in live_rules.folders_in(folder)
            for case in _cases(where, folder, judge, table)
        )


def _known(health: Health, content: Content) -> Health:
    group, _, kind = split_version(content)
    if health.source in ("none", "kstatus") and live_rules.has_rule_in_argocd(group, kind):
        message = health.message if health.source == "kstatus" else _IN_ARGOCD
        return replace(health, message=message, waits=True)
    return health


def _cases(where: Path, root: Path, judge: Judge, table: ScriptTable) -> Iterator[Case]:
    path = where / TESTS
    if not path.is_file():
        return
    tests = _lowered(yaml.load(reading.content_of(path), name=str(path))).get("tests")
    if not isinstance(tests, list):
        raise CommodoreError("it has no list of tests", where=str(path))
    for at, entry in enumerate(tests):
        test = _lowered(entry)
        expected = _lowered(test.get("healthstatus"))
        name = test.get("inputpath")
        if not isinstance(name, str):
            raise CommodoreError(f"tests[{at}] has no inputPath", where=str(path))
        content = _first_object(where / name, root, where=f"{path}, tests[{at}]")
        assessed = assess_rule(content, judge, table)
        yield Case(
            where.relative_to(root).as_posix(),
            name,
            (_word(expected.get("status")), _word(expected.get("message"))),
            assessed,
        )


def assess_rule(content: Content, judge: Judge, table: ScriptTable) -> tuple[str, str]:
    """Apply the rule for an object, whatever else is known about it."""
    group, _, kind = split_version(content)
    scripts: tuple[Script, ...] = table.find(group, kind)
    if not scripts:
        return "", "no rule fits its kind"
    status, message = judge.run(scripts[0], content)
    return status or "", message


def _first_object(path: Path, root: Path, *, where: str) -> Content:
    if not path.resolve().is_relative_to(root.resolve()):
        raise CommodoreError("its input lies outside of the folder of rules", where=where)
    documents = [
        manifest
        for manifest in load_manifests(reading.content_of(path), name=str(path))
        if manifest
    ]
    if not documents or not isinstance(documents[0], dict):
        raise CommodoreError("its input holds no object", where=f"{where}\n{path}")
    content: Content = documents[0]
    return content


def _lowered(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        return {}
    return {str(key).lower(): item for key, item in value.items()}


def _word(value: object) -> str:
    return "" if value is None else str(value)


def own_rules_here(config: Config, cluster_id: str | None = None) -> Mapping[str, OwnRule]:
    """The rules of the cluster that was compiled here, if it is this one; else none."""
    paths = config.paths
    if not is_compiled(paths):
        return {}
    try:
        if cluster_id not in (None, last_compile.cluster_id_in(paths)):
            return {}
        parameters = parameters_here(paths)
    except UsageError:
        return {}  # no cluster was compiled here
    except CommodoreError as error:
        # Whoever has no such rules must not need a hierarchy in order to look at a cluster.
        log.warning(
            "the hierarchy cannot be read, its rules about health do not count: %s",
            error,
            extra={"where": error.where, "hint": error.hint},
        )
        return {}
    rules, wrong = own_rules(parameters)
    locator = Locator(lambda: compiled_hierarchy(paths))
    raise_collected(
        (
            CommodoreError(
                invalid.message, where=Spot(BOOTSTRAP, invalid.path).seen_from(locator.parameter)
            )
            for invalid in wrong
        ),
        "the rules about health are not valid",
    )
    return rules
