"""A catalog that goes to a plain folder, or nowhere: what is written, and what is not."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from logging.handlers import BufferingHandler
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.run_lock import shared_lock
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from commodore_py.workflows.dry_run import compile_dry
from tests.support.builders import commit_in, commit_to, digest_of, git
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.published import Published

pytestmark = pytest.mark.sample(2)

OUT = "manifests/web/out.yaml"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path, web={})


def push(config: Config) -> Published:
    return compile_catalog(config, CLUSTER, approve=lambda _: True)


def test_output_dir_holds_same_tree_as_catalog(fleet: Fleet) -> None:
    push(fleet.config())
    folder = fleet.root / "out"
    git(fleet.catalog, "update-ref", "-d", "refs/heads/master")
    fleet.catalog.rename(fleet.root / "gone")  # nobody asks for it

    published = push(fleet.config(output_dir=folder))

    assert [(file.kind, file.path) for file in published.change.files] == [("added", OUT)]
    assert published.commit is None
    written = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".commodore-catalog.json"
    }
    assert written == {OUT: (fleet.work / "catalog" / OUT).read_bytes()}


def test_only_changed_files_are_written_to_folder(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={}, shop={}, gone={})
    folder = fleet.root / "out"
    push(fleet.config(output_dir=folder))
    (folder / "manifests/.mine").write_text("mine")
    (folder / "README.md").write_text("mine")
    untouched = [
        folder / "manifests/shop/out.yaml",
        folder / "README.md",
        folder / "manifests/.mine",
    ]
    before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in untouched]
    fleet.configure(
        {"applications": ["web", "shop"], "parameters": {"web": {"data": {"of": "new"}}}}
    )

    change = push(fleet.config(output_dir=folder)).change
    again = push(fleet.config(output_dir=folder)).change

    assert [(file.kind, file.path) for file in change.files] == [
        ("deleted", "manifests/gone/out.yaml"),
        ("modified", OUT),
    ]
    assert not again
    assert [(path.stat().st_ino, path.stat().st_mtime_ns) for path in untouched] == before
    assert not (folder / "manifests/gone").exists()


def test_leftovers_of_killed_run_are_removed_from_output_dir(fleet: Fleet) -> None:
    folder = fleet.root / "out"
    push(fleet.config(output_dir=folder))
    left = [
        folder / name / ".commodore-7-0123abcd.new" for name in ("", "manifests", "manifests/web")
    ]
    for path in left:
        path.write_text("half")
    (folder / OUT).write_text("half")

    change = push(fleet.config(output_dir=folder)).change

    assert not [path for path in left if path.exists()]
    assert [(file.kind, file.path) for file in change.files] == [("modified", OUT)]
    assert "kind: ConfigMap" in (folder / OUT).read_text()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda root: (root / "out").mkdir() or (root / "out/x").touch(), "folder is not empty"),
        (lambda root: (root / "out").touch(), "it is a file"),
        (lambda root: (root / "out").symlink_to(root / "work/catalog"), "uses that folder itself"),
    ],
    ids=["foreign", "file", "own"],
)
def test_foreign_output_dir_is_refused(
    fleet: Fleet, make: object, message: str, tmp_path: Path
) -> None:
    assert callable(make)
    make(tmp_path)
    before = digest_of(tmp_path / "out")

    for config in (fleet.config(output_dir=tmp_path / "out"),):
        with pytest.raises(CommodoreError, match=message):
            push(config)
        with pytest.raises(CommodoreError, match=message):
            compile_dry(config, CLUSTER)

    assert digest_of(tmp_path / "out") == before
    assert not (fleet.work / "inventory").exists()


def test_output_dir_of_another_cluster_is_refused(fleet: Fleet) -> None:
    push(fleet.config(output_dir=fleet.root / "out"))
    other = fleet.a_second_cluster(fleet.catalog)

    with pytest.raises(CommodoreError, match="the folder holds that of c-one"):
        compile_catalog(fleet.config(output_dir=fleet.root / "out"), other, approve=lambda _: True)


@pytest.mark.parametrize("settings", [{}, {"push": True}, {"local": True}])
def test_dry_run_writes_nothing(fleet: Fleet, settings: dict[str, object]) -> None:
    push(fleet.config())
    (fleet.work / "charts").mkdir()
    (fleet.work / "charts/mine").write_text("mine")
    if settings.get("local"):
        main = fleet.work / "dependencies/web/class/defaults.yml"
        main.write_text(main.read_text().replace("of: web", "of: new"))
    else:
        fleet.change_data()
        commit_to(fleet.catalog, {OUT: "what: others pushed\n"})
    before, remote = digest_of(fleet.work), digest_of(fleet.root / "repos")

    published = compile_dry(fleet.config(dry_run=True, **settings), CLUSTER)

    assert digest_of(fleet.work) == before
    assert digest_of(fleet.root / "repos") == remote
    (change,) = published.change.files
    assert change.path == OUT
    assert b"of: new" in change.new
    # Not the checkout as it lies there, but what the remote has now.
    assert (change.old == b"what: others pushed\n") == (not settings.get("local"))


def test_dry_run_shows_change_of_real_run(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()

    dry = compile_dry(fleet.config(dry_run=True), CLUSTER)
    real = push(fleet.config())

    assert dry.change == real.change
    assert dry.record.instances == real.record.instances


@pytest.mark.parametrize("local", [False, True])
def test_dry_run_with_repositories_in_working_directory(fleet: Fleet, *, local: bool) -> None:
    paths = WorkPaths(fleet.root)
    push(fleet.config(paths=paths))
    worktree = fleet.root / "dependencies/web"
    commit_in(worktree, {"new.txt": "new"})
    git(worktree, "push", "--quiet", "origin", "HEAD:master")
    before = digest_of(fleet.root)

    published = compile_dry(fleet.config(paths=paths, dry_run=True, local=local), CLUSTER)

    assert not published.change
    assert published.record.instances[0].commit == git(worktree, "rev-parse", "HEAD")
    assert digest_of(fleet.root) == before


def test_dry_run_creates_no_working_directory(fleet: Fleet) -> None:
    published = compile_dry(fleet.config(dry_run=True), CLUSTER)

    assert [file.path for file in published.change.files] == [OUT]
    assert not fleet.work.exists()


def test_dry_run_into_output_dir_writes_nothing(fleet: Fleet) -> None:
    folder = fleet.root / "out"
    push(fleet.config(output_dir=folder))
    fleet.change_data()
    before = digest_of(fleet.root)

    published = compile_dry(fleet.config(dry_run=True, output_dir=folder), CLUSTER)

    assert [file.kind for file in published.change.files] == ["modified"]
    assert digest_of(fleet.root) == before


def test_dry_run_names_paths_of_working_directory(fleet: Fleet) -> None:
    push(fleet.config())
    (fleet.work / "dependencies/web/component/main.jsonnet").write_text("mine")
    before = digest_of(fleet.work)

    with pytest.raises(CommodoreError) as caught:
        compile_dry(fleet.config(dry_run=True), CLUSTER)

    assert "component/main.jsonnet" in str(caught.value)
    assert caught.value.where == str(fleet.work / "dependencies/web")
    assert digest_of(fleet.work) == before


def test_shared_lock_waits_for_running_compile(fleet: Fleet) -> None:
    push(fleet.config())
    lock = fleet.work / ".commodore/lock"
    holder = (
        "import fcntl, sys; file = open(sys.argv[1], 'r+');"
        "fcntl.lockf(file, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    )
    paths = WorkPaths(fleet.work)
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"

        with (
            pytest.raises(CommodoreError, match="is running in this working directory"),
            shared_lock(paths, patience=0.1),
        ):
            pytest.fail("it was read")
        process.communicate()

    with shared_lock(paths, patience=0.1):
        pass


WHERE = """
local inv = (import 'lib/kapitan.libjsonnet').inventory();
{ out: { kind: 'ConfigMap', data: { where: inv.parameters._base_directory } } }
"""


def edit_defaults(fleet: Fleet, old: str, new: str) -> None:
    defaults = fleet.work / "dependencies/web/class/defaults.yml"
    defaults.write_text(defaults.read_text().replace(old, new))


def test_local_dry_run_compiles_in_place(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": WHERE})
    push(fleet.config())
    edit_defaults(fleet, "of: web", "of: new")
    before = digest_of(tmp_path)

    published = compile_dry(fleet.config(dry_run=True, local=True), CLUSTER)

    assert not published.change  # the output names the checkout, not one of a copy
    assert digest_of(tmp_path) == before


def test_dry_run_shows_pushed_component_change(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": WHERE}, shop={})
    push(fleet.config())
    shop = fleet.repository("component-shop")
    changed = git(shop, "show", "master:class/defaults.yml").replace("of: shop", "of: new")
    commit_to(shop, {"class/defaults.yml": changed})
    fleet.configure({"applications": ["web", "shop"], "parameters": {"shop": {"data": {"n": "1"}}}})
    before = digest_of(tmp_path)

    dry = compile_dry(fleet.config(dry_run=True), CLUSTER)

    assert digest_of(tmp_path) == before
    assert [file.path for file in dry.change.files] == ["manifests/shop/out.yaml"]
    assert push(fleet.config()).change == dry.change


def test_dry_run_output_has_paths_of_working_directory(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    push(fleet.config())
    commit_to(fleet.repository("component-web"), {"component/main.jsonnet": WHERE})

    dry = compile_dry(fleet.config(dry_run=True), CLUSTER)

    assert push(fleet.config()).change == dry.change
    assert str(tmp_path / "work/dependencies/web").encode() in (dry.change.files[0].new or b"")


def test_linked_catalog_is_refused(fleet: Fleet) -> None:
    push(fleet.config())
    (fleet.work / "catalog").rename(fleet.root / "elsewhere")
    (fleet.work / "catalog").symlink_to(fleet.root / "elsewhere")
    fleet.change_data()

    for run in (compile_dry, lambda config, _: push(config)):
        with pytest.raises(CommodoreError, match="is a link to"):
            run(fleet.config(), CLUSTER)


@pytest.mark.parametrize("repository", ["global", "tenant"])
def test_dry_run_shows_pushed_configuration_change(tmp_path: Path, repository: str) -> None:
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": WHERE}, shop={})
    push(fleet.config())
    file = "common.yml" if repository == "tenant" else "commodore.yml"
    values = yaml.safe_load(git(fleet.repository(repository), "show", f"master:{file}"))
    values.setdefault("parameters", {})["shop"] = {"data": {"of": "new"}}
    fleet.configure(values, repository=repository)
    before = digest_of(tmp_path)

    dry = compile_dry(fleet.config(dry_run=True), CLUSTER)

    assert digest_of(tmp_path) == before
    assert [file.path for file in dry.change.files] == ["manifests/shop/out.yaml"]
    assert push(fleet.config()).change == dry.change


OTHERS = """
local kap = import 'lib/kapitan.libjsonnet';
local defaults = std.parseJson(kap.yaml_load(
    kap.inventory().parameters._base_directory + '/../shop/class/defaults.yml'
));
{ out: { kind: 'ConfigMap', data: defaults.parameters.shop.data } }
"""


def test_dry_run_reads_other_components_from_copy(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={"component/main.jsonnet": OTHERS}, shop={})
    push(fleet.config())
    shop = fleet.repository("component-shop")
    changed = git(shop, "show", "master:class/defaults.yml").replace("of: shop", "of: new")
    commit_to(shop, {"class/defaults.yml": changed})
    before = digest_of(tmp_path)

    dry = compile_dry(fleet.config(dry_run=True), CLUSTER)

    assert digest_of(tmp_path) == before
    assert len(dry.change.files) == 2
    assert push(fleet.config()).change == dry.change


def test_local_dry_run_without_targets_uses_copy(fleet: Fleet) -> None:
    push(fleet.config())
    edit_defaults(fleet, "of: web", "of: new")
    (fleet.work / "inventory/targets/web.yml").unlink()  # to be written
    shutil.rmtree(fleet.work / "catalog")
    before = digest_of(fleet.root)

    handler = BufferingHandler(1000)
    log = logging.getLogger("commodore_py")
    log.addHandler(handler)
    try:
        published = compile_dry(fleet.config(dry_run=True, local=True), CLUSTER)
    finally:
        log.removeHandler(handler)

    assert [file.kind for file in published.change.files] == ["added"]
    assert digest_of(fleet.root) == before
    messages = [record.getMessage() for record in handler.buffer]
    about = [message for message in messages if "no catalog in" in message]
    assert about == [f"there was no catalog in {fleet.work}/catalog: everything counts as added"]
    assert len(messages) == len(set(messages))


def test_local_dry_run_after_killed_run_uses_copy(fleet: Fleet) -> None:
    push(fleet.config())
    (fleet.work / ".commodore/running").write_text("{}")
    edit_defaults(fleet, "of: web", "of: new")
    before = digest_of(fleet.root)

    assert compile_dry(fleet.config(dry_run=True, local=True), CLUSTER).change
    assert digest_of(fleet.root) == before


def test_dry_run_detects_renamed_files(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    push(fleet.config())
    main = fleet.work / "dependencies/web/component/main.jsonnet"
    main.write_text(main.read_text().replace("{ out:", "{ other:"))
    local = {"local": True, "fetch_dependencies": False}
    before = digest_of(tmp_path)

    dry = compile_dry(fleet.config(dry_run=True, **local), CLUSTER)

    assert digest_of(tmp_path) == before
    assert [(file.kind, file.path) for file in dry.change.files] == [
        ("renamed", "manifests/web/other.yaml")
    ]
    assert push(fleet.config(**local)).change == dry.change


@pytest.mark.parametrize("local", [False, True])
def test_dry_run_touches_no_git_objects(fleet: Fleet, *, local: bool) -> None:
    push(fleet.config())
    git(fleet.work / "catalog", "config", "core.sharedRepository", "group")
    if local:
        edit_defaults(fleet, "of: web", "of: new")
    else:
        fleet.change_data()
    compile_catalog(fleet.config(local=local), CLUSTER, approve=lambda _: False)
    for file in fleet.work.glob("catalog/.git/objects/??/*"):
        os.utime(file, (1, 1))
    before = digest_of(fleet.root)

    assert compile_dry(fleet.config(dry_run=True, local=local), CLUSTER).change
    assert digest_of(fleet.root) == before


@pytest.mark.parametrize("processes", [1, 2])
def test_local_dry_run_with_external_program_uses_copy(tmp_path: Path, processes: int) -> None:
    entry = "{input_type: external, output_path: web, input_paths: [/usr/bin/touch], args: [FILE]}"
    entry = entry.replace("FILE", "'\\${compiled_target_dir}/${web:data:of}'")
    web = {"class/web.yml": f"parameters: {{kapitan: {{compile: [{entry}]}}}}\n"}
    fleet = make_fleet(tmp_path, web=web, shop={}, other={})
    push(fleet.config())
    edit_defaults(fleet, "of: web", "of: new")
    before = digest_of(fleet.root)

    dry = compile_dry(fleet.config(dry_run=True, local=True, processes=processes), CLUSTER)

    assert dry.change
    assert digest_of(fleet.root) == before
