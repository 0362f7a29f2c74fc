"""Names of hooks; recorded answers and golden cases of functions show the order of a sync."""

from __future__ import annotations

from commodore_py.manifests.order.tasks import SyncOptions, hook_name
from tests.support.tables import each


@each(
    ("revision", "expected"),
    [
        ("0123456789", "job-0123456-presync-5"),
        ("ABC", "job-abc-presync-5"),
        ("", "job--presync-5"),
    ],
)
def test_hook_name_contains_revision_and_phase(revision: str, expected: str) -> None:
    options = SyncOptions(revision=revision, started=5)

    assert hook_name("job-", "PreSync", options) == expected
