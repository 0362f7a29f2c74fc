"""Indexes of chart repositories: what they offer, and where that lies (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from commodore_py.adapters import yaml
from commodore_py.adapters.git.urls import without_password
from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError

from .constraints import Version, best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.model.download import Chart


@dataclass(frozen=True, slots=True)
class Offer:
    """A version of a chart in the index of a repository."""

    version: str
    url: str
    digest: str


def entries_in(index: str, chart: Chart) -> Sequence[object]:
    """What an index has about a chart; of a large one, nothing else is read."""
    where = without_password(resolved(chart.repository, "index.yaml"))
    part = re.search(r"^entries:[ ]*\n((?:[ #].*\n?|\n)+)", index, re.MULTILINE)
    if part is not None and not re.search(r"[:-] [&*]\w", part[1]):
        key = rf"""^  (?:{re.escape(chart.name)}|"{re.escape(chart.name)}"):[ ]*\n"""
        found = re.search(rf"{key}((?:  [ -].*\n?|\n)+)", part[1], re.MULTILINE)
        listed = yaml.load(found[1], name=where) if found is not None else None
        if isinstance(listed, list):
            return listed
    content = yaml.load(index, name=where)
    entries = content.get("entries") if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        raise HttpError(
            "it is no index of charts: there are no entries in it",
            where=where,
            hint="check the chart's source: it is the folder that index.yaml lies in",
        )
    listed = entries.get(chart.name)
    return listed if isinstance(listed, list) else ()


def choose(listed: Sequence[object], chart: Chart) -> Offer:
    """The version of a chart that is listed for what is wanted."""
    offers = [
        Offer(str(one["version"]), str(one["urls"][0]), str(one.get("digest") or ""))
        for one in listed
        if isinstance(one, dict) and one.get("urls") and Version.parse(str(one.get("version")))
    ]
    where = without_password(chart.repository)
    if not offers:
        raise CommodoreError(
            f"there is no chart {chart.name} in this repository",
            where=where,
            hint="check chart_name and source",
        )
    try:
        version = best(chart.version, (offer.version for offer in offers))
    except ValueError as error:
        raise CommodoreError(f"chart {chart.name}: {error}", where=where) from error
    if version is None:
        newest = ", ".join(offer.version for offer in offers[:5])
        raise CommodoreError(
            f"there is no version {chart.version} of chart {chart.name}",
            where=where,
            hint=f"there are {newest}{', and more' if offers[5:] else ''}",
        )
    return next(offer for offer in offers if offer.version == version)


def resolved(repository: str, reference: str) -> str:
    """Where something of a repository is; the repository's own query goes along."""
    if urlsplit(reference).scheme:
        return reference
    parts = urlsplit(repository)
    base = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/", query="", fragment=""))
    return urlunsplit(urlsplit(urljoin(base, reference))._replace(query=parts.query))
