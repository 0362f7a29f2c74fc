"""Predicted objects, and what differs, beside Argo CD's own engine."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from commodore_py.manifests.desired import predict as desired
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
    (theirs,) = argocd.ask("diff", pairs=[{"config": target, "live": live}])["results"]
    ours = desired.predict(target, live)

    assert theirs["error"] is None
    # Their objects still have what ours are without: the annotation of what was applied last, and
    # traces of patches.
    live, predicted = (_normalised(theirs[name]) for name in ("normalizedLive", "predictedLive"))
    assert ours.differs == (not same(live, predicted)), theirs
    assert same(ours.predicted, predicted), theirs


def _normalised(found: dict[str, Any]) -> dict[str, Any]:
    cleaned = _without_traces(found)
    return desired.predict(cleaned, cleaned, two_way=True).live


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


@given(found=pairs.triples())
def test_two_way(argocd: engine.Engine, found: tuple[dict[str, Any], ...]) -> None:
    target, live, _ = found
    _compare(argocd, target, live)


@given(found=pairs.triples())
def test_three_way(argocd: engine.Engine, found: tuple[dict[str, Any], ...]) -> None:
    target, live, original = found
    _compare(argocd, target, _with_record(live, original))


def test_items_come_in_the_same_order(argocd: engine.Engine) -> None:
    names = [one for size in range(4) for one in permutations("abc", size)]
    for target, applied, live in product(names, repeat=3):
        _compare(argocd, _volumes(target), _with_record(_volumes(live), _volumes(applied)))


def _volumes(names: tuple[str, ...]) -> dict[str, Any]:
    volumes = [{"name": name, "emptyDir": {}} for name in names]
    spec = {"template": {"spec": {"containers": [], "volumes": volumes}}}
    metadata = {"name": "it", "namespace": "shop"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
