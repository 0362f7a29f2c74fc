"""Errors of a hierarchy that cannot be resolved: message, location and hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, notes_of
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import TargetsFailed, render_targets
from commodore_py.inventory.explain.diagnostics import Context, diagnose
from commodore_py.inventory.explain.places import shown
from commodore_py.inventory.explain.replay import Hierarchy
from tests.support.builders import errors_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

EARLY = Context(early=True)


def problems(
    root: Path,
    files: Mapping[str, str],
    targets: Mapping[str, Sequence[str]] | None = None,
    context: Context = Context(),  # noqa: B008 - a frozen value
) -> tuple[CommodoreError, ...]:
    """What keeps targets from being resolved; each lists classes, the default is `main`."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    contents = {
        name: {"classes": list(classes), "parameters": {}}
        for name, classes in (targets or {"app": ["main"]}).items()
    }
    classes = ClassFiles([("", root)])
    uris = dict.fromkeys(contents, "")
    with pytest.raises(TargetsFailed) as caught:
        render_targets(classes, contents, uris, missing_ok=context.missing_ok)
    hierarchy = Hierarchy(
        classes,
        {name: yaml.dump(target) for name, target in contents.items()},
        shown=lambda file: shown(file, root.resolve()),
    )
    return errors_in(diagnose(caught.value, hierarchy, context))


def reported(error: CommodoreError) -> tuple[str, list[str], str]:
    return str(error), error.where.splitlines(), error.hint


def test_missing_class_names_who_includes_it_and_what_is_alike(tmp_path: Path) -> None:
    files = {
        "main.yml": "classes:\n  - t-acme.common\n",
        "t-acme/common.yml": "classes:\n  - .first\n  - .monitorng\n",
        "t-acme/first.yml": "",
        "t-acme/monitoring.yml": "",
    }

    (error,) = problems(tmp_path, files)

    message = "class t-acme.monitorng not found"
    assert reported(error) == (message, ["t-acme/common.yml:3"], "did you mean t-acme.monitoring?")
    assert notes_of(error) == (
        "included by target app -> main -> t-acme.common",
        "while resolving target app",
    )


def test_missing_entry_point_names_the_repository(tmp_path: Path) -> None:
    origins = {"global": "https://git.example.com/global.git, version master"}

    (error,) = problems(
        tmp_path,
        {"main.yml": ""},
        {"cluster": ["global.commodore"]},
        Context(origins=origins),
    )

    assert str(error) == "class global.commodore not found"
    assert error.where.splitlines() == [
        "target cluster",
        "looked for in https://git.example.com/global.git, version master",
    ]


def test_classes_may_be_missing_at_first(tmp_path: Path) -> None:
    files = {"main.yml": "classes: [nope]\nparameters:\n  a: ${b}\n"}

    (error,) = problems(tmp_path, files, context=Context(missing_ok=True))

    assert str(error) == "${b} cannot be resolved: b not found"


def test_class_name_that_cannot_be_resolved(tmp_path: Path) -> None:
    (error,) = problems(
        tmp_path, {"main.yml": "classes:\n  - a\n  - b.${facts:cloud}\n", "a.yml": ""}
    )

    assert (
        str(error)
        == "class name b.${facts:cloud} cannot be resolved: ${facts:cloud}: key facts not found"
    )
    assert error.where == "main.yml:3"


def test_missing_reference_names_parameter_place_and_neighbours(tmp_path: Path) -> None:
    files = {
        "main.yml": "parameters:\n  base: {registry: r, other: 1}\n"
        "  web:\n    image: ${base:registri}/web\n"
    }

    (error,) = problems(tmp_path, files)

    assert reported(error) == (
        "${base:registri} cannot be resolved: base.registri not found",
        ["main.yml:4", "parameters.web.image"],
        "did you mean registry?",
    )


def test_early_on_defaults_of_components_are_not_known(tmp_path: Path) -> None:
    files = {"main.yml": "parameters:\n  components:\n    web:\n      version: ${web:version}\n"}

    (error,) = problems(tmp_path, files, context=EARLY)

    assert error.where.splitlines() == ["main.yml:4", "parameters.components.web.version"]
    assert "component defaults are not known yet" in error.hint


def test_one_missing_reference_is_reported_once_for_all_that_depend_on_it(tmp_path: Path) -> None:
    files = {
        "main.yml": "parameters:\n  a: ${b}\n  c: {d: 'x${a}'}\n  e: ${c}\n  b: ${nope}\n",
        "other.yml": "classes: [main]\n",
    }
    targets = {name: ["main"] for name in ("one", "two", "three")} | {"four": ["other"]}

    (error,) = problems(tmp_path, files, targets)

    assert str(error) == "${nope} cannot be resolved: nope not found"
    assert error.where.splitlines() == ["main.yml:5", "parameters.b"]
    assert notes_of(error) == ("while resolving targets one, two, three and 1 more",)


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    files = {
        "main.yml": "parameters:\n  a: ${nope}\n  b: ${neither}\n",
        "other.yml": "parameters:\n  c: ${nope}\n",
        "broken.yml": "classes: [gone, gone.too]\n",
    }

    errors = problems(tmp_path, files, {"one": ["main"], "two": ["other"], "three": ["broken"]})

    assert sorted(error.where.splitlines()[0] for error in errors) == [
        "broken.yml:1",
        "broken.yml:1",
        "main.yml:2",
        "main.yml:3",
        "other.yml:2",
    ]


def test_parameters_are_not_reported_while_classes_are_missing(tmp_path: Path) -> None:
    (error,) = problems(tmp_path, {"main.yml": "classes: [gone]\nparameters:\n  a: ${of:gone}\n"})

    assert str(error) == "class gone not found"


def test_clash_names_both_layers(tmp_path: Path) -> None:
    files = {
        "low.yml": "parameters:\n  web:\n    ports: [80]\n",
        "main.yml": "classes: [low]\nparameters:\n  web:\n    ports:\n      http: 80\n",
    }

    (error,) = problems(tmp_path, files)

    assert reported(error) == (
        "parameters.web.ports: a mapping cannot be merged over a list",
        ["main.yml:4 (a mapping)", "low.yml:3 (a list)"],
        "give both the same kind, or replace the lower one: `~ports:`",
    )


def test_clash_through_a_reference(tmp_path: Path) -> None:
    files = {
        "low.yml": "parameters:\n  a: [1]\n  b: {c: 1}\n",
        "main.yml": "classes: [low]\nparameters:\n  a: ${b}\n",
    }

    (error,) = problems(tmp_path, files)

    assert error.where.splitlines() == [
        "main.yml:3 (a mapping, through ${b})",
        "low.yml:2 (a list)",
    ]


@pytest.mark.parametrize(
    ("low", "high", "places"),
    [
        ("  =a: 1\n", "  a: 2\n", ["main.yml:3", "low.yml:2"]),
        ("  a:\n    =b: 1\n", "  a:\n    b: 2\n", ["main.yml:4", "low.yml:3"]),
        ("  a:\n    =b: 1\n  own: {b: 2}\n", "  a: ${own}\n", ["main.yml:3", "low.yml:3"]),
    ],
)
def test_constants_name_who_made_them_so(
    tmp_path: Path, low: str, high: str, places: list[str]
) -> None:
    files = {"low.yml": f"parameters:\n{low}", "main.yml": f"classes: [low]\nparameters:\n{high}"}

    (error,) = problems(tmp_path, files)

    assert "is constant and cannot be overwritten" in str(error)
    assert error.where.splitlines() == [
        f"{places[0]} (sets it again)",
        f"{places[1]} (makes it constant)",
    ]


def test_constant_is_the_only_mistake_where_others_follow_from_it(tmp_path: Path) -> None:
    files = {
        "low.yml": "parameters:\n  base: {=registry: r, other: 1}\n  a: ${base:other}\n",
        "main.yml": "classes: [low]\nparameters:\n  base: {registry: s}\n  b: x${base:nope}\n",
    }

    (error,) = problems(tmp_path, files)

    assert str(error) == "parameters.base.registry is constant and cannot be overwritten"
    assert error.where.splitlines() == [
        "main.yml:3 (sets it again)",
        "low.yml:2 (makes it constant)",
    ]


def test_ring_of_references_is_reported_whole_and_once(tmp_path: Path) -> None:
    files = {
        "low.yml": "parameters:\n  a: ${b:x}\n",
        "main.yml": "classes: [low]\nparameters:\n  b:\n    x: y${c}\n  c: ${a}\n  d: ${c}\n",
    }

    (error,) = problems(tmp_path, files)

    assert str(error) == "references form a loop: ${a} -> ${b:x} -> ${c} -> ${a}"
    assert error.where.splitlines() == ["low.yml:2 (a)", "main.yml:4 (b.x)", "main.yml:5 (c)"]


def test_ring_of_classes(tmp_path: Path) -> None:
    files = {
        "main.yml": "classes:\n  - one\n",
        "one.yml": "classes: [two]\n",
        "two.yml": "classes:\n  - main\n",
    }

    (error,) = problems(tmp_path, files)

    assert str(error) == "classes include each other in a circle: main -> one -> two -> main"
    assert error.where == "two.yml:2"


def test_yaml_that_cannot_be_read_is_shown(tmp_path: Path) -> None:
    (error,) = problems(tmp_path, {"main.yml": "parameters:\n  a: [1\n  b: 2\n"})

    assert "not valid YAML" in str(error)
    first, line, *_ = error.where.splitlines()
    assert first.startswith("main.yml:3:")
    assert line == "    b: 2"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (
            "parameters:\n  kapitan: 1\n  kapitan: 2\n",
            "duplicate key kapitan",
            "main.yml:3",
        ),
        ("parameters: [1]\n", "`parameters` must be a mapping", "main.yml:1"),
        (
            "parameters:\n  a: !tag 1\n",
            "YAML tag !tag is not supported in a hierarchy",
            "main.yml:2",
        ),
        (
            "- a\n",
            "a class must be a mapping of classes, applications and parameters",
            "main.yml:1",
        ),
    ],
)
def test_files_that_are_not_classes(tmp_path: Path, text: str, message: str, place: str) -> None:
    (error,) = problems(tmp_path, {"main.yml": text})

    lines = text.splitlines()
    assert str(error) == message
    assert error.where.splitlines() == [place, f"  {lines[int(place[-1]) - 1]}"]


def test_broken_file_is_reported_once_for_all_targets(tmp_path: Path) -> None:
    (error,) = problems(tmp_path, {"main.yml": "- a\n"}, {"one": ["main"], "two": ["main"]})

    assert notes_of(error) == ("while resolving targets one, two",)


def test_reference_that_is_not_closed(tmp_path: Path) -> None:
    (error,) = problems(tmp_path, {"main.yml": "parameters:\n  list:\n    - fine\n    - ${open\n"})

    assert "is not a valid reference" in str(error)
    assert error.where.splitlines() == ["main.yml:4", "parameters.list[1]"]


def test_keys_need_not_be_texts(tmp_path: Path) -> None:
    (tmp_path / "main.yml").write_text("parameters:\n  ports:\n    8080: one\n    true: two\n")
    target = {"classes": ["main"], "parameters": {}}

    nodes = render_targets(
        ClassFiles([("", tmp_path)]), {"app": target}, {"app": ""}, missing_ok=False
    )

    assert nodes["app"].parameters["ports"] == {8080: "one", True: "two"}
