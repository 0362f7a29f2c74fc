"""Tables of values: one test for all rows, which reports each row that fails."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    Test = Callable[..., None]


def load_yaml(file: Path) -> Any:  # noqa: ANN401 - YAML
    """The content of a file of cases, by libyaml: PyYAML's own parser takes ten times as long."""
    return yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)


def each(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """`pytest.mark.parametrize` for rows that share their fixtures, or need none."""
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    table = [dict(zip(columns, row if len(columns) > 1 else (row,), strict=True)) for row in rows]

    def decorate(test: Test) -> Test:
        def run(**fixtures: Any) -> None:  # noqa: ANN401 - of any type
            failures = []
            for row in table:
                try:
                    test(**row, **fixtures)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - all are shown
                    error.add_note(f"in the row {row}")
                    failures.append(error)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        run.__name__, run.__module__, run.__doc__ = test.__name__, test.__module__, test.__doc__
        parameters = inspect.signature(test).parameters.values()
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined] # read by pytest
            [
                value.replace(kind=inspect.Parameter.KEYWORD_ONLY)
                for value in parameters
                if value.name not in columns
            ]
        )
        return run

    return decorate
