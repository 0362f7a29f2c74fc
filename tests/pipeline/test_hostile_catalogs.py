"""What is pushed is what was compiled, whatever lies in the catalog or happens to its files."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from tests.support.builders import git
from tests.support.scenarios.catalog_clone import MESSAGE, CatalogClone, rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.sample(4)

CRLF, BOM, LATIN = b"a: 1\r\nb: 2\r\n", b"\xef\xbb\xbfa: 1\r\n", "Zürich\r\n".encode("latin-1")
BYTES = {
    "crlf.yaml": CRLF,
    "bom.yaml": BOM,
    "latin.txt": LATIN,
    "binary.yaml": bytes(range(256)),
    "empty.yaml": b"",
    "no-end.yaml": b"a: 1",
    "ident.yaml": b"v: $Id$\n",
    "pointer.yaml": b"version https://git-lfs.github.com/spec/v1\n",
}


def below(files: dict[str, bytes]) -> dict[str, tuple[str, bytes]]:
    return {f"manifests/{name}": ("100644", content) for name, content in files.items()}


ATTRIBUTES = [
    "*.yaml working-tree-encoding=UTF-16",
    "* text=auto eol=crlf",
    "* text eol=lf",
    "* ident",
    "* filter=evil",
    "* filter=lfs diff=lfs merge=lfs -text",
    "* text working-tree-encoding=UTF-7",
    "*.yaml -text diff=evil export-ignore export-subst",
]


@pytest.mark.parametrize("attributes", ATTRIBUTES)
@pytest.mark.parametrize("where", [".gitattributes", "manifests/.gitattributes"])
def test_git_attributes_do_not_change_content(tmp_path: Path, attributes: str, where: str) -> None:
    catalog = CatalogClone.make(tmp_path, {where: f"{attributes}\n".encode()})

    catalog.push(rendered(BYTES))
    again = catalog.push(rendered(BYTES))
    edited = catalog.push(rendered({**BYTES, "crlf.yaml": b"b: 2\r\n"}))

    pushed = catalog.content()
    pushed.pop(where)
    assert pushed == below({**BYTES, "crlf.yaml": b"b: 2\r\n"})
    assert again == []
    assert edited == ["manifests/crlf.yaml"]


@pytest.mark.parametrize(
    "settings",
    [
        {"core.autocrlf": "true", "core.safecrlf": "true"},
        {"core.autocrlf": "input"},
        {"core.eol": "crlf", "core.autocrlf": "true"},
        {"filter.evil.clean": "tr a b", "filter.evil.required": "true"},
        {"core.attributesFile": "attributes"},
        {"core.ignoreCase": "true", "core.fileMode": "false", "core.precomposeUnicode": "true"},
        {"core.compression": "9", "index.version": "4", "index.skipHash": "true"},
        {"core.splitIndex": "true"},
        {"core.untrackedCache": "true", "feature.manyFiles": "true"},
        {"diff.renames": "false", "diff.noprefix": "true", "core.quotePath": "true"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_settings_of_the_user_change_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    file = tmp_path / "gitconfig"
    for key, value in settings.items():
        path = str(tmp_path / value) if key == "core.attributesFile" else value
        git(tmp_path, "config", "--file", str(file), key, path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    (tmp_path / "attributes").write_text("* filter=evil text eol=crlf\n")
    catalog = CatalogClone.make(tmp_path)

    catalog.push(rendered(BYTES))

    assert catalog.content() == below(BYTES)
    assert catalog.push(rendered(BYTES)) == []


def edit(path: Path) -> None:
    path.write_bytes(b"edited: 1\n")


def edit_in_place(path: Path) -> None:
    times = path.stat()
    path.write_bytes(b"a: 2\r\nb: 2\r\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def remove(path: Path) -> None:
    path.unlink()


def turn_into_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


def turn_into_a_repository(path: Path) -> None:
    path.unlink()
    git(path.parent, "init", "--quiet", path.name)


def make_executable(path: Path) -> None:
    path.chmod(0o755)


def stage_the_edit(path: Path) -> None:
    edit(path)
    git(path.parent, "add", "--all")


EDITS = [
    edit,
    edit_in_place,
    remove,
    turn_into_a_link,
    turn_into_a_repository,
    make_executable,
    stage_the_edit,
]


@pytest.mark.parametrize("change", EDITS)
def test_edits_between_writing_and_committing_are_not_pushed(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    catalog = CatalogClone.make(tmp_path)
    sink = catalog.sink()
    sink.stage(rendered(BYTES))

    change(catalog.catalog / "manifests/crlf.yaml")
    (catalog.catalog / "manifests/mine.yaml").write_text("mine: 1\n")
    (catalog.catalog / "README.md").write_text("mine")
    sink.commit(MESSAGE)
    sink.push()

    assert catalog.content() == below(BYTES)


@pytest.mark.parametrize("change", EDITS)
def test_edits_before_compile_are_replaced_and_reported(
    tmp_path: Path, change: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    catalog = CatalogClone.make(tmp_path)
    catalog.push(rendered(BYTES))
    change(catalog.catalog / "manifests/crlf.yaml")
    (catalog.catalog / "manifests/mine.yaml").write_text("mine: 1\n")

    catalog.push(rendered(BYTES))

    assert catalog.content() == below(BYTES)
    assert (catalog.catalog / "manifests/crlf.yaml").read_bytes() == CRLF
    assert "manifests/mine.yaml" in caplog.text
    # A file that was removed is not overwritten.
    assert ("manifests/crlf.yaml" in caplog.text) == (change is not remove)


@pytest.mark.parametrize("change", EDITS)
def test_diff_compares_with_committed_content(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    catalog = CatalogClone.make(tmp_path)
    catalog.push(rendered(BYTES))
    change(catalog.catalog / "manifests/crlf.yaml")

    staged = catalog.sink().stage(rendered({**BYTES, "crlf.yaml": b"b: 2\r\n"}))

    assert [(file.old, file.new) for file in staged.files] == [(CRLF, b"b: 2\r\n")]


def test_ordinary_change_logs_no_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    catalog = CatalogClone.make(tmp_path)
    catalog.push(rendered(BYTES))

    catalog.push(rendered({"crlf.yaml": b"c: 3\n", "sub/x.yaml": b""}))
    catalog.push(rendered({"sub": b""}))

    assert caplog.text == ""


def submodule(catalog: CatalogClone, path: str) -> None:
    """Have a commit of nowhere as a submodule, as `git add` of a nested repository makes it."""
    id_ = "c3b7e9883ae797296e0e629bc9dcdf70f631ee4a"
    if (catalog.catalog / path).exists():
        git(catalog.catalog, "rm", "-r", "-q", path)
    git(catalog.catalog, "update-index", "--add", "--cacheinfo", f"160000,{id_},{path}")
    (catalog.catalog / ".gitmodules").write_text(
        f'[submodule "evil"]\n\tpath = {path}\n\turl = ./evil.git\n\tignore = none\n'
    )
    git(catalog.catalog, "add", ".gitmodules")
    catalog.commit_index()


@pytest.mark.parametrize("path", ["manifests", "manifests/sub", "manifests/sub/x.yaml", "refs"])
@pytest.mark.parametrize("nested", [False, True])
def test_submodule_is_replaced_by_manifests(tmp_path: Path, path: str, *, nested: bool) -> None:
    catalog = CatalogClone.make(tmp_path, {"README.md": b"x"})
    submodule(catalog, path)
    if nested:
        (catalog.catalog / path).mkdir(parents=True, exist_ok=True)
        git(catalog.catalog / path, "init", "--quiet")
    files = {"sub/x.yaml": b"x: 1\n", "y.yaml": b"y: 1\n"}

    catalog.push(rendered(files))

    pushed = catalog.content()
    assert {n: p for n, p in pushed.items() if n.startswith("manifests")} == below(files)
    assert all(mode != "160000" for mode, _ in pushed.values())
    assert "README.md" in pushed
    assert catalog.push(rendered(files)) == []


def test_submodule_outside_of_manifests_is_kept(tmp_path: Path) -> None:
    catalog = CatalogClone.make(tmp_path, {"README.md": b"x"})
    submodule(catalog, "vendor/thing")

    catalog.push(rendered({"y.yaml": b"y: 1\n"}))

    assert catalog.content()["vendor/thing"] == ("160000", b"")


@pytest.mark.parametrize("place", ["manifests/foo", "manifests", "refs", "docs"])
def test_nested_repository_in_catalog_runs_no_program(tmp_path: Path, place: str) -> None:
    catalog = CatalogClone.make(tmp_path, {"manifests/foo/a.yaml": b"a: 1\n"})
    ran, inside = tmp_path / "ran", catalog.catalog / place
    inside.mkdir(exist_ok=True)
    git(inside, "init", "--quiet")
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\necho $0 >> {ran}\ncat\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.evil.textconv"):
        git(inside, "config", key, str(program))
    (inside / ".gitattributes").write_text("* filter=evil diff=evil\n")

    catalog.push(rendered({"foo/a.yaml": b"a: 2\n", "foo/b.yaml": b"b: 1\n"}))
    catalog.push(rendered({"foo/a.yaml": b"a: 3\n"}))

    assert catalog.content() == below({"foo/a.yaml": b"a: 3\n"})
    assert not ran.exists()


def test_hidden_and_unmanaged_files_are_kept(tmp_path: Path) -> None:
    others = {
        "README.md": b"x",
        "manifests/.top": b"t",
        "manifests/.dir/x": b"x",
        "refs/.y": b"y",
        "manifests/.github": b"in the way",
        "manifests/.file/x": b"in the way",
        "a/b/manifests/x.yaml": b"not ours",
    }
    catalog = CatalogClone.make(tmp_path, {**others, "manifests/old/x.yaml": b"x"})

    catalog.push(rendered({".github/x.yaml": b"1", ".file": b"2"}))

    pushed = {name: content for name, (_, content) in catalog.content().items()}
    kept = {name: others[name] for name in others if others[name] != b"in the way"}
    assert pushed == {**kept, "manifests/.github/x.yaml": b"1", "manifests/.file": b"2"}


def test_checkout_is_clean_after_push(tmp_path: Path) -> None:
    catalog = CatalogClone.make(tmp_path, {"README.md": b"x", "manifests/gone.yaml": b"x"})

    catalog.push(rendered({**BYTES, **{f"many/{n}.yaml": b"n: %d\n" % n for n in range(200)}}))

    assert git(catalog.catalog, "status", "--porcelain") == ""
    assert git(catalog.catalog, "fsck", "--strict", "--no-dangling") == ""
    assert git(catalog.remote, "fsck", "--strict") == ""


def test_commit_made_during_run_is_kept(tmp_path: Path) -> None:
    catalog = CatalogClone.make(tmp_path, {"README.md": b"x"})
    sink = catalog.sink()
    sink.stage(rendered(BYTES))
    who = ("-c", "user.name=x", "-c", "user.email=x")
    git(catalog.catalog, *who, "commit", "--allow-empty", "-qm", "mine")
    mine = git(catalog.catalog, "rev-parse", "HEAD")

    with pytest.raises(CommodoreError, match="changed by someone else during the run"):
        sink.commit(MESSAGE)

    assert git(catalog.catalog, "rev-parse", "HEAD") == mine


def test_push_of_one_edit_starts_four_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = CatalogClone.make(tmp_path, {"README.md": b"x"})
    catalog.push(rendered(BYTES))
    events = tmp_path / "events"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(events))

    catalog.push(rendered({**BYTES, "crlf.yaml": b"a: 3\r\n"}))

    started = [json.loads(line) for line in events.read_text().splitlines()]
    depth = [e["hierarchy"] for e in started if e["event"] == "cmd_name"]
    ours = Counter(names for names in depth if "/" not in names)
    del ours["rev-parse"]  # by this test
    assert ours == dict.fromkeys(("ls-tree", "fast-import", "reset", "push"), 1)
