"""Jinja in its sandbox, and with limits: templates are content, and must not run code of theirs.

Imported where a template is rendered: hardly any component has one.
"""

from __future__ import annotations

import functools
import resource
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import nodes
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import generate_lorem_ipsum, pass_context

from commodore_py.adapters.jsonnet.cpu_limit import TookTooLong, cpu_limit
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jinja2.runtime import Context

_MOST_STEPS = 10_000_000
"""Rounds of loops of one rendering; calls and included templates count for several."""
_CALL = 20
_MOST_MEMORY = 512 << 20
"""Bytes that one rendering may add to those of the process."""
_MOST_BITS = 1_000_000
"""Of a number that is computed."""

_MOST_WORDS = 100_000
"""Of text without a meaning, for which Jinja has a function."""
_MOST_SECONDS = 5
"""CPU time of one call of a filter with a pattern."""

_WITH_PATTERNS = frozenset({"regex_findall", "regex_replace", "regex_search"})

_COUNTED = "_counted"
_FROM_TEXT = "<template>"


class TemplateLimit(jinja2.TemplateRuntimeError):
    """A template does more than any sensible one."""


class _Filters(dict[str, Any]):
    """Filters by name; those with patterns of the template have a time limit."""

    def __setitem__(self, name: str, function: Any) -> None:  # noqa: ANN401 - Jinja's type
        # One that gets a context or an environment is not Kapitan's.
        if name in _WITH_PATTERNS and not hasattr(function, "jinja_pass_arg"):
            function = _in_time(name, function)
        super().__setitem__(name, function)


class _Template(jinja2.Template):
    """A template whose rendering has limits of its own."""

    environment: Confined

    def render(self, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - Jinja's signature
        """The text, unless it takes too much."""
        with self.environment.limited(), _little_memory():
            return super().render(*args, **kwargs)


class Confined(SandboxedEnvironment):
    """Jinja's sandbox, in which also loops, calls, numbers and memory are limited."""

    template_class = _Template
    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Jinja's signature
        super().__init__(*args, **kwargs)
        self._steps = 0
        self._depth = 0
        # The sandbox has one of at most 100,000; rounds of loops are counted here.
        self.globals["range"] = range
        self.globals["lipsum"] = _lipsum
        self.filters = _Filters(self.filters)
        self.filters[_COUNTED] = _counted

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Count from the beginning, for the outermost of nested renderings."""
        if not self._depth:
            self._steps = 0
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def step(self, count: int = 1) -> None:
        """Count rounds of loops, or what takes as long."""
        self._steps += count
        if self._steps > _MOST_STEPS:
            raise TemplateLimit(f"more than {_MOST_STEPS:,} rounds of loops and calls")

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        for loop in list(template.find_all(nodes.For)):
            loop.iter = nodes.Filter(
                loop.iter, _COUNTED, [], [], None, None, lineno=loop.iter.lineno, environment=self
            )
        return template

    def _load_template(self, *args: Any, **kwargs: Any) -> jinja2.Template:  # noqa: ANN401
        self.step(_CALL)
        return super()._load_template(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Jinja's signature
        """Code of a template; constant expressions are computed for it."""
        with _little_memory():
            return super().compile(*args, **kwargs)

    def call(
        self,
        context: Context,
        function: Any,  # noqa: ANN401 - Jinja's signature
        /,
        *args: Any,  # noqa: ANN401
        **kwargs: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """Call what is safe to be called."""
        self.step(_CALL)
        return super().call(context, function, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401 - Jinja's signature
        """Compute what does not get out of hand."""
        if isinstance(left, int) and isinstance(right, int):
            bits, power = left.bit_length(), operator == "**"
            if (bits * right if power else bits + right.bit_length()) > _MOST_BITS:
                raise TemplateLimit(f"a number of more than {_MOST_BITS:,} bits")
        return super().call_binop(context, operator, left, right)


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


def _lipsum(n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:  # noqa: A002, FBT001, FBT002 - as Jinja's
    if n * max > _MOST_WORDS:
        raise TemplateLimit(f"more than {_MOST_WORDS:,} words of text")
    return generate_lorem_ipsum(n, html, min, max)


@pass_context
def _counted(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    environment = context.environment
    for item in items:
        if isinstance(environment, Confined):
            environment.step()
        yield item


def _in_time(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @pass_context  # so that it is not called while the template is loaded
    @functools.wraps(function)
    def limited(_context: Context, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any filter's
        try:
            with cpu_limit(_MOST_SECONDS, name):
                return function(*args, **kwargs)
        except TookTooLong as error:
            raise TemplateLimit(
                f"more than {_MOST_SECONDS} seconds of CPU time for {name};"
                " simplify its pattern: (a+)+ takes twice as long for each a"
            ) from error

    return limited


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
