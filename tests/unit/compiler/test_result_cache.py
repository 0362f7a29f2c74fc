"""After an edit, exactly the entries that it reaches are rendered again; all bytes are right."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.recorder import Recorder
from commodore_py.cache.results import CacheDiffers
from commodore_py.cache.store import Store
from commodore_py.compiler import native
from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import ReferenceFile
from tests.support.scenarios.compile_targets import CompileTargets

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.cache.questions.base import Question


KAPITAN = "local inv = (import 'lib/kapitan.libjsonnet').inventory().parameters;\n"


@pytest.fixture
def targets(tmp_path: Path) -> CompileTargets:
    """Two targets with a library in common."""
    targets = CompileTargets(tmp_path / "work", tmp_path / "store")
    targets.write("vendor/common.libsonnet", "{ kind: 'ConfigMap' }")
    targets.write("web.jsonnet", "{ a: (import 'common.libsonnet') + { of: 'web' } }")
    targets.write(
        "db.jsonnet", KAPITAN + "{ b: (import 'common.libsonnet') + { of: inv.db.size } }"
    )
    targets.entry("web", "web.jsonnet")
    targets.entry("db", "db.jsonnet")
    targets.parameters["web"] = {"web": {"size": 1}, "db": {"size": 2}}
    targets.parameters["db"] = {"web": {"size": 1}, "db": {"size": 2}}
    assert targets.compiled() == ["db db.jsonnet", "web web.jsonnet"]
    assert targets.compiled() == []
    return targets


def test_an_edited_file_reaches_who_reads_it(targets: CompileTargets) -> None:
    targets.write("web.jsonnet", "{ a: { of: 'other' } }")

    assert targets.compiled() == ["web web.jsonnet"]
    assert targets.compiled() == []


def test_an_edited_library_reaches_all_who_import_it(targets: CompileTargets) -> None:
    targets.write("vendor/common.libsonnet", "{ kind: 'Secret' }")

    assert targets.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_an_edit_that_is_reverted_affects_no_target(targets: CompileTargets) -> None:
    targets.write("web.jsonnet", "{ a: { of: 'other' } }")
    targets.compiled()
    targets.write("web.jsonnet", "{ a: (import 'common.libsonnet') + { of: 'web' } }")

    assert targets.compiled() == []


def test_a_file_of_the_same_size_and_time_is_seen(targets: CompileTargets) -> None:
    targets.write_at_same_time("vendor/common.libsonnet", "{ kind: 'ConfigMop' }")

    assert targets.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_a_file_that_comes_before_another_is_seen(targets: CompileTargets) -> None:
    targets.write("common.libsonnet", "{ kind: 'Shadow' }")

    assert targets.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_a_file_on_no_search_path_affects_no_target(targets: CompileTargets) -> None:
    targets.write("vendor/other.libsonnet", "{ kind: 'Other' }")

    assert targets.compiled() == []


def test_a_value_reaches_who_reads_its_parameter(targets: CompileTargets) -> None:
    targets.parameters["web"]["db"] = {"size": 3}
    targets.parameters["db"]["db"] = {"size": 3}

    assert targets.compiled() == ["db db.jsonnet"]


def test_a_value_that_is_not_read_affects_no_target(targets: CompileTargets) -> None:
    targets.parameters["db"]["web"] = {"size": 7}

    assert targets.compiled() == []


@pytest.mark.parametrize("value", [2.5, True, None, "2", [2], {"deep": {"deeper": [2]}}])
def test_kinds_of_values_are_distinguished(targets: CompileTargets, value: object) -> None:
    targets.parameters["db"]["db"] = {"size": value}

    assert targets.compiled() == ["db db.jsonnet"]


def test_a_removed_file_is_an_error_and_its_return_affects_no_target(
    targets: CompileTargets,
) -> None:
    file = targets.root / "vendor/common.libsonnet"
    file.rename(targets.root / "aside")
    with pytest.raises(CommodoreError, match="2 problems"):
        native.compile_job(targets.job())

    (targets.root / "aside").rename(file)

    assert targets.compiled() == []


def test_a_file_whose_name_changes_case_is_another_one(targets: CompileTargets) -> None:
    (targets.root / "vendor/common.libsonnet").rename(targets.root / "vendor/Common.libsonnet")

    with pytest.raises(CommodoreError, match="2 problems"):
        native.compile_job(targets.job())


def test_a_link_that_leads_elsewhere_is_seen(targets: CompileTargets) -> None:
    targets.write("one/lib.libsonnet", "'one'")
    targets.write("two/lib.libsonnet", "'two'")
    link = targets.root / "current"
    link.symlink_to("one")
    targets.write("web.jsonnet", "{ a: { of: import 'current/lib.libsonnet' } }")
    assert targets.compiled() == ["web web.jsonnet"]

    link.unlink()
    link.symlink_to("two")

    assert targets.compiled() == ["web web.jsonnet"]


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
def test_what_natives_look_at_is_seen(targets: CompileTargets, code: str, edit: str) -> None:
    targets.write("folder/one", "first")
    targets.write("folder/one.yaml", "a: 1")
    targets.write("web.jsonnet", f"{{ a: {{ of: {code} }} }}")
    targets.compiled()
    assert targets.compiled() == []

    targets.write(edit, "b: 2")

    assert targets.compiled() == ["web web.jsonnet"]


def test_a_new_file_that_a_pattern_matches_is_seen(targets: CompileTargets) -> None:
    targets.write("many/a.jsonnet", "{ a: { of: 1 } }")
    targets.entry("web", "many/*.jsonnet")
    targets.compiled()
    assert targets.compiled() == []

    targets.write("many/b.jsonnet", "{ b: { of: 2 } }")

    assert targets.compiled() == ["web *.jsonnet"]


def test_all_of_another_target_is_seen(targets: CompileTargets) -> None:
    targets.write(
        "web.jsonnet", "{ a: (import 'lib/kapitan.libjsonnet').inventory('db').parameters.db }"
    )
    targets.compiled()
    assert targets.compiled() == []

    targets.parameters["db"]["db"] = {"size": 4}

    assert targets.compiled() == ["db db.jsonnet", "web web.jsonnet"]


def test_a_new_target_reaches_who_looks_at_all(targets: CompileTargets) -> None:
    targets.write(
        "web.jsonnet",
        "{ a: std.objectFields((import 'lib/kapitan.libjsonnet').inventory_global()) }",
    )
    targets.compiled()
    assert targets.compiled() == []

    targets.write("new.jsonnet", "{}")
    targets.entry("new", "new.jsonnet")

    assert targets.compiled() == ["new new.jsonnet", "web web.jsonnet"]


def test_an_entry_that_is_written_otherwise_is_another_one(targets: CompileTargets) -> None:
    targets.entries["web"][0]["output_type"] = "json"

    assert targets.compiled() == ["web web.jsonnet"]


def test_output_of_earlier_entries_is_seen(targets: CompileTargets) -> None:
    targets.write("second.jsonnet", "{ c: { of: importstr 'compiled/web/out/a.yaml' } }")
    targets.entry("web", "second.jsonnet")
    targets.compiled()
    assert targets.compiled() == []

    targets.write("web.jsonnet", "{ a: { of: 'other' } }")

    assert targets.compiled() == ["web web.jsonnet", "web second.jsonnet"]


def test_files_that_are_replaced_stay_replaced(targets: CompileTargets) -> None:
    targets.write("second.jsonnet", "{ a: { of: 'second' } }")
    targets.entry("web", "second.jsonnet")
    targets.write("web.jsonnet", "{ a: { of: 'second' } }")
    targets.compiled()

    targets.write("web.jsonnet", "{ a: { of: 'first' } }")

    assert targets.compiled() == ["web web.jsonnet"]


def test_copies_and_removals_follow_what_is_there(targets: CompileTargets) -> None:
    targets.write("files/one.txt", "1")
    targets.entry("web", "files", kind="copy")
    targets.entry("web", "compiled/web/out/a.yaml", kind="remove")
    targets.compiled()

    targets.write("files/two.txt", "2", executable=True)
    (targets.root / "files/one.txt").unlink()

    assert targets.compiled() == []


def test_a_reference_to_a_secret_reaches_who_writes_it(targets: CompileTargets) -> None:
    targets.write("web.jsonnet", "{ a: { of: '?{vaultkv:t/c/web/key}' } }")
    targets.references = (
        ReferenceFile("t/c/web/key", b"data: YQ==\n", "vaultkv"),
        ReferenceFile("t/c/db/key", b"data: YQ==\n", "vaultkv"),
    )
    targets.compiled()
    assert targets.compiled() == []

    targets.references = (
        ReferenceFile("t/c/web/key", b"data: YQ==\n", "vaultkv"),
        ReferenceFile("t/c/db/key", b"data: Yg==\n", "vaultkv"),
    )
    assert targets.compiled() == []

    targets.references = (
        ReferenceFile("t/c/web/key", b"data: Yg==\n", "vaultkv"),
        ReferenceFile("t/c/db/key", b"data: Yg==\n", "vaultkv"),
    )
    assert targets.compiled() == ["web web.jsonnet"]


def test_traces_of_cached_code_are_printed_again(
    targets: CompileTargets, capfd: pytest.CaptureFixture[str]
) -> None:
    targets.write("web.jsonnet", "{ a: std.trace('be warned', { of: 1 }) }")
    native.compile_job(targets.job())
    first = capfd.readouterr().err

    native.compile_job(targets.job())

    assert f"TRACE: {targets.root}/web.jsonnet:1 be warned" in first
    assert capfd.readouterr().err == first

    elsewhere = targets.root.rename(targets.root.with_name("elsewhere"))
    native.compile_job(replace(targets, root=elsewhere).job())
    assert capfd.readouterr().err == first.replace(str(targets.root), str(elsewhere))


def test_working_directories_share_results(targets: CompileTargets, tmp_path: Path) -> None:
    (targets.root).rename(tmp_path / "elsewhere")
    targets.root = tmp_path / "elsewhere"

    assert targets.compiled() == []


@pytest.mark.parametrize(
    "code",
    ["std.thisFile", "std.md5(std.thisFile)", "std.native('file_exists')('web.jsonnet').path"],
)
def test_results_that_show_their_place_are_not_shared(
    targets: CompileTargets, tmp_path: Path, code: str
) -> None:
    targets.write("web.jsonnet", f"{{ a: {{ of: {code} }} }}")
    targets.compiled()
    assert targets.compiled() == []

    (targets.root).rename(tmp_path / "elsewhere")
    targets.root = tmp_path / "elsewhere"

    assert targets.compiled() == ["web web.jsonnet"]
    assert targets.compiled() == []


def test_a_parameter_that_holds_a_place_is_a_value_like_others(
    targets: CompileTargets, tmp_path: Path
) -> None:
    targets.write("web.jsonnet", KAPITAN + "{ a: { of: inv._base_directory } }")
    targets.parameters["web"]["_base_directory"] = str(targets.root)
    targets.compiled()

    (targets.root).rename(tmp_path / "elsewhere")
    targets.root = tmp_path / "elsewhere"
    targets.parameters["web"]["_base_directory"] = str(targets.root)
    assert targets.compiled() == ["web web.jsonnet"]


@pytest.mark.parametrize("by", ["value", "file"])
def test_a_path_that_is_written_out_leads_to_the_same_file_from_anywhere(
    targets: CompileTargets, tmp_path: Path, by: str
) -> None:
    target = targets.write("shared.txt", "one")
    code = "inv.path" if by == "value" else "(importstr 'path.txt')"
    targets.write("web.jsonnet", f"{KAPITAN}{{ a: {{ of: std.native('file_read')({code}) }} }}")
    targets.write("path.txt", str(target))
    targets.parameters["web"]["path"] = str(target)
    targets.compiled()
    shutil.copytree(targets.root, tmp_path / "other")
    targets.root = tmp_path / "other"
    targets.compiled()
    assert targets.compiled() == []

    target.write_text("two")

    assert targets.compiled() == ["web web.jsonnet"]


def test_conflicting_output_is_reported_as_before(targets: CompileTargets) -> None:
    targets.write("more.jsonnet", "{ 'x/y': {} }")
    targets.entry("web", "more.jsonnet")
    targets.compiled()
    targets.write("web.jsonnet", "{ 'x/y.yaml/z': {} }")

    messages = []
    for store in (targets.store, None):
        with pytest.raises(CommodoreError, match="a file and a folder") as found:
            native.compile_job(targets.job(result_cache=store))
        messages.append((str(found.value), found.value.where))
    assert messages[0] == messages[1]


def test_errors_are_reported_each_time(targets: CompileTargets) -> None:
    targets.write("web.jsonnet", "{ a: error 'broken' }")

    for _ in range(2):
        with pytest.raises(CommodoreError, match="broken"):
            native.compile_job(targets.job())


def test_templates_are_rendered_each_time(targets: CompileTargets) -> None:
    targets.write("page.j2", "{{ 1 + 1 }}")
    targets.write(
        "web.jsonnet",
        "{ a: { of: (import 'lib/kapitan.libjsonnet').jinja2_template('page.j2', {}) } }",
    )

    assert targets.compiled() == ["web web.jsonnet"]
    assert targets.compiled() == ["web web.jsonnet"]


def test_reasons_name_what_has_changed(targets: CompileTargets) -> None:
    file = targets.write("vendor/common.libsonnet", "{ kind: 'Secret' }")
    assert targets.reasons() == [f"{file} has changed"] * 2

    targets.parameters["db"]["db"] = {"size": 4}
    assert targets.reasons() == ["the inventory has changed: parameters.db"]

    shadow = targets.write("common.libsonnet", "{}")
    assert targets.reasons() == [f"{shadow} has changed"] * 2


def test_workers_find_and_keep_as_well(tmp_path: Path) -> None:
    targets = CompileTargets(tmp_path / "work", tmp_path / "store", processes=2)
    for number in range(6):
        targets.write(f"{number}.jsonnet", f"{{ a: {{ of: {number} }} }}")
        targets.entry(f"t{number}", "first.jsonnet")
        targets.entry(f"t{number}", f"{number}.jsonnet")
    targets.write("first.jsonnet", "{ first: {} }")
    assert len(targets.compiled()) == 12
    assert targets.compiled() == []

    for number in range(5):
        targets.write(f"{number}.jsonnet", "{ a: { of: 'new' } }")

    assert sorted(targets.compiled()) == [f"t{number} {number}.jsonnet" for number in range(5)]


def test_a_wrong_result_is_found_and_repaired(
    targets: CompileTargets, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spoil(targets, monkeypatch)
    with pytest.raises(CacheDiffers, match=r"web: jsonnet web\.jsonnet: the cached result"):
        native.compile_job(targets.job(verify_cache=True))

    native.compile_job(targets.job(verify_cache=True))

    assert targets.compiled() == []


def test_a_wrong_result_of_an_entry_that_may_fail_is_an_error(
    targets: CompileTargets, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets.entries["web"][0]["continue_on_compile_error"] = True
    _spoil(targets, monkeypatch)

    with pytest.raises(CacheDiffers):
        native.compile_job(targets.job(verify_cache=True))


def test_templates_do_not_change_the_inventory(targets: CompileTargets) -> None:
    targets.write("page.j2", "{% do inventory.parameters.db.update({'size': 7}) %}{{ inventory }}")
    targets.write("late.jsonnet", KAPITAN + "{ late: { of: inv.db.size } }")
    targets.entry("db", "page.j2", kind="jinja2")
    targets.entry("db", "late.jsonnet")

    files = native.compile_job(targets.job(result_cache=None))["db"]

    texts = {path.name: entry.content for path, entry in files.items()}
    assert texts["late.yaml"] == b"of: 2\n"
    assert b"'size': 7" in texts["page.j2"]


def _spoil(targets: CompileTargets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a result under a record that lacks the file which it depends on."""
    note = Recorder.note

    def forgetful(self: Recorder, question: Question, answer: str) -> None:
        if "web.jsonnet" not in question.about:
            note(self, question, answer)

    with monkeypatch.context() as patch:
        patch.setattr(Recorder, "note", forgetful)
        targets.write("web.jsonnet", "{ a: { of: 'wrong' } }")
        native.compile_job(targets.job())
    targets.write("web.jsonnet", "{ a: { of: 'right' } }")


def test_nothing_is_cached_if_disabled(targets: CompileTargets) -> None:
    native.compile_job(targets.job(result_cache=None))
    before = _files(targets.store)

    targets.write("web.jsonnet", "{ a: { of: 'other' } }")
    native.compile_job(targets.job(result_cache=None))

    assert _files(targets.store) == before


def test_a_store_that_vanishes_costs_time_only(targets: CompileTargets) -> None:
    Store(targets.store).prune(0)

    assert targets.compiled() == ["db db.jsonnet", "web web.jsonnet"]
    assert targets.compiled() == []


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))
