"""Jsonnet libraries from Git, put into `vendor/` by ourselves."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.install import install
from commodore_py.errors import CommodoreError, SeveralErrors
from tests.support.builders import (
    commit_to,
    errors_in,
    git,
    make_dependency,
    make_repository,
    url_of,
)
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.model.dependency import Dependency

HOST = "git.example.com"


def of(repository: str, version: str = "master", subdir: str = "", **more: object) -> Any:  # noqa: ANN401 - JSON
    """An entry for a library from Git."""
    git_source = {"remote": f"https://{repository}", "subdir": subdir}
    return {"source": {"git": git_source}, "version": version, **more}


def local(directory: str) -> Any:  # noqa: ANN401 - JSON
    """An entry for a folder."""
    return {"source": {"local": {"directory": directory}}, "version": ""}


def listing(*entries: object) -> str:
    """A list of libraries."""
    return json.dumps({"version": 1, "dependencies": entries, "legacyImports": True}, indent=1)


class Work:
    """A working directory with the component a, and hosts whose repositories are ours."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root / "work"
        self.remotes = root / "remotes"
        (self.root / "dependencies/a").mkdir(parents=True)
        (self.root / "jsonnetfile.json").write_text(listing(local("dependencies/a")))
        config = root / "gitconfig"
        config.write_text(
            "".join(
                f'[url "file://{self.remotes}/{host}/"]\n\tinsteadOf = {scheme}{host}/\n'
                for host in (HOST, "github.com")
                for scheme in ("https://", "ssh://git@")
            )
        )
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))

    def repository(self, name: str, files: Mapping[str, str | bytes], host: str = HOST) -> Path:
        path = self.remotes / host / f"{name}.git"
        return path if path.exists() else make_repository(path, files)

    def wants(self, *entries: object) -> None:
        (self.root / "dependencies/a/jsonnetfile.json").write_text(listing(*entries))

    def install(self, *components: Dependency, local: bool = False, strict: bool = False) -> None:
        clones = Clones.shared_with(self.clones, components, local=local)
        install(self.root, clones, strict=strict)

    @property
    def clones(self) -> Path:
        return self.root / "dependencies/.repos"

    @property
    def vendor(self) -> Path:
        return self.root / "vendor"

    def library(self, name: str) -> Path:
        return self.vendor / HOST / name

    def lock(self) -> dict[str, Any]:
        """What is locked, by the last part of its name."""
        content = json.loads((self.root / "jsonnetfile.lock.json").read_text())
        return {
            next(iter(one["source"]["git"].values())).rpartition("/")[2]: one
            for one in content["dependencies"]
            if "git" in one["source"]
        }


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(tmp_path, monkeypatch)


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING)
    return caplog


def test_library_is_linked_and_locked(work: Work) -> None:
    remote = work.repository("org/x", {"x.libsonnet": "{}", "b/y": "y", "b.z": "z", ".h": "h"})
    work.wants(of(f"{HOST}/org/x"))

    work.install()

    assert (work.vendor / "x/x.libsonnet").read_text() == "{}"
    links = [work.vendor / "x", work.library("org/x"), work.vendor / "a"]
    assert [str(one.readlink()) for one in links] == [
        f"{HOST}/org/x",
        f"../../.cache/{HOST}%2Forg%2Fx-master/{HOST}/org/x",
        "../dependencies/a",
    ]
    digest = hashlib.sha256(b"h" + b"y" + b"z" + b"{}")
    assert work.lock()["x.git"] == {
        "source": {"git": {"remote": f"https://{HOST}/org/x.git", "subdir": ""}},
        "version": git(remote, "rev-parse", "master"),
        "sum": base64.b64encode(digest.digest()).decode(),
    }


def test_sum_sorts_names_by_folder(work: Work) -> None:
    work.repository("org/x", {"b/y": "2", "b.z": "3", "a": "1"})
    work.wants(of(f"{HOST}/org/x"))

    work.install()

    # As text, `b.z` comes before `b/y`; but the folder `b` comes before the file `b.z`.
    digest = hashlib.sha256(b"123").digest()
    assert work.lock()["x.git"]["sum"] == base64.b64encode(digest).decode()


def test_unchanged_libraries_are_not_rewritten(work: Work) -> None:
    work.repository("org/x", {"x.libsonnet": "{}", "sub/s": "s"})
    work.wants(of(f"{HOST}/org/x", subdir="sub"), local("../a"))
    work.install()
    watched = [path for path in work.root.rglob("*") if ".repos" not in path.parts]
    before = [path.lstat().st_mtime_ns for path in watched]

    work.install()

    assert [path.lstat().st_mtime_ns for path in watched] == before


def test_library_commit_without_branch_is_fetched(work: Work) -> None:
    remote = work.repository("org/x", {"x.libsonnet": "1"})
    lost = commit_to(remote, {"x.libsonnet": "lost"}, branch="gone")
    git(remote, "update-ref", "-d", "refs/heads/gone")
    git(remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    work.wants(of(f"{HOST}/org/x", lost))

    work.install()

    assert (work.library("org/x") / "x.libsonnet").read_text() == "lost"


def test_clone_of_component_is_shared(work: Work) -> None:
    remote = work.repository("org/x", {"x.libsonnet": "1"})
    bare = work.clones / HOST / "org/x"  # a component's URL need not end in .git
    url = f"https://{HOST}/org/x"
    bare.parent.mkdir(parents=True)
    git(bare.parent, "clone", "--quiet", "--bare", url_of(remote), str(bare))
    git(bare, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    git(bare, "fetch", "--quiet")
    shutil.rmtree(remote)
    work.wants(of(f"{HOST}/org/x"))
    component = make_dependency("x", work.root / "dependencies/x", url=url)

    work.install(component)

    assert (work.library("org/x") / "x.libsonnet").read_text() == "1"
    assert git(bare, "config", "remote.origin.url") == url_of(remote)
    assert [path.name for path in bare.parent.iterdir()] == ["x"]


def test_unchanged_library_remote_is_only_listed(
    work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    work.repository("org/x", {"x.libsonnet": "1", "sub/s": ""})
    work.wants(of(f"{HOST}/org/x"), of(f"{HOST}/org/x", subdir="sub"))
    caplog.set_level(logging.INFO)
    work.install()
    first = list(caplog.messages)
    caplog.clear()

    work.install()

    url = f"https://{HOST}/org/x.git"
    assert first == [f"listing the refs of {url}", f"cloning {url}"]
    assert caplog.messages == [f"listing the refs of {url}"]


def test_edited_libraries_are_backed_up(work: Work, warnings: pytest.LogCaptureFixture) -> None:
    work.repository("org/x", {"x.libsonnet": "1"})
    work.wants(of(f"{HOST}/org/x"))
    work.install()
    (work.library("org/x") / "x.libsonnet").write_text("mine")

    work.install()

    assert (work.library("org/x") / "x.libsonnet").read_text() == "1"
    (message,) = warnings.messages
    assert "org/x was modified" in message
    (kept,) = (work.vendor / ".cache/.put-aside").rglob("x.libsonnet")
    assert kept.read_text() == "mine"


def test_unused_contents_are_removed(work: Work) -> None:
    work.repository("org/x", {"x.libsonnet": "1"})
    work.repository("org/y", {"y.libsonnet": "1"})
    work.wants(of(f"{HOST}/org/x"), of(f"{HOST}/org/y"))
    work.install()
    (work.library("org/y") / "mine").touch()
    work.wants()

    work.install()

    assert [path.name for path in (work.vendor / ".cache").iterdir()] == [
        f"{HOST}%2Forg%2Fy-master"
    ]
    assert sorted(path.name for path in work.vendor.iterdir()) == [".cache", "a"]


def test_library_inside_of_another_is_rewritten(
    work: Work, warnings: pytest.LogCaptureFixture
) -> None:
    remote = work.repository("org/x", {"sub/s": "1", "x": "1"})
    git(remote, "tag", "v1", "master")
    commit_to(remote, {"sub/s": "2", "x": "2"})
    work.wants(of(f"{HOST}/org/x"), of(f"{HOST}/org/x", "v1", "sub"))
    work.install()
    work.install()

    assert [(work.library("org/x") / name).read_text() for name in ("x", "sub/s")] == ["2", "1"]
    assert warnings.messages == []


def test_modes_links_and_attributes_are_as_in_checkout(work: Work) -> None:
    attributes = "*.txt text eol=crlf\n"
    remote = work.repository(
        "org/x", {"run.sh": "x", ".gitattributes": attributes, "s/t.txt": "a\n"}
    )
    blob = git(remote, "rev-parse", "master:run.sh")
    stream = (
        "commit refs/heads/links\ncommitter A <a@b> 0 +0000\ndata 1\nx\n"
        f"from refs/heads/master^0\nM 120000 inline s/link\ndata 5\nt.txt\nM 100755 {blob} s/run\n"
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=remote, input=stream.encode(), check=True)
    work.wants(of(f"{HOST}/org/x", "links", "s"))

    work.install()

    library = work.library("org/x/s")
    assert (library / "t.txt").read_bytes() == b"a\r\n"
    assert str((library / "link").readlink()) == "t.txt"
    assert (library / "run").stat().st_mode & 0o100


def test_archives_of_github_are_followed(work: Work) -> None:
    files = {".gitattributes": "tests export-ignore\n", "tests/t": "t", "x.libsonnet": "1"}
    remote = work.repository("org/x", files, host="github.com")
    git(remote, "branch", "--move", "master", "main")
    work.wants(of("github.com/org/x"))

    work.install()

    library = work.vendor / "github.com/org/x"
    assert sorted(path.name for path in library.iterdir()) == [".gitattributes", "x.libsonnet"]
    assert work.lock()["x.git"]["version"] == git(remote, "rev-parse", "main")


def test_folders_left_out_of_archives_are_omitted(work: Work) -> None:
    attributes = "docs/ export-ignore\n/lib/deep/* export-ignore\nfile/ export-ignore\n"
    files = {"docs/d": "d", "deep/e": "e", "file": "f", "x": "x"}
    files = {f"lib/{name}": text for name, text in files.items()}
    work.repository("org/x", {".gitattributes": attributes, **files}, host="github.com")
    work.wants(of("github.com/org/x", subdir="lib"))

    work.install()

    library = work.vendor / "github.com/org/x/lib"
    assert sorted(path.name for path in library.iterdir()) == ["file", "x"]


def test_subdir_is_not_a_pattern(work: Work) -> None:
    work.repository("org/x", {"a[b]*c/x": "1", "abc/x": "2", "ab-c/x": "3", "a[b]-c/x": "4"})
    work.wants(of(f"{HOST}/org/x", subdir="a[b]*c"))

    work.install()

    assert (work.library("org/x/a[b]*c") / "x").read_text() == "1"
    assert [path.name for path in work.library("org/x").iterdir()] == ["a[b]*c"]


def test_folder_excluded_from_archives_is_fetched(work: Work) -> None:
    files = {".gitattributes": "tests export-ignore\n", "tests/t": "t"}
    work.repository("org/x", files, host="github.com")
    work.wants(of("github.com/org/x", subdir="tests"))

    work.install()

    assert (work.vendor / "github.com/org/x/tests/t").read_text() == "t"


@each(
    ("entry", "problem"),
    [
        (of(f"{HOST}/org/none"), "cannot fetch its repository"),
        (of(f"{HOST}/org/x", "none"), "revision none not found"),
        (of(f"{HOST}/org/x", "f" * 40), "revision ffff"),
        (of(f"{HOST}/org/x", subdir="none"), "has no folder none"),
        (of(f"{HOST}/org/x", subdir="file"), "has no folder file"),
        (of(f"{HOST}/org/x", ""), "no version is given"),
        (of(f"{HOST}/org/x", "--help"), "revision --help not found"),
        (of(f"{HOST}/org/x", "v1", "../../../../up"), "not a valid name of a library"),
        (local("none"), "there is no such folder"),
        (of(f"{HOST}/org/{'x' * 300}"), "longer than 255 bytes"),
    ],
)
def test_missing_library_fails_only_when_strict(
    work: Work, warnings: pytest.LogCaptureFixture, entry: object, problem: str
) -> None:
    warnings.clear()
    work.repository("org/x", {"file": ""})
    work.repository("org/y", {"file": ""})
    work.wants(entry, of(f"{HOST}/org/y"))

    work.install()
    with pytest.raises(CommodoreError) as caught:
        work.install(strict=True)

    (message,) = {*warnings.messages}
    assert problem in message
    assert "(required by a) is missing: " in message
    assert f"libraries after it in the same list are skipped: {HOST}/org/y" in message
    assert str(caught.value) == message
    assert caught.value.where == f"{work.root}/dependencies/a/jsonnetfile.json:4"
    assert caught.value.hint


def test_conflicting_library_versions_are_reported(
    work: Work, warnings: pytest.LogCaptureFixture
) -> None:
    remote = work.repository("org/x", {"x": "1"})
    git(remote, "tag", "v1", "master")
    commit_to(remote, {"x": "2"})
    work.repository("org/p", {"jsonnetfile.json": listing(of(f"{HOST}/org/x", "v1"))})
    work.wants(of(f"{HOST}/org/p"), of(f"{HOST}/org/x"))

    work.install(strict=True)

    (message,) = warnings.messages
    assert message == (
        f"Jsonnet library {HOST}/org/x is required more than once: v1, by {HOST}/org/p,"
        " is used instead of master, by a"
    )


@each("alias", ["../evil", "foo/bar", "..", ".", ".cache", "nul\0l", "a", HOST])
def test_invalid_short_names_are_reported(
    work: Work, warnings: pytest.LogCaptureFixture, alias: str
) -> None:
    warnings.clear()
    work.repository("org/x", {"x": "1"})
    work.wants(of(f"{HOST}/org/x", name=alias))

    work.install()

    (message,) = warnings.messages
    assert f"gets no short name {alias}: " in message
    assert sorted(path.name for path in work.vendor.iterdir()) == [".cache", "a", HOST]
    assert (work.library("org/x") / "x").is_file()


def test_library_link_out_of_vendor_is_refused(work: Work, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    remote = work.repository("org/x", {"x": "1", "sub/s": "s"})
    stream = (
        "commit refs/heads/trap\ncommitter A <a@b> 0 +0000\ndata 1\nx\n"
        f"M 120000 inline deep\ndata {len(str(outside))}\n{outside}\n"
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=remote, input=stream.encode(), check=True)
    commit_to(remote, {"deep/sub/s": "s"})
    work.wants(of(f"{HOST}/org/x", "trap"), of(f"{HOST}/org/x", "master", "deep/sub"))

    with pytest.raises(CommodoreError, match="a foreign folder"):
        work.install()

    assert list(outside.iterdir()) == []


def test_local_library_named_like_host_is_not_overwritten(work: Work) -> None:
    (work.root / f"dependencies/{HOST}").mkdir()
    work.repository("org/x", {"x": "1"})
    work.wants(local(f"../{HOST}"), of(f"{HOST}/org/x"))

    with pytest.raises(CommodoreError, match="a foreign folder"):
        work.install()

    assert list((work.root / f"dependencies/{HOST}").iterdir()) == []


def test_files_in_the_place_of_links_stop_everything(work: Work) -> None:
    work.repository("org/x", {"x": "1"})
    work.repository("org/y", {"y": "1"})
    work.wants(of(f"{HOST}/org/x"), of(f"{HOST}/org/y"))
    mine = work.library("org/x/mine")
    mine.parent.mkdir(parents=True)
    mine.touch()
    work.library("org/y").touch()

    with pytest.raises(SeveralErrors) as caught:
        work.install()

    places = [error.where for error in errors_in(caught.value)]
    assert places == [str(work.library("org/x")), str(work.library("org/y"))]
    assert mine.is_file()
    assert not (work.vendor / "a").exists()


def test_passwords_are_not_stored(work: Work) -> None:
    work.repository("org/x", {"x": "1"})
    work.wants(of(f"me:secret@{HOST}/org/x"))

    work.install()

    written = [work.root / "jsonnetfile.lock.json", *work.clones.rglob("config")]
    assert not any("secret" in path.read_text() for path in written)


def test_leftovers_of_killed_install_are_removed(work: Work) -> None:
    work.repository("org/x", {"x": "1"})
    work.wants(of(f"{HOST}/org/x"))
    work.install()
    left = work.vendor / ".cache/.commodore-1-0123abcd.new/half"
    left.mkdir(parents=True)
    (work.vendor / f".cache/{HOST}%2Forg%2Fx-master/.commodore.json").write_text("{")

    work.install()

    assert not left.parent.exists()
    assert (work.library("org/x") / "x").is_file()
