"""What classes add again to targets whose class lists began in another way."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.additions import Recording
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.loader import MOST_ADDITIONS
from commodore_py.inventory.engine.nodes import TargetsFailed
from commodore_py.inventory.engine.render import Engine, render_targets

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHARED = {
    "shared": b"classes: [.below, '${kind}', again]\napplications: [one, ~two]\n"
    b"parameters: {k: {shared: 1}, l: [shared], ~o: [shared], c: {'=d': 1}}\n",
    "below": b"parameters: {k: {below: 1}, l: [below], o: [below], first: {x: 1}}\n",
    "again": b"applications: [three]\nparameters: {l: [again]}\n",
    "a": b"parameters: {of: a}\n",
    "b": b"parameters: {of: b}\n",
}


def rendered(beginnings: dict[str, str], *, together: bool) -> dict[str, object]:
    """Targets that begin with classes of these parameters, and have the same ones after that."""
    own = {f"own-{name}": f"{{{text}}}".encode() for name, text in beginnings.items()}
    targets = {
        name: {"classes": [f"own-{name}", "shared", "again"], "parameters": {"last": name}}
        for name in beginnings
    }
    found: dict[str, object] = {}
    for names in [[*targets]] if together else [[name] for name in targets]:
        files = ClassFiles((), generated=_SHARED | own)
        some = {name: targets[name] for name in names}
        nodes = render_targets(files, some, dict.fromkeys(names, ""), missing_ok=False)
        for name, node in nodes.items():
            order = [*node.parameters]
            found[name] = node.parameters, order, node.applications, node.classes
    return found


@pytest.mark.parametrize(
    "other",
    [
        "parameters: {kind: a}",
        "parameters: {kind: b}",
        "parameters: {kind: a, k: {own: 1}, l: [own]}",
        "parameters: {kind: a, o: [own], new: 1}",
        "parameters: {kind: a, o: {own: 1}, first: null}",
        "parameters: {kind: '${other}', other: b}",
        "parameters: {kind: a}, classes: [again]",
        "parameters: {kind: a}, classes: [below, a]",
        "parameters: {kind: a}, applications: [two, four]",
        "parameters: {kind: a}, applications: [~one]",
        "parameters: {kind: a, '=own': 1}",
    ],
)
def test_targets_are_the_same_together_and_alone(other: str) -> None:
    beginnings = {"first": "parameters: {kind: a, k: {f: 1}}", "then": other, "once-more": other}

    assert rendered(beginnings, together=True) == rendered(beginnings, together=False)


def test_a_constant_is_refused_in_each_target() -> None:
    beginnings = {"first": "parameters: {kind: a}", "then": "parameters: {kind: a, '=l': [1]}"}

    with pytest.raises(TargetsFailed) as failure:
        rendered(beginnings, together=True)

    assert "parameter l cannot be overwritten" in str(failure.value.by_target["then"])
    assert [*failure.value.by_target] == ["then"]


def test_a_target_that_failed_leaves_nothing_behind() -> None:
    """The states that it has left within a class are not taken for all that the class adds."""
    classes = {
        "fails": b"classes: [inner, nope]",
        "works": b"classes: [inner]",
        "inner": b"parameters: {l: [inner]}",
        "own": b"parameters: {l: [own]}",
    }
    engine = Engine(ClassFiles((), generated=classes), missing_ok=False)

    def lists_of(*names: str) -> object:
        target = {"classes": [*names], "parameters": {}}
        return engine.render("-".join(names), target, "").parameters["l"]

    with pytest.raises(CommodoreError, match="nope not found"):
        lists_of("fails")

    assert lists_of("works") == ["inner"]
    assert lists_of("own", "works") == ["own", "inner"]


def test_classes_are_merged_once_for_targets_alike() -> None:
    alike = {f"t{number}": f"parameters: {{kind: a, n: {number}}}" for number in range(10)}

    merged = Recording.merged
    with mock.patch.object(Recording, "merged", autospec=True, side_effect=merged) as recorded:
        rendered(alike, together=True)

    assert recorded.call_count == len(alike) + len(("shared", "below", "a", "again"))


def test_what_differs_often_is_merged_each_time() -> None:
    kinds = {f"t{n}": f"parameters: {{kind: '${{x{n}}}', x{n}: a}}" for n in range(10)}

    assert len(kinds) > MOST_ADDITIONS
    assert rendered(kinds, together=True) == rendered(kinds, together=False)


_LISTED = {f"c{n}": f"parameters: {{l: [{n}], p{n}: '${{v}}'}}".encode() for n in range(10)} | {
    "all": b"classes: [c2, c3, c4, c5]",
    "odd": b"classes: [c6]\nparameters: {l: [odd], kind: odd, '=fixed': 1}",
    "again": b"parameters: {l: [again], fixed: 2}",
    "kind-odd": b"parameters: {l: [of-odd]}",
    "kind-even": b"parameters: {l: [of-even]}",
    "of-one": b"parameters: {l: [of-one]}",
    "of-two": b"parameters: {l: [of-two]}",
    "even": b"parameters: {l: [even], kind: even}",
}


@pytest.mark.parametrize(
    "extra",
    ["", "odd", "all", "again", "c9", "of-${_reclass_:name:short}", "kind-${kind}", "nope"],
)
@pytest.mark.parametrize("run", [1, 2, 3])
@pytest.mark.parametrize("place", range(0, 11, 2))
def test_lists_that_part_somewhere_give_what_each_gives_alone(
    monkeypatch: pytest.MonkeyPatch, extra: str, run: int, place: int
) -> None:
    monkeypatch.setattr("commodore_py.inventory.engine.loader.RUN", run)
    common = [f"c{n}" for n in range(10)]
    with_extra = [*common[:place], *filter(None, [extra]), *common[place:]]
    lists = {
        "one": ["even", *with_extra],
        "two": ["even", *common[:3], "odd", *common[4:], *with_extra[:1]],
        "three": ["odd", *with_extra],
        "four": ["even", *with_extra],
        "five": [*with_extra[1:], "even"],
    }
    targets = {name: {"classes": listed, "parameters": {"v": 1}} for name, listed in lists.items()}

    def found(names: Iterable[str]) -> dict[str, object]:
        engine = Engine(ClassFiles((), generated=_LISTED), missing_ok=True)
        outcomes: dict[str, object] = {}
        for name in names:
            try:
                node = engine.render(name, targets[name], "")
            except CommodoreError as error:
                outcomes[name] = str(error)
            else:
                outcomes[name] = [*node.parameters.items()], node.applications, node.classes
        return outcomes

    alone = {name: found([name])[name] for name in targets}

    assert found(targets) == alone
    assert found(reversed(targets)) == alone


def test_runs_are_merged_once_for_lists_that_part_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commodore_py.inventory.engine.loader.RUN", 2)
    common = [f"c{n}" for n in range(10)]
    lists = [["even", "c1", *common[2:]], ["odd", "c1", *common[2:]], ["c0", "c1", *common[2:]]]
    engine = Engine(ClassFiles((), generated=_LISTED), missing_ok=False)

    merged = Recording.merged
    with mock.patch.object(Recording, "merged", autospec=True, side_effect=merged) as recorded:
        for number, listed in enumerate(lists):
            engine.render(f"t{number}", {"classes": listed, "parameters": {"v": 1}}, "")

    # All of the first list; where the others part, a run; c6, which "odd" has merged, is another.
    assert recorded.call_count == len(lists[0]) + len(["odd", "c6", "c1", "c7"]) + len(["c0", "c1"])
