"""Helm charts from chart repositories and registries, with the helm program as fallback."""

from __future__ import annotations

import logging
import os
import shutil
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.files.archives import (
    BadArchive,
    pack,
    read_folder,
    unpack_chart,
    unpack_tar,
)
from commodore_py.adapters.http import exchange
from commodore_py.adapters.http.exchange import Request
from commodore_py.adapters.http.registry import Reference, Registry
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

from .chart_index import choose, entries_in, resolved
from .chart_versions import Version, best, is_exact
from .web_files import fetch_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content
    from commodore_py.model.download import Chart

    from .store import FetchSettings, Stored

log = logging.getLogger(__name__)

_OCI = "oci://"
_LAYERS = ("application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip")


@dataclass(slots=True)
class Charts:
    """The chart repositories of a run; each index is fetched once."""

    settings: FetchSettings
    _indexes: dict[str, str | CommodoreError] = field(default_factory=dict)
    _locks: dict[str, Lock] = field(default_factory=dict)

    def fetch(self, chart: Chart) -> Stored:
        """Fetch a chart; a cached exact version is used without a request."""
        exact = is_exact(chart.version)
        cached = self.settings.store.find(*_key(chart))
        if cached is not None and (exact or not self.settings.refresh):
            self._compare_with_index(chart, cached.sha256, cached.about)
            return cached
        self.settings.require_network(without_secrets(str(chart)))
        try:
            if chart.repository.startswith(_OCI):
                fetched = self._from_registry(chart, chart.repository)
            else:
                fetched = self._from_repository(chart)
        except CommodoreError as error:
            named = chart.helm or os.environ.get("KAPITAN_HELM_PATH") or "helm"
            program = named if shutil.which(named) else None
            if program is None or without_secrets(chart.repository) != chart.repository:
                raise  # everybody would see credentials among the arguments of a program
            fetched = self._by_program(chart, program, error)
        store = self.settings.store
        return store.note(fetched.source, *_key(chart), sha256=fetched.sha256, **fetched.about)

    def _compare_with_index(self, chart: Chart, sha256: str, about: Mapping[str, str]) -> None:
        """Warn of an archive that is not what its index says: each time that it is used."""
        if "index_digest" in about:
            self.settings.warn(
                CommodoreError(
                    f"chart {chart.name} {about['version']} differs from its index:"
                    f" its digest is {sha256}, not {about['index_digest']}",
                    where=about["fetched_from"],
                    hint="report it to the maintainers: the chart may have been altered",
                )
            )

    def _from_repository(self, chart: Chart) -> Stored:
        entries = entries_in(self._index(chart.repository), chart)
        offer = choose(entries, chart)
        url = resolved(chart.repository, offer.url)
        if url.startswith(_OCI):
            return self._from_registry(chart, url)
        cached = self.settings.store.find(*_key(chart._replace(version=offer.version)))
        if cached is not None and cached.sha256 == _plain(offer.digest):
            return cached
        with self.settings.store.incoming() as folder:
            file = folder / "chart.tgz"
            arrived = exchange.fetch(Request(url, timeout=self.settings.timeout, raw=True), file)
            _require_chart(file, url)
            altered: dict[str, str] = {}
            if offer.digest and arrived.sha256 != _plain(offer.digest):
                altered = {"index_digest": offer.digest, "fetched_from": without_secrets(url)}
                self._compare_with_index(
                    chart, arrived.sha256, {"version": offer.version, **altered}
                )
            return self._stored(file, chart, offer.version, chart.repository, **altered)

    def _from_registry(self, chart: Chart, url: str) -> Stored:
        reference = Reference.parse(url.removeprefix(_OCI).rstrip("/"))
        registry = Registry(reference, self.settings.timeout)
        if not reference.digest:
            registry.reference = replace(reference, tag=self._tag(registry, chart, url))
        version = (registry.reference.tag or chart.version).replace("_", "+")
        manifest, _ = registry.manifest()
        digest = _layer(manifest, str(registry.reference))
        with self.settings.store.incoming() as folder:
            file = folder / "chart.tgz"
            registry.blob(digest, file)
            _require_chart(file, str(registry.reference))
            return self._stored(file, chart, version, url)

    def _stored(self, file: Path, chart: Chart, version: str, place: str, **about: str) -> Stored:
        source = f"chart {chart.name} {version} of {without_secrets(place)}"
        key = _key(chart._replace(version=version))
        return self.settings.store.add(file, source, *key, version=version, form="chart", **about)

    def _tag(self, registry: Registry, chart: Chart, url: str) -> str:
        given = registry.reference.tag
        # An index names the tag of the chosen version.
        if given and (url != chart.repository or not chart.version):
            return given
        return _tag_of(registry, chart.version)

    def _index(self, repository: str) -> str:
        with self._locks.setdefault(repository, Lock()):  # atomic with strings as keys
            if repository not in self._indexes:
                try:
                    stored = fetch_file(resolved(repository, "index.yaml"), self.settings)
                    file = self.settings.store.content(stored)
                    self._indexes[repository] = file.read_text("utf-8", errors="replace")
                except CommodoreError as error:
                    self._indexes[repository] = error
            index = self._indexes[repository]
        if isinstance(index, CommodoreError):
            raise type(index)(str(index), where=index.where, hint=index.hint)
        return index

    def _by_program(self, chart: Chart, program: str, reason: CommodoreError) -> Stored:
        """Fall back to the helm program, which may have plugins and credentials of its own."""
        log.info("%s (%s); trying %s", reason, reason.where, program)
        with self.settings.store.incoming() as folder:
            command = [program, "pull", "--destination", str(folder), "--untar"]
            command += ["--version", chart.version] if chart.version else []
            if chart.repository.startswith(_OCI):
                command.append(chart.repository)
            else:
                command += ["--repo", chart.repository, chart.name]
            try:
                # A name is looked up in PATH; a path may be one of the component's own files.
                env = child_environment(users_own="/" not in program)
                run(command, only_env=env)
            except ProgramFailed as error:
                output = error.stderr.strip() or str(error)
                reason.add_note(f"{program} failed as well: {without_secrets(output)}")
                raise reason from error
            if not (folder / chart.name / "Chart.yaml").is_file():
                reason.add_note(f"{program} did not fetch a chart named {chart.name}")
                raise reason
            packed = folder / "chart.tar"
            pack(read_folder(folder / chart.name), packed)
            source = f"{without_secrets(str(chart))}, by {program}"
            return self.settings.store.add(
                packed, source, *_key(chart), version=chart.version, form="tar"
            )


def content_of(stored: Stored, file: Path) -> Content:
    """The files of a chart."""
    return unpack_tar(file) if stored.about.get("form") == "tar" else unpack_chart(file)


def _tag_of(registry: Registry, requested: str) -> str:
    """The tag of a version; tags have `_` instead of `+`."""
    if requested and Version.parse(requested) is not None:
        return requested.replace("+", "_")
    versions = [tag.replace("_", "+") for tag in registry.tags() if is_exact(tag.replace("_", "+"))]
    try:
        version = best(requested, versions)
    except ValueError as error:
        raise CommodoreError(str(error), where=str(registry.reference)) from error
    if version is None:
        raise CommodoreError(
            f"there is no version {requested or 'at all'}",
            where=str(registry.reference),
            hint=f"available: {', '.join(versions[-5:]) or 'none'}",
        )
    return version.replace("+", "_")


def _layer(manifest: Mapping[str, Any], where: str) -> str:
    for kind in _LAYERS:
        for layer in manifest["layers"]:
            if isinstance(layer, dict) and layer.get("mediaType") == kind:
                return str(layer.get("digest"))
    raise CommodoreError(
        "the manifest has no chart layer", where=where, hint="check the chart's source"
    )


def _require_chart(file: Path, where: str) -> None:
    """Raise if a file is not a chart, such as an error page."""
    try:
        unpack_chart(file)
    except BadArchive as error:
        error.where = error.where or without_secrets(where)
        raise


def _plain(digest: str) -> str:
    return digest.removeprefix("sha256:")


def _key(chart: Chart) -> tuple[str, str, str, str]:
    return "chart", chart.repository, chart.name, chart.version
