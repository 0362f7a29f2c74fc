"""Logging in at a real OpenID provider, and with the installed command."""

from __future__ import annotations

import pytest

from tests.oidc_provider import real
from tests.oidc_provider.contract import LoginContract

pytestmark = pytest.mark.e2e


class TestWithARealProvider(LoginContract):
    start = staticmethod(real.providing)
