"""The contract of logins, with a provider in this process."""

from __future__ import annotations

from tests.support.servers.oidc import double
from tests.support.servers.oidc.contract import LoginContract


class TestWithTheDouble(LoginContract):
    start = staticmethod(double.serve_provider)
    short = 10.4
    pause = 0.6
