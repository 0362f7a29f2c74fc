"""Orphans: deleted only if an earlier commit had them and they have the mark."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from commodore_py.live.access.discovery import Api
from commodore_py.live.cache.records import Record, record_of
from commodore_py.live.cache.settings import Settings
from commodore_py.live.orphans import Known, orphans
from commodore_py.manifests.objects import ObjectId
from commodore_py.manifests.settings import Tracking
from tests.support.tables import each

OLD = ObjectId("", "ConfigMap", "shop", "old")
ID = "argocd.argoproj.io/tracking-id"
MARK = {ID: "shop:/ConfigMap:shop/old"}
KNOWN = Known(
    targets=(),
    inventory=(OLD,),
    applications=("shop",),
    others=set(),
    tracking=Tracking(),
    complete=True,
    marks_objects=True,
)


def _record(id_: ObjectId, annotations: dict[str, str], **metadata: object) -> Record:
    api = Api(id_.group, "v1", id_.kind, f"{id_.kind.lower()}s", namespaced=bool(id_.namespace))
    place = {"name": id_.name, "namespace": id_.namespace, "uid": "1", "annotations": annotations}
    kept = Settings(annotations=frozenset(annotations))
    return record_of(api, {"metadata": {**place, **metadata}}, kept)


def _fates(known: Known, *records: Record) -> list[tuple[str, str]]:
    return [(one.fate, one.why) for one in orphans(records, known)]


@pytest.mark.parametrize(
    ("annotations", "changes", "fate", "why"),
    [
        (MARK, {}, "delete", "mark"),
        ({}, {}, "unknown", "no mark"),
        (MARK, {"inventory": ()}, "unknown", "no earlier commit"),
        pytest.param(
            MARK,
            {"inventory": (), "complete": False},
            "unknown",
            "cut off",
        ),
        (MARK, {"blocked": "the cluster is not confirmed"}, "unknown", "not confirmed"),
        (MARK, {"applications": ("other",)}, "unknown", "no mark"),
        ({}, {"marks_objects": False}, "delete", "earlier commit"),
        pytest.param(
            {**MARK, "argocd.argoproj.io/sync-options": "Prune=confirm"},
            {},
            "keep",
            "confirm",
        ),
    ],
)
def test_two_witnesses_delete(
    annotations: dict[str, str], changes: dict[str, Any], fate: str, why: str
) -> None:
    ((found, said),) = _fates(replace(KNOWN, **changes), _record(OLD, annotations))

    assert found == fate
    assert why in said


@each(
    "annotations",
    [{}, {"meta.helm.sh/release-name": "db"}, {ID: "shop:/ConfigMap:shop/new"}],
)
def test_objects_of_others_are_no_orphans(annotations: dict[str, str]) -> None:
    assert _fates(replace(KNOWN, inventory=()), _record(OLD, annotations)) == []


def test_targets_ending_objects_and_hooks_are_no_orphans() -> None:
    target = ObjectId("", "ConfigMap", "shop", "new")
    known = replace(KNOWN, targets=(target,))

    assert not _fates(
        known,
        _record(target, {}),
        _record(OLD, MARK, deletionTimestamp="2026-01-01T00:00:00Z"),
        _record(OLD, {**MARK, "argocd.argoproj.io/hook": "PreSync"}),
    )


def test_what_holds_objects_of_others_is_kept() -> None:
    namespace = ObjectId("", "Namespace", "", "shop")
    mark = {ID: "shop:/Namespace:/shop"}
    known = replace(KNOWN, inventory=(namespace,))

    ((fate, why),) = _fates(known, _record(namespace, mark))

    assert fate == "keep"
    assert "everything in it" in why
