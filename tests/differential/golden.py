"""Golden cases of the inventory, made by reclass-rs: `python -m tests.differential.golden CASE`.

A case is a folder of `classes` and `targets`; what they come to is written to `expected.json`.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from .oracle import Oracle, Outcome

_FIELDS = ("applications", "classes", "parameters")


def text_of(outcomes: dict[str, Outcome]) -> str:
    """Results of all targets as JSON that tells apart whatever YAML and Python do.

    Where reclass-rs dies, an error is what is wanted.
    """
    targets = {
        name: {field: _encoded(what[field]) for field in _FIELDS} if kind == "rendered" else None
        for name, (kind, what) in sorted(outcomes.items())
    }
    return json.dumps(targets, indent=1, ensure_ascii=False) + "\n"


def _encoded(value: Any) -> Any:  # noqa: ANN401 - whatever a hierarchy holds
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _encoded(child) for key, child in value.items()}
        return {"(pairs)": [[_encoded(key), _encoded(child)] for key, child in value.items()]}
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"(float)": repr(value)}
    return value


def by_oracle(case: Path, oracle: Oracle) -> str:
    """What reclass-rs makes of a case."""
    oracle.ask(case, missing_ok=False)
    return text_of(oracle.answer())


if __name__ == "__main__":
    with Oracle() as reclass_rs:
        for argument in sys.argv[1:]:
            folder = Path(argument).resolve()
            (folder / "expected.json").write_text(by_oracle(folder, reclass_rs))
