"""Commands in a prepared directory: files, command lines and results from `cases/*.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command_cases import cases_in, run_case

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine


@pytest.mark.parametrize("case", cases_in(Path(__file__).parent / "cases"))
def test_commands_have_the_results_of_the_case(
    commodore: CommandLine, tmp_path: Path, request: pytest.FixtureRequest, case: dict[str, Any]
) -> None:
    run_case(commodore, tmp_path, request, case)
