"""Secret references in whole compiles: from a parameter to the catalog, and what goes wrong."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.errors import CommodoreError, notes_of
from commodore_py.pipeline import compile_catalog
from tests.support.builders import commit_to
from tests.support.fleet import CLUSTER, Fleet, component_entries, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.published import Published

pytestmark = pytest.mark.sample(2)

ENGINES = ["native", "reference"]
PATH = "t-acme/c-one/web"
VAULT = {
    "VAULT_ADDR": "${secret_management:vault_addr}",
    "auth": "token",
    "engine": "kv-v2",
    "mount": "${secret_management:vault_mount}",
}
MANAGEMENT = {"vault_addr": "https://vault.example.com", "vault_mount": "clusters/kv"}
MAIN = """
local data = std.extVar('target');
{ out: { kind: 'Secret', metadata: { name: data }, @CONTENT@ } }
"""


def secrets_fleet(root: Path, **web: str) -> Fleet:
    """A cluster with the usual settings of a global configuration."""
    fleet = make_fleet(root, web=web)
    parameters = {
        "components": component_entries(fleet, ["web"]),
        "secret_management": MANAGEMENT,
        "kapitan": {"secrets": {"vaultkv": VAULT}},
    }
    # What a class says itself comes after what it includes: defaults are a class of their own.
    classes = {"classes": ["global.defaults", "${cluster:tenant}.common"]}
    commit_to(
        fleet.repository("global"),
        {
            "commodore.yml": yaml.safe_dump(classes),
            "defaults.yml": yaml.safe_dump({"parameters": parameters}),
        },
    )
    return fleet


def tenant_says(fleet: Fleet, text: str) -> None:
    """The tenant's configuration, word for word: lines count."""
    commit_to(fleet.repository("tenant"), {"common.yml": text})


def push(fleet: Fleet, engine: str = "native") -> Published:
    return compile_catalog(fleet.config(engine=engine), CLUSTER, approve=lambda _: True)


def hash_of(path: str) -> str:
    secret, _, key = path.rpartition("/")
    data = base64.b64encode(f"{secret}:{key}".encode()).decode()
    return hashlib.sha256(f"{path}{data}".encode()).hexdigest()[:8]


@pytest.mark.parametrize("engine", ENGINES)
def test_references_are_written_with_files_and_hashes(tmp_path: Path, engine: str) -> None:
    fleet = secrets_fleet(tmp_path)
    one, two = "?{vaultkv:${cluster:tenant}/${cluster:name}/web/user}", f"?{{vaultkv:{PATH}/pw}}"
    tenant_says(
        fleet, f"applications: [web]\nparameters: {{web: {{data: {{login: '{one}:{two}!'}}}}}}\n"
    )

    push(fleet, engine)

    files = fleet.catalog_files()
    assert sorted(name for name in files if name.startswith("refs/")) == [
        f"refs/{PATH}/pw",
        f"refs/{PATH}/user",
    ]
    assert yaml.safe_load(files["manifests/web/out.yaml"])["data"]["login"] == (
        f"?{{vaultkv:{PATH}/user:{hash_of(f'{PATH}/user')}}}"
        f":?{{vaultkv:{PATH}/pw:{hash_of(f'{PATH}/pw')}}}!"
    )
    assert files[f"refs/{PATH}/pw"].splitlines() == [
        "data: dC1hY21lL2Mtb25lL3dlYjpwdw==",
        "encoding: original",
        "type: vaultkv",
        "vault_params:",
        "  VAULT_ADDR: https://vault.example.com",
        "  auth: token",
        "  engine: kv-v2",
        "  mount: clusters/kv",
    ]


@pytest.mark.parametrize(
    ("setting", "value", "written"),
    [
        ("vault_mount", "acme/kv", "  mount: acme/kv"),
        ("vault_addr", "https://vault.acme.example", "  VAULT_ADDR: https://vault.acme.example"),
    ],
)
def test_tenant_overrides_where_secrets_are(
    tmp_path: Path, setting: str, value: str, written: str
) -> None:
    fleet = secrets_fleet(tmp_path)
    parameters = {
        "secret_management": {setting: value},
        "web": {"data": {"pw": f"?{{vaultkv:{PATH}/pw}}"}},
    }
    fleet.configure({"applications": ["web"], "parameters": parameters})

    push(fleet)

    lines = fleet.catalog_files()[f"refs/{PATH}/pw"].splitlines()
    assert written in lines
    assert len(lines) == 8


def test_removed_reference_is_deleted_from_catalog(tmp_path: Path) -> None:
    fleet = secrets_fleet(tmp_path)
    fleet.configure({"applications": ["web"], "parameters": {"pw": f"?{{vaultkv:{PATH}/old}}"}})
    push(fleet)
    fleet.configure({"applications": ["web"], "parameters": {"pw": f"?{{vaultkv:{PATH}/new}}"}})

    push(fleet)

    assert [name for name in fleet.catalog_files() if "refs" in name] == [f"refs/{PATH}/new"]


@pytest.mark.parametrize("text", ["vaultkv:key", "vaultkv", "plain:a/b", "vaultkv:../../x/y"])
def test_bad_reference_is_reported_with_file_and_line(tmp_path: Path, text: str) -> None:
    fleet = secrets_fleet(tmp_path)
    tenant_says(
        fleet,
        f"applications: [web]\nparameters:\n  web:\n    data:\n      list:\n"
        f"        - fine\n        - '?{{{text}}}'\n",
    )

    with pytest.raises(CommodoreError) as caught:
        push(fleet)

    place, parameter = caught.value.where.splitlines()
    assert f"?{{{text}}}" in str(caught.value)
    assert place.endswith("t-acme/common.yml:7")
    assert parameter == "target web, parameters.web.data.list[1]"


def test_malformed_reference_is_reported_with_file_and_line(tmp_path: Path) -> None:
    fleet = secrets_fleet(tmp_path)
    tenant_says(fleet, "applications: [web]\nparameters:\n  a: 1\n  pw: '?{vaultkv:a/b'\n")

    (notice,) = push(fleet).notices

    assert "has no closing brace" in notice.message
    place, parameter = notice.where.splitlines()
    assert place.endswith("t-acme/common.yml:4")
    assert parameter == "target cluster, parameters.pw"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", ["a/b/", "a/b@c"])
def test_malformed_reference_is_reported_with_line(tmp_path: Path, text: str, engine: str) -> None:
    fleet = secrets_fleet(tmp_path)
    tenant_says(
        fleet, f"applications: [web]\nparameters:\n  web:\n    data: {{x: '?{{vaultkv:{text}}}'}}\n"
    )

    with pytest.raises(CommodoreError) as caught:
        push(fleet, engine)

    (note,) = [note for note in notes_of(caught.value) if "reference" in note]
    assert "t-acme/common.yml:4, target web, parameters.web.data.x" in note


def test_reference_made_by_code_is_error(tmp_path: Path) -> None:
    main = MAIN.replace("@CONTENT@", "stringData: { pw: '?{vaultkv:no/ref}' }")
    fleet = secrets_fleet(tmp_path, **{"component/main.jsonnet": main})

    with pytest.raises(CommodoreError) as caught:
        push(fleet)

    assert str(caught.value) == "no parameter declares the reference ?{vaultkv:no/ref}"
    assert caught.value.where.splitlines()[0] == "out.yaml: stringData.pw"
    assert "target web" in caught.value.where
    assert "write it into a parameter" in caught.value.hint


def test_encoded_reference_is_reported(tmp_path: Path) -> None:
    main = MAIN.replace("@CONTENT@", "data: { pw: std.base64('?{vaultkv:a/b}') }")
    fleet = secrets_fleet(tmp_path, **{"component/main.jsonnet": main})
    fleet.configure({"applications": ["web"], "parameters": {"pw": "?{vaultkv:a/b}"}})

    (notice,) = (one for one in push(fleet).notices if one.code == "refs/unrevealed")

    assert "?{vaultkv:a/b} is base64-encoded" in notice.message
    assert notice.where == "target web: web/out.yaml"


@pytest.mark.parametrize("strict", [False, True])
def test_reference_in_copied_file_is_reported(tmp_path: Path, strict: bool) -> None:
    files = configmap_component("web")
    entry = {
        "input_paths": ["${_base_directory}/static"],
        "input_type": "copy",
        "output_path": "web",
    }
    files["class/web.yml"] = yaml.safe_dump({"parameters": {"kapitan": {"compile": [entry]}}})
    files["static/s.yaml"] = "stringData: {pw: '?{vaultkv:no/ref}'}\n"
    fleet = secrets_fleet(tmp_path, **files)
    config = fleet.config(strict=strict)

    if strict:
        with pytest.raises(CommodoreError) as caught:
            compile_catalog(config, CLUSTER, approve=lambda _: True)
        assert any("no/ref" in str(one) for one in caught.value.parts)
        return
    notices = compile_catalog(config, CLUSTER, approve=lambda _: True).notices
    (notice,) = (one for one in notices if one.code == "refs/unrevealed")

    assert "?{vaultkv:no/ref} stands in a manifest, but in no parameter" in notice.message
    assert notice.where == "target web: web/s.yaml"
