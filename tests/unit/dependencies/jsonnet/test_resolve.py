"""Which Jsonnet libraries are used, and what is reported about the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.jsonnet.jsonnetfile import (
    GitSource,
    JsonnetFile,
    LocalSource,
    Requirement,
)
from commodore_py.dependencies.jsonnet.remote import Remote
from commodore_py.dependencies.jsonnet.resolve import Package, Resolution, resolve, wanted_by
from commodore_py.errors import CommodoreError, notes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.dependencies.jsonnet.resolve import Outcome, Wanted


def want(name: str, version: str = "v1", subdir: str = "", **more: str | bool) -> Requirement:
    """A library of a made-up host."""
    source = GitSource(Remote(f"https://{name}.git", name), subdir)
    return Requirement(source, version, single=bool(more.get("single")), line=3)


@dataclass
class Libraries:
    """What each library wants, by name and version; what is not here cannot be brought."""

    libraries: dict[tuple[str, str], list[Requirement]] = field(default_factory=dict)
    rounds: list[list[str]] = field(default_factory=list)

    def bring(self, wanted: Sequence[Wanted]) -> list[Outcome]:
        self.rounds.append([one.name for one in wanted])
        return [self._brought(one) for one in wanted]

    def _brought(self, wanted: Wanted) -> Outcome:
        if wanted.key not in self.libraries:
            return CommodoreError("not there", where="somewhere")
        commit = f"{wanted.requirement.version} of {wanted.name}".removeprefix("same ")
        return Package(wanted, Path("/vendor") / wanted.name, commit)

    def read(self, package: Package) -> JsonnetFile:
        return JsonnetFile(tuple(self.libraries[package.wanted.key]))

    def resolve(self, *direct: Requirement) -> Resolution:
        file = JsonnetFile(direct)
        wanted = wanted_by(file, by="", where="/here/jsonnetfile.json", folder=Path("/here"))
        return resolve(wanted, self.bring, self.read)


def used(resolution: Resolution) -> list[str]:
    return [f"{one.wanted.name}@{one.wanted.requirement.version}" for one in resolution.packages]


def test_each_level_is_brought_at_once() -> None:
    libraries = Libraries(
        {
            ("a", "v1"): [want("c"), want("b")],
            ("b", "v1"): [want("d")],
            ("c", "v1"): [],
            ("d", "v1"): [],
        }
    )

    resolution = libraries.resolve(want("a"), want("b"))

    assert libraries.rounds == [["a", "b"], ["c", "d"]]
    assert used(resolution) == ["a@v1", "c@v1", "b@v1", "d@v1"]


def test_the_first_in_depth_wins_and_the_conflict_is_reported() -> None:
    libraries = Libraries(
        {("a", "v1"): [want("x", "v2")], ("x", "v1"): [want("y")], ("x", "v2"): [], ("y", "v1"): []}
    )

    resolution = libraries.resolve(want("a"), want("x", "v1"))

    assert used(resolution) == ["a@v1", "x@v2"]
    (conflict,) = resolution.conflicts
    assert (conflict.used.by, conflict.used.requirement.version) == ("a", "v2")
    assert conflict.other.where == "/here/jsonnetfile.json:3"


def test_two_versions_of_one_commit_do_not_conflict() -> None:
    libraries = Libraries(
        {("a", "v1"): [], ("b", "v1"): [want("a", "same v1")], ("a", "same v1"): []}
    )

    resolution = libraries.resolve(want("a"), want("b"))

    assert used(resolution) == ["a@v1", "b@v1"]
    assert resolution.conflicts == []


def test_a_missing_library_ends_the_list_that_names_it_only() -> None:
    libraries = Libraries(
        {
            ("a", "v1"): [want("gone"), want("after"), want("last")],
            ("b", "v1"): [want("last")],
            ("after", "v1"): [],
            ("last", "v1"): [],
        }
    )

    resolution = libraries.resolve(want("a"), want("b"))

    assert used(resolution) == ["a@v1", "b@v1", "last@v1"]
    assert resolution.refused == []
    (missing,) = resolution.missing
    assert (missing.wanted.name, missing.wanted.by) == ("gone", "a")
    assert missing.wanted.where == "/vendor/a/jsonnetfile.json:3"
    assert [one.name for one in missing.skipped] == ["after", "last"]


def test_a_name_that_failed_is_not_tried_in_another_version() -> None:
    libraries = Libraries(
        {("a", "v1"): [want("x", "gone")], ("b", "v1"): [want("x", "v1")], ("x", "v1"): []}
    )

    resolution = libraries.resolve(want("a"), want("b"))

    assert used(resolution) == ["a@v1", "b@v1"]
    assert len(resolution.missing) == len(resolution.conflicts) == 1


def test_all_direct_failures_are_reported() -> None:
    libraries = Libraries({("b", "v1"): []})

    resolution = libraries.resolve(want("a"), want("b"), want("c"))

    first, second = resolution.refused
    assert (str(first), first.where) == ("not there", "somewhere")
    assert (notes_of(first), notes_of(second)) == (
        ("while fetching a in v1",),
        ("while fetching c in v1",),
    )


def test_failures_of_what_is_not_chosen_do_not_matter() -> None:
    libraries = Libraries(
        {("a", "v1"): [want("x")], ("x", "v1"): [], ("b", "v1"): [want("x", "gone")]}
    )

    resolution = libraries.resolve(want("a"), want("b"))

    assert resolution.missing == []
    assert used(resolution) == ["a@v1", "x@v1", "b@v1"]


def test_single_libraries_bring_nothing_more() -> None:
    libraries = Libraries({("a", "v1"): [want("b")], ("b", "v1"): []})

    assert used(libraries.resolve(want("a", single=True))) == ["a@v1"]


def test_of_two_entries_with_one_name_the_later_counts_in_place() -> None:
    libraries = Libraries({("a", "v1"): [], ("a", "v2"): [], ("b", "v1"): []})

    assert used(libraries.resolve(want("a", "v1"), want("b"), want("a", "v2"))) == ["a@v2", "b@v1"]


def test_cycles_end() -> None:
    libraries = Libraries({("a", "v1"): [want("b")], ("b", "v1"): [want("a"), want("b")]})

    assert used(libraries.resolve(want("a"))) == ["a@v1", "b@v1"]


def test_two_folders_with_one_name_are_a_conflict() -> None:
    libraries = Libraries({("x", ""): []})

    resolution = libraries.resolve(Requirement(LocalSource("one/x")), Requirement(LocalSource("x")))

    assert [str(one.wanted.folder) for one in resolution.packages] == ["/here/x"]
    assert resolution.conflicts == []  # one list: the later entry counts


@pytest.mark.parametrize(
    "requirement",
    [
        want("git.example.com/../x"),
        want("git.example.com//x"),
        want("git.example.com/org/x/.."),
        want("../etc/x"),
        want(".cache/org/x"),
        want(".CACHE/org/x"),
        want("git.example.com/org/x", subdir="../../../y"),
        want("git.example.com/org/x", subdir="/sub"),
        want("git.example.com/org/x", subdir="sub/"),
        want("git.example.com/org/x", subdir="."),
        want("git.example.com/org/x", subdir="sub\0"),
        want("git.example.com/org/x", "v1\0"),
        want("git.example.com/org/x", ""),
        Requirement(LocalSource("/")),
        Requirement(LocalSource("folder/.cache")),
    ],
)
def test_names_that_lead_elsewhere_are_not_requested(requirement: Requirement) -> None:
    libraries = Libraries()

    (refused,) = libraries.resolve(requirement).refused

    assert libraries.rounds == [[]]
    assert str(refused)
    assert refused.where.startswith("/here/jsonnetfile.json")


def test_a_remedy_for_an_untidy_folder() -> None:
    (refused,) = Libraries().resolve(want("git.example.com/org/x", subdir="/lib//x/")).refused

    assert refused.hint == 'write "subdir": "lib/x"'
