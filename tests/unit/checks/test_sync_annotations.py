"""Annotations that Argo CD reads otherwise than they are meant."""

from __future__ import annotations

import pytest

from commodore_py.checks.base import Settings
from commodore_py.checks.sync_annotations import examine
from commodore_py.checks.table import names

from .build import an_object

ARGO = "argocd.argoproj.io/"
HOOK = f"{ARGO}hook"


def found(kind: str = "Job", **annotations: str) -> list[str]:
    given = {
        name.replace("argo_", ARGO).replace("helm_", "helm.sh/").replace("_", "-"): text
        for name, text in annotations.items()
    }
    content = an_object(kind, metadata={"annotations": given})
    return [one.code.removeprefix("sync/") for one in examine(content, Settings())]


@pytest.mark.parametrize(
    ("annotations", "codes"),
    [
        ({}, []),
        ({"argo_sync_wave": "-5"}, []),
        ({"argo_sync_wave": "5.0"}, ["wave-word"]),
        ({"argo_hook": "PreSync,PostSync"}, []),
        ({"argo_hook": "PostDelete"}, []),
        ({"argo_hook": "Presync"}, ["hook-word"]),
        ({"argo_hook": "Skip"}, []),
        ({"argo_hook": "Skip,Sync"}, ["hook-mixed"]),
        ({"argo_hook": "Sync", "argo_hook_delete_policy": "Always"}, ["hook-word"]),
        ({"argo_hook": "PreSync", "helm_hook": "pre-install"}, ["hook-mixed"]),
        ({"helm_hook": "pre-install,pre-upgrade"}, []),
        ({"helm_hook": "post-delete"}, []),
        ({"helm_hook": "crd-install"}, []),
        ({"helm_hook": "test"}, ["hook-dropped"]),
        ({"helm_hook": "pre-install,test"}, []),
        ({"argo_sync_options": "Prune=false, Delete=confirm,Replace=true"}, []),
        ({"argo_sync_options": "Prune=false,SkipDryRun=true"}, ["option-word"]),
        ({"argo_sync_options": "Replace"}, ["option-word"]),
    ],
)
def test_words_that_mean_nothing_are_reported(
    annotations: dict[str, str], codes: list[str]
) -> None:
    assert found(**annotations) == codes


def test_a_hook_of_unknown_words_alone_is_never_applied() -> None:
    def message(words: str) -> str:
        content = an_object("Job", metadata={"annotations": {HOOK: words}})
        return next(iter(examine(content, Settings()))).message

    assert message("Presync").endswith("the object is never applied")
    assert not message("Presync,Sync").endswith("the object is never applied")


@pytest.mark.parametrize(("kind", "codes"), [("Job", []), ("StatefulSet", ["replace-force"])])
def test_what_keeps_data_is_not_deleted_at_every_change(kind: str, codes: list[str]) -> None:
    assert found(kind, argo_sync_options="Replace=true,Force=true") == codes


def test_a_generated_name_is_for_hooks() -> None:
    content = an_object("Job", metadata={"name": None, "generateName": "x-"})
    hook = an_object(
        "Job", metadata={"name": None, "generateName": "x-", "annotations": {HOOK: "Sync"}}
    )

    assert [one.code for one in examine(content, Settings())] == ["sync/name-generated"]
    assert list(examine(hook, Settings())) == []


def test_it_is_a_check() -> None:
    assert "sync-annotations" in names()
