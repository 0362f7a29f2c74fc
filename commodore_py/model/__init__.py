"""The frozen values that flow between the stages."""

from .catalog import (
    BuildRecord,
    CatalogHead,
    Change,
    Colour,
    DependencyRecord,
    DiffLine,
    FileChange,
    Notice,
)
from .classpath import ClassPath
from .cluster import Cluster, RepositoryRef
from .dependency import Dependency, DependencySpec, Kind
from .difference import IgnoreRule
from .download import Artifact, Chart, Download, Repository, Source, WebFile
from .inventory import Instance, Inventory, Node, Parameters, parameter_key
from .secrets import ReferenceFile, SecretRef
from .spot import ParameterPath, PlaceOf, Spot, nowhere
from .stages import Published, Rendered, ReportOutcome, Sources
from .tree import Entry, Tree

__all__ = [
    "Artifact",
    "BuildRecord",
    "CatalogHead",
    "Change",
    "Chart",
    "ClassPath",
    "Cluster",
    "Colour",
    "Dependency",
    "DependencyRecord",
    "DependencySpec",
    "DiffLine",
    "Download",
    "Entry",
    "FileChange",
    "IgnoreRule",
    "Instance",
    "Inventory",
    "Kind",
    "Node",
    "Notice",
    "ParameterPath",
    "Parameters",
    "PlaceOf",
    "Published",
    "ReferenceFile",
    "Rendered",
    "ReportOutcome",
    "Repository",
    "RepositoryRef",
    "SecretRef",
    "Source",
    "Sources",
    "Spot",
    "Tree",
    "WebFile",
    "nowhere",
    "parameter_key",
]
