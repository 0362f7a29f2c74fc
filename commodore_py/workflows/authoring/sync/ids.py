"""Updates that would only note another commit of the template (pure, but for a file)."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from commodore_py.workflows.authoring.templates.record import NAME

if TYPE_CHECKING:
    from commodore_py.workflows.authoring.templates.update import Plan

# All three together are a change, as they are for Commodore.
_ONLY_IDS: Final = ({"commit"}, {"commit", "checkout"}, {"commit", "_commit"})


def changes_only_ids(plan: Plan) -> bool:
    """Whether nothing would change but which version of the template is noted."""
    entry = plan.changed.get(PurePosixPath(NAME))
    if entry is None or len(plan.changed) > 1:
        return False
    before = (plan.folder / NAME).read_bytes().decode(errors="replace").splitlines()
    after = entry.content.decode().splitlines()
    return len(before) == len(after) and _changed_keys(before, after) in _ONLY_IDS


def _changed_keys(before: list[str], after: list[str]) -> set[str]:
    changed = {
        line for pair in zip(before, after, strict=True) if pair[0] != pair[1] for line in pair
    }
    return {line.strip().partition(":")[0].strip('"') for line in changed}
