"""`--reveal`: values of secret references are compared and applied, and never shown."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.model.secrets import SecretRef
from commodore_py.refs.backends import vaultkv
from tests.support.live_catalog import catalog_for
from tests.support.servers import kubernetes
from tests.support.servers.kubernetes import Refusal
from tests.support.servers.vault import Recorder, double_vault, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.command_line import CommandLine, Ran
    from tests.support.servers.kubernetes import Cluster
    from tests.support.servers.vault import DoubleVault

    Live = Callable[..., Ran]

VALUE, OTHER = "value-of-the-reference", "value-in-the-cluster"
PASSWORD, MISSING, NO_SECRET = "t/c/shop/password", "t/c/shop/missing", "t/c/none/key"


def _reference(path: str) -> str:
    return f"?{{vaultkv:{path}}}"


def _secret(value: str) -> dict[str, Any]:
    """As the cluster has it."""
    metadata = {"name": "db", "namespace": "shop"}
    data = {"password": base64.b64encode(value.encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def _wanted(path: str = PASSWORD) -> dict[str, Any]:
    content = _secret("")
    del content["data"]
    return {**content, "stringData": {"password": _reference(path)}}


def _configmap(text: str) -> dict[str, Any]:
    metadata = {"name": "db", "namespace": "shop"}
    data = {"text": f"say {text} to the database"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


@pytest.fixture
def server() -> Iterator[Cluster]:
    with kubernetes.serve() as cluster:
        cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
        application = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}
        cluster.put({**application, "metadata": {"name": "shop", "namespace": "syn"}})
        yield cluster


@pytest.fixture
def vault() -> Iterator[DoubleVault]:
    with double_vault() as found:
        found.write("kv", "t/c/shop", {"password": VALUE})
        found.enable("kv", 2)
        yield found


@pytest.fixture
def recorder(vault: DoubleVault) -> Iterator[Recorder]:
    with recorded(vault) as found:
        yield found


@pytest.fixture
def live(
    commodore: CommandLine,
    server: Cluster,
    vault: DoubleVault,
    recorder: Recorder,
    monkeypatch: pytest.MonkeyPatch,
) -> Live:
    """Run a command on a catalog of some objects, and see that it shows no value."""
    monkeypatch.setenv("VAULT_TOKEN", vault.token)
    monkeypatch.setenv("VAULT_ADDR", recorder.url)
    settings = {"VAULT_ADDR": f"{recorder.url}/", "mount": "kv", "auth": "token"}
    for path in (PASSWORD, MISSING, NO_SECRET):
        file = Path("catalog/refs", path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(vaultkv.render(SecretRef("vaultkv", path, ()), settings))

    def run(verb: str, *words: str, catalog: list[dict[str, Any]]) -> Ran:
        place = catalog_for(server, *catalog)
        trust = ("--trust-cluster", kubernetes.UID) if verb == "apply" else ()
        ran = commodore("live", verb, "c-demo-1", *place, *trust, *words)
        for value in (VALUE, OTHER):
            for text in (value, base64.b64encode(value.encode()).decode()):
                assert text not in ran.out + ran.err
        return ran

    return run


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize(("value", "differs"), [(VALUE, False), (OTHER, True)])
def test_revealed_values_are_compared(
    live: Live, server: Cluster, value: str, differs: bool, output: str
) -> None:
    server.put(_secret(value))
    words = ("--exit-code", "-o", output)

    without = live("diff", *words, catalog=[_wanted()])
    compared = live("diff", "--reveal", *words, catalog=[_wanted()])

    assert without.code == 0
    assert compared.code == (5 if differs else 0), compared.err
    assert (
        "changed Secret shop/db" in compared.out or '"changed": true' in compared.out
    ) == differs


def test_replaced_plain_value_is_masked(live: Live, server: Cluster) -> None:
    server.put(_configmap(OTHER))

    ran = live("diff", "--reveal", catalog=[_configmap(_reference(PASSWORD))])

    assert "***" in ran.out
    assert _reference(PASSWORD) in ran.out


def test_equal_values_of_other_objects_are_no_difference(live: Live, server: Cluster) -> None:
    server.put(_configmap(VALUE))

    ran = live("diff", "--reveal", catalog=[_configmap(_reference(PASSWORD))])

    assert ran.code == 0, ran.err
    assert "text" not in ran.out


@pytest.mark.parametrize("verb", ["diff", "apply"])
@pytest.mark.parametrize(
    "case",
    [
        (PASSWORD, "wrong", "kv is not a key-value engine, or a token may not see it"),
        (MISSING, "", "key missing of t/c/shop does not exist"),
        (NO_SECRET, "", "t/c/none: there is no such secret"),
    ],
)
def test_unrevealed_reference_stops_diff_and_apply(
    live: Live,
    server: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    case: tuple[str, str, str],
) -> None:
    path, token, why = case
    server.put(_secret(OTHER))
    if token:
        monkeypatch.setenv("VAULT_TOKEN", token)
    yes = ("--yes",) if verb == "apply" else ()

    ran = live(verb, "--reveal", *yes, catalog=[_wanted(path)])

    assert (ran.code, ran.out) == (1, "")
    assert f"{_reference(path)} cannot be replaced by its value" in ran.err
    assert why in ran.err
    assert not any(method in ("PATCH", "DELETE") for method, _ in server.requests)


def test_vault_that_user_did_not_name_gets_no_token(
    live: Live, server: Cluster, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.put(_secret(OTHER))
    monkeypatch.setenv("VAULT_ADDR", "https://vault.example.com")

    refused = live("diff", "--reveal", catalog=[_wanted()])
    requests = list(recorder.requests)

    assert (refused.code, requests) == (1, [])
    assert f"its reference file names {recorder.url}, which was not asked" in refused.err
    assert "VAULT_ADDR" in refused.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("?{vaultkv:t/c/shop/other}", "the catalog has no such reference file"),
        ("?{vaultkv:t/c/shop/password:00000000}", "the catalog has no such reference file"),
        ("?{plain:t/c/shop/password}", "the catalog has no such reference file"),
    ],
)
def test_undescribed_reference_is_an_error(
    live: Live, server: Cluster, text: str, why: str
) -> None:
    server.put(_configmap(OTHER))

    ran = live("diff", "--reveal", catalog=[_configmap(text)])

    assert (ran.code, ran.out) == (1, "")
    assert f"{text} cannot be replaced by its value: {why}" in ran.err


def _applied(server: Cluster) -> Any:  # noqa: ANN401 - JSON
    return server.objects["/secrets", "shop", "db"]


@pytest.mark.parametrize("there", [True, False])
def test_revealed_values_are_applied_and_not_stored(
    live: Live, server: Cluster, there: bool
) -> None:
    if there:
        server.put(_secret(OTHER))

    ran = live("apply", "--reveal", "--yes", catalog=[_wanted()])

    assert ran.code == 0, ran.err
    assert VALUE in json.dumps(_applied(server))
    saved = [path for path in Path().rglob("*") if path.is_file()]
    assert not [path for path in saved if VALUE.encode() in path.read_bytes()]


def test_revealed_values_do_not_change_plan(live: Live, server: Cluster) -> None:
    server.put(_secret(OTHER))

    planned = live("diff", "--reveal", "--out", "plan.json", catalog=[_wanted()])
    applied = live("apply", "--reveal", "--yes", "--plan", "plan.json", catalog=[_wanted()])

    assert planned.code == applied.code == 0, applied.err
    assert "Secret shop/db" in planned.out
    assert VALUE in json.dumps(_applied(server))
    assert VALUE not in Path("plan.json").read_text()


def test_missing_value_prevents_first_write(live: Live, server: Cluster) -> None:
    second = _wanted(MISSING)
    second["metadata"] = {"name": "a-second", "namespace": "shop"}

    ran = live("apply", "--reveal", "--yes", catalog=[_wanted(), second])

    assert ran.code == 1
    assert not any(method == "PATCH" for method, _ in server.requests)


def test_secret_value_in_server_message_is_masked(live: Live, server: Cluster) -> None:
    server.before = lambda method, _: (
        Refusal(422, "Invalid", f"Invalid value: {VALUE}") if method == "PATCH" else None
    )

    ran = live("apply", "--reveal", "--yes", catalog=[_configmap(_reference(PASSWORD))])

    assert ran.code == 1
    assert "Invalid value: " in ran.err
