"""Providers to log in at, and what holds for all of them."""

import pytest

pytest.register_assert_rewrite("tests.support.servers.oidc.contract")
