"""Replays agree with the engine, whatever the hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters import yaml
from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.reader import read
from commodore_py.inventory.engine.render import Engine
from commodore_py.inventory.engine.values import Map, Sequence, Unresolved, plain
from commodore_py.inventory.explain.causes import Causes
from commodore_py.inventory.explain.explanation import explain, explain_parameter
from commodore_py.inventory.explain.replay import Hierarchy, compiled_hierarchy
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import Index, dotted, path_parts
from commodore_py.pipeline import compile_catalog
from commodore_py.workflows.demo import write_demo
from tests.support.builders import make_config

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from commodore_py.inventory.engine.values import Value

KEYS = st.sampled_from(["a", "b", "c"])
MARKED = st.builds(str.__add__, st.sampled_from(["", "", "", "", "~", "="]), KEYS)
LOOKED_UP = st.lists(KEYS, min_size=1, max_size=3).map(":".join)
TEXTS = st.one_of(
    LOOKED_UP.map("${{{}}}".format),
    LOOKED_UP.map("${{{}::3}}".format),
    LOOKED_UP.map("text ${{{}}}".format),
    KEYS.map("${{a:${{{}}}}}".format),
    st.just("\\${a}"),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(0, 3), KEYS, TEXTS)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(MARKED, inner, max_size=3)
    ),
    max_leaves=6,
)
LAYERS = st.lists(st.dictionaries(MARKED, VALUES, max_size=3), min_size=1, max_size=5)


def hierarchy_of(*layers: Mapping[str, Any]) -> Hierarchy:
    names = [f"layer{number}" for number in range(len(layers))]
    texts = [yaml.dump({"parameters": dict(layer)}) for layer in layers]
    generated = dict(zip(names, texts, strict=True))
    target = yaml.dump({"classes": names})
    return Hierarchy(
        ClassFiles([], generated=generated),
        {"app": target},
        shown=str,
        generated={name: f"{name}.yml" for name in names},
        written=frozenset(names),
        target_file="targets/{}.yml".format,
    )


def values_in(value: Value, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Value]]:
    """Every value of a resolved parameter, with its path."""
    yield path, value
    if type(value) is Map:
        for key, child in value.items.items():
            yield from values_in(child, (*path, key))
    elif type(value) in (list, Sequence):
        items = value.items if type(value) is Sequence else value
        for index, child in enumerate(items):
            yield from values_in(child, (*path, Index(index)))


@given(LAYERS)
def test_replay_comes_to_the_values_of_the_engine(layers: list[dict[str, Any]]) -> None:
    hierarchy = hierarchy_of(*layers)
    replay = hierarchy.replay("app")
    if replay.failures:
        return  # a constant that is set again: there is nothing to agree with
    tracer = Tracer(replay)

    for key, set_by in replay.state.parameters.items():
        for path, resolved in values_in(tracer.resolved(set_by.value), (key,)):
            found = tracer.value(path)
            if isinstance(resolved, Unresolved):
                assert isinstance(found, Unresolved), dotted(path)
            else:
                assert comparable(found) == comparable(resolved), dotted(path)


@given(LAYERS)
def test_whatever_fails_has_a_cause_with_a_place(layers: list[dict[str, Any]]) -> None:
    replay = hierarchy_of(*layers).replay("app")
    if replay.failures:
        return
    tracer = Tracer(replay)
    causes = Causes(tracer)

    for key, set_by in replay.state.parameters.items():
        for path, resolved in values_in(tracer.resolved(set_by.value), (key,)):
            if isinstance(resolved, Unresolved):
                cause = causes.of(path)
                assert cause is not None, dotted(path)
                assert all(".yml:" in place for place in cause.places)


def comparable(value: Value) -> object:
    """A resolved value, with one word for all that cannot be resolved."""
    if isinstance(value, Map):
        return {key: comparable(child) for key, child in value.items.items()}
    if isinstance(value, Sequence):
        return [comparable(item) for item in value.items]
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return "?" if isinstance(value, Unresolved) else (type(value), value)


def test_replay_of_the_playground_comes_to_what_was_compiled(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo")
    config = make_config(tmp_path / "work", api_url=str(tmp_path / "demo" / "facts"))
    compile_catalog(config, "c-demo-1", approve=lambda _: False)

    hierarchy = compiled_hierarchy(config.paths)
    engine = Engine(hierarchy.files, missing_ok=False)

    seen = 0
    for name, text in hierarchy.targets.items():
        node = engine.render_content(name, read(text, name=name), "")
        tracer = Tracer(hierarchy.replay(name))
        for path, value in plain_values_in(node.parameters, ()):
            assert plain(tracer.value(path)) == value, f"{name}: {dotted(path)}"
            places = [step.place for step in tracer.follow(path)]
            assert all(place.line for place in places) or path[0] == "_reclass_"
            seen += 1
    assert seen > 2000


def plain_values_in(
    value: object, path: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], object]]:
    if path:
        yield path, value
    pairs = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        pairs = [(Index(index), item) for index, item in enumerate(value)]
    for key, child in pairs:
        yield from plain_values_in(child, (*path, key))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("parameters.a", ("a",)),
        ("parameters", ("parameters",)),
        ("a[0].b", ("a", Index(0), "b")),
        ("a[1][2]", ("a", Index(1), Index(2))),
        ('a."b.c".d', ("a", "b.c", "d")),
        ("a.b-c.8080", ("a", "b-c", "8080")),
    ],
)
def test_paths_as_people_write_them(written: str, meant: tuple[Any, ...]) -> None:
    assert path_parts(written) == meant
    assert path_parts(dotted(meant)) == meant or written == "parameters"


@pytest.mark.parametrize("written", ["", ".", "a.", "a..b", "a[x]", "a[0]b", '"a'])
def test_what_is_not_a_path_is_refused(written: str) -> None:
    with pytest.raises(CommodoreError, match="is not a valid path"):
        path_parts(written)


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("web.replcas", "sets web.replcas", "did you mean web.replicas?"),
        ("wbe.replicas", "sets wbe", "did you mean web?"),
        ("web.replicas.min", "sets web.replicas.min", "web.replicas is not a mapping"),
        ("web.zzz", "sets web.zzz", "there are web.image, web.replicas"),
    ],
)
def test_parameter_that_is_nowhere(path: str, message: str, hint: str) -> None:
    hierarchy = hierarchy_of({"web": {"replicas": 1, "image": "x"}})

    with pytest.raises(CommodoreError, match=message) as caught:
        explain_parameter(hierarchy, "app", path_parts(path))

    assert caught.value.hint == hint


def test_target_may_be_the_cluster_by_its_id(tmp_path: Path) -> None:
    paths = an_inventory(tmp_path)

    assert explain(paths, "c-one", "a").target == "cluster"
    assert explain(paths, "cluster", "parameters.a").value == 1


def test_unknown_target_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(CommodoreError, match="target clutser not found") as caught:
        explain(an_inventory(tmp_path), "clutser", "a")

    assert caught.value.hint == "did you mean cluster?"


def test_folder_without_inventory_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(CommodoreError, match="no inventory found") as caught:
        explain(WorkPaths(tmp_path), "cluster", "a")

    assert "compile the cluster here first" in caught.value.hint


def an_inventory(root: Path) -> WorkPaths:
    paths = WorkPaths(root)
    paths.targets.mkdir(parents=True)
    (paths.targets / "cluster.yml").write_text("classes: [params.cluster]\n")
    paths.params_file.parent.mkdir(parents=True)
    paths.params_file.write_text("parameters:\n  cluster: {name: c-one}\n  a: 1\n")
    return paths
