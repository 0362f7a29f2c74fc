"""Jinja in its sandbox: templates are content, and must not run code of theirs.

Imported where a template is rendered: hardly any component has one.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FROM_TEXT = "<template>"


class Confined(SandboxedEnvironment):
    """Jinja's sandbox, in which ranges are as long as in Kapitan's templates."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Jinja's signature
        super().__init__(*args, **kwargs)
        self.globals["range"] = range


def rendered(load: Callable[[], jinja2.Template], context: Mapping[str, Any], where: str) -> str:
    """The text of a template; whatever goes wrong is an error with its place."""
    try:
        return load().render(context)
    except CommodoreError:
        raise
    except jinja2.TemplateSyntaxError as error:
        file = error.filename if error.filename not in (None, _FROM_TEXT) else where
        raise CommodoreError(
            f"not a valid template: {error.message}", where=f"{file}:{error.lineno}"
        ) from error
    except (Exception, RecursionError) as error:
        place = _place(error, where)
        raise CommodoreError(f"cannot render the template: {_words(error)}", where=place) from error


def _words(error: BaseException) -> str:
    match error:
        case RecursionError():
            return "templates or macros that use themselves without an end"
        case jinja2.TemplateNotFound():
            return f"template {error} not found"
    return str(error) or type(error).__name__


def _place(error: BaseException, where: str) -> str:
    """The innermost line of a template; Jinja puts lines of templates into the traceback."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == _FROM_TEXT:
            return f"{where}:{frame.lineno}"
        if frame.name in ("top-level template code", "template") or frame.name.startswith("block "):
            return f"{frame.filename}:{frame.lineno}"
    return where
