"""The compile report: a BuildRecord in the API's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py import COMPATIBLE_WITH, __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.catalog import BuildRecord, DependencyRecord

# Both at once, in a form that whoever compares versions of the peer can still read.
_VERSION = f"{COMPATIBLE_WITH}+commodore-py.{__version__}"


def report_body(record: BuildRecord) -> dict[str, Any]:
    """What the API keeps about a compile."""
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
