"""Charts by both engines, and errors of a missing helm."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py import compiler
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import ReferenceFile
from commodore_py.pipeline import gather
from tests.support.builders import errors_in
from tests.support.fleet import CLUSTER, Fleet, make_fleet
from tests.support.helm_charts import CASES, FAILING, Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.config import Engine
    from commodore_py.model.tree import Tree

Trees = dict[str, "Tree"]

_REFERENCE = b"""data: dC1mb28=
encoding: original
type: vaultkv
vault_params:
  auth: token
"""
_REFERENCES = (ReferenceFile("a/b/c", _REFERENCE, "vaultkv"),)

needs_helm = pytest.mark.skipif(shutil.which("helm") is None, reason="there is no helm in PATH")


def _name_of(case: str) -> str:
    return "h-" + re.sub("[^a-z0-9]+", "-", case.lower())


def _component(case: str, content: Case) -> Mapping[str, str]:
    files, entries = content
    name = _name_of(case)
    class_file = yaml.safe_dump({"parameters": {"kapitan": {"compile": entries}}})
    every = {f"class/{name}.yml": class_file, **files}
    return {path: text.replace("@NAME@", name) for path, text in every.items()}


def _fleet(root: Path, cases: Mapping[str, Case]) -> Fleet:
    shutil.rmtree(root, ignore_errors=True)
    components = {_name_of(one).replace("-", "_"): _component(one, cases[one]) for one in cases}
    return make_fleet(root, **components)


def _compile(fleet: Fleet, engine: Engine) -> Mapping[str, Tree]:
    config = fleet.config(engine=engine, processes=1)
    with exclusive_run(config.paths):
        return compiler.compile_targets(config, gather(config, CLUSTER), _REFERENCES)


def _compiled(root: Path, engine: Engine) -> Trees:
    made = _compile(_fleet(root, CASES), engine)
    return {one: made[_name_of(one)] for one in CASES}


def _failures(root: Path, engine: Engine) -> dict[str, str]:
    with pytest.raises(CommodoreError) as caught:
        _compile(_fleet(root, FAILING), engine)
    failures = {
        error.where.splitlines()[-1]: f"{error} ({error.hint})" for error in errors_in(caught.value)
    }
    return {
        one: text
        for one in FAILING
        for where, text in failures.items()
        if re.search(rf"target {_name_of(one)}(,|$)", where)
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All compile in one place: paths are part of some output."""
    return tmp_path_factory.mktemp("helm") / "same"


@pytest.fixture(scope="module")
def by_program(place: Path) -> Trees:
    return _compiled(place, "native")


@pytest.fixture(scope="module")
def by_kapitan(place: Path) -> Trees:
    return _compiled(place, "reference")


@pytest.fixture(scope="module")
def no_program() -> Iterator[None]:
    """A PATH that no helm is in."""
    folders = os.environ["PATH"].split(os.pathsep)
    rest = [folder for folder in folders if not (Path(folder) / "helm").exists()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join(rest))
        yield


@needs_helm
@pytest.mark.parametrize("case", CASES)
def test_both_engines_render_the_same(by_program: Trees, by_kapitan: Trees, case: str) -> None:
    assert by_program[case] == by_kapitan[case]
    assert by_program[case].empty_folders == by_kapitan[case].empty_folders


@needs_helm
def test_both_engines_refuse_the_same(place: Path) -> None:
    ours = _failures(place, "native")

    assert set(ours) == set(FAILING)
    assert set(_failures(place, "reference")) == set(FAILING)


@pytest.mark.usefixtures("no_program")
def test_without_any_helm_all_ways_to_one_are_named(
    place: Path,
) -> None:
    case = {"values": CASES["values"]}

    with pytest.raises(CommodoreError) as caught:
        _compile(_fleet(place, case), "native")

    for way in (
        "PATH",
        "tool install helm",
        "helm_path",
        "KAPITAN_HELM_PATH",
    ):
        assert way in caught.value.hint
