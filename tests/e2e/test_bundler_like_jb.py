"""Jsonnet libraries, brought by us and by jsonnet-bundler's own program: the same `vendor/`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.jsonnet.cluster_libraries import jsonnetfile
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.install import install
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, git, make_repository
from tests.support.jb import find_jb
from tests.support.vendored import links, lock, reachable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.jb import Jb

pytestmark = pytest.mark.e2e

BASE = "https://git.example.com"
Files = dict[str, Any]
Versions = list[tuple[str, Files]]
"""What each commit adds, and the tag that it gets, if any."""


def of(repository: str, version: str = "master", subdir: str = "", **more: object) -> Files:
    """An entry for a library from Git."""
    remote = repository if "example.com" in repository else f"{BASE}/{repository}.git"
    source = {"git": {"remote": remote, "subdir": subdir}}
    return {"source": source, "version": version, **more}


def local(directory: str, **more: object) -> Files:
    """An entry for a folder."""
    return {"source": {"local": {"directory": directory}}, "version": "", **more}


def listing(*entries: Files, **more: object) -> Files:
    """A jsonnetfile of version 1."""
    return {"version": 1, "dependencies": list(entries), "legacyImports": True, **more}


def library(*wants: Files, **files: str) -> Files:
    """The files of a library; `__` stands for a slash and `_j` for the ending."""
    content: Files = {
        f"{name.replace('__', '/')}.libsonnet": text for name, text in files.items()
    } or {"main.libsonnet": "{}"}
    if wants:
        content["jsonnetfile.json"] = listing(*wants)
    return content


@dataclass(frozen=True)
class Graph:
    """Repositories, and the components that want libraries from them."""

    components: dict[str, Files | str]
    """Lists by component; text is taken as it is."""
    repositories: dict[str, Versions] = field(default_factory=dict)
    folders: Files = field(default_factory=dict)
    """More files below `dependencies/`."""
    root: Files | None = None
    """Another list than the one that we write for components."""
    fork: str = ""
    """Why upstream's program gives something else than Project Syn's."""


def one(**files: str) -> Versions:
    """A repository with one commit and nothing wanted."""
    return [("", library(**files))]


X = [
    ("v1", library(x="1", sub__s="one")),
    ("v2", library(x="2", sub__s="two")),
    ("feat/v3", library(x="3", sub__s="three")),
]

GRAPHS: dict[str, Graph] = {
    "nothing wanted": Graph({"a": "", "b": "{}"}),
    "one library": Graph({"a": listing(of("org/x", "v1"))}, {"org/x": X}),
    "several libraries": Graph(
        {"a": listing(of("org/y"), of("org/x")), "b": listing(of("org/z"))},
        {"org/x": X, "org/y": one(y="y"), "org/z": one(z="z")},
    ),
    "diamond": Graph(
        {"a": listing(of("org/p"), of("org/q"))},
        {
            "org/p": [("", library(of("org/x", "v1")))],
            "org/q": [("", library(of("org/x", "v1")))],
            "org/x": X,
        },
    ),
    "diamond between components": Graph(
        {"a": listing(of("org/x", "v1")), "b": listing(of("org/x", "v1"))}, {"org/x": X}
    ),
    "conflict: the first component decides": Graph(
        {"b": listing(of("org/x", "v2")), "a": listing(of("org/x", "v1"))}, {"org/x": X}
    ),
    "conflict: a deep one comes first": Graph(
        {"a": listing(of("org/p")), "b": listing(of("org/x", "v2"))},
        {"org/p": [("", library(of("org/x", "v1")))], "org/x": X},
    ),
    "conflict: depth before breadth": Graph(
        {"a": listing(of("org/p"), of("org/x", "v1"))},
        {"org/p": [("", library(of("org/x", "v2")))], "org/x": X},
        fork="upstream takes a whole list before what that wants",
    ),
    "conflict: wants differ by version": Graph(
        {"a": listing(of("org/p", "v2")), "b": listing(of("org/p", "v1"))},
        {
            "org/p": [
                ("v1", library(of("org/y"), p="1")),
                ("v2", library(of("org/x", "v2"), p="2")),
            ],
            "org/x": X,
            "org/y": one(y="y"),
        },
    ),
    "sub directory": Graph({"a": listing(of("org/x", "v1", "sub"))}, {"org/x": X}),
    "deep sub directory with wants": Graph(
        {"a": listing(of("org/deep", subdir="a/b/c"))},
        {
            "org/deep": [
                (
                    "",
                    {
                        "a/b/c/c.libsonnet": "c",
                        "a/b/other.libsonnet": "not there",
                        "a/b/c/jsonnetfile.json": listing(of("org/x")),
                        "jsonnetfile.json": listing(of("org/nothing")),
                    },
                )
            ],
            "org/x": X,
        },
    ),
    "two sub directories in two versions": Graph(
        {"a": listing(of("org/two", "v1", "one"), of("org/two", "v2", "two"))},
        {"org/two": [("v1", library(one__f="1", two__f="1")), ("v2", library(two__f="2"))]},
    ),
    "repository, then its sub directory": Graph(
        {"a": listing(of("org/x", "v2"), of("org/x", "v1", "sub"))}, {"org/x": X}
    ),
    "sub directory, then its repository": Graph(
        {"a": listing(of("org/x", "v1", "sub")), "b": listing(of("org/x", "v2"))},
        {"org/x": X},
    ),
    "local folders": Graph(
        {"a": listing(local("inner"), local("../beside"))},
        folders={"a/inner/i.libsonnet": "i", "beside/b.libsonnet": "b"},
    ),
    "local folders in a row": Graph(
        {"a": listing(local("../beside"))},
        {"org/x": X},
        folders={
            "beside/jsonnetfile.json": listing(local("./under/../below")),
            "beside/below/jsonnetfile.json": listing(of("org/x", "v1")),
        },
    ),
    "local folder with a component's name": Graph(
        {"a": listing(local("b")), "b": listing()}, folders={"a/b/mine.libsonnet": "a's"}
    ),
    "local folders in a library": Graph(
        {"a": listing(of("org/n"))},
        {
            "org/n": [
                (
                    "",
                    {
                        "jsonnetfile.json": listing(local("inner")),
                        "inner/jsonnetfile.json": listing(local("../deep")),
                        "inner/i.libsonnet": "i",
                        "deep/d.libsonnet": "d",
                    },
                )
            ]
        },
    ),
    "two libraries with one short name": Graph(
        {"a": listing(of("zz/x"), of("other/x")), "b": listing(of("org/x", "v1"))},
        {"org/x": X, "other/x": one(o="o"), "zz/x": one(z="z")},
        fork="upstream sorts libraries before it gives short names",
    ),
    "short name of a component": Graph(
        {"a": listing(of("other/b")), "b": ""}, {"other/b": one(o="o")}
    ),
    "short name of the host": Graph(
        {"a": listing(of("org/x", "v1", name="git.example.com"))}, {"org/x": X}
    ),
    "other short names": Graph(
        {"a": listing(of("org/x", "v1", name="ex"), of("org/x", "v2", "sub", name="under"))},
        {"org/x": X},
    ),
    "short names differ": Graph(
        {"a": listing(of("org/w")), "b": listing(of("org/x", "v1", name="shallow"))},
        {"org/w": [("", library(of("org/x", "v1", name="deep")))], "org/x": X},
        fork="upstream keeps no level by level order",
    ),
    "no short names": Graph(
        {"a": listing(of("org/x", "v1"), legacyImports=False)},
        {"org/x": X},
        root=listing(local("dependencies/a"), local("dependencies/lib"), legacyImports=False),
    ),
    "single": Graph(
        {"a": listing(of("org/p", single=True))},
        {"org/p": [("", library(of("org/x"), p="p"))], "org/x": X},
    ),
    "single for one, not for the other": Graph(
        {"a": listing(of("org/y")), "b": listing(of("org/p", single=True))},
        {
            "org/y": [("", library(of("org/p")))],
            "org/p": [("", library(of("org/x"), p="p"))],
            "org/x": X,
        },
        fork="upstream keeps no level by level order",
    ),
    "version 0": Graph(
        {
            "a": {
                "dependencies": [
                    {"name": "kx", **of("org/x", "v1", "/sub/")},
                    {"name": "y", **of(f"{BASE}/org/y")},
                ]
            }
        },
        {"org/x": X, "org/y": one(y="y")},
    ),
    "listed twice": Graph(
        {"a": listing(of("org/x", "v1"), of("org/y"), of("org/x", "v2"))},
        {"org/x": X, "org/y": one(y="y")},
    ),
    "a missing library": Graph(
        {"a": listing(of("org/missing"), of("org/y")), "b": listing(of("org/x", "v1"))},
        {"org/x": X, "org/y": one(y="y")},
        fork="upstream ends with an error",
    ),
    "a missing library far down": Graph(
        {"a": listing(of("org/w"), of("org/y"))},
        {
            "org/w": [("", library(of("org/missing"), of("org/x", "v1")))],
            "org/x": X,
            "org/y": one(y="y"),
        },
        fork="upstream ends with an error",
    ),
    "a missing version, and another one": Graph(
        {"a": listing(of("org/x", "nothing")), "b": listing(of("org/x", "v1"))},
        {"org/x": X},
        fork="upstream ends with an error",
    ),
    "a missing sub directory": Graph(
        {"a": listing(of("org/x", "v1", "nothing"), of("org/y"))},
        {"org/x": X, "org/y": one(y="y")},
        fork="upstream ends with an error",
    ),
    "a missing folder": Graph(
        {"a": listing(local("nothing"), of("org/x", "v1")), "b": listing(of("org/x", "v2"))},
        {"org/x": X},
        fork="upstream ends with an error",
    ),
    "a broken list far down": Graph(
        {"a": listing(of("org/w"), of("org/x", "v1"))},
        {"org/w": [("", {"jsonnetfile.json": "{"})], "org/x": X},
        fork="upstream ends with an error",
    ),
    "a cycle": Graph(
        {"a": listing(of("org/c"))},
        {"org/c": [("", library(of("org/d")))], "org/d": [("", library(of("org/c")))]},
        fork="upstream never ends",
    ),
    "a cycle with a missing version": Graph(
        {"a": listing(of("org/c"))},
        {
            "org/c": [("", library(of("org/d")))],
            "org/d": [("", library(of("org/c", "nothing"), of("org/x", "v1")))],
            "org/x": X,
        },
        fork="upstream never ends",
    ),
    "versions of all kinds": Graph(
        {
            "a": listing(
                of("org/branch", "topic/one"),
                of("org/tag", "v1"),
                of("org/tag-object", "v1.0"),
                of("org/commit", "COMMIT"),
                of("org/short", "SHORT"),
                of("org/both", "same"),
            )
        },
        {
            "org/branch": one(b="b"),
            "org/tag": X,
            "org/tag-object": one(t="t"),
            "org/commit": X,
            "org/short": X,
            "org/both": X,
        },
    ),
    "spellings of remotes": Graph(
        {
            "a": listing(
                of("git@git.example.com:org/ssh.git"),
                of("ssh://git@git.example.com/org/ssh-url.git"),
                of("https://git.example.com/org/plain"),
                of("http://git.example.com/org/http.git"),
                of("https://me:secret@git.example.com/org/user.git"),
                of("git.example.com/org/bare"),
                of("https://git.example.com/a/group/deep.git"),
                of("https://git.example.com/org/dots.v1.git"),
                of("https://git.example.com/org/more/tree/master"),
            )
        },
        {
            name: one(f=name)
            for name in (
                *("org/ssh", "org/ssh-url", "org/plain", "org/http", "org/user"),
                *("org/bare", "a/group/deep", "org/dots.v1", "org/more"),
            )
        },
    ),
    "files of all kinds": Graph(
        {"a": listing(of("org/kinds"))},
        {
            "org/kinds": [
                (
                    "",
                    {
                        "run.sh": "#!/bin/sh\n",
                        "empty.libsonnet": "",
                        "ünï cödé.txt": "é",
                        "a/z": "1",
                        "a.b": "2",
                        "a0": "3",
                        "A/b/c/d": "4",
                        ".hidden/file": "5",
                        "crlf.txt": "a\r\nb\r\n",
                        ".gitattributes": "*.lf text eol=crlf\nsecret.txt export-ignore\n",
                        "text.lf": "a\nb\n",
                        "secret.txt": "there",
                    },
                )
            ]
        },
    ),
}


@pytest.fixture(scope="module")
def jb() -> Jb:
    """Before a test has its empty home."""
    return find_jb()


@pytest.mark.parametrize("name", GRAPHS)
def test_same_result(jb: Jb, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS[name]
    if graph.fork and not jb.is_fork:
        pytest.skip(f"needs Project Syn's jb in COMMODORE_JB: {graph.fork}")
    _serve(graph, tmp_path, monkeypatch)
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for work in (theirs, ours):
        _write_work(graph, work, _commits(tmp_path))

    done = jb.install(theirs)
    assert done.returncode == 0, done.stderr
    install(ours, Clones(ours / "dependencies/.repos"))

    assert lock(ours) == lock(theirs)
    assert reachable(ours) == reachable(theirs)
    if jb.is_fork:
        assert links(ours) == links(theirs)


@pytest.mark.parametrize(
    "lists",
    [
        {"a": "{"},
        {"a": listing(of("https://git.example.com:8443/org/x.git"))},
        {"a": listing(of("https://single-host/example.com-x.git"))},
        {"a": listing(version=2)},
        {"a": "[]"},
        {"a": " "},
    ],
)
def test_invalid_jsonnetfile_is_refused_by_both(
    jb: Jb, lists: dict[str, Files | str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = Graph(lists)
    _serve(graph, tmp_path, monkeypatch)
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for work in (theirs, ours):
        _write_work(graph, work, {})

    done = jb.install(theirs)
    with pytest.raises(CommodoreError) as caught:
        install(ours, Clones(ours / "dependencies/.repos"))

    assert done.returncode != 0
    assert caught.value.where.startswith(str(ours / "dependencies/a/jsonnetfile.json"))


def _serve(graph: Graph, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the repositories, and let Git find them where jb thinks that they are."""
    remotes = root / "remotes"
    for name, versions in graph.repositories.items():
        bare = make_repository(remotes / f"{name}.git", {})
        for tag, files in versions:
            commit_to(bare, {path: _text(content) for path, content in files.items()})
            if tag:
                git(bare, "tag", tag, "master")
        git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
    _add_special_refs(remotes)
    config = root / "gitconfig"
    config.write_text(
        f'[url "file://{remotes}/"]\n\tinsteadOf = {BASE}/\n'
        "\tinsteadOf = ssh://git@git.example.com/\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))


def _add_special_refs(remotes: Path) -> None:
    org = remotes / "org"
    if (org / "branch.git").is_dir():
        commit_to(org / "branch.git", {"branch": "topic"}, branch="topic/one")
    if (org / "tag-object.git").is_dir():
        git(org / "tag-object.git", "tag", "--annotate", "--message", "v1", "v1.0", "master")
    if (org / "both.git").is_dir():
        git(org / "both.git", "branch", "same", "v1")
        git(org / "both.git", "tag", "same", "v2")


def _commits(root: Path) -> dict[str, str]:
    bare = root / "remotes/org/commit.git"
    if not bare.is_dir():
        return {}
    full = git(bare, "rev-parse", "v2^{commit}")
    return {"COMMIT": full, "SHORT": full[:10]}


def _write_work(graph: Graph, work: Path, commits: Mapping[str, str]) -> None:
    folder = work / "dependencies"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib/ours.libsonnet").write_text("ours")
    for name, content in graph.components.items():
        (folder / name).mkdir()
        (folder / name / f"{name}.libsonnet").write_text(name)
        text = _text(content)
        for word, commit in commits.items():
            text = text.replace(word, commit)
        (folder / name / "jsonnetfile.json").write_text(text)
    for path, content in graph.folders.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(_text(content))
    listed = jsonnetfile(list(graph.components))
    root = listed if graph.root is None else json.dumps(graph.root).encode()
    (work / "jsonnetfile.json").write_bytes(root)


def _text(content: Files | str) -> str:
    return content if isinstance(content, str) else json.dumps(content, indent=2)


def test_libraries_installed_by_earlier_jb_are_replaced(
    jb: Jb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not jb.is_fork:
        pytest.skip("needs Project Syn's jb in COMMODORE_JB: upstream's puts files in the way")
    graph = GRAPHS["diamond"]
    _serve(graph, tmp_path, monkeypatch)
    work, fresh = tmp_path / "work", tmp_path / "fresh"
    for folder in (work, fresh):
        _write_work(graph, folder, {})
    jb.install(work)
    (work / "jsonnetfile.lock.json").unlink()

    install(work, Clones(work / "dependencies/.repos"))
    install(fresh, Clones(fresh / "dependencies/.repos"))

    assert links(work) == links(fresh)
    assert reachable(work) == reachable(fresh)
    assert not any((work / "vendor" / name).readlink().is_absolute() for name in links(work))
