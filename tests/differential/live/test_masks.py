"""Masked Secrets beside Argo CD's own engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.manifests.desired.masks import hidden_values
from commodore_py.manifests.secret_parts import LAST_APPLIED

from . import engine

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

_NAMES = st.sampled_from(["a", "b", "c"])
_CODED = st.dictionaries(_NAMES, st.sampled_from(["", "YQ==", "Yg=="]), max_size=3)
_STRINGS = st.dictionaries(_NAMES, st.sampled_from(["", "a", "b", "c"]), max_size=3)
_ANNOTATIONS = st.dictionaries(_NAMES, st.sampled_from(["x", "y"]), max_size=3)
_NO_RECORD = st.sampled_from(["", "{", "[]", "5"])


@st.composite
def secrets(draw: st.DrawFn) -> dict[str, Any]:
    """A Secret, perhaps with what was applied last."""
    found: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "one", "annotations": draw(_ANNOTATIONS)},
    }
    fields = st.fixed_dictionaries({}, optional={"data": _CODED, "stringData": _STRINGS})
    found |= draw(fields)
    match draw(st.integers(0, 3)):
        case 0:
            record = json.dumps({**found, **draw(fields)})
            found["metadata"]["annotations"][LAST_APPLIED] = record
        case 1:
            found["metadata"]["annotations"][LAST_APPLIED] = draw(_NO_RECORD)
    return found


@pytest.fixture(scope="module")
def argocd() -> Iterator[engine.Engine]:
    """Argo CD's engine."""
    started = engine.start()
    yield started
    started.close()


def _parsed(one: dict[str, Any] | None) -> dict[str, Any] | None:
    """The object without empty data, and what was applied last with its keys in order."""
    if one is None:
        return None
    one = {key: value for key, value in one.items() if value or key != "data"}
    annotations = dict(one["metadata"].get("annotations") or {})
    if LAST_APPLIED in annotations and annotations[LAST_APPLIED][:1] == "{":
        record = _parsed(json.loads(annotations[LAST_APPLIED]))
        annotations[LAST_APPLIED] = json.dumps(record, sort_keys=True)
    return {**one, "metadata": {**one["metadata"], "annotations": annotations}}


@given(
    target=st.one_of(st.none(), secrets()),
    live=st.one_of(st.none(), secrets()),
    annotations=st.lists(_NAMES, max_size=2),
)
def test_values_are_masked_as_the_engine_masks_them(
    argocd: engine.Engine,
    target: dict[str, Any] | None,
    live: dict[str, Any] | None,
    annotations: list[str],
) -> None:
    request = {"pairs": [{"config": target, "live": live}], "hideAnnotations": annotations}
    (theirs,) = argocd.ask("hide", **request)["results"]

    ours = hidden_values([target, live], annotations)

    assert theirs["error"] is None
    assert [*map(_parsed, ours)] == [_parsed(theirs["config"]), _parsed(theirs["live"])]
