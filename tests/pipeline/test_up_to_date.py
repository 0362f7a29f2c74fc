"""A run in which nothing has changed is not done again; a run in which anything has is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.config import Author
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, git, make_repository, url_of
from tests.support.fleet import CLUSTER
from tests.support.scenarios.reruns import PAUSE, Reruns, make_reruns, rewrite
from tests.support.servers import git_http

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.sample(3)

MODES: list[dict[str, Any]] = [
    {},
    {"push": True},
    {"local": True},
    {"local": True, "fetch_dependencies": False},
]
LOCAL = {"local": True, "fetch_dependencies": False}


@pytest.fixture
def api(tmp_path: Path) -> Reruns:
    """Compiled from a folder of facts, until nothing was left to do."""
    reruns = make_reruns(tmp_path)
    reruns.settle()
    return reruns


@pytest.fixture
def local(tmp_path: Path) -> Reruns:
    """The same in local mode."""
    reruns = make_reruns(tmp_path, **LOCAL)
    reruns.settle()
    return reruns


def test_files_that_a_run_is_told_to_do_not_count(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    reruns.settings = {"result_cache": tmp_path / "results"}
    trace, out = reruns.work / "trace.json", reruns.work / "out.json"
    reruns.run()
    for output_files in ((trace,), (trace, out), (), (out,)):
        for number in range(2):
            for file in output_files:
                file.write_text(f"{number} {output_files}")
            ran = reruns.run(output_files=output_files)
        assert ran.rested
    (reruns.work / "another.json").write_text("of: me")
    assert not reruns.run(output_files=(out,)).rested


def test_files_that_code_reads_count_whoever_writes_them(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    out = reruns.work / "out.json"
    commit_to(
        reruns.fleet.repository("component-web"),
        {"component/main.jsonnet": "{ out: import 'out.json' }"},
    )
    reruns.settings = {"result_cache": tmp_path / "results", "output_files": (out,)}
    reruns.work.mkdir(parents=True, exist_ok=True)
    out.write_text('{"a": 1}')
    reruns.run()
    out.write_text('{"a": 2}')

    ran = reruns.run()

    assert not ran.rested
    assert (reruns.work / "compiled/web/web/out.yaml").read_text() == "a: 2\n"


@pytest.mark.parametrize("settings", MODES, ids=str)
def test_a_run_with_nothing_to_do_shows_what_a_full_run_shows(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    reruns = make_reruns(tmp_path, **settings)

    first = reruns.run()
    again = reruns.settle()
    reruns.forget()
    full = reruns.run()

    assert not full.rested
    assert again.shown == full.shown
    assert (again.warnings, again.prompts) == (full.warnings, full.prompts)
    assert again.state == full.state
    assert again.published.timings != first.published.timings
    assert [name for name, _ in again.published.timings] == ["gather", "render", "publish"]


def test_the_second_run_has_nothing_to_do_yet_warns_as_the_first_did(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)

    first, second = reruns.run(), reruns.run()

    assert (first.rested, second.rested) == (False, True)
    assert first.warnings == second.warnings
    assert "no commit yet" in first.warnings[0]
    assert first.prompts == second.prompts
    assert len(first.prompts) == 1


def test_the_first_run_of_a_ci_job_is_not_noted_as_its_folder_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    reruns = make_reruns(tmp_path)

    first, second, third = reruns.run(), reruns.run(), reruns.run()

    assert (first.rested, second.rested, third.rested) == (False, False, True)
    assert first.shown == second.shown == third.shown


def test_what_was_pushed_is_neither_pushed_nor_reported_again(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path, push=True)
    reruns.settle()
    report = reruns.fleet.root / f"facts/reports/{CLUSTER}.json"
    stored = report.stat()

    again = reruns.run()

    assert again.rested
    assert again.published.commit is None
    assert not again.published.change
    assert report.stat() == stored


def test_a_change_that_is_not_pushed_yet_is_pushed(api: Reruns) -> None:
    ran = api.run(push=True, approve=lambda _: True)

    assert not ran.rested
    assert ran.published.commit


def commit_component(reruns: Reruns) -> None:
    commit_to(reruns.fleet.repository("component-web"), {"component/other.txt": "new"})


def move_catalog(reruns: Reruns) -> None:
    commit_to(reruns.fleet.catalog, {"manifests/web/theirs.yaml": "a: 1\n"})


def new_tag(reruns: Reruns) -> None:
    git(reruns.fleet.repository("tenant"), "tag", "v1", "master")


def edit_facts(reruns: Reruns) -> None:
    rewrite(reruns.fleet.root / f"facts/clusters/{CLUSTER}.yaml", "Cluster One", "Cluster Two")


def edit_facts_unseen(reruns: Reruns) -> None:
    file = reruns.fleet.root / f"facts/clusters/{CLUSTER}.yaml"
    rewrite(file, "Cluster One", "Cluster Two", same_times=True)


def edit_output(reruns: Reruns) -> None:
    rewrite(reruns.work / "compiled/web/web/out.yaml", "of: web", "of: me!")


def edit_output_unseen(reruns: Reruns) -> None:
    file = reruns.work / "compiled/web/web/out.yaml"
    rewrite(file, "of: web", "of: me!", same_times=True)


def delete_output(reruns: Reruns) -> None:
    (reruns.work / "catalog/manifests/web/out.yaml").unlink()


def add_output(reruns: Reruns) -> None:
    (reruns.work / "compiled/web/web/more.yaml").write_text("a: 1\n")


def make_executable(reruns: Reruns) -> None:
    (reruns.work / "compiled/web/web/out.yaml").chmod(0o755)


def unstage(reruns: Reruns) -> None:
    git(reruns.work / "catalog", "reset", "--quiet")


def stage_less(reruns: Reruns) -> None:
    git(reruns.work / "catalog", "rm", "--quiet", "--cached", "manifests/web/out.yaml")


def swap_class_link(reruns: Reruns) -> None:
    link = reruns.work / "inventory/classes/components/web.yml"
    text = str(link.readlink()).replace("web/class/web.yml", "web/class/defaults.yml")
    link.unlink()
    link.symlink_to(text)


def delete_target(reruns: Reruns) -> None:
    (reruns.work / "inventory/targets/web.yml").unlink()


def empty_vendor(reruns: Reruns) -> None:
    (reruns.work / "vendor/lib").unlink()


def delete_lock(reruns: Reruns) -> None:
    (reruns.work / "jsonnetfile.lock.json").unlink()


def foreign_folder(reruns: Reruns) -> None:
    (reruns.work / "compiled/nobody").mkdir()


@pytest.mark.parametrize(
    "change",
    [
        commit_component,
        move_catalog,
        new_tag,
        edit_facts,
        edit_facts_unseen,
        edit_output,
        edit_output_unseen,
        delete_output,
        add_output,
        make_executable,
        unstage,
        stage_less,
        swap_class_link,
        delete_target,
        empty_vendor,
        delete_lock,
        foreign_folder,
    ],
)
def test_whatever_changes_is_noticed(api: Reruns, change: Callable[[Reruns], None]) -> None:
    change(api)

    ran = api.run()
    api.forget()
    full = api.run()

    assert not ran.rested
    assert ran.shown == full.shown
    assert ran.state == full.state


@pytest.mark.parametrize("repository", ["tenant", "global"])
def test_a_commit_to_a_configuration_is_noticed(api: Reruns, repository: str) -> None:
    commit_to(api.fleet.repository(repository), {"note.txt": "new"})

    ran = api.run()

    assert not ran.rested
    again = api.settle()
    assert again.shown == ran.shown


def test_a_tag_that_moves_is_noticed_and_reported_once(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    web = reruns.fleet.repository("component-web")
    git(web, "tag", "v1", "master")
    components = {"web": {"version": "v1"}}
    reruns.fleet.configure({"applications": ["web"], "parameters": {"components": components}})
    reruns.settle()
    commit_to(web, {"component/main.jsonnet": "{ out: { a: 'moved' } }"})
    git(web, "tag", "--force", "v1", "master")

    moved = reruns.run()
    again = reruns.settle()

    assert not moved.rested
    assert "a: moved" in (reruns.work / "compiled/web/web/out.yaml").read_text()
    assert any("a tag was moved" in text for text in moved.warnings)
    assert not any("a tag was moved" in text for text in again.warnings)


def test_local_work_is_refused_as_ever(api: Reruns) -> None:
    rewrite(api.work / "dependencies/web/component/main.jsonnet", "ConfigMap", "ConfigMop")

    with pytest.raises(LocalWork):
        api.run()
    with pytest.raises(LocalWork):  # and the run that failed is not remembered
        api.run()


def edit_jsonnet(reruns: Reruns) -> None:
    rewrite(reruns.work / "dependencies/web/component/main.jsonnet", "ConfigMap", "ConfigMop")


def edit_jsonnet_unseen(reruns: Reruns) -> None:
    file = reruns.work / "dependencies/web/component/main.jsonnet"
    rewrite(file, "ConfigMap", "ConfigMop", same_times=True)


def replace_jsonnet_unseen(reruns: Reruns) -> None:
    file = reruns.work / "dependencies/web/component/main.jsonnet"
    before, text = file.stat(), file.read_text()
    other = file.with_name("other")
    other.write_text(text.replace("ConfigMap", "ConfigMop"))
    other.replace(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def edit_hierarchy(reruns: Reruns) -> None:
    file = reruns.work / "inventory/classes/t-acme/common.yml"
    file.write_text(file.read_text() + "parameters: {web: {data: {of: me}}}\n")


def add_class(reruns: Reruns) -> None:
    (reruns.work / "inventory/classes/t-acme/more.yml").write_text("parameters: {}\n")


def rename_case(reruns: Reruns) -> None:
    file = reruns.work / "dependencies/web/component/names.json"
    file.rename(file.with_name("Names.json"))


def delete_and_add(reruns: Reruns) -> None:
    file = reruns.work / "dependencies/web/component/names.json"
    text = file.read_text()
    file.unlink()
    file.write_text(text)


def edit_params(reruns: Reruns) -> None:
    rewrite(reruns.work / "inventory/classes/params/cluster.yml", "cloud-a", "cloud-z")


def detach(reruns: Reruns) -> None:
    git(reruns.work / "inventory/classes/global", "checkout", "--quiet", "--detach")


@pytest.mark.parametrize(
    "change",
    [
        edit_jsonnet,
        edit_jsonnet_unseen,
        replace_jsonnet_unseen,
        edit_hierarchy,
        add_class,
        rename_case,
        delete_and_add,
        edit_params,
        detach,
        edit_output,
        edit_output_unseen,
        delete_output,
        make_executable,
    ],
)
def test_whatever_changes_locally_is_noticed(
    local: Reruns, change: Callable[[Reruns], None]
) -> None:
    change(local)

    ran = local.run()
    local.forget()
    full = local.run()

    assert not ran.rested
    assert ran.shown == full.shown
    assert ran.state == full.state


def test_files_that_links_lead_to_count_wherever_they_are(local: Reruns, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "of.json").write_text('{"of": "one"}')
    (local.work / "dependencies/web/component/data").symlink_to(outside)
    main = local.work / "dependencies/web/component/main.jsonnet"
    main.write_text("{ out: import 'data/of.json' }")
    assert not local.run().rested
    time.sleep(PAUSE)
    assert local.settle().rested

    (outside / "of.json").write_text('{"of": "two"}')
    ran = local.run()

    assert not ran.rested
    assert (local.work / "compiled/web/web/out.yaml").read_text() == "of: two\n"


def test_folders_that_entries_name_count_wherever_they_are(local: Reruns, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.jsonnet"
    outside.write_text("{ out: { of: 'one' } }")
    entry = f"{{input_paths: [{outside}], input_type: jsonnet, output_path: web}}"
    file = local.work / "inventory/classes/t-acme/common.yml"
    file.write_text(f"applications: [web]\nparameters: {{kapitan: {{compile: [{entry}]}}}}\n")
    local.run()
    time.sleep(PAUSE)
    assert local.settle().rested

    outside.write_text("{ out: { of: 'two' } }")

    assert not local.run().rested


def test_files_that_code_reads_count_wherever_they_are(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path / "fleet", result_cache=tmp_path / "results", **LOCAL)
    outside = tmp_path / "elsewhere.json"
    outside.write_text('{"of": "one"}')
    main = reruns.work / "dependencies/web/component/main.jsonnet"
    main.write_text(f"{{ out: import '{outside}' }}")
    reruns.run()
    time.sleep(PAUSE)
    assert reruns.settle().rested

    outside.write_text('{"of": "two"}')

    assert not reruns.run().rested
    assert (reruns.work / "compiled/web/web/out.yaml").read_text() == "of: two\n"


def test_servers_are_queried_and_believed(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    web = reruns.fleet.repository("component-web")
    with git_http.serve(reruns.fleet.root / "repos") as server:
        components = {"web": {"url": server.url("component-web.git"), "version": "master"}}
        content = {"applications": ["web"], "parameters": {"components": components}}
        reruns.fleet.configure(content, repository="global")
        reruns.settle()
        commit_to(web, {"component/main.jsonnet": "{ out: { a: 'new' } }"})

        ran = reruns.run()

        assert not ran.rested
        assert (reruns.work / "compiled/web/web/out.yaml").read_text() == "a: new\n"
        assert reruns.settle().rested
    with pytest.raises(CommodoreError):  # nobody answers any more
        reruns.run()


def test_a_library_from_git_is_asked_for_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reruns = make_reruns(tmp_path)
    library = make_repository(tmp_path / "repos/library.git", {"lib.libsonnet": "'one'"})
    url, settings = "https://git.example.com/org/library.git", tmp_path / "gitconfig"
    settings.write_text(f'[url "{url_of(library)}"]\n\tinsteadOf = {url}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    source = {"git": {"remote": url, "subdir": ""}}
    wanted = {"version": 1, "dependencies": [{"source": source, "version": "master"}]}
    commit_to(
        reruns.fleet.repository("component-web"),
        {
            "jsonnetfile.json": json.dumps(wanted),
            "component/main.jsonnet": "{ out: { of: import 'library/lib.libsonnet' } }",
        },
    )
    reruns.settle()
    commit_to(library, {"lib.libsonnet": "'two'"})

    assert not reruns.run().rested
    assert (reruns.work / "compiled/web/web/out.yaml").read_text() == "of: two\n"


@pytest.mark.parametrize(
    "other",
    [
        {"author": Author("Me", "me@example.com")},
        {"strict": True},
        {"dynamic_facts": {"a": 1}},
        {"catalog_branch": "review"},
        {"global_revision": "master"},
        {"helm_nondeterminism": "ignore"},
        {"api_token": "another"},
        {"git_cache": None, "migration": "ignore-yaml-formatting"},
    ],
    ids=str,
)
def test_other_options_are_another_run(api: Reruns, other: dict[str, Any]) -> None:
    assert not api.run(**other).rested


@pytest.mark.parametrize(
    "other", [{"verbosity": 3}, {"processes": 1}, {"request_timeout": 9}], ids=str
)
def test_how_it_is_told_makes_no_other_run(api: Reruns, other: dict[str, Any]) -> None:
    assert api.run(**other).rested


@pytest.mark.parametrize(
    "other",
    [{"recompile": True}, {"verify_cache": True}, {"explain_cache": True}, {"force": True}],
    ids=str,
)
def test_who_wants_all_the_work_gets_it(api: Reruns, other: dict[str, Any]) -> None:
    assert not api.run(**other).rested


def test_another_environment_is_another_run(
    api: Reruns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert api.run().rested
    monkeypatch.setenv("TERM", "another")
    assert api.run().rested

    monkeypatch.setenv("COMPONENT_LOOKS_AT_IT", "yes")

    assert not api.run().rested
    assert api.run().rested
    monkeypatch.chdir(tmp_path)
    assert not api.run().rested


def test_another_tool_on_the_path_is_another_run(
    api: Reruns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    api.settle()

    (tools / "helm").write_text("#!/bin/sh\n")
    assert api.run().rested  # nobody can start that
    (tools / "helm").chmod(0o755)

    assert not api.run().rested


def test_settings_of_git_count_with_what_they_include(
    api: Reruns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings, included = tmp_path / "gitconfig", tmp_path / "more"
    settings.write_text("[include]\n\tpath = more\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    api.settle()

    included.write_text("[core]\n\tabbrev = 10\n")
    assert not api.run().rested
    assert api.settle().rested
    settings.write_text(settings.read_text() + "[core]\n\tfileMode = false\n")

    assert not api.run().rested


def test_another_umask_is_another_run(api: Reruns) -> None:
    before = os.umask(0o077)
    try:
        assert not api.run().rested
    finally:
        os.umask(before)


@pytest.mark.parametrize("keep", [0, 1, 60, -1])
def test_a_note_that_is_not_whole_is_not_believed(api: Reruns, keep: int) -> None:
    file = api.work / ".commodore/unchanged"
    file.write_bytes(file.read_bytes()[:keep])

    assert not api.run().rested


def test_a_note_with_a_flipped_bit_is_not_believed(api: Reruns) -> None:
    file = api.work / ".commodore/unchanged"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)

    assert not api.run().rested


def test_a_note_of_another_version_is_not_believed(api: Reruns) -> None:
    file = api.work / ".commodore/unchanged"
    stored = json.loads(file.read_bytes().partition(b"\n")[2])
    content = json.dumps(stored | {"schema": "unchanged/v0"}).encode()
    digest = hashlib.blake2b(content, digest_size=20).hexdigest().encode()
    file.write_bytes(digest + b"\n" + content)

    assert not api.run().rested


def test_the_notes_are_for_their_owner_alone(local: Reruns) -> None:
    time.sleep(PAUSE)
    assert local.settle().rested

    for name in ("unchanged", "unchanged-files", "unchanged-folders"):
        assert (local.work / ".commodore" / name).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"", b"of another run"])
def test_without_a_valid_list_of_files_all_folders_are_listed(
    local: Reruns, content: bytes
) -> None:
    time.sleep(PAUSE)
    listed = local.settle()
    file = local.work / ".commodore/unchanged-files"
    looked_at_each = local.run()
    before = file.read_bytes()

    file.write_bytes(content)
    ran = local.run()

    assert listed.shown == looked_at_each.shown == ran.shown
    assert (looked_at_each.rested, ran.rested) == (True, True)
    assert file.read_bytes() == before


def test_a_file_that_comes_and_goes_between_runs_does_not_count(local: Reruns) -> None:
    time.sleep(PAUSE)
    local.settle()
    passing = local.work / "compiled/passing"
    passing.touch()
    passing.unlink()

    assert local.run().rested


@pytest.mark.parametrize("name", ["running", "unreported.json"])
def test_what_an_earlier_run_left_undone_is_done(api: Reruns, name: str) -> None:
    (api.work / ".commodore" / name).write_text("{}")

    assert not api.run().rested


def test_a_run_that_fails_is_not_remembered(api: Reruns) -> None:
    broken = {"applications": ["web"], "parameters": {"web": {"data": "${no:such}"}}}
    api.fleet.configure(broken)
    with pytest.raises(CommodoreError):
        api.run()

    with pytest.raises(CommodoreError):
        api.run()


def test_nobody_is_disturbed_at_work(api: Reruns) -> None:
    # Locks are a process's own: whoever holds this one is another process.
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with exclusive_run(api.fleet.config().paths):
            os.write(write, b"!")
            time.sleep(1.5)
        os._exit(0)
    os.read(read, 1)

    ran = api.run()

    os.waitpid(child, 0)
    assert not ran.rested
    assert any("waiting for another run" in text for text in ran.warnings)
    assert api.run().warnings == [text for text in ran.warnings if "waiting" not in text]


@pytest.mark.parametrize(
    "name",
    [
        "dependencies/web/component/main.jsonnet",
        "inventory/classes/t-acme/common.yml",
        "compiled/web/web/out.yaml",
        "catalog/manifests/web/out.yaml",
    ],
)
def test_what_a_user_edits_while_a_run_is_at_work_is_not_taken_for_its_own(
    tmp_path: Path, name: str
) -> None:
    reruns = make_reruns(tmp_path)

    def meanwhile(_: object) -> bool:
        path = reruns.work / name
        path.write_text(path.read_text() + "\n")
        return False

    reruns.run(approve=meanwhile)

    assert not (reruns.work / ".commodore/unchanged").exists()


def test_a_working_directory_that_was_copied_is_compiled(api: Reruns, tmp_path: Path) -> None:
    other = tmp_path / "other"
    api.work.rename(other)
    other.rename(api.work)
    assert api.run().rested  # moved there and back: every file is still the same

    subprocess.run(["cp", "-a", str(api.work), str(other)], check=True)
    shutil.rmtree(api.work)
    other.rename(api.work)

    assert not api.run().rested
