"""A baseline: the fingerprints of problems that are known."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from commodore_py.model.problem import Problem

_FORMAT = 1
_HINT = "write it again: --write-baseline FILE"


def read_baseline(file: Path) -> Mapping[str, int]:
    """The fingerprints of a file, with their counts."""
    content = json_text.load(content_of(file), name=str(file))
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise _invalid(file, f"its format is not {_FORMAT}")
    problems = content.get("problems")
    if not isinstance(problems, dict) or not all(
        isinstance(count, int) and not isinstance(count, bool) and count > 0
        for count in problems.values()
    ):
        raise _invalid(file, "problems is not a mapping of fingerprints to counts")
    return problems


def write_baseline(file: Path, problems: Iterable[Problem]) -> int:
    """Write the fingerprints of problems, sorted; how many problems there are."""
    counts = Counter(one.fingerprint for one in problems if one.severity != "fatal")
    content = {"format": _FORMAT, "problems": dict(sorted(counts.items()))}
    write_if_changed(file, (json.dumps(content, indent=2) + "\n").encode())
    return counts.total()


def _invalid(file: Path, why: str) -> CommodoreError:
    return CommodoreError(f"the baseline is invalid: {why}", where=str(file), hint=_HINT)
