"""The contract of logins, with a provider in this process."""

from __future__ import annotations

from tests.oidc_provider import double
from tests.oidc_provider.contract import LoginContract


class TestWithTheDouble(LoginContract):
    start = staticmethod(double.providing)
    short = 10.4
    pause = 0.6
