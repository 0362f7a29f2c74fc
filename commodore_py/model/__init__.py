"""The frozen values that flow between the stages."""

from typing import TYPE_CHECKING

from commodore_py.front_doors import on_demand

if TYPE_CHECKING:
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
    from .plan import Checkout, CompilePlan
    from .secrets import ReferenceFile, SecretRef
    from .spot import NOWHERE, ParameterPath, PlaceOf, Places, Spot, nowhere
    from .stages import Published, Rendered, ReportOutcome, Sources
    from .tree import Entry, Tree

# Imported when somebody asks for it: a run that has nothing to do needs next to nothing of it.
_PLACES = {
    "Artifact": ".download",
    "BuildRecord": ".catalog",
    "CatalogHead": ".catalog",
    "Change": ".catalog",
    "Chart": ".download",
    "Checkout": ".plan",
    "ClassPath": ".classpath",
    "Cluster": ".cluster",
    "Colour": ".catalog",
    "CompilePlan": ".plan",
    "Dependency": ".dependency",
    "DependencyRecord": ".catalog",
    "DependencySpec": ".dependency",
    "DiffLine": ".catalog",
    "Download": ".download",
    "Entry": ".tree",
    "FileChange": ".catalog",
    "IgnoreRule": ".difference",
    "Instance": ".inventory",
    "Inventory": ".inventory",
    "Kind": ".dependency",
    "NOWHERE": ".spot",
    "Node": ".inventory",
    "Notice": ".catalog",
    "ParameterPath": ".spot",
    "Parameters": ".inventory",
    "PlaceOf": ".spot",
    "Places": ".spot",
    "Published": ".stages",
    "ReferenceFile": ".secrets",
    "Rendered": ".stages",
    "ReportOutcome": ".stages",
    "Repository": ".download",
    "RepositoryRef": ".cluster",
    "SecretRef": ".secrets",
    "Source": ".download",
    "Sources": ".stages",
    "Spot": ".spot",
    "Tree": ".tree",
    "WebFile": ".download",
    "nowhere": ".spot",
    "parameter_key": ".inventory",
}

__all__ = [
    "NOWHERE",
    "Artifact",
    "BuildRecord",
    "CatalogHead",
    "Change",
    "Chart",
    "Checkout",
    "ClassPath",
    "Cluster",
    "Colour",
    "CompilePlan",
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
    "Places",
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

__getattr__ = on_demand(__name__, _PLACES)
