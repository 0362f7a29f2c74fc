"""What many objects have in common is shown once."""

from __future__ import annotations

from typing import Any

from commodore_py.manifests.diff import ObjectChange, object_changes
from commodore_py.manifests.folding import Fold, folded
from commodore_py.manifests.secrets import masked, masked_fold
from tests.support.kube_objects import make_object, pods


def fold(*pairs: tuple[Any, Any]) -> tuple[tuple[ObjectChange, ...], tuple[Fold, ...]]:
    return folded(object_changes([old for old, _ in pairs], [new for _, new in pairs]))


def an_update(kind: str, name: str, wrap: str = "", **more: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any content
    """An object before and after its image changed."""
    specs: list[Any] = [pods({"name": name, "image": image}, **more) for image in ("a:1", "a:2")]
    if wrap:
        specs = [{wrap: {"spec": spec}} for spec in specs]
    return make_object(kind, name, spec=specs[0]), make_object(kind, name, spec=specs[1])


def paths(folds: tuple[Fold, ...]) -> list[tuple[str, list[str]]]:
    return [(one.path, [id_.name for id_ in one.objects]) for one in folds]


def test_an_image_of_pods_is_the_same_in_all_kinds_and_containers() -> None:
    init = [
        make_object("DaemonSet", "c", spec={"template": {"spec": {"initContainers": [c]}}})
        for c in ({"name": "i", "image": "a:1"}, {"name": "i", "image": "a:2"})
    ]

    alone, folds = fold(
        an_update("Deployment", "a"), an_update("StatefulSet", "b"), (init[0], init[1])
    )

    assert alone == ()
    assert paths(folds) == [("containers[*].image", ["c", "a", "b"])]
    assert folds[0].field.grade == "restart"


def test_two_are_not_many() -> None:
    alone, folds = fold(an_update("Deployment", "a"), an_update("Deployment", "b"))

    assert (len(alone), folds) == (2, ())


def test_other_values_and_other_grades_are_other_changes() -> None:
    cron = [an_update("CronJob", name, "jobTemplate") for name in "abc"]
    deployments = [an_update("Deployment", name) for name in "def"]
    other = (make_object("Deployment", "g", spec=pods({"name": "g", "image": "a:1"})),) * 2

    alone, folds = fold(*cron, *deployments, (other[0], make_object("Deployment", "g", spec={})))

    assert [(one.id.name, len(one.fields)) for one in alone] == [("g", 1)]
    assert [(one.field.grade, len(one.objects)) for one in folds] == [("restart", 3), ("none", 3)]


def test_what_an_object_has_for_itself_stays_with_it_and_its_grade() -> None:
    old, new = an_update("Deployment", "a")
    more = make_object("Deployment", "a", spec={**new.content["spec"], "replicas": 0})

    alone, folds = fold((old, more), *(an_update("Deployment", name) for name in "bc"))

    assert [(one.id.name, one.grade, len(one.fields)) for one in alone] == [("a", "outage", 1)]
    assert paths(folds) == [("containers[*].image", ["a", "b", "c"])]


def test_labels_of_objects_and_of_pods_are_distinguished() -> None:
    def labelled(name: str, version: str) -> Any:  # noqa: ANN401 - any content
        labels = {"labels": {"version": version}}
        return make_object(
            "Deployment", name, metadata=labels, spec={"template": {"metadata": labels}}
        )

    _, folds = fold(*((labelled(name, "1"), labelled(name, "2")) for name in "abc"))

    assert [(one.path, one.field.grade) for one in folds] == [
        ("spec.template.metadata.labels.version", "restart"),
        ("metadata.labels.version", "none"),
    ]


def test_items_that_come_are_the_same_if_their_content_is() -> None:
    def a_role(name: str, *verbs: str) -> Any:  # noqa: ANN401 - any content
        rules = [{"apiGroups": ["", "apps"], "resources": ["pods"], "verbs": list(verbs)}]
        return make_object("Role", name, rules=rules)

    _, folds = fold(*((a_role(n, *n), a_role(n, *n, "list")) for n in ("a", "bc", "d")))

    assert paths(folds) == [("rules[*].verbs[]", ["a", "bc", "d"])]


def test_secrets_are_folded_by_what_they_hold_and_not_shown() -> None:
    def holding(kind: str, name: str, value: str) -> Any:  # noqa: ANN401 - any content
        return make_object(kind, name, data={"a": value})

    alone, folds = fold(
        *((holding("Secret", name, "one"), holding("Secret", name, "two")) for name in "abc"),
        (holding("Secret", "d", "one"), holding("Secret", "d", "six")),
        (holding("ConfigMap", "e", "one"), holding("ConfigMap", "e", "two")),
    )

    shown = [masked_fold(one).field.new for one in folds]
    assert [len(one.objects) for one in folds] == [3]
    assert shown == ["***"]
    assert [masked(one).fields[0].new for one in alone] == ["two", "***"]
