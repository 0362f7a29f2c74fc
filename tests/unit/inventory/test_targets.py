"""Which classes make a target, in which order, and what its own parameters are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commodore_py.inventory.targets import targets_of
from commodore_py.lib import KUSTOMIZE_WRAPPER
from commodore_py.model.classpath import ClassPath
from commodore_py.model.dependency import Dependency, Kind
from commodore_py.model.inventory import Instance
from tests.support.builders import make_dependency

if TYPE_CHECKING:
    from pathlib import Path


def a_component(root: Path, name: str, component: str = "", *, defaults: bool = True) -> Dependency:
    folder = root / name
    (folder / "class").mkdir(parents=True)
    if defaults:
        (folder / "class" / "defaults.yml").write_text("")
    kind = Kind.INSTANCE if component else Kind.COMPONENT
    return make_dependency(name, folder, kind=kind, component=component or name)


def test_classes_come_from_general_to_special(tmp_path: Path) -> None:
    classes = ClassPath((a_component(tmp_path, "web"), a_component(tmp_path, "db-a")))

    targets = targets_of(classes, [Instance("web", "web")])

    defaults = ["params.cluster", "defaults.db-a", "defaults.web", "global.commodore"]
    assert targets["cluster"] == {"classes": defaults, "parameters": {"_instance": "cluster"}}
    assert targets["web"] == {
        "classes": [*defaults, "components.web"],
        "parameters": {
            "_base_directory": str(tmp_path / "web"),
            "_instance": "web",
            "_kustomize_wrapper": str(KUSTOMIZE_WRAPPER),
            "_python3": sys.executable,
            "kapitan": {"vars": {"target": "web"}},
        },
    }


def test_instance_has_its_own_defaults_at_the_place_of_its_component(tmp_path: Path) -> None:
    parts = (
        a_component(tmp_path, "web"),
        a_component(tmp_path, "db"),
        a_component(tmp_path, "a-web", "web"),
    )

    targets = targets_of(ClassPath(parts), [Instance("a-web", "web")])

    assert targets["a-web"]["classes"] == [
        *("params.cluster", "defaults.db", "defaults.a-web", "global.commodore"),
        "components.a-web",
    ]
    assert targets["a-web"]["parameters"]["a_web"] == {}
    assert targets["a-web"]["parameters"]["web"] == "${a_web}"


def test_defaults_that_vanished_are_left_out(tmp_path: Path) -> None:
    classes = ClassPath((a_component(tmp_path, "web"), a_component(tmp_path, "db", defaults=False)))

    targets = targets_of(classes, [Instance("web", "web")])

    for target in targets.values():
        assert "defaults.web" in target["classes"]
        assert "defaults.db" not in target["classes"]
