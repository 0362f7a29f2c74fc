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
        run.pytestmark = getattr(test, "pytestmark", [])  # type: ignore[attr-defined]
        return run

    return decorate


def check_subset(value: Any, wanted: Any, path: str) -> None:  # noqa: ANN401 - JSON
    """Compare JSON: objects may have more fields than the case names."""
    if isinstance(wanted, dict) and wanted.keys() == {"some"}:
        for item in wanted["some"]:
            assert any(_is_subset(below, item) for below in value), (path, item, value)
    elif isinstance(wanted, dict):
        assert isinstance(value, dict), path
        for key, below in wanted.items():
            check_subset(value.get(key), below, f"{path}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(value, list), path
        assert len(value) == len(wanted), (path, value)
        for number, below in enumerate(wanted):
            check_subset(value[number], below, f"{path}[{number}]")
    else:
        assert value == wanted, path


def _is_subset(value: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    try:
        check_subset(value, wanted, "")
    except AssertionError:
        return False
    return True
