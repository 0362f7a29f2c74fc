"""What a compile reports about versions that components require of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from tests.support.bundles import Place

DEFAULTS = "parameters:\n  web:\n    =_metadata:\n      requires:\n        {}\n"


def require(place: Place, text: str) -> None:
    """Release web v2.0.0 with a requirement, and let the cluster use it."""
    commit_to(place.root / "web.git", {"class/defaults.yml": DEFAULTS.format(text)})
    git(place.root / "web.git", "tag", "v2.0.0")
    place.tenant(
        "applications: [web, db]\nparameters:\n  components:\n    web: {version: v2.0.0}\n"
    )


def test_unmet_requirement_names_both_components(place: Place) -> None:
    for version in ("v1.2.0", "v1.9.0", "v2.0.0"):
        place.component("db", version)
    require(place, "db: '>=1.2 <2'")

    ran = place.compile()
    strict = place.compile("--strict")

    assert ran.code == 0
    lines = " ".join(ran.err.split())
    assert (
        "component web v2.0.0 requires db >=1.2 <2, and db is v1.0.0; the newest that all accept"
        " is v1.9.0" in lines
    )
    assert "dependencies/web/class/defaults.yml:5" in lines
    assert "inventory/classes/global/bundles/2026-11-1.yml:8" in lines
    assert strict.code == 1
    assert "hint: set components.db.version" in strict.err


def test_branch_has_version_of_highest_tag(place: Place) -> None:
    place.component("db", "v1.2.0")
    git(place.root / "db.git", "tag", "v1.3.0")
    require(place, "db: '~1.3'")
    place.tenant(
        "applications: [web, db]\nparameters:\n  components:\n    web: {version: v2.0.0}\n"
        "    db: {version: master}\n"
    )

    assert "requires db" not in place.compile().err
    commit_to(place.root / "db.git", {"README": "no tag"})
    assert "requires db" not in place.compile().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cache: '1'", "component web requires cache 1, which is not deployed"),
        ("db: newest", "newest is not a valid version or constraint"),
    ],
)
def test_invalid_requirement_reports_line(place: Place, text: str, message: str) -> None:
    require(place, text)

    ran = place.compile()

    assert ran.code == 0
    assert message in ran.err
    assert "dependencies/web/class/defaults.yml:5" in ran.err
    assert place.compile("--strict").code == 1
