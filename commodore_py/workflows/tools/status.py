"""The status of each tool: location, whether it is managed, and whether it is the latest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .programs import upgrade_available
from .releases import latest_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .programs import Tool
    from .releases import Upstream


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """One tool, as a list shows it."""

    tool: Tool
    managed: bool
    updated: str | None
    latest: str | None

    @property
    def upgradable(self) -> bool | None:
        """True if there is a newer version; None when that is not known."""
        return upgrade_available(self.tool.version, self.latest) if self.latest else None


@dataclass(frozen=True, slots=True)
class LatestVersions:
    """The latest versions, and the error that ended the queries."""

    versions: Mapping[str, str] = field(default_factory=dict)
    problem: CommodoreError | None = None


def query_latest(tools: Iterable[str], upstream: Upstream) -> LatestVersions:
    """Query the latest versions; the first error ends it."""
    versions: dict[str, str] = {}
    for tool in tools:
        try:
            versions[tool] = latest_version(tool, upstream)
        except CommodoreError as error:
            return LatestVersions(versions, error)
    return LatestVersions(versions)


def tool_statuses(
    tools: Iterable[Tool], managed: Mapping[str, str], latest: Mapping[str, str]
) -> tuple[ToolStatus, ...]:
    """The rows of the list (pure)."""
    return tuple(
        ToolStatus(tool, tool.name in managed, managed.get(tool.name), latest.get(tool.name))
        for tool in tools
    )
