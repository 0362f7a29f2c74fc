"""Functions that read files: the result of a file's `subject` for the `files` of each case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.adapters.files import read_tree
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.compiler.charts import Chart
from commodore_py.errors import CommodoreError
from commodore_py.live.access import kubeconfig
from commodore_py.workflows.authoring.testing.cases import find_suite
from tests.support.golden import GoldenCase, golden_cases, shown_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.golden import Golden

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_function_matches_case(case: GoldenCase, golden: Golden, tmp_path: Path) -> None:
    function = SUBJECTS[case.content["subject"]]
    given, found = case.content.get("given", {}), {}
    for number, (name, content) in enumerate(case.content["cases"].items()):
        every = {**given, **content}
        folder = GoldenCase(case.file, every).write_files(tmp_path / str(number))
        del every["files"]
        try:
            text = function(folder, **every)
        except CommodoreError as error:
            text = shown_errors(error)
        found[name] = text.replace(str(folder), "<dir>")

    golden.check(case, expected=found)


def jsonnet(
    folder: Path,
    source: str,
    import_folders: tuple[str, ...] = (),
    **options: Any,  # noqa: ANN401 - passed on
) -> str:
    """The value of a file that is beside the others."""
    file = folder / "main.jsonnet"
    folders = [folder / name for name in import_folders]
    read = Reach.anywhere().content
    return evaluate(file, source.encode(), read=read, import_folders=folders, **options)


def chart(folder: Path, values: tuple[str, ...] = ()) -> str:
    """Functions of a chart that differ each time, and whether sub-charts are missing."""
    found = Chart.of(read_tree(folder))
    calls = "".join(f"{function} in {place}\n" for function, place in found.clock_calls())
    functions = ", ".join(sorted(found.unsteady(values))) or "none"
    title = found.title or "no title"
    return f"{title}, lacks charts: {found.lacks_charts}, unsteady: {functions}\n{calls}"


def access(folder: Path, paths: tuple[str, ...], **options: str) -> str:
    """The access to a cluster of some kubeconfig files."""
    variables = {"KUBECONFIG": ":".join(str(folder / path) for path in paths)} if paths else {}
    found = kubeconfig.find(variables=variables, home=folder, **options)
    return (
        f"{found.name}: {found.server}, verify: {found.verify}\n{found.user.token!r} {found.user}\n"
    )


def component_test_cases(folder: Path) -> str:
    """The test cases of a component."""
    suite = find_suite(folder)
    return f"{[case.name for case in suite.cases]}, golden: {suite.golden}\n"


SUBJECTS: dict[str, Callable[..., str]] = {
    function.__name__.replace("_", " "): function
    for function in (jsonnet, chart, access, component_test_cases)
}
