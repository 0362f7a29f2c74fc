"""Tenants that could name another folder; golden cases of functions show clusters."""

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import ApiObject
from commodore_py.lieutenant.cluster import cluster_of, tenant_of
from tests.support.lieutenant import cluster_object
from tests.support.tables import each

CLUSTER_URL = "https://api/clusters/c-1"


@each("tenant", ["../t-1", "..", "a\\b", "t\n1", "/", 5, ["t-1"]])
def test_invalid_tenant_id_is_refused(tenant: object) -> None:
    found = ApiObject(cluster_object(tenant=tenant), name=CLUSTER_URL)

    assert tenant_of(found) == ""
    with pytest.raises(CommodoreError, match=r"^tenant (is not a valid name|must be a string)"):
        cluster_of(found, None)
