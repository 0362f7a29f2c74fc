"""HTML for people: the templates that the daemon's page and the report of a run share."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.lib import PAGE

from .explained import value_lines

if TYPE_CHECKING:
    import jinja2


def rendered(template: str, **values: Any) -> str:
    """A page; texts in it are masked and escaped, whatever they are."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # heavy, and for few commands

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["yaml"] = _as_yaml
    environment.filters["time"] = lambda seconds: (
        f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC" if seconds else ""
    )
    return environment


def _as_yaml(value: object) -> str:
    return "\n".join(value_lines(value)) if isinstance(value, dict | list) else inline(value)


def _shown(value: object) -> object:
    """A value as it may be shown: no control characters, no secrets, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return escaping.lines(REDACTOR.masked(value))
    return value
