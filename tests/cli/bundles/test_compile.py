"""What a compile reports about the bundle of its cluster."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from tests.support.bundles import Place

_INDEX = "inventory/classes/global/bundles/index.yml"


def test_cluster_that_follows_bundle_has_no_notice(place: Place) -> None:
    ran = place.compile("-o", "json")

    assert ran.code == 0, ran.err
    bundle = json.loads(ran.out)["bundle"]
    assert bundle == {
        "version": "2026.11.1",
        "class": "global.bundles.2026-11-1",
        "alias": None,
        "where": "inventory/classes/global/commodore.yml:2",
        "deviations": [],
    }
    assert "deviates" not in ran.err
    assert json.loads(place.compile("-o", "json").out)["bundle"] == bundle  # of an unchanged run


def test_deviation_names_line_that_wins(place: Place) -> None:
    place.component("web", "v1.1.0", replicas=2)
    place.component("extra", "v0.1.0")
    place.tenant(
        "applications: [web, db, extra]\n"
        "parameters:\n"
        "  components:\n"
        "    web:\n"
        "      version: v1.1.0\n"
        f"    extra: {{url: '{place.url('extra')}', version: v0.1.0}}\n"
    )

    ran = place.compile("--diff", "objects")
    markdown = place.compile("-o", "markdown")

    assert ran.code == 0, ran.err
    heading = (
        "Bundle 2026.11.1, deviating: component extra is not in it,"
        " component web v1.1.0 instead of v1.0.0"
    )
    assert heading in ran.out
    assert markdown.out.startswith(f"_{heading}_\n\n### Catalog")
    assert "the cluster deviates from bundle 2026.11.1" in ran.err  # bundles/deviation
    assert "inventory/classes/t-one/c-one.yml:5" in ran.err
    assert "inventory/classes/t-one/c-one.yml:6" in ran.err


def test_bundle_alias_is_traced_to_including_class(place: Place) -> None:
    commit_to(
        place.configuration,
        {
            "bundles/stable.yml": "classes: [.2026-11-1]\n",
            "bundles/tested.yml": "classes: [.stable]\n",
        },
    )
    place.include(".bundles.${facts:bundle::tested}")

    found = json.loads(place.compile("-o", "json").out)["bundle"]

    assert found["version"] == "2026.11.1"
    assert found["alias"] == "tested"
    assert found["where"] == "inventory/classes/global/commodore.yml:2"


def test_alias_of_missing_bundle_reports_line(place: Place) -> None:
    commit_to(place.configuration, {"bundles/stable.yml": "classes: [.2026-11-7]\n"})
    place.include(".bundles.stable")

    ran = place.compile()

    assert ran.code == 1
    assert "global.bundles.2026-11-7" in ran.err
    assert "bundles/stable.yml:1" in ran.err


def test_withdrawn_bundle_warns_and_fails_when_strict(place: Place) -> None:
    place.index(v2026_11_1="withdrawn: {reason: it loses claims, instead: '2026.11.2'}")

    ran = place.compile()
    strict = place.compile("--strict")

    assert ran.code == 0
    assert "bundle 2026.11.1 is withdrawn: it loses claims" in ran.err
    assert "inventory/classes/global/commodore.yml:2" in ran.err
    assert strict.code == 1
    assert "bundle use 2026.11.2" in strict.err


def test_frozen_lock_compiles_withdrawn_bundle(place: Place) -> None:
    lock = place.root / "c-one.lock"
    assert place.compile("--lock", str(lock)).code == 0
    before = place.run("lock", "check", "--lock", str(lock))
    place.index(v2026_11_1="withdrawn: {reason: it loses claims, instead: '2026.11.2'}")

    ran = place.compile("--lock", str(lock), "--frozen")
    checked = place.run("lock", "check", "--lock", str(lock))

    assert ran.code == 0, ran.err
    assert "withdrawn" not in ran.err
    assert (before.code, before.out) == (0, "")
    assert checked.code == 1
    assert "withdrawn bundle: 2026.11.1: it loses claims; use 2026.11.2 instead" in checked.out


def test_bundle_for_newer_commodore_warns(place: Place) -> None:
    place.index(v2026_11_1="requires-tool: '>=99'")

    ran = place.compile()

    assert ran.code == 0
    assert "bundle 2026.11.1 requires commodore >=99" in ran.err
    assert place.compile("--strict").code == 1


def test_later_of_two_bundles_wins(place: Place) -> None:
    place.component("web", "v1.1.0")
    place.bundle("2026.11.2", web="v1.1.0", db="v1.0.0")
    place.index()
    place.tenant("classes: [global.bundles.2026-11-2]\napplications: [web, db]\n")

    ran = place.compile("-o", "json")
    strict = place.compile("--strict")

    assert ran.code == 0
    assert json.loads(ran.out)["bundle"]["version"] == "2026.11.2"
    assert "two bundles are included: 2026.11.1 and 2026.11.2" in ran.err
    assert "inventory/classes/global/commodore.yml:2" in ran.err
    assert "inventory/classes/t-one/c-one.yml:1" in ran.err
    assert strict.code == 1


def test_bundle_included_twice_is_reported(place: Place) -> None:
    place.tenant("classes:\n  - global.bundles.2026-11-1\napplications: [web, db]\n")

    ran = place.compile()

    assert ran.code == 0
    assert "bundle 2026.11.1 is included twice" in ran.err
    assert "inventory/classes/global/commodore.yml:2" in ran.err
    assert "inventory/classes/t-one/c-one.yml:2" in ran.err


def test_bundle_edited_after_publishing_is_reported(place: Place) -> None:
    text = git(place.configuration, "show", "master:bundles/2026-11-1.yml")
    commit_to(place.configuration, {"bundles/2026-11-1.yml": f"{text}\n# by hand\n"})

    ran = place.compile()
    strict = place.compile("--strict")

    assert ran.code == 0
    assert "bundle 2026.11.1 was edited after it was published" in ran.err
    assert strict.code == 1


def test_edited_bundle_without_digest_is_an_error_if_strict(place: Place) -> None:
    text = git(place.configuration, "show", "master:bundles/2026-11-1.yml")
    place.entries["2026.11.1"] = place.entries["2026.11.1"].partition(", sha256")[0]
    place.index()
    commit_to(place.configuration, {"bundles/2026-11-1.yml": f"{text}\n# by hand\n"})

    ran = place.compile()
    strict = place.compile("--strict")

    assert ran.code == 0
    assert "the index has no sha256 of bundle 2026.11.1" in " ".join(ran.err.split())
    assert strict.code == 1


def test_index_with_many_problems_shows_some_at_once(place: Place) -> None:
    entries = "".join(f"  - {{version: {n}, class: c{n}}}\n" for n in range(3_000))
    text = f"schema: bundle-index/v1\nbundles:\n{entries}"
    commit_to(place.configuration, {"bundles/index.yml": text})
    began = time.process_time()

    ran = place.compile()

    assert "and 2980 more problems" in ran.err
    assert f"{_INDEX}:22" in ran.err
    assert time.process_time() - began < 10


def test_moved_tag_of_bundle_is_reported(place: Place) -> None:
    published = git(place.root / "web.git", "rev-parse", "v1.0.0")
    place.index(v2026_11_1=f"commits: {{web: {published}}}")
    assert "was moved" not in place.compile().err
    moved = place.component("web", "v1.0.0", replicas=3)

    ran = place.compile()

    assert ran.code == 0
    assert f"from {published[:12]} to {moved[:12]}" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("schema: bundle-index/v1\nbundles:\n  - {version: 2026.11, class: a}\n", 3, "in quotes"),
        ("schema: bundle-index/v1\norder: newest\n", 2, "order is not one of"),
        ("schema: [\n", 2, ""),
    ],
)
def test_invalid_bundle_index_is_ignored_with_warning(
    place: Place, text: str, line: int, message: str
) -> None:
    commit_to(place.configuration, {"bundles/index.yml": text})

    ran = place.compile()
    strict = place.compile("--strict")

    assert ran.code == 0, ran.err
    assert "bundles are ignored" in ran.err
    assert message in ran.err
    assert f"{_INDEX}:{line}" in ran.err
    assert strict.code == 1
