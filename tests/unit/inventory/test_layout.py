"""The `inventory/` folder: what is written, linked, removed, left in place, and warned about."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from commodore_py.inventory.layout import cluster_parameters, materialise
from commodore_py.inventory.resolve import resolve
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import Instance, Inventory
from tests.support.builders import make_cluster, make_config, make_dependency, make_node

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.config import Config

WEB = Instance("web", "web")


@pytest.fixture(autouse=True)
def _warnings_can_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # The command line keeps our records to itself.
    monkeypatch.setattr(logging.getLogger("commodore_py"), "propagate", True)


def a_class_path(config: Config) -> ClassPath:
    """A component and an entry point that are checked out."""
    entry = config.paths.classes / "global"
    entry.mkdir(parents=True, exist_ok=True)
    (entry / "commodore.yml").write_text("")
    web = config.paths.dependencies / "web"
    (web / "class").mkdir(parents=True, exist_ok=True)
    (web / "class" / "web.yml").write_text("")
    (web / "class" / "defaults.yml").write_text("parameters:\n  web: {}\n")
    return ClassPath(
        (
            make_dependency("global", entry, kind=Kind.GLOBAL),
            make_dependency("web", web),
        )
    )


def lay_out(config: Config, instances: Iterable[Instance] = (WEB,)) -> None:
    inventory = Inventory({"cluster": make_node()}, tuple(instances))
    materialise(config, make_cluster(), a_class_path(config), inventory)


def test_links_lead_to_the_checkouts(tmp_path: Path) -> None:
    config = make_config(tmp_path)

    lay_out(config)

    classes = config.paths.classes
    assert (classes / "components" / "web.yml").readlink().parts[:3] == ("..", "..", "..")
    assert (classes / "defaults" / "web.yml").read_text() == "parameters:\n  web: {}\n"
    assert sorted(file.name for file in config.paths.targets.iterdir()) == [
        "cluster.yml",
        "web.yml",
    ]


def test_nothing_is_rewritten_that_has_not_changed(tmp_path: Path) -> None:
    config = make_config(tmp_path)
    lay_out(config)
    before = {
        path: path.lstat().st_mtime_ns
        for path in config.paths.inventory.rglob("*")
        if path.is_file()
    }
    del before[config.paths.classes / "global" / "commodore.yml"]  # written by this test
    del before[config.paths.classes / "defaults" / "web.yml"]

    lay_out(config)

    assert {path: path.lstat().st_mtime_ns for path in before} == before


def test_what_is_no_longer_wanted_is_removed(tmp_path: Path) -> None:
    config = make_config(tmp_path)
    lay_out(config)
    (config.paths.targets / "old.yml").write_text("")
    (config.paths.classes / "old-package").symlink_to(tmp_path)

    lay_out(config, ())

    assert [file.name for file in config.paths.targets.iterdir()] == ["cluster.yml"]
    assert not (config.paths.classes / "old-package").is_symlink()
    assert (config.paths.classes / "global" / "commodore.yml").is_file()


def test_settings_of_reclass_are_warned_about(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = make_config(tmp_path)
    lay_out(config)
    settings = config.paths.inventory / "reclass-config.yml"
    settings.write_text("class_mappings: []\n")

    with caplog.at_level(logging.WARNING, logger="commodore_py"):
        lay_out(config)

    (warning,) = caplog.messages
    assert str(settings) in warning
    assert "only what components see while they are compiled" in warning


def test_defaults_that_vanished_are_warned_about_and_not_linked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = make_config(tmp_path)
    classes = a_class_path(config)
    defaults = config.paths.dependencies / "web" / "class" / "defaults.yml"
    defaults.unlink()
    (config.paths.classes / "global" / "commodore.yml").write_text("parameters:\n  web: {a: 1}\n")

    with caplog.at_level(logging.WARNING, logger="commodore_py"):
        resolved = resolve(config, make_cluster(), classes, (WEB,))
    materialise(config, make_cluster(), classes, resolved)

    assert resolved.nodes["web"].parameters["web"] == {"a": 1}
    assert f"{defaults} is ignored" in caplog.text
    assert not (config.paths.classes / "defaults" / "web.yml").is_symlink()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:c4nary@host/c.git", "https://host/c.git"),
        ("https://c4nary-token@host/c.git", "https://host/c.git"),
        ("https://host/c.git?private_token=c4nary", "https://host/c.git?private_token=***"),
        ("ssh://me:c4nary@host/c.git", "ssh://me:***@host/c.git"),
        ("ssh://git@host/c.git", "ssh://git@host/c.git"),
        ("git@host:c.git", "git@host:c.git"),
        ("https://git@host/c.git", "https://git@host/c.git"),
        ("https://host/a@b/c.git", "https://host/a@b/c.git"),
    ],
)
def test_the_class_of_a_cluster_has_no_credentials(url: str, shown: str) -> None:
    content = cluster_parameters(make_cluster(catalog_url=url)).decode()

    assert f"catalog_url: {shown}\n" in content
