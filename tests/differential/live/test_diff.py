"""Whether objects differ, beside Argo CD's own engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given

from commodore_py.manifests.desired.predict import normalised, predict
from commodore_py.manifests.secret_parts import LAST_APPLIED
from commodore_py.manifests.values import same

from . import engine, pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def argocd() -> Iterator[engine.Engine]:
    """Argo CD's engine."""
    started = engine.start()
    yield started
    started.close()


def _with_record(live: dict[str, Any], original: dict[str, Any]) -> dict[str, Any]:
    metadata = dict(live["metadata"])
    record = {LAST_APPLIED: json.dumps(original)}
    metadata["annotations"] = {**metadata.get("annotations", {}), **record}
    return {**live, "metadata": metadata}


def _compare(argocd: engine.Engine, target: dict[str, Any], live: dict[str, Any]) -> None:
    """What differs for the engine differs here.

    The reverse does not hold: a default that is in the target, but not in the live object, and an
    applied field that is gone from the target but has its default, are differences here.
    """
    (theirs,) = argocd.ask("diff", pairs=[{"config": target, "live": live}])["results"]
    assert theirs["error"] is None
    # Their objects have the annotation of what was applied last, and traces of patches.
    live_there, expected = (
        normalised(_without_traces(theirs[name])) for name in ("normalizedLive", "predictedLive")
    )
    if not same(_without_empty(live_there), _without_empty(expected)):
        ours = predict(target, live)
        assert not same(ours.live, ours.predicted), theirs


def _without_traces(value: Any) -> Any:  # noqa: ANN401 - values of objects
    if isinstance(value, dict):
        return {key: _without_traces(one) for key, one in value.items() if key[:1] != "$"}
    if not isinstance(value, list):
        return value
    # A patch that deletes an item of a list that is not there yet leaves its order behind.
    deleted = {"$patch": "delete"}.items()
    return [
        _without_traces(one)
        for one in value
        if not (isinstance(one, dict) and deleted <= one.items())
    ]


def _without_empty(value: Any) -> Any:  # noqa: ANN401 - values of objects
    """The engine takes an empty value that was applied and is still empty for one that is gone."""
    if isinstance(value, list):
        return [_without_empty(one) for one in value]
    if isinstance(value, dict):
        fields = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in fields.items() if one not in ({}, [], None)}
    return value


@given(found=pairs.triples())
def test_two_way(argocd: engine.Engine, found: tuple[dict[str, Any], ...]) -> None:
    target, live, _ = found
    _compare(argocd, target, live)


@given(found=pairs.triples())
def test_three_way(argocd: engine.Engine, found: tuple[dict[str, Any], ...]) -> None:
    target, live, original = found
    # If all labels go that were applied, the engine takes those of others along.
    assume(_holders_of_labels(original) <= _holders_of_labels(target))
    _compare(argocd, target, _with_record(live, _without_empty(original)))


def _holders_of_labels(value: Any, path: str = "") -> set[str]:  # noqa: ANN401 - values of objects
    if not isinstance(value, dict):
        return set()
    found = {f"{path}/{name}" for name in ("labels", "annotations") if value.get(name)}
    return found.union(*(_holders_of_labels(one, f"{path}/{name}") for name, one in value.items()))
