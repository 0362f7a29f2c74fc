"""`commodore edit`: values change in the layer where they belong, checked by what they cause."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine

CLUSTER = "inventory/classes/t-demo/c-demo-1.yml"
TENANT = "inventory/classes/t-demo/common.yml"


@pytest.fixture(scope="module")
def compiled(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edited")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        words = ("catalog", "compile", "c-demo-1", "--api-url", str(demo / "facts"))
        assert run(("-d", str(folder), *words)) == 0
    return folder


@pytest.fixture
def place(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A compiled working directory, whose files are put back afterwards."""
    monkeypatch.setenv("COMMODORE_WORKING_DIR", str(compiled))
    kept = {name: (compiled / name).read_bytes() for name in (CLUSTER, TENANT)}
    yield compiled
    for name, content in kept.items():
        (compiled / name).write_bytes(content)


def test_a_value_is_set_in_the_class_of_the_cluster(commodore: CommandLine, place: Path) -> None:
    before = (place / CLUSTER).read_text("utf-8")

    ran = commodore("edit", "set", "web_shop.replicas", "3")

    assert ran.code == 0
    assert ran.out.startswith("@@ -5,3 +5,3 @@\n   web_shop:\n-    replicas: 2\n+    replicas: 3\n")
    assert "changed Deployment web-shop/web-shop\n                 spec.replicas: 2 -> 3" in ran.out
    assert f"{CLUSTER}:6 (sets it now)" in ran.err
    assert (place / CLUSTER).read_text("utf-8") == before.replace("replicas: 2", "replicas: 3")
    assert commodore("edit", "get", "web_shop.replicas").out == "3\n"


def test_a_value_that_a_higher_layer_sets_is_refused(commodore: CommandLine, place: Path) -> None:
    before = (place / TENANT).read_bytes()

    ran = commodore("edit", "set", "web_shop.replicas", "4", "--tenant")

    assert ran.code == 1
    assert "the value has no effect: a higher layer sets web_shop.replicas" in ran.err
    assert f"{CLUSTER}:6" in ran.err
    assert (place / TENANT).read_bytes() == before


def test_a_value_that_does_not_resolve_is_refused(commodore: CommandLine, place: Path) -> None:
    before = (place / CLUSTER).read_bytes()

    ran = commodore("edit", "set", "web_shop.replicas", "${no:such}")

    assert ran.code == 1
    assert "${no:such} cannot be resolved" in ran.err
    assert (place / CLUSTER).read_bytes() == before


@pytest.mark.usefixtures("place")
def test_unset_names_what_applies_now(commodore: CommandLine) -> None:
    ran = commodore("edit", "unset", "web_shop.replicas")

    assert ran.code == 0
    assert "Now applies: 1 (dependencies/web-shop/class/defaults.yml:7)" in ran.err
    again = commodore("edit", "unset", "web_shop.replicas")
    assert again.code == 1
    assert "web_shop.replicas is not set by this file" in again.err


def test_items_leave_a_list_without_a_trace_on_the_others(
    commodore: CommandLine, place: Path
) -> None:
    file = place / TENANT
    text = file.read_text("utf-8").replace("      - chat\n", "      - a # one\n      - chat\n")
    file.write_text(text, "utf-8")

    words = ("edit", "remove", "monitoring.channels", "chat", "--tenant")

    assert commodore(*words).code == 0
    assert file.read_text("utf-8") == text.replace("      - chat\n", "")


@pytest.mark.parametrize("target", ["../params/cluster.yml", "../../../catalog/x.yml", "/nowhere"])
def test_a_class_file_that_is_a_link_is_not_edited(
    commodore: CommandLine, place: Path, target: str
) -> None:
    there = place / "catalog/x.yml"
    there.write_text("parameters: {}\n")
    (place / CLUSTER).unlink()
    (place / CLUSTER).symlink_to(target)
    try:
        ran = commodore("edit", "set", "a.b", "1")
        assert ran.code == 1
        assert there.read_text() == "parameters: {}\n"
    finally:
        (place / CLUSTER).unlink()
        there.unlink()


def test_a_dry_run_writes_nothing(commodore: CommandLine, place: Path) -> None:
    before = (place / CLUSTER).read_bytes()

    ran = commodore("edit", "set", "brand.new", "{a: 1}", "--dry-run", "-o", "json")

    content = json.loads(ran.out)
    assert ran.code == 0
    assert (content["schema"], content["written"]) == ("edit/v1", False)
    assert content["file"] == CLUSTER
    assert content["diff"][-3:] == ["+  brand:", "+    new:", "+      a: 1"]
    assert content["catalog"]["changed"] is False
    assert (place / CLUSTER).read_bytes() == before


def test_without_a_compiled_cluster(commodore: CommandLine) -> None:
    ran = commodore("edit", "set", "a", "1")

    assert ran.code == 1
    assert "no inventory found" in ran.err


def test_lists_grow(commodore: CommandLine, place: Path) -> None:
    ran = commodore("edit", "add", "monitoring.channels", "sms")
    assert ran.code == 0
    assert "also has what other layers set" in ran.err
    assert "channels:\n      - sms\n" in (place / CLUSTER).read_text("utf-8")

    again = commodore("edit", "add", "monitoring.channels", "sms")
    assert (again.code, again.out) == (0, "")
    assert "Nothing to do" in again.err

    other = commodore("edit", "remove", "monitoring.channels", "chat")
    assert other.code == 1
    assert "chat is not an item of monitoring.channels in this file" in other.err


def test_applications_are_added_and_removed(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commodore_py.workflows.editing.rules._HARM", {})  # namespaces go
    ran = commodore("edit", "remove", "applications", "backup", "--tenant")
    assert ran.code == 0
    assert "-  - backup\n" in ran.out
    assert f"{TENANT}:5 (lists backup now)" in ran.err
    assert commodore("edit", "get", "applications.backup").out == "false\n"
    assert "Nothing to do" in commodore("edit", "remove", "applications.backup").err

    ran = commodore("edit", "remove", "applications.database")
    assert (ran.code, (place / CLUSTER).read_text("utf-8").count("- ~database\n")) == (0, 1)
    ran = commodore("edit", "add", "applications", "database")
    assert (ran.code, (place / CLUSTER).read_text("utf-8").count("database\n")) == (0, 0)
    assert "- database\n" in commodore("edit", "get", "applications").out

    ran = commodore("edit", "add", "applications", "no-such-thing")
    assert ran.code == 1
    assert "no-such-thing is not a component" in ran.err


def test_instance_is_an_application_by_its_own_name(
    commodore: CommandLine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commodore_py.workflows.editing.rules._HARM", {})  # namespaces go
    name = "applications.backup-archive"
    assert commodore("edit", "unset", "components.backup-archive", "--tenant").code == 0
    assert commodore("edit", "get", name).out == "true\n"
    assert "Nothing to do: the cluster has that" in commodore("edit", "add", name).err

    ran = commodore("edit", "remove", name)

    assert ran.code == 0, ran.err
    assert "- ~backup as backup-archive\n" in (place / CLUSTER).read_text("utf-8")
    assert commodore("edit", "get", name).out == "false\n"
