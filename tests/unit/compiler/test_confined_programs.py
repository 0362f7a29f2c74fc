"""Entries of kustomize and CUE: their programs read what is judged, and write to the output."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py import run_log
from commodore_py.adapters import time_limits
from commodore_py.adapters.files.reach import OutsideRead
from commodore_py.errors import CommodoreError
from tests.support.builders import make_repository
from tests.support.scenarios.compile_targets import CompileTargets, trees_of
from tests.support.tool_releases import write_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

# In the place of kustomize: prints every file of the folder that it gets, but its own settings.
KUSTOMIZE = 'for f in "$2"/*/*.yaml; do case $f in *kustomization.yaml) ;; *) cat "$f";; esac; done'
UP = "../" * 12


class World:
    """A target with a kustomization, and programs in PATH."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.work = root, root / "work"
        self.targets = CompileTargets(self.work, root / "store")
        self.files(resources="[cm.yaml]")
        self.program("kustomize", KUSTOMIZE)
        self.program("cue", 'echo "a: b"')
        monkeypatch.setenv("PATH", str(root / "bin"), prepend=":")
        monkeypatch.setenv("TMPDIR", str(root))

    def program(self, name: str, script: str) -> None:
        write_program(self.root / "bin", name, f"#!/bin/sh\n{script}\n".encode())

    def files(self, *, resources: str, name: str = "a") -> None:
        self.targets.write("web/base/kustomization.yaml", f"resources: {resources}\n")
        manifest = f"kind: ConfigMap\nmetadata: {{name: '{name}'}}\n"
        self.targets.write("web/base/cm.yaml", manifest)

    def compile(self, kind: str = "kustomize", *, offline: bool = False, **fields: Any) -> set[str]:  # noqa: ANN401 - as people write them
        self.targets.entries.clear()
        self.targets.entry("web", "web/base", kind=kind, **fields)
        trees = trees_of(self.targets.job(offline=offline))
        return {str(path) for tree in trees.values() for path in tree}

    def everything(self) -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and not path.is_relative_to(self.root / "store")
        }


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def test_objects_are_files_and_nothing_else_is_left(world: World) -> None:
    before = world.everything()

    assert world.compile(patches={"p": {"patch": {}, "target": {}}}) == {"out/a-configmap.yaml"}
    assert world.compile("cuelang") == {"out/output.yaml"}
    assert {*world.everything()} - {*before} == set()


@pytest.mark.parametrize("place", ["{up}{root}/x", "{root}/x", "../../../../x"])
@pytest.mark.parametrize("door", ["patch", "object", "cue"])
@pytest.mark.sample(3)
def test_program_output_outside_of_target_is_refused(world: World, door: str, place: str) -> None:
    name = place.format(up=UP, root=str(world.root)[1:] if "up" in place else world.root)
    if door == "object":
        world.files(resources="[cm.yaml]", name=name)
    before = world.everything()

    fields: dict[str, dict[str, Any]] = {
        "patch": {"patches": {name: {"patch": {"a": "b"}, "target": {}}}},
        "object": {},
        "cue": {"kind": "cuelang", "output_filename": f"{name}.yaml"},
    }
    with pytest.raises(CommodoreError, match="outside of"):
        world.compile(**fields[door])

    assert world.everything() == (world.everything() | before)
    assert not [
        path for path in world.everything() if path.endswith(("/x.yaml", "x-configmap.yaml"))
    ]


@pytest.fixture
def outside(world: World) -> Path:
    """A kustomization beside the working directory."""
    folder = world.root / "outside"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("configMapGenerator: [{name: k, files: [id]}]\n")
    (folder / "id").write_text("secret")
    return folder


def test_bases_outside_are_reported(world: World, outside: Path) -> None:
    world.files(resources=f"['{UP}{outside}']")

    with run_log.collecting() as events:
        world.compile()

    assert str(outside) in {one.real for one in events.of(OutsideRead)}


@pytest.mark.parametrize("name", [".ssh", ".config/x"])
def test_bases_with_secrets_are_refused(
    world: World, outside: Path, empty_home: Path, name: str
) -> None:
    (empty_home / name).parent.mkdir(exist_ok=True)
    outside.rename(empty_home / name)
    world.files(resources=f"['{UP}{empty_home}/{name}']")

    with pytest.raises(CommodoreError, match="may hold credentials"):
        world.compile()


@pytest.mark.parametrize("spelling", ["file://{}", "git::file://{}", "FILE://{}?ref=master"])
def test_local_repository_bases_are_reported(world: World, tmp_path: Path, spelling: str) -> None:
    place = make_repository(tmp_path / "other/repo.git", {"kustomization.yaml": ""})
    world.files(resources=f"['{spelling.format(place)}']")

    with run_log.collecting() as events:
        world.compile()

    assert {one.real for one in events.of(OutsideRead)} == {str(place)}


@pytest.mark.parametrize(
    "kustomization",
    [
        "resources: ['https://example.com/a.yaml']",
        "configMapGenerator: [{name: a, files: ['k=https://example.com/a.yaml']}]",
        "secretGenerator: [{name: a, envs: ['https://example.com/a.env']}]",
    ],
)
def test_remote_bases_are_refused_offline(world: World, kustomization: str) -> None:
    world.targets.write("web/base/kustomization.yaml", kustomization)

    with pytest.raises(CommodoreError, match="kustomize would fetch https"):
        world.compile(offline=True)


@pytest.fixture
def short_limits() -> Iterator[None]:
    before = time_limits.current()
    time_limits.use(before._replace(program=1))
    yield
    time_limits.use(before)


@pytest.mark.usefixtures("short_limits")
@pytest.mark.parametrize("kind", ["kustomize", "cuelang"])
def test_endless_program_is_ended(world: World, kind: str) -> None:
    for name in ("kustomize", "cue"):
        world.program(name, "sleep 600")

    with pytest.raises(CommodoreError, match="was ended after 1 second"):
        world.compile(kind)


def test_stderr_of_failed_program_is_shown(world: World) -> None:
    world.program("kustomize", textwrap.dedent("echo it is wrong >&2; exit 3"))

    with pytest.raises(CommodoreError, match="it is wrong"):
        world.compile()
