"""What is cached of a hierarchy, and what is not."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.store import Store
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.cached import CachedHierarchy
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.reader import warn_again

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.inventory.engine.reader import ClassFile
    from commodore_py.model.inventory import Node


class Parsed(ClassFiles):
    """Class files that remember whether any was parsed."""

    any = False

    def load(self, name: str) -> ClassFile:
        """Remember, and go on."""
        self.any = True
        return super().load(name)


def render(
    tmp_path: Path,
    classes: dict[str, str],
    *targets: str,
    missing_ok: bool = False,
    verify: bool = False,
    work: str = "work",
) -> tuple[dict[str, Node], bool]:
    """Targets that include all classes; and whether that took any work."""
    files = Parsed((), generated={name: text.encode() for name, text in classes.items()})
    wanted = {
        name: {"classes": [*classes, *(["gone"] if missing_ok else [])], "parameters": {}}
        for name in targets or ("one",)
    }
    kept = CachedHierarchy(tmp_path / "store", tmp_path / work, verify=verify)
    uris = {name: f"yaml_fs://{name}" for name in wanted}
    return kept.render(files, wanted, uris, missing_ok=missing_ok), files.any


def test_nothing_is_done_twice(tmp_path: Path) -> None:
    classes = {"a": "parameters: {list: [1, 2.5, null], ref: '${list}'}"}

    first, worked = render(tmp_path, classes, "one", "two")
    second, again = render(tmp_path, classes, "one", "two")

    assert (worked, again) == (True, False)
    assert second["two"].parameters == first["two"].parameters
    assert second["two"].raw["__reclass__"]["uri"] == "yaml_fs://two"


@pytest.mark.parametrize("merged", ["{~a: {%s: '${r}'}}", "[{~a: {%s: '${r}'}}]"])
def test_what_is_merged_overrides_what_stands_there(tmp_path: Path, merged: str) -> None:
    text = f"parameters:\n  r: 1\n  <<: {merged}\n  a: {{y: '${{r}}'}}\n"
    render(tmp_path, {"a": text % "before"})

    nodes, _ = render(tmp_path, {"a": text % "after"})

    assert nodes["one"].parameters["a"] == {"after": 1}


def test_what_targets_share_is_shared_still(tmp_path: Path) -> None:
    classes = {"a": "parameters: {large: {of: all}}"}
    render(tmp_path, classes, "one", "two")

    nodes, _ = render(tmp_path, classes, "one", "two")

    assert nodes["one"].parameters["large"] is nodes["two"].parameters["large"]


def test_a_class_that_is_not_included_yet_counts(tmp_path: Path) -> None:
    render(tmp_path, {"a": "classes: [.b]", "b": "parameters: {k: 1}"})

    nodes, worked = render(tmp_path, {"a": "classes: [.b]", "b": "parameters: {k: 2}"})

    assert worked
    assert nodes["one"].parameters["k"] == 2


def test_other_targets_have_a_place_of_their_own(tmp_path: Path) -> None:
    classes = {"a": "parameters: {k: 1}"}
    render(tmp_path, classes, "cluster")
    render(tmp_path, classes, "cluster", "one")

    assert not render(tmp_path, classes, "cluster")[1]
    assert not render(tmp_path, classes, "cluster", "one")[1]


def test_messages_are_logged_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    render(tmp_path, {"a": ""}, missing_ok=True)
    messages = caplog.messages
    caplog.clear()

    _, worked = render(tmp_path, {"a": ""}, missing_ok=True)

    assert not worked
    assert caplog.messages == messages == ["class gone not found, ignored"]


def test_a_hierarchy_with_warnings_is_not_cached(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    classes = {"unusual": "parameter: {k: 1}"}
    render(tmp_path, classes)
    warned = caplog.messages
    caplog.clear()
    warn_again()

    _, worked = render(tmp_path, classes)

    assert worked
    assert caplog.messages == warned
    assert "did you mean `parameters`?" in warned[0]


def test_cached_results_can_be_verified(tmp_path: Path) -> None:
    classes = {"a": "parameters: {k: 1}"}
    render(tmp_path, classes)

    nodes, worked = render(tmp_path, classes, verify=True)

    assert worked
    assert nodes["one"].parameters["k"] == 1


def test_wrong_cached_results_are_reported(tmp_path: Path) -> None:
    classes = {"a": "parameters: {k: some-value}"}
    render(tmp_path, classes)
    changed_behind_its_back(tmp_path, b"some-value", b"else-value")
    assert render(tmp_path, classes)[0]["one"].parameters["k"] == "else-value"

    with pytest.raises(CommodoreError, match="hierarchy of target one differs"):
        render(tmp_path, classes, verify=True)

    assert render(tmp_path, classes)[0]["one"].parameters["k"] == "some-value"


def changed_behind_its_back(tmp_path: Path, before: bytes, after: bytes) -> None:
    store, found = Store(tmp_path / "store"), 0
    for note in notes_below(tmp_path):
        key = note.parent.name + note.name
        kept = store.record(key)
        assert kept is not None
        found += before in kept
        store.set_record(key, kept.replace(before, after))
    assert found


def notes_below(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "store").rglob("*") if path.is_file()]


def test_after_an_edit_only_the_edited_class_is_read(tmp_path: Path) -> None:
    classes = {
        "a": "parameters: {one: written, two: {k: ['${three}']}}",
        "b": "parameters: {three: 2}",
    }
    render(tmp_path, classes)
    changed_behind_its_back(tmp_path, b"written", b"keptone")

    nodes, worked = render(tmp_path, {**classes, "b": "parameters: {three: 3}"})

    assert worked
    assert nodes["one"].parameters["one"] == "keptone"
    assert nodes["one"].parameters["two"] == {"k": [3]}


def test_after_an_edit_only_what_it_reaches_is_resolved_again(tmp_path: Path) -> None:
    classes = {
        "a": "parameters: {one: {is: 'some-${value}'}, two: 'some-${other}'}",
        "b": "parameters: {value: thing}",
        "c": "parameters: {other: thing}",
    }
    render(tmp_path, classes)
    changed_behind_its_back(tmp_path, b"some-thing", b"else-thing")

    nodes, _ = render(tmp_path, {**classes, "c": "parameters: {other: matter}"})

    assert nodes["one"].parameters["one"] == {"is": "else-thing"}, "as it was stored"
    assert nodes["one"].parameters["two"] == "some-matter"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("parameters: {v: 1}", "parameters: {v: true}"),
        ("parameters: {v: 1}", "parameters: {v: '1'}"),
        ("parameters: {v: null}", "parameters: {}"),
        ("parameters: {v: [1]}", "parameters: {v: [1], k: {l: 2}}"),
        ("parameters: {v: '${w}', w: 1}", "parameters: {v: '${w}', w: 2}"),
    ],
)
def test_an_edit_reaches_whatever_refers_to_it(tmp_path: Path, before: str, after: str) -> None:
    classes = {"a": "parameters: {k: {is: '${v::none}', text: 'v=${v::none}'}}", "z": ""}
    render(tmp_path, {**classes, "b": before})

    nodes, _ = render(tmp_path, {**classes, "b": after})

    fresh, _ = render(tmp_path / "elsewhere", {**classes, "b": after})
    assert repr(nodes["one"].parameters) == repr(fresh["one"].parameters)
    assert nodes["one"].parameters["k"] == fresh["one"].parameters["k"]


def test_a_damaged_store_is_ignored(tmp_path: Path) -> None:
    classes = {"a": "parameters: {k: 1}"}
    render(tmp_path, classes)
    for note in notes_below(tmp_path):
        content = bytearray(note.read_bytes())
        content[-3] ^= 1
        note.write_bytes(content)

    nodes, worked = render(tmp_path, classes)

    assert worked
    assert nodes["one"].parameters["k"] == 1


def test_what_several_working_directories_use_is_stored_once(tmp_path: Path) -> None:
    classes = {"a": "parameters: {k: {is: long-value}, other: '${k}'}"}
    render(tmp_path, classes)
    notes = [note for note in notes_below(tmp_path) if b"long-value" in note.read_bytes()]
    changed_behind_its_back(tmp_path, b"long-value", b"else-value")

    nodes, _ = render(tmp_path, classes, work="elsewhere")

    assert len(notes) == 2, "the hierarchy, and what was read of its classes"
    assert nodes["one"].parameters["other"] == {"is": "else-value"}


@pytest.mark.parametrize("name", ["no key at all" * 5, "0" * 64])
def test_a_stored_name_of_nothing_is_ignored(tmp_path: Path, name: str) -> None:
    classes = {"a": "parameters: {k: 1}"}
    render(tmp_path, classes)
    named = 0
    for note in notes_below(tmp_path):
        key = (note.parent.name + note.name).encode()
        if any(key in other.read_bytes() for other in notes_below(tmp_path)):
            changed_behind_its_back(tmp_path, key, name[: len(key)].encode())
            named += 1

    nodes, _ = render(tmp_path, classes, work="elsewhere")

    assert named == 2, "the hierarchy, and what was read of its classes"
    assert nodes["one"].parameters["k"] == 1


def test_an_unreadable_class_is_ignored_until_it_is_included(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "classes"
    folder.mkdir()
    (folder / "a.yml").write_text("parameters: {k: 1}")
    (folder / "b.yml").write_text("")
    files = ClassFiles([("", folder)])
    (folder / "b.yml").unlink()
    target = {"classes": ["a"], "parameters": {}}
    kept = CachedHierarchy(tmp_path / "store", tmp_path)

    nodes = kept.render(files, {"one": target}, {"one": ""}, missing_ok=False)

    assert nodes["one"].parameters["k"] == 1
