"""Options about what checks use besides the catalog."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.model.problems.vault import Login, VaultSettings

_VARIABLES = ("ADDR", "TOKEN", "ROLE_ID", "SECRET_ID", "KUBERNETES_ROLE")
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")
_LARGEST = 1 << 16


online_option = click.option(
    "--online",
    is_flag=True,
    help="Look up secret references in the Vault of VAULT_ADDR, with VAULT_TOKEN, or"
    " VAULT_ROLE_ID and VAULT_SECRET_ID, or VAULT_KUBERNETES_ROLE.",
)


def vault_settings() -> VaultSettings:
    """The server in VAULT_ADDR, and the login of the other variables."""
    given = {name: os.environ.get(f"VAULT_{name}", "") for name in _VARIABLES}
    login = Login(
        given["TOKEN"] or _content(Path.home() / ".vault-token"),
        given["ROLE_ID"],
        given["SECRET_ID"],
        given["KUBERNETES_ROLE"],
        _content(_ACCOUNT) if given["KUBERNETES_ROLE"] else "",
    )
    if given["ROLE_ID"] or given["KUBERNETES_ROLE"]:
        login = replace(login, token=given["TOKEN"])
    return VaultSettings((given["ADDR"],) if given["ADDR"] else (), login)


def _content(path: Path) -> str:
    try:
        return content_of(path, limit=_LARGEST).decode().strip()
    except (CommodoreError, UnicodeDecodeError):
        return ""
