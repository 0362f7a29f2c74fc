"""A real Vault and its double behave the same, as far as checks of secrets use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http.vault import Place, Server
from commodore_py.model.problems.vault import Login
from tests.support.servers.vault import Recorder, Vault, double_vault, real_vault, recorded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "t0p-secret"


@pytest.fixture(params=["double", pytest.param("real", marks=pytest.mark.slow)])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Vault]:
    with double_vault() if request.param == "double" else real_vault(tmp_path) as server:
        server.write("secret", "shop/database", {"password": SECRET, "user": SECRET})
        server.write("secret", "shop/gone", {"password": SECRET})
        server.delete("secret", "shop/gone")
        yield server


@pytest.fixture
def recorder(vault: Vault) -> Iterator[Recorder]:
    with recorded(vault) as found:
        yield found


def outcomes(recorder: Recorder, login: Login, *places: str) -> list[str]:
    wanted = [Place(*one.split(":")) for one in places]
    found = Server(recorder.url, login).look_up(wanted)
    return [f"{found[one].outcome} {found[one].reason}".strip() for one in wanted]


def test_look_up_tells_present_deleted_and_absent_secrets(vault: Vault, recorder: Recorder) -> None:
    wanted = [Place("secret", name) for name in ("shop/database", "shop/gone", "shop/other")]

    found = Server(recorder.url, Login(vault.token)).look_up(wanted)

    assert [found[one].outcome for one in wanted] == ["exists", "deleted", "absent"]
    assert found[wanted[0]].keys == ("password", "user")


def test_outcome_checks_read_only_keys(vault: Vault, recorder: Recorder) -> None:
    outcomes(recorder, Login(vault.token), *["secret:shop/database"] * 3, "secret:shop/other")

    assert sorted(recorder.requests) == [
        "/v1/secret/subkeys/shop/database",
        "/v1/secret/subkeys/shop/other",
        "/v1/sys/internal/ui/mounts/secret",
    ]


@pytest.mark.parametrize("version", [1, 2])
def test_read_returns_keys_and_values(vault: Vault, recorder: Recorder, version: int) -> None:
    vault.enable("other", version)
    vault.write("other", "a/b", {"key": SECRET})
    server = Server(recorder.url, Login(vault.token))

    found = server.read(Place("other", "a/b"))
    absent = server.read(Place("other", "a/c"))

    assert (found.outcome, found.keys, found.values) == ("exists", ("key",), {"key": SECRET})
    assert (absent.outcome, absent.values) == ("absent", {})


def test_deleted_and_refused_secrets_have_no_values(vault: Vault, recorder: Recorder) -> None:
    limited = Server(recorder.url, Login(vault.limited_token("shop/database")))

    deleted = Server(recorder.url, Login(vault.token)).read(Place("secret", "shop/gone"))
    refused = limited.read(Place("secret", "shop/database"))

    assert (deleted.outcome, deleted.values) == ("deleted", {})
    assert (refused.outcome, refused.reason) == ("unknown", "a token may not read it")


def test_unreadable_secret_is_unknown(vault: Vault, recorder: Recorder) -> None:
    login = Login(vault.limited_token("shop/database"))

    assert outcomes(recorder, login, "secret:shop/database", "secret:shop/other") == [
        "exists",
        "unknown a token may not read it",
    ]


def test_app_role_logs_in_or_is_refused(vault: Vault, recorder: Recorder) -> None:
    role_id, secret_id = vault.app_role("shop/database", "shop/none")
    login = Login(role_id=role_id, secret_id=secret_id)

    found = outcomes(recorder, login, "secret:shop/database", "secret:shop/none")
    refused = outcomes(recorder, Login(role_id="other", secret_id="x"), "secret:shop/none")

    assert found == ["exists", "absent"]
    assert refused == ["unknown the login as AppRole other failed: status 400: invalid role ID"]


@pytest.mark.parametrize("mount", ["other", "sys", "secret/shop"])
def test_secret_of_wrong_mount_is_unknown(vault: Vault, recorder: Recorder, mount: str) -> None:
    (found,) = outcomes(recorder, Login(vault.token), f"{mount}:shop/database")

    assert found.startswith(f"unknown {mount} is not a key-value engine")


def test_invalid_token_makes_outcome_unknown(recorder: Recorder) -> None:
    (found,) = outcomes(recorder, Login("not-valid"), "secret:shop/database")

    assert found.startswith("unknown ")


def test_keys_of_version_1_are_not_looked_up(vault: Vault, recorder: Recorder) -> None:
    vault.enable("old", 1)
    vault.write("old", "a/b", {"key": SECRET})

    (found,) = outcomes(recorder, Login(vault.token), "old:a/b")

    assert found.startswith("unknown old has version 1")
    assert recorder.requests == ["/v1/sys/internal/ui/mounts/old"]


def test_sealed_vault_is_unknown(vault: Vault, recorder: Recorder) -> None:
    vault.seal()

    assert outcomes(recorder, Login(vault.token), "secret:x") == ["unknown it is sealed"]


def test_slow_vault_is_unknown(vault: Vault, recorder: Recorder) -> None:
    recorder.delay = 0.6
    place = Place("secret", "x")

    found = Server(recorder.url, Login(vault.token), seconds=0.2).look_up([place])

    assert (found[place].outcome, found[place].reason) == (
        "unknown",
        "no answer within 0.2 seconds",
    )


def test_several_requests_at_once(vault: Vault, recorder: Recorder) -> None:
    recorder.delay = 0.05

    found = outcomes(recorder, Login(vault.token), *(f"secret:{at}" for at in range(40)))

    assert found == ["absent"] * 40
    assert len(recorder.requests) == 41
