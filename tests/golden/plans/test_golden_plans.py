"""Plans, and what a driver makes of them: its findings, or the files of the worked examples.

The catalog of a case has Argo CD and the instances one, two and three; `files` are other or more
files of instances, by path, and null for one that is not there. All other keys of a plan are its
settings. A case with `pushes` has plans that are pushed one after the other.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters import yaml
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.model.tree import Entry, Tree
from tests.support.golden import golden_cases
from tests.support.plan_catalogs import argocd, catalog, example, job, owner, rich_example

if TYPE_CHECKING:
    from commodore_py.delivery.drivers.base import Job
    from commodore_py.delivery.findings import Finding
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)
EXAMPLES = {"example": example, "rich example": rich_example}


@pytest.mark.parametrize(
    "case", [case for case in CASES if "plans" in case.content], ids=lambda case: case.name
)
def test_driver_findings_match_case(case: GoldenCase, golden: Golden) -> None:
    driver = DRIVERS[case.content["driver"]]

    found = {
        name: "".join(map(_shown, driver.render(_job(**plan)).findings))
        for name, plan in case.content["plans"].items()
    }

    golden.check(case, expected=found)


@pytest.mark.parametrize(
    "case", [case for case in CASES if "example" in case.content], ids=lambda case: case.name
)
def test_driver_files_match_case(case: GoldenCase, golden: Golden) -> None:
    given = EXAMPLES[case.content["example"]]()
    before = {path: entry for tree in given.trees.values() for path, entry in tree.items()}

    laid = DRIVERS[case.content["driver"]].render(given)

    assert laid.findings == ()
    changed = {
        str(path): laid.manifests[path].content.decode()
        for path in sorted(laid.manifests)
        if laid.manifests[path] != before.get(path)
    }
    removed = "".join(f"{path}\n" for path in sorted(before.keys() - laid.manifests))
    golden.check(case, expected=changed, removed=removed)


@pytest.mark.parametrize(
    "case", [case for case in CASES if "pushes" in case.content], ids=lambda case: case.name
)
def test_pushes_match_case(case: GoldenCase, golden: Golden) -> None:
    found = {name: _pushed(steps) for name, steps in case.content["pushes"].items()}

    golden.check(case, expected=found)


def _pushed(steps: list[dict[str, Any]]) -> str:
    """Findings of each push, and all Applications with how they are pruned."""
    head, lines = None, []
    for number, step in enumerate(steps, 1):
        settings = dict(step)
        plan, prune = settings.pop("plan"), settings.pop("prune", False)
        trees = {**catalog(("one", "two", "three")), "argocd": argocd(root=owner(prune=prune))}
        given = job(plan, trees, **{"unlisted": "last", **settings})
        laid = DRIVERS["argocd"].render(replace(given, head=head or given.head))
        head = laid.manifests
        lines += [f"push {number}\n", *map(_shown, laid.findings)]
        for path, entry in head.items():
            for content in yaml.load_all(entry.content, name=""):
                if content["kind"] == "Application":
                    lines.append(f"  {path}: {_pruned(content)}\n")
    return "".join(lines)


def _pruned(application: dict[str, Any]) -> str:
    metadata, automated = application["metadata"], application["spec"]["syncPolicy"]["automated"]
    option = metadata.get("annotations", {}).get("argocd.argoproj.io/sync-options", "no option")
    return f"{option}, prune: {automated['prune']}, finalizers: {'finalizers' in metadata}"


def _job(plan: object, files: dict[str, str | None] | None = None, **settings: Any) -> Job:  # noqa: ANN401 - of any kind
    trees = {name: dict(tree) for name, tree in catalog(("one", "two", "three")).items()}
    for place, text in (files or {}).items():
        instance, _, path = place.partition("/")
        tree = trees.setdefault(instance, {})
        if text is None:
            del tree[PurePosixPath(path)]
        else:
            tree[PurePosixPath(path)] = Entry(text.encode())
    given = {name: Tree(tree) for name, tree in trees.items() if tree}
    return job(plan, given, **{"unlisted": "last", **settings})


def _shown(finding: Finding) -> str:
    remedy = f" ({finding.remedy})" if finding.remedy else ""
    return f"{finding.code} {'.'.join(map(str, finding.path))}\n  {finding.message}{remedy}\n"
