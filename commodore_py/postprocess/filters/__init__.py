"""The kinds of filters."""

from . import helm_namespace, jsonnet
from .base import Apply, Filter, Job, OwnNode

__all__ = ["FILTERS", "JSONNET", "Apply", "Filter", "Job", "OwnNode"]

JSONNET = "jsonnet"
"""The one filter that components bring along; all others are called by their name."""

FILTERS: dict[str, Filter] = {
    "helm_namespace": helm_namespace,
    JSONNET: jsonnet,
}
