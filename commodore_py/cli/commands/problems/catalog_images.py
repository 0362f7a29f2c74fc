"""`commodore catalog images`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from commodore_py.cli import completion
from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import Globals, config_of, output_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.workflows.catalog.images import Image


@click.command()
@click.argument("cluster", required=False, default="", shell_complete=completion.clusters)
@click.option(
    "--on",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="List those of the manifests in FOLDER, instead of the last compile in the working"
    " directory.",
)
@output_option
@verbose_option
@click.pass_obj
def images(settings: Globals, /, cluster: str, on: Path | None, output: str, verbose: int) -> None:
    """List the container images that the compiled catalog of CLUSTER uses.

    \b
    One a line, as `docker pull` or a scanner takes them:
      commodore catalog images | xargs -n 1 docker pull
    With the objects that use them:
      commodore catalog images -v
    """
    from commodore_py.cli.output import formats
    from commodore_py.cli.settings import directories
    from commodore_py.workflows.catalog.images import images_of

    caches = directories.caches_in(directories.cache_folder())
    config = config_of(settings.more_verbose(verbose), result_cache=caches["result_cache"])
    found = images_of(config, cluster, on)
    if output == "text":
        streams.result("\n".join(_lines(found, uses=settings.verbosity + verbose > 0)))
        return
    data = [{"name": one.name, "uses": [use._asdict() for use in one.uses]} for one in found]
    streams.data(formats.structured({"schema": "catalog-images/v1", "images": data}, output))


def _lines(images: tuple[Image, ...], *, uses: bool) -> Iterator[str]:
    for image in images:
        yield streams.shown(image.name)
        for use in image.uses if uses else ():
            where = f"instance {use.instance}, " if use.instance else ""
            yield f"  {streams.shown(f'{where}{use.object}, {use.field}')}"
