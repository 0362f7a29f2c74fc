"""Indexes of chart repositories: choose a version of a chart (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlunsplit

from commodore_py.adapters import yaml
from commodore_py.adapters.http import HttpError
from commodore_py.adapters.http.address import join_url, split_url
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.errors import CommodoreError

from .chart_versions import Version, best

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
    """The entries of a chart; other charts of a large index are not parsed."""
    where = without_secrets(resolved(chart.repository, "index.yaml"))
    part = re.search(r"^entries:[ ]*\n((?:[ #].*\n?|\n)+)", index, re.MULTILINE)
    if part is not None and not re.search(r"[:-] [&*]\w", part[1]):
        key = rf"""^  (?:{re.escape(chart.name)}|"{re.escape(chart.name)}"):[ ]*\n"""
        match = re.search(rf"{key}((?:  [ -].*\n?|\n)+)", part[1], re.MULTILINE)
        listed = _list_in(match[1]) if match is not None else None
        if listed is not None:
            return listed
    content = yaml.load(index, name=where)
    entries = content.get("entries") if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        raise HttpError(
            "not a chart repository index: it has no entries",
            where=where,
            hint="check the chart's source: it must be the URL of the folder with index.yaml",
        )
    listed = entries.get(chart.name)
    return listed if isinstance(listed, list) else ()


def _list_in(part: str) -> list[object] | None:
    """The list in a part of an index; None if it is invalid, which parsing the whole reports."""
    try:
        listed = yaml.load(part, name="")
    except YamlError:
        return None
    return listed if isinstance(listed, list) else None


def choose(listed: Sequence[object], chart: Chart) -> Offer:
    """The listed version of a chart that satisfies the request."""
    offers = [offer for entry in listed if (offer := _offer(entry)) is not None]
    where = without_secrets(chart.repository)
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
            hint=f"available: {newest}{', and more' if offers[5:] else ''}",
        )
    return next(offer for offer in offers if offer.version == version)


def _offer(listed: object) -> Offer | None:
    """An entry of the index; without a version or a URL nothing can be downloaded."""
    if not isinstance(listed, dict):
        return None
    version, urls = str(listed.get("version")), listed.get("urls")
    if not Version.parse(version) or not isinstance(urls, list) or not urls:
        return None
    return Offer(version, str(urls[0]), str(listed.get("digest") or ""))


def resolved(repository: str, reference: str) -> str:
    """The URL of a file of a repository, with the query of the repository."""
    if split_url(reference).scheme:
        return reference
    parts = split_url(repository)
    base = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/", query="", fragment=""))
    return urlunsplit(split_url(join_url(base, reference))._replace(query=parts.query))
