"""Secret references, looked up in a Vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.model.problems.vault import Login, VaultSettings
from tests.support.servers.api import redirect_reply, serve_api
from tests.support.servers.vault import Vault, double_vault, real_vault, recorded

from .build import an_object, checked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.model.verdict import Checked


@pytest.fixture(params=["double", pytest.param("real", marks=pytest.mark.slow)])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Vault]:
    with double_vault() if request.param == "double" else real_vault(tmp_path) as server:
        server.write("secret", "shop/db", {"password": "x", "user": "y"})
        yield server


def secret(**values: str) -> dict[str, object]:
    return an_object("Secret", stringData=values)


def looked_up(
    *objects: object,
    address: str,
    named: str | None = None,
    token: str = "",
    **parameters: str,
) -> Checked:
    """What the check finds; `named` is the server in the hierarchy."""
    return checked(
        *objects,
        only="secrets",
        vault=VaultSettings((address,) if address else (), Login(token or "root")),
        vault_parameters={"VAULT_ADDR": address if named is None else named, **parameters},
    )


def found(result: Checked) -> list[tuple[str, str]]:
    return [(one.severity, one.code) for one in result.problems]


def test_present_secret_is_no_problem(vault: Vault) -> None:
    with recorded(vault) as recorder:
        result = looked_up(
            secret(a="?{vaultkv:shop/db/password}", b="?{vaultkv:shop/db/user:0123abcd}"),
            address=recorder.url,
            token=vault.token,
        )

    assert result.problems == ()
    assert recorder.requests.count("/v1/secret/subkeys/shop/db") == 1


def test_missing_secret_key_and_version_are_errors(vault: Vault) -> None:
    vault.write("secret", "shop/gone", {"a": "x"})
    vault.delete("secret", "shop/gone")

    result = looked_up(
        secret(a="?{vaultkv:shop/db/pass}", b="?{vaultkv:shop/gone/a}", c="?{vaultkv:no/a}"),
        address=vault.url,
        token=vault.token,
    )

    assert found(result) == [
        ("error", "secrets/absent"),
        ("error", "secrets/absent"),
        ("error", "secrets/deleted"),
    ]
    _, key, _ = sorted(result.problems, key=lambda one: one.subject)
    assert (key.options, key.place.object) == (("password", "user"), "Secret x")


def test_unreadable_secret_is_unchecked(vault: Vault) -> None:
    vault.write("secret", "shop/other", {"a": "x"})
    token = vault.limited_token("shop/db")

    result = looked_up(
        secret(a="?{vaultkv:shop/db/pass}", b="?{vaultkv:shop/other/a}"),
        address=vault.url,
        token=token,
    )

    assert found(result) == [("error", "secrets/absent"), ("info", "secrets/unchecked")]
    assert "shop/other/a" in result.problems[1].message


def test_secret_of_wrong_mount_is_unchecked(vault: Vault) -> None:
    reference = secret(a="?{vaultkv:shop/db/password}")

    result = looked_up(reference, address=vault.url, token=vault.token, mount="other")

    assert found(result) == [("info", "secrets/unchecked")]


def test_vault_that_user_did_not_name_gets_no_request(vault: Vault) -> None:
    with recorded(vault) as recorder:
        result = looked_up(
            secret(a="?{vaultkv:shop/db/password}"),
            address="https://vault.example.com",
            named=recorder.url,
        )

    assert found(result) == [("info", "secrets/unchecked")]
    assert recorder.url in result.problems[0].message
    assert recorder.requests == []


def test_sealed_vault_gives_unchecked_info(vault: Vault) -> None:
    vault.seal()

    result = looked_up(
        secret(a="?{vaultkv:shop/db/password}"), address=vault.url, token=vault.token
    )

    assert [(one.name, one.outcome, one.reason) for one in result.runs] == [
        ("secrets", "unchecked", "it is sealed")
    ]
    (problem,) = result.problems
    assert (problem.code, problem.strict) == ("secrets/unchecked", True)
    assert "as a token" in problem.message


def test_vault_redirect_is_not_followed(vault: Vault) -> None:
    with recorded(vault) as recorder, serve_api() as api:
        reply = redirect_reply(f"{recorder.url}/v1/x")
        api.on("GET /v1/sys/internal/ui/mounts/secret", reply)
        result = looked_up(secret(a="?{vaultkv:shop/db/password}"), address=api.url)

    assert "it redirects to 127.0.0.1" in result.problems[0].message
    assert recorder.requests == []


def test_missing_vault_address_is_reported() -> None:
    result = looked_up(secret(a="?{vaultkv:shop/db/password}"), address="")

    assert "set VAULT_ADDR" in result.problems[0].message


def test_certificates_are_verified_whatever_the_hierarchy_says(vault: Vault) -> None:
    address = vault.url.replace("http:", "https:")

    result = looked_up(
        secret(a="?{vaultkv:shop/db/password}"), address=address, VAULT_SKIP_VERIFY="true"
    )

    assert found(result) == [("info", "secrets/unchecked")]
