"""After an edit, exactly the entries that it reaches are rendered again; all bytes are right."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.records import Records
from commodore_py.cache.store import Store
from commodore_py.cache.verdicts import CacheDiffers
from commodore_py.compiler import native
from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import ReferenceFile
from tests.support.scenarios.compile_targets import CompileTargets

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.cache.recorder import Recorder

KAPITAN = "local inv = (import 'lib/kapitan.libjsonnet').inventory().parameters;\n"


@pytest.fixture
def world(tmp_path: Path) -> CompileTargets:
    """Two targets with a library in common."""
    world = CompileTargets(tmp_path / "work", tmp_path / "store")
    world.write("vendor/common.libsonnet", "{ kind: 'ConfigMap' }")
    world.write("web.jsonnet", "{ a: (import 'common.libsonnet') + { of: 'web' } }")
    world.write("db.jsonnet", KAPITAN + "{ b: (import 'common.libsonnet') + { of: inv.db.size } }")
    world.entry("web", "web.jsonnet")
    world.entry("db", "db.jsonnet")
    world.parameters["web"] = {"web": {"size": 1}, "db": {"size": 2}}
    world.parameters["db"] = {"web": {"size": 1}, "db": {"size": 2}}
    assert world.compiled() == ["db db.jsonnet", "web web.jsonnet"]
    assert world.compiled() == []
    return world


def test_an_edited_file_reaches_who_reads_it(world: CompileTargets) -> None:
    world.write("web.jsonnet", "{ a: { of: 'other' } }")

    assert world.compiled() == ["web web.jsonnet"]
    assert world.compiled() == []


def test_an_edited_library_reaches_all_who_import_it(world: CompileTargets) -> None:
    world.write("vendor/common.libsonnet", "{ kind: 'Secret' }")

    assert world.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_an_edit_that_is_taken_back_reaches_nobody(world: CompileTargets) -> None:
    world.write("web.jsonnet", "{ a: { of: 'other' } }")
    world.compiled()
    world.write("web.jsonnet", "{ a: (import 'common.libsonnet') + { of: 'web' } }")

    assert world.compiled() == []


def test_a_file_of_the_same_size_and_time_is_seen(world: CompileTargets) -> None:
    world.write_at_same_time("vendor/common.libsonnet", "{ kind: 'ConfigMop' }")

    assert world.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_a_file_that_comes_before_another_is_seen(world: CompileTargets) -> None:
    world.write("common.libsonnet", "{ kind: 'Shadow' }")

    assert world.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_a_file_that_is_nowhere_looked_for_reaches_nobody(world: CompileTargets) -> None:
    world.write("vendor/other.libsonnet", "{ kind: 'Other' }")

    assert world.compiled() == []


def test_a_value_reaches_who_reads_its_parameter(world: CompileTargets) -> None:
    world.parameters["web"]["db"] = {"size": 3}
    world.parameters["db"]["db"] = {"size": 3}

    assert world.compiled() == ["db db.jsonnet"]


def test_a_value_that_nobody_reads_reaches_nobody(world: CompileTargets) -> None:
    world.parameters["db"]["web"] = {"size": 7}

    assert world.compiled() == []


@pytest.mark.parametrize("value", [2.5, True, None, "2", [2], {"deep": {"deeper": [2]}}])
def test_kinds_of_values_are_told_apart(world: CompileTargets, value: object) -> None:
    world.parameters["db"]["db"] = {"size": value}

    assert world.compiled() == ["db db.jsonnet"]


def test_a_removed_file_is_an_error_and_its_return_reaches_nobody(world: CompileTargets) -> None:
    file = world.root / "vendor/common.libsonnet"
    file.rename(world.root / "aside")
    with pytest.raises(CommodoreError, match="2 problems"):
        native.compile_job(world.job())

    (world.root / "aside").rename(file)

    assert world.compiled() == []


def test_a_file_whose_name_changes_case_is_another_one(world: CompileTargets) -> None:
    (world.root / "vendor/common.libsonnet").rename(world.root / "vendor/Common.libsonnet")

    with pytest.raises(CommodoreError, match="2 problems"):
        native.compile_job(world.job())


def test_a_link_that_leads_elsewhere_is_seen(world: CompileTargets) -> None:
    world.write("one/lib.libsonnet", "'one'")
    world.write("two/lib.libsonnet", "'two'")
    link = world.root / "current"
    link.symlink_to("one")
    world.write("web.jsonnet", "{ a: { of: import 'current/lib.libsonnet' } }")
    assert world.compiled() == ["web web.jsonnet"]

    link.unlink()
    link.symlink_to("two")

    assert world.compiled() == ["web web.jsonnet"]


@pytest.mark.parametrize(
    ("code", "edit"),
    [
        ("std.native('file_exists')('maybe')", "maybe"),
        ("std.native('dir_files_list')('folder')", "folder/two"),
        ("std.native('dir_files_read')('folder')", "folder/two"),
        ("std.native('file_read')('folder/one')", "folder/one"),
        ("std.native('yaml_load')('folder/one.yaml')", "folder/one.yaml"),
        ("importstr 'folder/one'", "folder/one"),
    ],
)
def test_what_natives_look_at_is_seen(world: CompileTargets, code: str, edit: str) -> None:
    world.write("folder/one", "first")
    world.write("folder/one.yaml", "a: 1")
    world.write("web.jsonnet", f"{{ a: {{ of: {code} }} }}")
    world.compiled()
    assert world.compiled() == []

    world.write(edit, "b: 2")

    assert world.compiled() == ["web web.jsonnet"]


def test_a_new_file_that_a_pattern_matches_is_seen(world: CompileTargets) -> None:
    world.write("many/a.jsonnet", "{ a: { of: 1 } }")
    world.entry("web", "many/*.jsonnet")
    world.compiled()
    assert world.compiled() == []

    world.write("many/b.jsonnet", "{ b: { of: 2 } }")

    assert world.compiled() == ["web *.jsonnet"]


def test_all_of_another_target_is_seen(world: CompileTargets) -> None:
    world.write(
        "web.jsonnet", "{ a: (import 'lib/kapitan.libjsonnet').inventory('db').parameters.db }"
    )
    world.compiled()
    assert world.compiled() == []

    world.parameters["db"]["db"] = {"size": 4}

    assert world.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_a_new_target_reaches_who_looks_at_all(world: CompileTargets) -> None:
    world.write(
        "web.jsonnet",
        "{ a: std.objectFields((import 'lib/kapitan.libjsonnet').inventory_global()) }",
    )
    world.compiled()
    assert world.compiled() == []

    world.write("new.jsonnet", "{}")
    world.entry("new", "new.jsonnet")

    assert world.compiled() == ["new new.jsonnet", "web web.jsonnet"]


def test_an_entry_that_is_written_otherwise_is_another_one(world: CompileTargets) -> None:
    world.entries["web"][0]["output_type"] = "json"

    assert world.compiled() == ["web web.jsonnet"]


def test_output_of_earlier_entries_is_seen(world: CompileTargets) -> None:
    world.write("second.jsonnet", "{ c: { of: importstr 'compiled/web/out/a.yaml' } }")
    world.entry("web", "second.jsonnet")
    world.compiled()
    assert world.compiled() == []

    world.write("web.jsonnet", "{ a: { of: 'other' } }")

    assert world.compiled() == ["web web.jsonnet", "web second.jsonnet"]


def test_files_that_are_replaced_stay_replaced(world: CompileTargets) -> None:
    world.write("second.jsonnet", "{ a: { of: 'second' } }")
    world.entry("web", "second.jsonnet")
    world.write("web.jsonnet", "{ a: { of: 'second' } }")
    world.compiled()

    world.write("web.jsonnet", "{ a: { of: 'first' } }")

    assert world.compiled() == ["web web.jsonnet"]


def test_copies_and_removals_follow_what_is_there(world: CompileTargets) -> None:
    world.write("files/one.txt", "1")
    world.entry("web", "files", kind="copy")
    world.entry("web", "compiled/web/out/a.yaml", kind="remove")
    world.compiled()

    world.write("files/two.txt", "2", executable=True)
    (world.root / "files/one.txt").unlink()

    assert world.compiled() == []


def test_a_reference_to_a_secret_reaches_who_writes_it(world: CompileTargets) -> None:
    world.write("web.jsonnet", "{ a: { of: '?{vaultkv:t/c/web/key}' } }")
    world.references = (
        ReferenceFile("t/c/web/key", b"data: YQ==\n", "vaultkv"),
        ReferenceFile("t/c/db/key", b"data: YQ==\n", "vaultkv"),
    )
    world.compiled()
    assert world.compiled() == []

    world.references = (
        ReferenceFile("t/c/web/key", b"data: YQ==\n", "vaultkv"),
        ReferenceFile("t/c/db/key", b"data: Yg==\n", "vaultkv"),
    )
    assert world.compiled() == []

    world.references = (
        ReferenceFile("t/c/web/key", b"data: Yg==\n", "vaultkv"),
        ReferenceFile("t/c/db/key", b"data: Yg==\n", "vaultkv"),
    )
    assert world.compiled() == ["web web.jsonnet"]


def test_what_code_says_while_it_runs_is_said_again(
    world: CompileTargets, capfd: pytest.CaptureFixture[str]
) -> None:
    world.write("web.jsonnet", "{ a: std.trace('be warned', { of: 1 }) }")
    native.compile_job(world.job())
    first = capfd.readouterr().err

    native.compile_job(world.job())

    assert f"TRACE: {world.root}/web.jsonnet:1 be warned" in first
    assert capfd.readouterr().err == first

    elsewhere = world.root.rename(world.root.with_name("elsewhere"))
    native.compile_job(replace(world, root=elsewhere).job())
    assert capfd.readouterr().err == first.replace(str(world.root), str(elsewhere))


def test_working_directories_share_results(world: CompileTargets, tmp_path: Path) -> None:
    (world.root).rename(tmp_path / "elsewhere")
    world.root = tmp_path / "elsewhere"

    assert world.compiled() == []


@pytest.mark.parametrize(
    "code",
    ["std.thisFile", "std.md5(std.thisFile)", "std.native('file_exists')('web.jsonnet').path"],
)
def test_results_that_show_their_place_are_not_shared(
    world: CompileTargets, tmp_path: Path, code: str
) -> None:
    world.write("web.jsonnet", f"{{ a: {{ of: {code} }} }}")
    world.compiled()
    assert world.compiled() == []

    (world.root).rename(tmp_path / "elsewhere")
    world.root = tmp_path / "elsewhere"

    assert world.compiled() == ["web web.jsonnet"]
    assert world.compiled() == []


def test_a_parameter_that_holds_a_place_is_a_value_like_others(
    world: CompileTargets, tmp_path: Path
) -> None:
    world.write("web.jsonnet", KAPITAN + "{ a: { of: inv._base_directory } }")
    world.parameters["web"]["_base_directory"] = str(world.root)
    world.compiled()

    (world.root).rename(tmp_path / "elsewhere")
    world.root = tmp_path / "elsewhere"
    world.parameters["web"]["_base_directory"] = str(world.root)
    assert world.compiled() == ["web web.jsonnet"]


@pytest.mark.parametrize("by", ["value", "file"])
def test_a_path_that_is_written_out_leads_to_the_same_file_from_anywhere(
    world: CompileTargets, tmp_path: Path, by: str
) -> None:
    target = world.write("shared.txt", "one")
    code = "inv.path" if by == "value" else "(importstr 'path.txt')"
    world.write("web.jsonnet", f"{KAPITAN}{{ a: {{ of: std.native('file_read')({code}) }} }}")
    world.write("path.txt", str(target))
    world.parameters["web"]["path"] = str(target)
    world.compiled()
    shutil.copytree(world.root, tmp_path / "other")
    world.root = tmp_path / "other"
    world.compiled()
    assert world.compiled() == []

    target.write_text("two")

    assert world.compiled() == ["web web.jsonnet"]


def test_what_does_not_go_with_other_output_is_told_as_ever(world: CompileTargets) -> None:
    world.write("more.jsonnet", "{ 'x/y': {} }")
    world.entry("web", "more.jsonnet")
    world.compiled()
    world.write("web.jsonnet", "{ 'x/y.yaml/z': {} }")

    told = []
    for store in (world.store, None):
        with pytest.raises(CommodoreError, match="a file and a folder") as found:
            native.compile_job(world.job(result_cache=store))
        told.append((str(found.value), found.value.where))
    assert told[0] == told[1]


def test_errors_are_told_each_time(world: CompileTargets) -> None:
    world.write("web.jsonnet", "{ a: error 'broken' }")

    for _ in range(2):
        with pytest.raises(CommodoreError, match="broken"):
            native.compile_job(world.job())


def test_templates_are_rendered_each_time(world: CompileTargets) -> None:
    world.write("page.j2", "{{ 1 + 1 }}")
    world.write(
        "web.jsonnet",
        "{ a: { of: (import 'lib/kapitan.libjsonnet').jinja2_template('page.j2', {}) } }",
    )

    assert world.compiled() == ["web web.jsonnet"]
    assert world.compiled() == ["web web.jsonnet"]


def test_reasons_name_what_has_changed(world: CompileTargets) -> None:
    file = world.write("vendor/common.libsonnet", "{ kind: 'Secret' }")
    assert world.reasons() == [f"{file} has changed"] * 2

    world.parameters["db"]["db"] = {"size": 4}
    assert world.reasons() == ["the inventory has changed: parameters.db"]

    shadow = world.write("common.libsonnet", "{}")
    assert world.reasons() == [f"{shadow} has changed"] * 2


def test_workers_find_and_keep_as_well(tmp_path: Path) -> None:
    world = CompileTargets(tmp_path / "work", tmp_path / "store", processes=2)
    for number in range(6):
        world.write(f"{number}.jsonnet", f"{{ a: {{ of: {number} }} }}")
        world.entry(f"t{number}", "first.jsonnet")
        world.entry(f"t{number}", f"{number}.jsonnet")
    world.write("first.jsonnet", "{ first: {} }")
    assert len(world.compiled()) == 12
    assert world.compiled() == []

    for number in range(5):
        world.write(f"{number}.jsonnet", "{ a: { of: 'new' } }")

    assert sorted(world.compiled()) == [f"t{number} {number}.jsonnet" for number in range(5)]


def test_a_wrong_result_is_found_and_mended(
    world: CompileTargets, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spoil(world, monkeypatch)
    with pytest.raises(CacheDiffers, match=r"web: out/a\.yaml"):
        native.compile_job(world.job(verify_cache=True))

    native.compile_job(world.job(verify_cache=True))

    assert world.compiled() == []


def _spoil(world: CompileTargets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a result under a record that lacks the file which it depends on."""
    keep = Records.keep

    def forgetful(self: Records, key: str, recorder: Recorder, result: bytes) -> None:
        recorder.answers = {
            question: answer
            for question, answer in recorder.answers.items()
            if "web.jsonnet" not in question.about
        }
        keep(self, key, recorder, result)

    with monkeypatch.context() as patch:
        patch.setattr(Records, "keep", forgetful)
        world.write("web.jsonnet", "{ a: { of: 'wrong' } }")
        native.compile_job(world.job())
    world.write("web.jsonnet", "{ a: { of: 'right' } }")


def test_nothing_is_kept_if_it_may_not(world: CompileTargets) -> None:
    native.compile_job(world.job(result_cache=None))
    before = _files(world.store)

    world.write("web.jsonnet", "{ a: { of: 'other' } }")
    native.compile_job(world.job(result_cache=None))

    assert _files(world.store) == before


def test_a_store_that_vanishes_costs_time_only(world: CompileTargets) -> None:
    Store(world.store).prune(0)

    assert world.compiled() == ["db db.jsonnet", "web web.jsonnet"]
    assert world.compiled() == []


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))
