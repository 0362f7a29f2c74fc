"""What a live object becomes when its target is applied, and how both are compared (pure)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from commodore_py.manifests.objects import identify
from commodore_py.manifests.secret_parts import LAST_APPLIED
from commodore_py.manifests.values import same

from . import defaults, schema
from .merge import merged
from .normalise import special, without_server_fields

if TYPE_CHECKING:
    from commodore_py.manifests.objects import Content

Mode: TypeAlias = Literal["two-way", "three-way", "server"]
_Object: TypeAlias = dict[str, Any]


class Prediction(NamedTuple):
    """A live object and what it becomes, both normalised."""

    mode: Mode
    live: _Object
    predicted: _Object
    has_schema: bool
    notice: str = ""
    """Why removed fields cannot be seen, if they cannot."""

    @property
    def differs(self) -> bool:
        """Whether applying the target changes something."""
        return not same(self.live, self.predicted)


NO_RECORD = (
    "fields that are gone from the target cannot be seen: nothing says what was applied last"
)
SYNCED = "what was applied last is taken from the commit that was synced last"
OTHER_OBJECT = "its annotation of what was applied last is of another object"
NOT_JSON = "its annotation of what was applied last is not valid JSON"


def predict(
    target: Content,
    live: Content,
    last_applied: Content | None = None,
    *,
    two_way: bool = False,
    ignore_aggregated: bool = False,
) -> Prediction:
    """Apply a target to a live object, three-way if it is known what was applied last."""
    recorded, notice = (None, "") if two_way else recorded_in(live)
    original = None if two_way else last_applied or recorded
    type_name = schema.root_type(target)
    if type_name is not None and schema.root_type(live) != type_name:
        type_name = None
    wanted, present = (
        _prepared(one, type_name, ignore_aggregated=ignore_aggregated) for one in (target, live)
    )
    present = {name: one for name, one in present.items() if one is not None}
    # As Argo CD does: zero values count in what was applied last.
    before = dict(wanted) if original is None else special(without_server_fields(original))
    for one in (before, wanted):
        _drop_place(one)
    found = merged(before, wanted, present, type_name)
    if type_name is not None:
        found = defaults.completed(found, type_name)
        present = defaults.completed(present, type_name)
    if original is None:
        return Prediction("two-way", present, found, type_name is not None, notice or NO_RECORD)
    return Prediction("three-way", present, found, type_name is not None)


def predicted_by_server(target: Content, live: Content, outcome: Content) -> Prediction:
    """What a dry run of the server has made of a live object."""
    type_name = schema.root_type(target)
    present, found = (_prepared(one, type_name, ignore_aggregated=False) for one in (live, outcome))
    _drop_place(found)
    _drop_place(present)
    if type_name is not None:
        found, present = (defaults.completed(one, type_name) for one in (found, present))
    return Prediction("server", present, found, type_name is not None)


def recorded_in(live: Content) -> tuple[_Object | None, str]:
    """What was applied last, as an annotation says; or why that is not known."""
    metadata = live.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    text = annotations.get(LAST_APPLIED) if isinstance(annotations, dict) else None
    if not isinstance(text, str):
        return None, ""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None, NOT_JSON
    mine, its = identify(dict(live)), identify(found)
    if mine is None or its is None or (mine.kind, mine.name) != (its.kind, its.name):
        return None, OTHER_OBJECT
    return found, ""


def _prepared(content: Content, type_name: str | None, *, ignore_aggregated: bool) -> _Object:
    found = without_server_fields(content)
    if type_name is not None:
        found = defaults.cleaned(found, type_name)
    return special(found, ignore_aggregated=ignore_aggregated)


def _drop_place(content: _Object) -> None:
    metadata = content.get("metadata")
    if isinstance(metadata, dict):
        content["metadata"] = {key: one for key, one in metadata.items() if key != "namespace"}
