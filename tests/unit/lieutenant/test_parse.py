"""From the API's objects to a Cluster."""

from typing import Any

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import ApiObject
from commodore_py.lieutenant.cluster import cluster_of, tenant_of
from commodore_py.model.cluster import Cluster, RepositoryRef
from tests.support.lieutenant import MISSING, cluster_object, problem_lines, tenant_object
from tests.support.tables import each

CLUSTER_URL = "https://api/clusters/c-1"
TENANT_URL = "https://api/tenants/t-1"


def parsed(
    cluster: dict[str, Any] | None = None,
    tenant: dict[str, Any] | None = None,
    **given: Any,  # noqa: ANN401 - any of its options
) -> Cluster:
    return cluster_of(
        ApiObject(cluster or cluster_object(), name=CLUSTER_URL),
        ApiObject(tenant or tenant_object(), name=TENANT_URL),
        **given,
    )


def problems(cluster: dict[str, Any], tenant: dict[str, Any]) -> list[str]:
    with pytest.raises(CommodoreError) as raised:
        parsed(cluster, tenant)
    return problem_lines(raised.value)


def test_every_field_finds_its_place() -> None:
    assert parsed() == Cluster(
        id="c-1",
        display_name="Älpli, production",
        tenant="t-1",
        tenant_display_name="Dairy",
        catalog_url="ssh://git@git.example.org/c-1.git",
        global_repo=RepositoryRef("https://git.example.org/global.git"),
        tenant_repo=RepositoryRef("https://git.example.org/t-1.git"),
        facts={"cloud": "lakeside", "distribution": "k3s", "region": "east"},
        dynamic_facts={"nodes": 3},
    )


def test_facts_are_taken_as_they_are() -> None:
    facts = {"cloud": "x", "distribution": "y", "odd": {"deep": [1, None]}}

    assert parsed(cluster_object(facts=facts)).facts == facts


@each("name", [MISSING, "", None])
def test_the_id_stands_in_for_a_display_name(name: object) -> None:
    cluster = parsed(cluster_object(displayName=name), tenant_object(displayName=name))

    assert (cluster.display_name, cluster.tenant_display_name) == ("c-1", "t-1")


@each(
    ("given", "of_cluster", "of_tenant", "expected"),
    [
        ("v3", "v2", "v1", "v3"),
        ("", "v2", "v1", "v2"),
        ("", MISSING, "v1", "v1"),
        ("", MISSING, MISSING, None),
        ("", None, "v1", None),
        ("", "", "v1", None),
        ("v3", None, 1.1, "v3"),
    ],
)
def test_the_first_revision_that_is_there_wins(
    given: str, of_cluster: object, of_tenant: object, expected: str | None
) -> None:
    fields = ("globalGitRepoRevision", "tenantGitRepoRevision")
    cluster = parsed(
        cluster_object(**dict.fromkeys(fields, of_cluster)),
        tenant_object(**dict.fromkeys(fields, of_tenant)),
        global_revision=given,
        tenant_revision=given,
    )

    assert cluster.global_repo.revision == expected
    assert cluster.tenant_repo.revision == expected


@each(
    ("reported", "expected"),
    [(MISSING, {"given": 1}), ({}, {}), (None, {}), ({"seen": 2}, {"seen": 2})],
)
def test_given_dynamic_facts_only_fill_a_gap(reported: object, expected: dict[str, int]) -> None:
    cluster = parsed(cluster_object(dynamicFacts=reported), dynamic_facts={"given": 1})

    assert cluster.dynamic_facts == expected


def test_a_cluster_without_tenant_is_reported_with_its_other_problems() -> None:
    found = ApiObject(cluster_object(tenant=MISSING, gitRepo=MISSING), name=CLUSTER_URL)

    assert tenant_of(found) == ""
    with pytest.raises(CommodoreError) as raised:
        cluster_of(found, None)
    assert problem_lines(raised.value) == [
        f"{CLUSTER_URL}: cluster c-1 has no tenant",
        f"{CLUSTER_URL}: cluster c-1 has no catalog repository",
    ]


@each("tenant", ["../t-1", "..", "a\\b", "t\n1", "/", 5, ["t-1"]])
def test_a_tenant_that_could_name_another_folder_is_refused(tenant: object) -> None:
    found = ApiObject(cluster_object(tenant=tenant), name=CLUSTER_URL)

    assert tenant_of(found) == ""
    with pytest.raises(CommodoreError, match=r"^tenant (is not a valid name|must be a string)"):
        cluster_of(found, None)


def test_another_tenant_than_the_clusters_is_refused() -> None:
    assert problems(cluster_object(), tenant_object(id="t-2")) == [
        f"{TENANT_URL}: cluster c-1 belongs to tenant t-1, but this is tenant t-2"
    ]


@each("facts", [MISSING, None, {}, {"distribution": "", "cloud": None}])
def test_every_missing_fact_is_reported_distribution_first(facts: object) -> None:
    assert problems(cluster_object(facts=facts), tenant_object()) == [
        f"{CLUSTER_URL}: cluster c-1 has no fact distribution",
        f"{CLUSTER_URL}: cluster c-1 has no fact cloud",
    ]


@each("repository", [MISSING, None, {}, {"url": ""}])
def test_every_missing_repository_is_reported(repository: object) -> None:
    cluster = cluster_object(gitRepo=repository)
    tenant = tenant_object(gitRepo=repository, globalGitRepoURL=MISSING)

    assert problems(cluster, tenant) == [
        f"{CLUSTER_URL}: cluster c-1 has no catalog repository",
        f"{TENANT_URL}: tenant t-1 has no repository of the global configuration",
        f"{TENANT_URL}: tenant t-1 has no repository of its configuration",
    ]


@each(
    ("fields", "problem"),
    [
        ({"id": MISSING}, "no id"),
        ({"id": 7}, "id must be a string, not a number"),
        ({"displayName": True}, "displayName must be a string, not true or false"),
        ({"facts": []}, "facts must be a mapping, not a list"),
        ({"dynamicFacts": "none"}, "dynamicFacts must be a mapping, not a string"),
        ({"gitRepo": "https://x"}, "gitRepo must be a mapping, not a string"),
        ({"gitRepo": {"url": {}}}, "gitRepo.url must be a string, not a mapping"),
        ({"globalGitRepoRevision": 1.1}, "globalGitRepoRevision must be a string, not a number"),
    ],
)
def test_a_field_of_another_type_is_reported_once(fields: dict[str, Any], problem: str) -> None:
    assert problems(cluster_object(**fields), tenant_object()) == [f"{CLUSTER_URL}: {problem}"]


def test_problems_of_both_objects_are_reported_together() -> None:
    found = problems(cluster_object(facts={}, gitRepo=[]), tenant_object(id=None, displayName=4))

    assert len(found) == 5
