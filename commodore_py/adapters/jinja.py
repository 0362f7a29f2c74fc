"""Jinja in its sandbox, and with limits: templates are content, and must not run code of theirs.

Imported where a template is rendered: hardly any component has one.
"""

from __future__ import annotations

import resource
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from commodore_py.adapters.time_limits import TookTooLong, cpu_limit
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jinja2.runtime import Context

_MOST_SECONDS = 10
"""CPU time of one rendering."""
_MOST_MEMORY = 512 << 20
"""Bytes that one rendering may add to those of the process."""
_MOST_BITS = 1_000_000
"""Of a power of integers."""

_FROM_TEXT = "<template>"


class TemplateLimit(jinja2.TemplateRuntimeError):
    """A template needs more than any sensible one."""


class _Template(jinja2.Template):
    """A template whose rendering has limits of its own."""

    environment: Confined

    def render(self, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - Jinja's signature
        """The text, unless it takes too much."""
        with self.environment.limited():
            return super().render(*args, **kwargs)


class Confined(SandboxedEnvironment):
    """Jinja's sandbox, in which also time and memory are limited."""

    template_class = _Template
    intercepted_binops = frozenset({"**"})

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Jinja's signature
        super().__init__(*args, **kwargs)
        self._is_limited = False
        # The sandbox has one of at most 100,000, whatever it is for.
        self.globals["range"] = range

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Limit the outermost of nested renderings."""
        if self._is_limited:
            yield
            return
        self._is_limited = True
        try:
            with cpu_limit(_MOST_SECONDS, "the template"), _little_memory():
                yield
        finally:
            self._is_limited = False

    def compile(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Jinja's signature
        """Code of a template; constant expressions are computed for it."""
        with self.limited():
            return super().compile(*args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - Jinja's signature
        """Refuse powers that Python computes without looking at the clock."""
        integers = isinstance(left, int) and isinstance(right, int)
        if integers and left.bit_length() * right > _MOST_BITS:
            raise TemplateLimit(f"a number of more than {_MOST_BITS:,} bits")
        return super().call_binop(context, operator, left, right)


def rendered(load: Callable[[], jinja2.Template], context: Mapping[str, Any], where: str) -> str:
    """The text of a template; whatever goes wrong is an error with its place."""
    try:
        return load().render(context)
    except TookTooLong as error:
        error.where = _place(error, where)
        raise
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
        case TemplateLimit():
            return f"it takes {error}"
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


@contextmanager
def _little_memory() -> Iterator[None]:
    """A limit of the process where the system has one; what it refuses is an error of ours."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = _memory_used()
    highest = used + _MOST_MEMORY
    limited = bool(used) and (soft == resource.RLIM_INFINITY or soft > highest)
    if limited:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (highest, hard))
    try:
        yield
    except MemoryError as error:  # whose message is empty, also where Kapitan shows it
        limit = TemplateLimit(f"more than {_MOST_MEMORY >> 20} MiB of memory")
        raise limit.with_traceback(error.__traceback__) from None
    finally:
        if limited:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _memory_used() -> int:
    """Bytes of addresses that the process uses; 0 where that is not known."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0
