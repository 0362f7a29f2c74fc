"""All commands in tutorials, how-tos and the README are run, and print what is shown."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from .doc_commands import RUN, Page, commands_of, is_shown, run_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [ROOT / "README.md", *ROOT.glob("docs/tutorial/*.md"), *ROOT.glob("docs/how-to/*.md")]
)
READ = {path: commands_of(path.read_text("utf-8")) for path in PAGES}
QUICK = {"README"}
"""The page of each run; the others take minutes together, and belong to the long runs."""


def test_skipped_blocks_have_a_reason() -> None:
    reasons = [reason for path in PAGES for reason in READ[path].not_run.values()]

    assert "" not in reasons


def test_all_blocks_are_run_compared_or_skipped() -> None:
    assert [problem for path in PAGES for problem in READ[path].problems] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stem in QUICK else pytest.mark.long, id=path.stem)
        for path in PAGES
        if READ[path].steps
    ],
)
def test_command_output_matches_page(
    path: Path, empty_home: Path, pytestconfig: pytest.Config
) -> None:
    page = READ[path].possible()

    printed = run_page(page, empty_home)

    different = {
        at: f"{path.name}:{step.line}: {step.text}\n{step.shown}---\n{''.join(printed[at])}"
        for at, step in enumerate(page.steps)
        if step.shown is not None and not is_shown(step.shown, *printed[at])
    }
    if different and pytestconfig.getoption("update"):
        write_shown(path, page, {at: printed[at][0] or printed[at][1] for at in different})
    if different:
        pytest.fail("\n".join(different.values()))


def write_shown(path: Path, page: Page, printed: dict[int, str]) -> None:
    """Show what was printed, from the end of the page on, so that places stay right."""
    text = path.read_text("utf-8")
    for at in sorted(printed, reverse=True):
        start, end = page.steps[at].place
        text = text[:start] + printed[at].strip("\n") + "\n" + text[end:]
    path.write_text(text, "utf-8")


LOADERS: dict[str, Any] = {
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "json": json.loads,
    "toml": tomllib.loads,
}


def test_data_in_pages_can_be_read() -> None:
    block = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

    for kind, text in (found for path in PAGES for found in block.findall(path.read_text("utf-8"))):
        assert kind in LOADERS.keys() | RUN | {"text", "jsonnet", "rego", "ini", "dockerfile"}
        if kind in LOADERS:
            LOADERS[kind](text)
