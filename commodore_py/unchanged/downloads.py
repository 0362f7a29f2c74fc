"""Downloads that may change: asked for again, as a compile would, and compared by content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.model.download import Artifact, Chart, WebFile
from commodore_py.model.fields import field_values
from commodore_py.model.remote_use import SourceDownloaded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from commodore_py.config import Config
    from commodore_py.model.download import Source
    from commodore_py.run_log import Events

# A repository's branches are asked for with all the others.
_KINDS: dict[str, type[WebFile | Chart | Artifact]] = {
    "file": WebFile,
    "chart": Chart,
    "artifact": Artifact,
}


def asked_in(heard: Events) -> list[dict[str, Any]]:
    """What was downloaded in a run, as it can be kept; what never changes is left out."""
    from commodore_py.dependencies.downloads.constraints import is_exact  # noqa: PLC0415 - slow

    found = []
    for one in heard.of(SourceDownloaded):
        source = one.source
        fixed = (isinstance(source, Chart) and is_exact(source.version)) or (
            isinstance(source, Artifact) and "@" in source.reference
        )
        for kind, cls in _KINDS.items():
            if isinstance(source, cls) and not fixed:
                found.append({"kind": kind, "source": field_values(source), "sha256": one.sha256})
    return found


def are_as_they_were(config: Config, kept: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all of them hold what they held."""
    from commodore_py.dependencies.downloads import digests_now  # noqa: PLC0415 - slow to import

    sources: list[Source] = [_KINDS[one["kind"]](**one["source"]) for one in kept]
    return digests_now(config, sources) == [one["sha256"] for one in kept]
