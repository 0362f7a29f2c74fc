"""A new backend, destination or check is one module and one line of a table, and nothing else."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from commodore_py.catalog import sinks
from commodore_py.catalog.diff.change import change_between
from commodore_py.checks.base import Issue
from commodore_py.checks.table import CATALOG_CHECKS
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Tree
from commodore_py.pipeline import compile_catalog
from commodore_py.refs.backends import REF_BACKENDS
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commodore_py.checks.base import Content, Item, Settings
    from commodore_py.config import Config
    from commodore_py.model.catalog import CatalogHead, Change
    from commodore_py.model.published import Published
    from commodore_py.model.secrets import SecretRef
    from commodore_py.model.stages import Rendered


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path, web={})


WHERE = "compiled/web/web/out.yaml\ninstance web, ConfigMap web"


def push(fleet: Fleet, **settings: object) -> Published:
    config = fleet.config(push=True, **settings)
    return compile_catalog(config, CLUSTER, approve=lambda _: True)


class Keyring:
    """A secret backend whose paths are names of keys."""

    def check(self, ref: SecretRef) -> None:
        if "/" in ref.path:
            raise CommodoreError("a key of the keyring has no slash")

    def render(self, ref: SecretRef, settings: object) -> bytes:
        data = base64.b64encode(ref.path.encode()).decode()
        return f"data: {data}\nring: {settings}\ntype: keyring\n".encode()


def test_new_secret_backend_renders_its_references(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REF_BACKENDS, "keyring", Keyring())
    parameters = {
        "web": {"data": {"token": "?{keyring:token}"}},
        "kapitan": {"secrets": {"keyring": "main"}},
    }
    fleet.configure({"applications": ["web"], "parameters": parameters})

    push(fleet)

    files = fleet.catalog_files()
    assert files["refs/token"] == "data: dG9rZW4=\nring: main\ntype: keyring"
    assert "token: ?{keyring:token:" in files["manifests/web/out.yaml"]


@dataclass
class Memory:
    """A destination that keeps catalogs in memory."""

    place: Path
    checked: list[str] = field(default_factory=list)
    catalog: Tree = field(default_factory=Tree)

    repository = None

    def is_chosen(self, _config: Config) -> bool:
        return True

    def folder_of(self, _config: Config) -> Path:
        return self.place

    def check(self, _config: Config, cluster: str) -> None:
        self.checked.append(cluster)

    def open_catalog(self, _config: Config, _cluster: str, _head: CatalogHead) -> Memory:
        return self

    def stage(self, rendered: Rendered) -> Change:
        change = change_between(self.catalog, rendered.catalog)
        self.catalog = rendered.catalog
        return change


def test_new_sink_receives_the_catalog(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(fleet.root / "memory")
    monkeypatch.setattr(sinks, "SINKS", {"memory": memory, **sinks.SINKS})

    published = push(fleet)

    assert memory.checked == [CLUSTER]
    assert [str(path) for path in memory.catalog] == ["manifests/web/out.yaml"]
    assert [file.path for file in published.change.files] == ["manifests/web/out.yaml"]
    assert published.commit is None
    assert not (fleet.work / "catalog").exists()


@dataclass(frozen=True)
class Names:
    """A check that wants ConfigMaps to have another name."""

    NAME = "names"

    def extract(self, content: Content) -> str:
        return str(content["kind"])

    def check(self, items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
        for item in items:
            text = f"{item.fact} is not a good name"
            yield item, Issue("names/bad", text, remedy="another one", severity="warning")


def test_new_check_reports_problems(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOG_CHECKS, "names", Names())

    published = push(fleet, checks=True)

    (problem,) = published.notices
    assert (problem.code, problem.where) == ("names/bad", WHERE)
    assert problem.message == "ConfigMap is not a good name"
    assert published.commit is not None
