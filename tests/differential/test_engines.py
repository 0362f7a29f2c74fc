"""Whole compiles by our engine and by Kapitan: the same trees, or both refuse."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py import compiler
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import ReferenceFile
from commodore_py.pipeline import gather
from tests.support.builders import errors_in
from tests.support.fleet import CLUSTER

from .compiles import COMPILING, FAILING, MISSING, fleet_of, target_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Engine
    from commodore_py.model.tree import Tree

REFERENCE = b"""data: dC1mb28=
encoding: original
type: vaultkv
vault_params:
  auth: token
"""


def compiled(root: Path, names: Iterable[str], engine: Engine) -> Mapping[str, Tree]:
    # In the same place for both engines: some paths are part of the output.
    shutil.rmtree(root, ignore_errors=True)
    config = fleet_of(root, names).config(engine=engine, processes=1)
    references = (ReferenceFile("a/b/c", REFERENCE, "vaultkv"),)
    with exclusive_run(config.paths):
        return compiler.compile_targets(config, gather(config, CLUSTER), references)[0]


def refused(root: Path, names: Iterable[str], engine: Engine) -> set[str]:
    with pytest.raises(CommodoreError) as caught:
        compiled(root, names, engine)
    places = [error.where.splitlines()[-1] for error in errors_in(caught.value)]
    return {
        name
        for name in names
        if any(re.search(rf"target {target_of(name)}(,|$)", place) for place in places)
    }


def test_both_engines_compile_same_trees(tmp_path: Path) -> None:
    """Compile everything at once: Kapitan takes long to start."""
    ours = compiled(tmp_path / "same", COMPILING, "native")
    theirs = compiled(tmp_path / "same", COMPILING, "reference")

    assert ours == theirs
    assert {name: tree.empty_folders for name, tree in ours.items()} == {
        name: tree.empty_folders for name, tree in theirs.items()
    }


def test_both_engines_refuse_same_targets(tmp_path: Path) -> None:
    failing = FAILING - MISSING.keys()

    assert refused(tmp_path / "same", failing, "native") == failing
    assert refused(tmp_path / "same", failing, "reference") == failing


@pytest.mark.parametrize("tool", sorted({*MISSING.values()}))
def test_program_is_there_to_compare(tool: str) -> None:
    pytest.skip(f"there is no {tool} in PATH: install it to compare its entries")


def test_missing_helm_error_lists_ways_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = os.environ["PATH"].split(os.pathsep)
    without = [folder for folder in folders if not (Path(folder) / "helm").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join(without))

    with pytest.raises(CommodoreError) as caught:
        compiled(tmp_path, ["helm_values"], "native")

    for way in ("PATH", "tool install helm", "helm_path", "KAPITAN_HELM_PATH"):
        assert way in caught.value.hint
