"""The health of objects beside Argo CD's own engine, and Argo CD's own test data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.manifests.health.assess import assess
from commodore_py.workflows.live.health import run_tests
from commodore_py.workflows.live.objects import read_objects

from . import engine, objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.manifests.objects import Content

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def argocd() -> Iterator[engine.Engine]:
    """Argo CD's engine."""
    started = engine.start()
    yield started
    started.close()


def _as_argocd(content: Content) -> str | None:
    """The status without what Argo CD does not know."""
    health = assess(content)
    return None if health.source == "kstatus" else health.status


@given(found=st.lists(objects.OBJECTS, min_size=1, max_size=4))
def test_statuses_are_those_of_the_engine(
    argocd: engine.Engine, found: list[dict[str, Any]]
) -> None:
    response = argocd.ask("health", objects=found)

    for one, theirs in zip(found, response["results"], strict=True):
        expected = theirs["health"]["status"] if theirs["health"] else None
        assert _as_argocd(one) == expected, (one, theirs)


def test_every_case_of_argo_cd_has_its_status_and_message() -> None:
    cases = run_tests(engine.checkout() / "resource_customizations")

    assert [one for one in cases if not one.passed] == []
    assert len(cases) > 1000


def test_objects_of_the_engines_own_tests_have_its_statuses() -> None:
    folder = engine.checkout() / "gitops-engine" / "pkg" / "health"
    text = (folder / "health_test.go").read_text("utf-8")
    cases = re.findall(r'assertAppHealth\(t, "([^"]+)", HealthStatus(\w+)\)', text)

    assert len(cases) > 40
    for name, status in cases:
        path = folder / name
        if path.is_file():
            (found,) = read_objects([str(path)]).objects
            assert _as_argocd(found.content) == status, name
