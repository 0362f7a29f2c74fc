"""Lists of Jsonnet libraries that components compute."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.jsonnet.rendered import render_jsonnetfiles
from commodore_py.errors import CommodoreError, notes_of
from tests.support.builders import commit_in, errors_in, git, make_dependency

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.dependency import Dependency

SOURCE = """{version: std.extVar("v"), dependencies: [], z: {a: {}}}"""
RENDERED = """\
{
   "dependencies": [ ],
   "version": "1",
   "z": {
      "a": { }
   }
}

"""


@pytest.fixture
def component(tmp_path: Path) -> Dependency:
    worktree = tmp_path / "my-app"
    worktree.mkdir()
    git(worktree, "init", "--quiet")
    (worktree / "jsonnetfile.jsonnet").write_text(SOURCE)
    return make_dependency("my-app", worktree)


def parameters(**values: object) -> dict[str, object]:
    return {"my_app": {"jsonnetfile_parameters": values}}


def test_bytes_of_a_computed_list(component: Dependency) -> None:
    render_jsonnetfiles([component], parameters(v="1"))

    assert (component.worktree / "jsonnetfile.json").read_text() == RENDERED


def test_a_list_that_stays_the_same_is_not_written(component: Dependency) -> None:
    render_jsonnetfiles([component], parameters(v="1"))
    before = (component.worktree / "jsonnetfile.json").stat().st_mtime_ns

    render_jsonnetfiles([component], parameters(v="1"))

    assert (component.worktree / "jsonnetfile.json").stat().st_mtime_ns == before


@pytest.mark.parametrize("given", [{}, {"my_app": {}}, {"my_app": None}])
def test_a_component_may_have_no_parameters(
    component: Dependency, given: dict[str, object]
) -> None:
    (component.worktree / "jsonnetfile.jsonnet").write_text("{}")

    render_jsonnetfiles([component], given)

    assert (component.worktree / "jsonnetfile.json").read_text() == "{ }\n\n"


def test_both_files_in_the_repository_are_warned_about(
    component: Dependency, caplog: pytest.LogCaptureFixture
) -> None:
    commit_in(component.worktree, {"jsonnetfile.json": "{}"})

    with caplog.at_level(logging.WARNING):
        render_jsonnetfiles([component], parameters(v="1"))

    (message,) = caplog.messages
    assert "component my-app has both jsonnetfile.jsonnet and jsonnetfile.json" in message
    assert (component.worktree / "jsonnetfile.json").read_text() == RENDERED


def test_a_rendered_list_alone_is_not_warned_about(
    component: Dependency, caplog: pytest.LogCaptureFixture
) -> None:
    (component.worktree / "jsonnetfile.json").write_text("{}")

    with caplog.at_level(logging.WARNING):
        render_jsonnetfiles([component], parameters(v="1"))

    assert caplog.messages == []


def test_parameters_that_are_not_text(component: Dependency) -> None:
    with pytest.raises(CommodoreError) as caught:
        render_jsonnetfiles([component], parameters(v=1, w="1", x=None))

    number, nothing = errors_in(caught.value)
    assert str(number) == (
        "component my-app: a jsonnetfile parameter is 1, which is int and not a string"
    )
    assert number.where == "parameters.my_app.jsonnetfile_parameters.v"
    assert number.hint == "put it in quotes"
    assert nothing.where == "parameters.my_app.jsonnetfile_parameters.x"
    assert not (component.worktree / "jsonnetfile.json").exists()


def test_parameters_that_are_not_a_mapping(component: Dependency) -> None:
    with pytest.raises(CommodoreError) as caught:
        render_jsonnetfiles([component], {"my_app": {"jsonnetfile_parameters": ["v"]}})

    assert "and not a mapping" in str(caught.value)


def test_a_variable_without_a_value(component: Dependency) -> None:
    with pytest.raises(CommodoreError) as caught:
        render_jsonnetfiles([component], {})

    assert "v" in str(caught.value)
    assert f"{component.worktree}/jsonnetfile.jsonnet:1" in caught.value.where
    assert notes_of(caught.value) == ("while rendering jsonnetfile.jsonnet of component my-app",)
