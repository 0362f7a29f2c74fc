"""Our own engine loads neither Kapitan nor reclass-rs, and no compile what reads clusters."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

FOREIGN = {"kapitan", "reclass_rs"}
OF_LIVE = {
    *("commodore_py.cli.commands.live", "commodore_py.live", "commodore_py.workflows.live"),
    "lupa",
}
# Python imports this before anything else; children do, and forks have it.
WATCH = """\
import sys

def told(event, arguments):
    if event == "import" and arguments[0] in {foreign!r}:
        with open({seen!r}, "a") as file:
            file.write(arguments[0] + "\\n")

sys.addaudithook(told)
"""


def _with_all_own_inputs(name: str) -> dict[str, str]:
    files = configmap_component(name)
    settings = yaml.safe_load(files[f"class/{name}.yml"])
    settings["parameters"]["kapitan"]["compile"] += [
        {
            "input_paths": ["${_base_directory}/class"],
            "input_type": "copy",
            "output_path": "copied",
        },
        {
            "input_paths": ["compiled/${_instance}/copied/defaults.yml"],
            "input_type": "remove",
            "output_path": ".",
        },
    ]
    return {**files, f"class/{name}.yml": yaml.safe_dump(settings)}


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    names = ("one", "two", "three", "four", "five")
    return make_fleet(tmp_path / "fleet", **{name: _with_all_own_inputs(name) for name in names})


def _imported(fleet: Fleet, *options: str, **variables: str) -> set[str]:
    """What a compile imported of the foreign ones and of `live`, in all its processes."""
    seen, hooks = fleet.root / "seen", fleet.root / "hooks"
    hooks.mkdir()
    seen.touch()
    (hooks / "sitecustomize.py").write_text(WATCH.format(foreign=FOREIGN | OF_LIVE, seen=str(seen)))
    path = os.pathsep.join(filter(None, (str(hooks), os.environ.get("PYTHONPATH"))))
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))
    subprocess.run(
        [sys.executable, "-m", "commodore_py", "-d", str(fleet.work), *words, *options],
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        check=True,
    )
    assert (fleet.work / "compiled/one/one/out.yaml").is_file()
    assert (fleet.work / "compiled/one/copied/one.yml").is_file()
    assert not (fleet.work / "compiled/one/copied/defaults.yml").exists()
    return set(seen.read_text().split())


@pytest.mark.parametrize("processes", ["1", "2"])
def test_the_native_engine_imports_no_other(fleet: Fleet, processes: str) -> None:
    assert _imported(fleet, "--processes", processes) == set()


@pytest.mark.slow
def test_the_reference_engine_is_seen(fleet: Fleet) -> None:
    assert _imported(fleet, COMMODORE_ENGINE="reference") == FOREIGN
