"""Components by what they compile: `files`, Kapitan's `entries`, and a program that one `needs`.

One that `fails` does not compile. `@NAME@` stands for the component's name.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from tests.support.fleet import Fleet, make_fleet
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.support.golden import GoldenCase

CASES = {case.name: case for case in golden_cases(Path(__file__).parent)}
MISSING = {
    name: tool
    for name, case in CASES.items()
    if (tool := case.content.get("needs", "")) and shutil.which(tool) is None
}
FAILING = {name for name, case in CASES.items() if case.content.get("fails")}
COMPILING = [name for name in CASES if name not in {*FAILING, *MISSING}]


def fleet_of(root: Path, names: Iterable[str]) -> Fleet:
    """A cluster with these components."""
    return make_fleet(root, **{f"s_{name}": _component(CASES[name]) for name in names})


def target_of(name: str) -> str:
    """The name of a component, and of its target."""
    return f"s-{name.replace('_', '-')}"


def _component(case: GoldenCase) -> dict[str, str]:
    parameters = {"kapitan": {"compile": case.content["entries"]}}
    name = target_of(case.name)
    files = {
        f"class/{name}.yml": yaml.safe_dump({"parameters": parameters}),
        **case.content.get("files", {}),
    }
    return {path: text.replace("@NAME@", name) for path, text in files.items()}
