"""`commodore doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.command_classes import verbose_option
from commodore_py.cli.output import formats, streams
from commodore_py.cli.settings import directories
from commodore_py.cli.settings.options import (
    Globals,
    api_options,
    api_settings,
    config_of,
    output_option,
)
from commodore_py.workflows.doctor import run_checks, worst

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.workflows.doctor import Verdict

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@api_options
@output_option
@verbose_option
@click.pass_obj
def doctor(settings: Globals, /, output: str, **api: Any) -> int:
    """Check this machine: programs, API, token, working directory, caches.

    Nothing is changed. Exits with status 1 if a problem must be fixed before a compile can work.
    """
    config = config_of(settings, **api_settings(api, keep_token=True))
    verdicts = run_checks(config, directories.cache_folder())
    overall = worst(verdicts.values())
    checks = [_fields(name, verdict) for name, verdict in verdicts.items()]
    content = {"schema": "doctor/v1", "verdict": overall, "checks": checks}
    formats.show(output, content, _lines(verdicts))
    return 1 if overall == "fail" else 0


def _lines(verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    width = max(map(len, verdicts))
    for name, verdict in verdicts.items():
        status = streams.styled(f"{verdict.status:4}", fg=_COLOURS[verdict.status])
        yield f"{status}  {name:{width}}  {verdict.finding}"
        if verdict.remedy:
            yield f"{'':{width + 6}}  -> {verdict.remedy}"


def _fields(name: str, verdict: Verdict) -> dict[str, str | None]:
    return {
        "check": name,
        "verdict": verdict.status,
        "found": verdict.finding,
        "remedy": verdict.remedy or None,
    }
