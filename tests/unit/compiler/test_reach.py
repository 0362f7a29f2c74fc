"""What component code reads of the machine: by every door and spelling, cached or not."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest

from commodore_py import run_log
from commodore_py.adapters.files.reach import NeverRead, OutsideRead, Reach
from commodore_py.config import Config, WorkPaths, facts_folder
from commodore_py.errors import CommodoreError
from commodore_py.lib import KUSTOMIZE_WRAPPER, LIBRARIES
from tests.support.scenarios.compile_targets import CompileTargets, trees_of
from tests.support.tables import each
from tests.support.tool_releases import write_program

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "CANARY"
CONTENT = f'{{"k": {{"v": "{SECRET}"}}}}'

NATIVES = {
    "importstr": "importstr @'{file}'",
    "import": "import @'{file}'",
    "importbin": "std.decodeUTF8(importbin @'{file}')",
    "file_read": "std.native('file_read')(@'{file}')",
    "dir_files_read": "std.native('dir_files_read')(@'{folder}')",
    "yaml_load": "std.native('yaml_load')(@'{file}')",
    "yaml_load_stream": "std.native('yaml_load_stream')(@'{file}')",
    "yaml_load_all": "std.native('yaml_load_all')(@'{file}')",
    "jinja2": "std.native('jinja2_render_file')(@'{file}', '{{}}')",
}
COPIES = {"copy a file": "{file}", "copy a folder": "{folder}", "copy a pattern": "{folder}/*.yaml"}
DOORS = [*NATIVES, *COPIES, "input"]


class Machine:
    """A working directory, and folders beside it that no component may read."""

    def __init__(self, root: Path, home: Path) -> None:
        self.targets = CompileTargets(root / "work", root / "store")
        self.work, self.home, self.outside = root / "work", home, root / "outside"
        self.outside.mkdir(parents=True)
        self._put(self.outside)
        self._put(home / ".ssh")
        self._put(home / "plain")
        self._put(root / "other/files")
        self.cluster = root / "other"
        (self.cluster / "inventory/classes/params").mkdir(parents=True)
        (self.cluster / "inventory/classes/params/cluster.yml").write_text("{}")
        self.targets.write("web/inside/a.yaml", CONTENT)

    def _put(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.yaml").write_text(CONTENT)

    def put(self, folder: str) -> str:
        """A folder with a secret below the working directory."""
        self._put(self.work / folder)
        return folder

    def read(self, door: str, folder: str, name: str = "a.yaml") -> None:
        """Let a component read a file of a folder, or all of it, through a door."""
        self.targets.entries.clear()
        there = {"file": f"{folder}/{name}", "folder": folder}
        if door in NATIVES:
            code = NATIVES[door].format(**there)
            self.targets.write("web/main.jsonnet", f"{{ a: {{ got: {code} }} }}")
            self.targets.entry("web", "web/main.jsonnet")
        elif door in COPIES:
            self.targets.entry("web", COPIES[door].format(**there), kind="copy")
        else:
            self.targets.entry("web", there["file"])

    def link(self, name: str, target: str | Path) -> str:
        """A link in the component; returns its path as components write it."""
        place = self.work / "web" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
        return f"web/{name}"

    def compile(self, reach: Reach | None = None) -> tuple[bytes, tuple[OutsideRead, ...]]:
        """All output, and what was read outside."""
        job = self.targets.job()
        with run_log.collecting() as events:
            trees = trees_of(replace(job, reach=reach or job.reach))
        content = b"".join(entry.content for tree in trees.values() for entry in tree.values())
        return content, events.of(OutsideRead)

    def refused(self, why: str, *secrets: str, reach: Reach | None = None) -> None:
        """Compiling must fail with this reason, and without the content."""
        with pytest.raises(CommodoreError) as caught:
            self.compile(reach)
        text = f"{caught.value}\n{caught.value.where}"
        assert why in text
        assert not any(one in text for one in (SECRET, *secrets))


Machines: TypeAlias = "Callable[[], Machine]"


@pytest.fixture
def machines(tmp_path: Path, empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    """A new one for each row of a table, with the working directory above its own."""
    numbers = count()

    def made() -> Machine:
        root = tmp_path / str(next(numbers))
        root.mkdir()
        monkeypatch.chdir(root)
        return Machine(root, empty_home)

    return made


@pytest.fixture
def machine(machines: Machines) -> Machine:
    """One with a home directory of its own."""
    return machines()


@each("door", DOORS)
def test_files_inside_component_are_not_reported(machines: Machines, door: str) -> None:
    machine = machines()
    machine.read(door, f"{machine.work}/web/inside" if door in COPIES else "web/inside")

    content, outside = machine.compile()

    assert SECRET.encode() in content
    assert outside == ()


def _link_to_a_link(machine: Machine) -> str:
    (machine.work / "two").symlink_to(machine.outside)
    return machine.link("one", "../two")


SPELLINGS: dict[str, Callable[[Machine], str]] = {
    "absolute": lambda machine: str(machine.outside),
    "up": lambda machine: f"web/../../{machine.outside.name}",
    "link to the file": lambda machine: machine.link(
        "l/a.yaml", machine.outside / "a.yaml"
    ).rpartition("/")[0],
    "link to the folder": lambda machine: machine.link("l", machine.outside),
    "link in the middle": lambda machine: (
        f"{machine.link('l', machine.outside.parent)}/{machine.outside.name}"
    ),
    "link to a link": _link_to_a_link,
    "home": lambda machine: str(machine.home / "plain"),
}


@each(
    ("door", "spelling"),
    [
        *(("file_read", spelling) for spelling in SPELLINGS),
        *((door, "link in the middle") for door in DOORS if door != "file_read"),
    ],
)
def test_file_outside_of_roots_is_reported_even_if_cached(
    machines: Machines, door: str, spelling: str
) -> None:
    machine = machines()
    machine.read(door, SPELLINGS[spelling](machine))

    first, again = machine.compile(), machine.compile()

    assert SECRET.encode() in first[0]
    assert first[0] == again[0]
    wanted = machine.home / "plain" if spelling == "home" else machine.outside
    for _, outside in (first, again):
        assert outside
        assert all(one.real.startswith(str(wanted)) for one in outside)


def _home_through_links(machine: Machine) -> str:
    machine.link("one", machine.home)
    return machine.link("two", "one/.ssh")


class _Place(NamedTuple):
    """A place that is never read."""

    folder: Callable[[Machine], str]
    why: str
    name: str = "a.yaml"


_PROC, _HIDDEN = "nothing in /proc is read", "hidden files of a home directory"
_GIT, _PRIVATE = "settings of a Git repository", "private to this program"
_OTHER = "is the working directory of another cluster"
NEVER = {
    "/proc": _Place(lambda _: "/proc/self", _PROC, "environ"),
    "/proc through a link": _Place(lambda it: it.link("l", "/proc/self"), _PROC, "environ"),
    "/proc/self/root": _Place(lambda it: f"/proc/self/root{it.outside}", _PROC),
    "/proc/self/cwd": _Place(lambda _: "/proc/self/cwd/work/web/inside", _PROC),
    "/proc//self/../thread-self": _Place(lambda _: "//proc//self/../thread-self", _PROC, "environ"),
    "/proc/self/root through a link": _Place(
        lambda it: it.link("l", f"/proc/self/root{it.home}/.ssh"), _HIDDEN
    ),
    "/sys": _Place(lambda _: "/sys/devices/system/cpu", "nothing in /sys is read", "online"),
    "~/.ssh": _Place(lambda it: f"{it.home}/.ssh", _HIDDEN),
    "~/.ssh upwards": _Place(lambda it: f"{it.home}/plain/../.ssh", _HIDDEN),
    "~/.ssh through links": _Place(_home_through_links, _HIDDEN),
    ".git": _Place(lambda it: it.put(".git"), _GIT),
    ".git by its path": _Place(lambda it: f"{it.work}/{it.put('.git/refs')}", _GIT),
    ".GIT": _Place(lambda it: it.put("web/.GIT"), _GIT),
    "a nested .git": _Place(lambda it: it.put("web/inside/.git/modules/one"), _GIT),
    ".git through a link": _Place(lambda it: it.link("l", it.work / it.put(".git")), _PRIVATE),
    "another .git through a link": _Place(
        lambda it: it.link("l", it.work / it.put("dependencies/web/.git")), _GIT
    ),
    ".git upwards": _Place(lambda it: it.put("web/../.git"), _GIT),
    ".git elsewhere": _Place(lambda it: str(it.work / it.put("../outside/.git")), _GIT),
    ".git that is a link": _Place(lambda it: it.link(".git", it.outside), _GIT),
    "dependencies/.repos": _Place(lambda it: it.put("dependencies/.repos/web"), _PRIVATE),
    "dependencies/.repos through a link": _Place(
        lambda it: it.link("l", it.work / it.put("dependencies/.repos")), _PRIVATE
    ),
    "another cluster": _Place(lambda it: f"{it.cluster}/files", _OTHER),
    "another cluster through a link": _Place(lambda it: it.link("l", it.cluster / "files"), _OTHER),
}


# All doors lead to one view: each is tried with one case of a kind, and one door with all.
@each(
    ("door", "case"),
    [
        *(("file_read", case) for case in NEVER),
        *(
            (door, case)
            for door in DOORS
            if door not in ("file_read", "copy a pattern")
            for case in (
                "/proc/self/root through a link",
                "~/.ssh upwards",
                ".git elsewhere",
                "dependencies/.repos through a link",
                "another cluster",
            )
        ),
    ],
)
def test_protected_places_are_refused(machines: Machines, door: str, case: str) -> None:
    machine = machines()
    place = NEVER[case]
    machine.read(door, place.folder(machine), place.name)

    machine.refused(place.why)


@each("case", NEVER)
def test_file_exists_refuses_private_paths(machines: Machines, case: str) -> None:
    machine = machines()
    place = NEVER[case]
    file = f"{place.folder(machine)}/{place.name}"
    machine.targets.write("web/main.jsonnet", f"{{ a: std.native('file_exists')('{file}') }}")
    machine.targets.entry("web", "web/main.jsonnet")

    machine.refused(place.why)


def test_copied_folder_omits_git_folder(machine: Machine) -> None:
    machine.put("web/chart/deep/.git")
    machine.targets.write("web/chart/b.yaml", "b: 1\n")
    machine.read("copy a folder", "web/chart")

    assert machine.compile() == (b"b: 1\n", ())


def test_programs_may_read_cloned_chart_but_not_checkout(machine: Machine) -> None:
    machine.put("web/chart/.git")
    machine.put("web/.git/refs")
    reach = Reach((machine.work, machine.work / "web"), work=(machine.work,))

    reach.check(str(machine.work / "web/chart"))
    for refused in ("web", "web/.git", "web/chart/.git", "web/chart/.git/a.yaml"):
        with pytest.raises(NeverRead, match="settings of a Git repository"):
            reach.check(str(machine.work / refused))


def test_git_file_of_worktree_is_not_read(machine: Machine) -> None:
    machine.targets.write("web/.git", CONTENT)
    machine.read("importstr", "web", ".git")

    machine.refused("settings of a Git repository")


def test_names_similar_to_git_folder_are_read(machine: Machine) -> None:
    for folder in ("web/.github", "web/git", "web/.gitlab/ci", "web/x.git"):
        machine.read("importstr", machine.put(folder))

        assert SECRET.encode() in machine.compile()[0]


def test_working_directory_below_git_folder_is_readable(tmp_path: Path, empty_home: Path) -> None:
    machine = Machine(tmp_path / ".git/hooks", empty_home)
    machine.read("importstr", "web/inside")

    assert SECRET.encode() in machine.compile()[0]


FACTS: dict[str, Callable[[Machine], str]] = {
    "relative": lambda _: "./work/facts",
    "absolute": lambda machine: f"{machine.work}/facts",
    "URL": lambda machine: f"file://{machine.work}/facts/",
    "elsewhere": lambda machine: f"{machine.outside}/facts",
    "link": lambda machine: f"{machine.work}/{machine.link('to', machine.work)}/facts",
    "the working directory": lambda machine: str(machine.work),
}


@each(
    ("door", "spelling"),
    [
        *(("file_read", spelling) for spelling in FACTS),
        *((door, "link") for door in ("import", "copy a file", "copy a folder")),
    ],
)
def test_facts_of_clusters_are_never_read(machines: Machines, door: str, spelling: str) -> None:
    machine = machines()
    api_url = FACTS[spelling](machine)
    folder = facts_folder(api_url)
    assert folder is not None
    for name in ("clusters", "tenants", "reports"):
        place = str((folder / name).absolute())
        machine.put(place)
        machine.read(door, machine.link(name, place) if name == "tenants" else place)
        config = Config(WorkPaths(machine.work), api_url=api_url)

        machine.refused("private to this program", reach=_reach(machine, config))


@each("door", ["import", "file_read", "copy a file", "copy a folder"])
@each("absolute", [True, False])
def test_token_file_is_never_read(machines: Machines, door: str, *, absolute: bool) -> None:
    machine = machines()
    machine.put("secrets")
    token = f"{machine.work if absolute else 'work'}/secrets/a.yaml"
    config = Config(WorkPaths(machine.work), api_token=token)
    machine.read(door, "web/../secrets" if "copy" not in door else f"{machine.work}/secrets")

    why = "where not everything may be read" if door == "copy a folder" else "private to this"
    machine.refused(why, reach=_reach(machine, config))


@pytest.mark.parametrize("token", ["sesame", "a\0b", "t" * 5000])
def test_token_is_not_a_private_path(token: str, tmp_path: Path) -> None:
    assert Config(WorkPaths(tmp_path), api_token=token).private_places() == ()


def test_settings_of_other_programs_are_never_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(machine.outside))
    machine.read("importstr", machine.put(f"{machine.outside}/gh"))

    machine.refused("settings of programs")


def test_settings_around_everything_forbid_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(machine.home))
    machine.read("importstr", str(machine.home / "plain"))

    assert SECRET.encode() in machine.compile()[0]


def _reach(machine: Machine, config: Config) -> Reach:
    folders = (machine.work, LIBRARIES.parent)
    return Reach(folders, work=(machine.work,), private=config.private_places())


def test_folder_containing_private_paths_is_not_copied(machine: Machine) -> None:
    for folder in ("/", str(machine.home), str(machine.home.parent), machine.link("l", "/")):
        machine.read("copy a folder", folder)

        machine.refused("where not everything may be read")


def test_hard_link_is_an_ordinary_file(machine: Machine) -> None:
    os.link(machine.outside / "a.yaml", machine.work / "web/linked.yaml")
    machine.read("importstr", "web", "linked.yaml")

    assert machine.compile()[1] == ()


@each("door", ["importstr", "file_read", "copy a file", "copy a folder"])
@each(
    ("target", "why"),
    [
        ("/dev/zero", "nothing in /dev is read"),
        ("/dev/fd/0", "nothing in /dev is read"),
        ("/dev/stdin", "nothing in /dev is read"),
        ("/dev/tty", "nothing in /dev is read"),
        ("fifo", "a FIFO, not a file"),
        ("socket", "a socket, not a file"),
        ("huge", "larger than 512 MiB"),
        ("a.yaml", ""),
        ("../l", ""),
        ("nowhere", ""),
        ("n" * 255 + "/x", ""),
    ],
)
def test_special_file_is_an_error(machines: Machines, door: str, target: str, why: str) -> None:
    machine = machines()
    import socket  # only here

    os.mkfifo(machine.outside / "fifo")
    with socket.socket(socket.AF_UNIX) as listener, suppress(OSError):
        here = os.open(machine.outside, os.O_RDONLY)  # a short name for a socket
        listener.bind(f"/proc/self/fd/{here}/socket")
        os.close(here)
    with (machine.outside / "huge").open("wb") as huge:
        huge.truncate(600 << 20)
    named = target in ("fifo", "socket", "huge")
    machine.link("l/a.yaml", machine.outside / target if named else target)
    machine.read(door, "web/l")

    machine.refused(why)


@each(
    ("links", "why"),
    [
        ({"loop": "."}, "leads to a folder above it"),
        ({"a": "..", "b": ".."}, "leads to a folder above it"),
        ({"l1": "../l", "l2": "../l"}, "leads to a folder above it"),
        ({"up": "../../.."}, "leads to a folder above it"),
        ({"root": "/"}, "leads to a folder above it"),
        ({"one": "../b/two", "../b/two": "../l"}, "leads to a folder above it"),
        ({"to-b": "../b", "../b/back": "../l"}, "leads to a folder above it"),
        ({"nowhere": "missing"}, "leads nowhere"),
        ({"self": "self"}, "Too many levels of symbolic links"),
    ],
)
def test_folder_with_invalid_links_is_not_copied(
    machines: Machines, links: dict[str, str], why: str
) -> None:
    machine = machines()
    for name, target in links.items():
        machine.link(os.path.normpath(f"l/{name}"), target)
    machine.read("copy a folder", "web/l")

    machine.refused(why)


def test_folder_with_exploding_links_is_not_copied(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commodore_py.adapters.files.trees.MOST_FILES", 2_000)
    for depth in range(40):
        for side in "ab":
            machine.link(f"{depth}/{side}", f"../{depth + 1}")
    machine.targets.write("web/40/file", "")
    machine.read("copy a folder", "web/0")

    machine.refused("more than 2,000 files")


@each("name", [".env", ".commodore/journal/x.json", ".EnV", ".ENV", ".Commodore/x.json"])
@each("door", ["importstr", "file_read", "copy a file"])
def test_private_files_of_working_directory_are_never_read(
    machines: Machines, door: str, name: str
) -> None:
    machine = machines()
    machine.targets.write(name, CONTENT)
    for folder in (".", str(machine.work)):
        machine.read(door, folder, name)

        machine.refused("private to this program")


def test_later_link_is_refused_despite_cached_result(machine: Machine) -> None:
    machine.read("importstr", "web/inside")
    machine.compile()
    inside = machine.work / "web/inside"
    (inside / "a.yaml").unlink()
    (inside / "a.yaml").symlink_to(machine.home / ".ssh/a.yaml")

    machine.refused("hidden files of a home directory")


def test_checkouts_and_folders_behind_links_of_the_user_are_read(
    machine: Machine, tmp_path: Path
) -> None:
    # As `component compile` has it, and a user who keeps dependencies on another disk.
    checkout = tmp_path / "src/component-web"
    checkout.mkdir(parents=True)
    (checkout / "a.yaml").write_text(CONTENT)
    machine.read("importstr", machine.link("checkout", checkout))
    reach = Reach((machine.work, LIBRARIES.parent, checkout), work=(machine.work,))

    assert machine.compile(reach=reach)[1] == ()


@pytest.mark.parametrize("processes", [1, 2])
def test_workers_report_outside_reads(machine: Machine, processes: int) -> None:
    for number in range(5):
        machine.targets.write(f"{number}.jsonnet", f"{{ a: importstr '{machine.outside}/a.yaml' }}")
        machine.targets.entry(f"t{number}", f"{number}.jsonnet")

    machine.targets.processes = processes

    _, outside = machine.compile()

    assert {one.real for one in outside} == {f"{machine.outside}/a.yaml"}


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="there is no shared memory")  # noqa: S108 - its path
@pytest.mark.parametrize("spelling", ["{}", "/dev/../{}", "/proc/../{}"])
def test_files_in_shared_memory_are_as_any_others(tmp_path: Path, spelling: str) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder, "a.yaml")
        file.write_text(CONTENT)
        reach = Reach((tmp_path,))

        with run_log.collecting() as events:
            assert reach.read(spelling.format(file)) == CONTENT.encode()

        assert [one.real for one in events.of(OutsideRead)] == [str(file)]


@pytest.mark.parametrize("path", ["/dev/shm/../null", "/dev/shmem", "/dev/null"])  # noqa: S108 - as above
def test_device_files_are_never_read(tmp_path: Path, path: str) -> None:
    with pytest.raises(NeverRead, match="nothing in /dev is read"):
        Reach((tmp_path,)).real(path)


@pytest.mark.parametrize("last", ["a.yaml", "https://example.com/x"])
@pytest.mark.parametrize("where", ["web/kust", "web/base", "web/far"])
def test_files_read_by_kustomize_are_reported_even_if_cached(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, where: str, last: str
) -> None:
    kustomization(machine, monkeypatch, last)
    place = machine.work / where
    (place / "a.yaml").symlink_to(machine.outside / "a.yaml")

    first, again = machine.compile(), machine.compile()

    assert first[0] == again[0]
    for _, outside in (first, again):
        assert {one.real for one in outside} == {f"{machine.outside}/a.yaml"}


@pytest.mark.parametrize("kind", ["external", "kustomize"])
@pytest.mark.parametrize("last", ["a.yaml", "https://example.com/x"])
@pytest.mark.parametrize("where", ["web/kust", "web/base", "web/far"])
def test_kustomize_does_not_run_on_protected_files(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, where: str, last: str, kind: str
) -> None:
    ran = kustomization(machine, monkeypatch, last, kind)
    (machine.work / where / "a.yaml").symlink_to(machine.home / ".ssh/a.yaml")

    machine.refused("credentials")

    assert not ran.exists()


def kustomization(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, last: str, kind: str = "external"
) -> Path:
    """An entry whose kustomization has a base, which has another; returns what a run leaves."""
    ran = machine.work.parent / "ran"
    script = f'touch {ran}; cat "$2"/*.yaml > "$4/o.yaml"\n'
    for folder, base in (("kust", "../base"), ("base", "../far"), ("far", last)):
        machine.targets.write(f"web/{folder}/kustomization.yaml", f"resources: ['{base}']\n")
    write_program(machine.work.parent / "bin", "kustomize", f"#!/bin/sh\n{script}".encode())
    monkeypatch.setenv("PATH", f"{machine.work.parent}/bin", prepend=":")
    if kind == "kustomize":
        machine.targets.entry("web", "web/kust", kind=kind)
        return ran
    machine.targets.entry(
        "web",
        str(KUSTOMIZE_WRAPPER),
        kind=kind,
        output_path=".",
        env_vars={"INPUT_DIR": str(machine.work / "web/kust")},
        args=["${compiled_target_dir}/sub"],
    )
    return ran


def test_file_exists_outside_of_roots_is_reported(machine: Machine) -> None:
    there = machine.link("maybe", machine.outside / "a.yaml")
    machine.targets.write("web/main.jsonnet", f"{{ a: std.native('file_exists')('{there}') }}")
    machine.targets.entry("web", "web/main.jsonnet")

    first, again = machine.compile(), machine.compile()

    assert first == again
    assert [one.real for one in first[1]] == [f"{machine.outside}/a.yaml"]


TAGS = {
    "include": "{{% include '{0}' %}}",
    "import": "{{% import '{0}' as x %}}{{{{ x }}}}",
    "from": "{{% from '{0}' import x %}}",
    "extends": "{{% extends '{0}' %}}",
}


@each("tag", TAGS)
@each("place", ["link", "folder", ".env", ".commodore/x", "proc"])
def test_private_template_include_is_refused(machines: Machines, tag: str, place: str) -> None:
    machine = machines()
    (machine.work / ".env").write_text(SECRET)
    (machine.work / ".commodore").mkdir()
    (machine.work / ".commodore/x").write_text(SECRET)
    machine.link("file", machine.home / ".ssh/a.yaml")
    machine.link("folder", machine.home / ".ssh")
    machine.link("proc", "/proc/self/environ")
    named = {"link": "file", "folder": "folder/a.yaml"}.get(place, place)
    machine.targets.write("web/t.j2", TAGS[tag].format(named))
    machine.targets.entry("web", "web/t.j2", kind="jinja2")

    machine.refused("cannot read")


def test_template_include_outside_of_roots_is_reported(machine: Machine) -> None:
    machine.link("far", machine.outside / "a.yaml")
    machine.targets.write("web/near", "near ")
    machine.targets.write("web/t.j2", "{% include 'near' %}{% include 'far' %}")
    machine.targets.entry("web", "web/t.j2", kind="jinja2")

    content, outside = machine.compile()

    assert b"near" in content
    assert SECRET.encode() in content
    assert {one.real for one in outside} == {f"{machine.outside}/a.yaml"}


def test_path_directly_below_root_is_resolved() -> None:
    assert Reach.anywhere().real("/x") == "/x"
