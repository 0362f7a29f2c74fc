"""Which variables reach programs that content decides about."""

from __future__ import annotations

import re
import sys

import pytest

from commodore_py.adapters import isolated
from commodore_py.adapters.child_environment import SWITCH, allowed, child_environment
from commodore_py.adapters.process import run

NEEDED = dict.fromkeys(
    re.findall(
        r"\w+",
        """
    PATH HOME USER LANG LC_ALL TZ TMPDIR TERM SSL_CERT_FILE HTTP_PROXY https_proxy NO_PROXY
    XDG_CACHE_HOME KUBECONFIG HELM_PLUGINS PYTHONPATH LD_LIBRARY_PATH REQUESTS_CA_BUNDLE
    SOURCE_DATE_EPOCH KAPITAN_HELM_TIMEOUT GOMAXPROCS
    """,
    ),
    "x",
)
SECRETS = dict.fromkeys(
    re.findall(
        r"\w+",
        """
    COMMODORE_API_TOKEN COMMODORE_GITHUB_TOKEN GITHUB_TOKEN CI_JOB_TOKEN AWS_SECRET_ACCESS_KEY
    AWS_ACCESS_KEY_ID VAULT_TOKEN HELM_KUBETOKEN OCI_PASSWORD OCI_USERNAME DB_PASSWORD XDG_SECRET
    HELM_REPO_PASSWORD PYTHON_KEYRING_PASSWORD SSH_AUTH_SOCK COMMODORE_API_URL ANYTHING_ELSE
    HELM_KUBE_TOKEN KAPITAN_VAULT_SECRET NPM_CONFIG__AUTH GIT_CONFIG_VALUE_0
    """,
    ),
    "x",
)


def test_what_programs_need_and_no_more() -> None:
    assert allowed({**NEEDED, **SECRETS}) == NEEDED


def test_programs_of_the_user_get_all_but_secrets() -> None:
    found = allowed({**NEEDED, **SECRETS, "WRAPPER_HOME": "x"}, users_own=True)

    more = {"SSH_AUTH_SOCK", "GIT_CONFIG_VALUE_0", "ANYTHING_ELSE", "COMMODORE_API_URL"}
    assert found.keys() == NEEDED.keys() | more | {"OCI_USERNAME", "WRAPPER_HOME"}


def test_names_can_be_added() -> None:
    variables = {**NEEDED, **SECRETS, SWITCH: "VAULT_TOKEN, CI_*"}

    assert allowed(variables).keys() == {*NEEDED, SWITCH, "VAULT_TOKEN", "CI_JOB_TOKEN"}


@pytest.mark.parametrize("name", ["COMMODORE_API_TOKEN", "COMMODORE_GITHUB_TOKEN"])
def test_no_program_at_all_gets_our_tokens(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "secret-canary")
    monkeypatch.setenv("OTHER", "other-canary")

    seen = run([sys.executable, "-c", "import os; print(dict(os.environ))"]).decode()

    assert "secret-canary" not in seen
    assert "other-canary" in seen


def test_libraries_in_other_processes_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, "secret-canary")
    session = isolated.Session()

    one = isolated.call("os:getenvb", b"CI_JOB_TOKEN")
    many = [session.call("os:getenv", name) for name in (*SECRETS, "PATH")]
    session.close()

    assert one is None
    assert many[:-1] == [None] * len(SECRETS)
    assert many[-1]
    assert "secret-canary" not in child_environment().values()
