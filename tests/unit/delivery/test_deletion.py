"""What moves and what leaves the catalog, compared with the catalog that is published."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.delivery.drivers.table import DRIVERS
from tests.support.plan_catalogs import CLUSTER, argocd, catalog, job, owner

if TYPE_CHECKING:
    from commodore_py.delivery.drivers.base import Job, Laid
    from commodore_py.model.tree import Tree

NAMES = ("one", "two", "three")
FLAT = {"serial": list(NAMES)}
NESTED = {"concurrent": ["one", {"serial": ["two", "three"], "name": "group"}]}
OPTIONS = "argocd.argoproj.io/sync-options"


def pushed(
    plan: object,
    head: Laid | None = None,
    *,
    prune: bool = False,
    **settings: Any,  # noqa: ANN401
) -> Laid:
    """A plan over the same output of the instances, after what was published."""
    trees = {**catalog(NAMES), "argocd": argocd(root=owner(prune=prune))}
    given: Job = job(plan, trees, unlisted="last", **settings)
    return DRIVERS["argocd"].render(given._replace(head=head.manifests if head else given.head))


def notices(laid: Laid) -> list[str]:
    return [one.code.removeprefix("plan/") for one in laid.findings]


def applications(tree: Tree) -> dict[str, str]:
    """The files below folders of Applications, with what says how they are pruned."""
    found = {}
    for path, entry in tree.items():
        for content in yaml.safe_load_all(entry.content):
            if content["kind"] == "Application":
                found[str(path)] = content["metadata"].get("annotations", {}).get(OPTIONS, "")
    return found


def test_a_move_out_of_a_folder_that_is_pruned_takes_two_pushes() -> None:
    before = pushed(FLAT, prune=True)

    first = pushed(NESTED, before, prune=True)
    second = pushed(NESTED, first, prune=True)
    third = pushed(NESTED, second, prune=True)

    assert notices(first) == ["move", "move"]
    assert applications(first.manifests)["apps/two.yaml"] == "Prune=false"
    assert "plan/group/two.yaml" not in applications(first.manifests)
    assert notices(second) == []
    assert "apps/two.yaml" not in applications(second.manifests)
    assert applications(second.manifests)["plan/group/two.yaml"] == "Prune=confirm"
    assert third == second


def test_an_owner_that_does_not_prune_lets_applications_move_at_once() -> None:
    moved = pushed(NESTED, pushed(FLAT))

    assert notices(moved) == []
    assert "plan/group/two.yaml" in applications(moved.manifests)


def test_a_group_that_ends_deletes_nothing() -> None:
    before = pushed(NESTED)

    first = pushed(FLAT, before)
    second = pushed(FLAT, first)

    assert notices(first) == ["move", "move"]
    assert applications(first.manifests)["plan/group/two.yaml"] == "Prune=false"
    group = yaml.safe_load(first.manifests[PurePosixPath("apps/plan-group.yaml")].content)
    assert "finalizers" not in group["metadata"]
    assert applications(second.manifests).keys() == {
        "apps/01_rootapp.yaml",
        *(f"apps/{name}.yaml" for name in NAMES),
    }
    assert notices(second) == ["stays", "stays"]  # the group's Application, without a finalizer


def test_an_application_that_leaves_group_and_plan_is_kept_for_a_push() -> None:
    first = pushed("one", pushed(NESTED))

    assert notices(first) == ["move", "move"]
    assert "plan/group/two.yaml" in applications(first.manifests)
    assert "apps/two.yaml" in applications(pushed("one", first).manifests)


def test_nothing_moves_before_the_first_push() -> None:
    first = pushed(NESTED, prune=True)

    assert notices(first) == []
    assert "plan/group/two.yaml" in applications(first.manifests)


def test_what_stays_when_an_application_leaves_is_reported() -> None:
    on = {"on": {"cluster": "far", "background": True, "do": "two"}}
    before = pushed({"serial": ["one", on]}, clusters={"far": CLUSTER})
    off = {"serial": ["one", {"when": {"if": False, "then": on}}]}

    kept = pushed(off, before, clusters={"far": CLUSTER})
    pruned = pushed(off, before, clusters={"far": CLUSTER}, argocd={"deletion": "prune"})

    texts = [(one.message, one.remedy) for one in kept.findings]
    nothing = "leaves the catalog, but nothing deletes it"
    assert (
        f"Application two {nothing}",
        "kubectl --namespace syn delete application two",
    ) in texts
    assert "Application two leaves the catalog, and objects of it stay: 1" in dict(texts)
    assert f"Application cluster-far {nothing}" in dict(texts)
    assert [one.message for one in pruned.findings] == [
        "Application two leaves the catalog, and objects of it stay: 1"
    ]
    assert kept.findings[-1].path[-2:] == ("when", "if")


def test_confirmed_deletion_is_set_before_the_owner_prunes() -> None:
    def prunes(laid: Laid) -> object:
        content = yaml.safe_load(laid.manifests[PurePosixPath("apps/01_rootapp.yaml")].content)
        return content["spec"]["syncPolicy"]["automated"]["prune"]

    first = pushed("one", pushed("one"), argocd={"deletion": "confirm"})
    second = pushed("one", first, argocd={"deletion": "confirm"})

    found = applications(first.manifests)
    assert {found[f"apps/{name}.yaml"] for name in NAMES} == {"Prune=confirm"}
    assert found["apps/01_rootapp.yaml"] == ""
    assert (prunes(first), prunes(second)) == (False, True)


def test_deletion_needs_an_owner() -> None:
    trees = catalog(NAMES)
    del trees["argocd"]

    found = DRIVERS["argocd"].render(
        job("one", trees, unlisted="last", argocd={"deletion": "confirm"})
    )

    assert "no-owner" in notices(found)
