"""A plan in a file: whether it still says what would be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import json_text, reading
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from .planning import Plan

_SCHEMA = "live-plan/v1"
_HEAD = ("cluster", "uid", "commit", "digest")


class SavedPlan(NamedTuple):
    """What `live diff --out` has written, as far as it is compared."""

    file: str
    cluster: str
    uid: str | None
    commit: str | None
    digest: str
    versions: Mapping[str, str]
    deletes: bool
    """Whether objects that left the catalog are deleted."""


def read(file: Path) -> SavedPlan:
    """Read a plan; whatever else the file may be is an error."""
    try:
        found = json_text.load(reading.bytes_of(str(file)), name=str(file))
        if found["schema"] != _SCHEMA:
            raise ValueError  # noqa: TRY301 - one error for all
        whats = {action["what"] for step in found["steps"] for action in step["actions"]}
        versions = {str(name): str(version) for name, version in found["versions"].items()}
        cluster, uid, commit, digest = (found[name] for name in _HEAD)
        return SavedPlan(str(file), cluster, uid, commit, digest, versions, "delete" in whats)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CommodoreError(
            "this is not a plan of `live diff --out`",
            where=str(file),
            hint="make one: commodore live diff CLUSTER --out FILE",
        ) from error


def check(saved: SavedPlan, plan: Plan, applied: Mapping[str, str]) -> None:
    """Refuse a plan that was made for another state, and name what differs.

    What an unfinished run of the same plan has applied, and to which version, does not count.
    """
    moved = [*_moved(saved, plan, applied)]
    if not moved and saved.digest != plan.digest:
        moved.append("the steps are others")
    if moved:
        raise CommodoreError(
            "this plan is out of date:\n" + "\n".join(f"  {one}" for one in moved),
            where=saved.file,
            hint=f"make a new one: commodore live diff {plan.cluster} --out {saved.file}",
        )


def _moved(saved: SavedPlan, plan: Plan, applied: Mapping[str, str]) -> Iterator[str]:
    if saved.cluster != plan.cluster or saved.uid not in {plan.uid, None}:
        yield "the cluster is another one"
    if saved.commit != (plan.commit or None):
        yield f"the catalog is at {plan.commit or 'no commit'}, not {saved.commit}"
    for name in dict.fromkeys((*plan.versions, *saved.versions)):
        version = plan.versions.get(name)
        if version != saved.versions.get(name) and (
            version is None or version != applied.get(name)
        ):
            yield f"{name} has changed in the cluster"
