"""Compile reports for the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py import COMPATIBLE_WITH, __version__
from commodore_py.errors import doing

from .source import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Config
    from commodore_py.model.catalog import BuildRecord, DependencyRecord

# Both versions, in a form that tools comparing Commodore versions can parse.
_VERSION = f"{COMPATIBLE_WITH}+commodore-py.{__version__}"


def send_report(config: Config, cluster_id: str, body: Mapping[str, Any]) -> None:
    """Send the report of a compile to the API, or write it to the folder of facts."""
    with doing(f"reporting the compile of cluster {cluster_id}"):
        source_of(config).report(cluster_id, body)


def report_body(record: BuildRecord) -> dict[str, Any]:
    """The report in the API's format."""
    return {
        "commodoreBuildInfo": {"version": _VERSION, "gitVersion": f"v{_VERSION}"},
        "global": _version_of(record.global_config),
        "instances": _by_name(record.instances),
        "lastCompile": record.time.isoformat(timespec="milliseconds"),
        "packages": _by_name(record.packages),
        "tenant": _version_of(record.tenant_config),
    }


def _by_name(records: Iterable[DependencyRecord]) -> dict[str, dict[str, str]]:
    return {record.name: _version_of(record) for record in sorted(records, key=lambda r: r.name)}


def _version_of(record: DependencyRecord) -> dict[str, str]:
    fields = {"gitSha": record.commit, "url": record.url, "version": record.version}
    if record.path:
        fields["path"] = record.path
    if record.component:
        fields["component"] = record.component
    return fields
