"""Conditions and jobs for Prometheus."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .daemon import Daemon


class _Daemon(Collector):
    """Reads the state of the daemon whenever it is scraped."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The metrics of now."""
        conditions = GaugeMetricFamily(
            "commodore_condition",
            "Whether a condition of a cluster is true.",
            labels=["cluster", "type"],
        )
        failures = GaugeMetricFamily(
            "commodore_failures", "Failed pushes of a cluster in a row.", labels=["cluster"]
        )
        for cluster, about in sorted(self._daemon.state.clusters.items()):
            for one in about.get("conditions", []):
                conditions.add_metric([cluster, one["type"]], float(one["status"] == "True"))
            failures.add_metric([cluster], float(about.get("failures", 0)))
        jobs = GaugeMetricFamily("commodore_jobs", "Jobs by their states.", labels=["state"])
        for state, number in Counter(job.state for job in self._daemon.jobs.all.values()).items():
            jobs.add_metric([state], number)
        yield from (conditions, failures, jobs)


def registry_of(daemon: Daemon) -> CollectorRegistry:
    """The metrics of a daemon."""
    registry = CollectorRegistry()
    registry.register(_Daemon(daemon))
    return registry


def text_of(registry: CollectorRegistry) -> bytes:
    """The metrics as Prometheus reads them."""
    return generate_latest(registry)
