"""Charts as they lie on disk: their templates, and which of their sub-charts are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.files.compressed import BROKEN, opened_tar
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError

from .templates import calls_in

if TYPE_CHECKING:
    from pathlib import Path

    from .templates import Call

_NOTES = "NOTES.txt"
_HEAD = "Chart.yaml"
_READ = (_HEAD, "requirements.yaml", "values.yaml")
_TOO_BIG = 4 << 20


def calls_of(chart: Path, values: Mapping[str, Any]) -> tuple[Call, ...]:
    """What a chart's templates call that gives another result each time."""
    files = dict(_files(chart))
    whole = _Chart(files, "")
    templates = {name: text for name, text in files.items() if "templates/" in name}
    return calls_in(templates, whole.rendered(values))


def title_of(chart: Path) -> str:
    """What a chart calls itself, with its version: its folder is often called like the version."""
    text = next((text for name, text in _files(chart) if name == _HEAD), "")
    head = _Chart({_HEAD: text}, "").read(_HEAD)
    return " ".join(str(head[key]) for key in ("name", "version") if head.get(key)) or chart.name


def lacks_charts(chart: Path) -> bool:
    """Whether `helm dependency update` has something to fetch, or Helm has to say what is wrong."""
    whole = _Chart(dict(_files(chart)), "")
    return _HEAD not in whole.files or not whole.is_complete()


@dataclass(frozen=True, slots=True)
class _Chart:
    """A chart among all files, below its folder."""

    files: Mapping[str, str]
    folder: str

    def rendered(self, values: Mapping[str, Any]) -> Iterator[str]:
        """The templates whose text is output, those of sub-charts included."""
        head = self.read(_HEAD)
        values = _over(self.read("values.yaml"), values)
        if head.get("type") != "library":
            prefix = f"{self.folder}templates/"
            for name in self.files:
                last = name.rpartition("/")[2]
                if name.startswith(prefix) and last != _NOTES and not last.startswith("_"):
                    yield name
        wanted = self._wanted()
        for name, folder in self._subs().items():
            uses = [one for one in wanted if one.get("name") == name]
            if uses and not any(_is_on(one, values) for one in uses):
                continue
            called = str((uses[0].get("alias") if uses else None) or name)
            below = values.get(called)
            yield from _Chart(self.files, folder).rendered(
                below if isinstance(below, Mapping) else {}
            )

    def is_complete(self) -> bool:
        """Whether all sub-charts are there; like Helm, by their names only."""
        return {one.get("name") for one in self._wanted()} <= {*self._subs()}

    def _wanted(self) -> list[Mapping[str, Any]]:
        head = self.read(_HEAD)
        listed = head.get("dependencies") or self.read("requirements.yaml").get("dependencies")
        return [one for one in listed or [] if isinstance(one, Mapping)]

    def _subs(self) -> dict[str, str]:
        prefix = f"{self.folder}charts/"
        found = {}
        for name in self.files:
            folder, _, file = name.removeprefix(prefix).partition("/")
            if name.startswith(prefix) and file == _HEAD:
                sub = f"{prefix}{folder}/"
                found[str(_Chart(self.files, sub).read(file).get("name", folder))] = sub
        return found

    def read(self, name: str) -> Mapping[str, Any]:
        """One of its YAML files; nothing, if there is none that can be read."""
        try:
            value = yaml.load(self.files.get(f"{self.folder}{name}", ""), name=name)
        except CommodoreError:  # Helm will say so
            return {}
        return value if isinstance(value, Mapping) else {}


def _is_on(dependency: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    for path in str(dependency.get("condition") or "").split(","):
        value: Any = values
        for key in path.strip().split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            return value
    return True


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = _over(old, value) if both else value  # type: ignore[arg-type] # both are
    return merged


def _files(chart: Path) -> Iterator[tuple[str, str]]:
    """Names below the chart and texts; packed sub-charts count as their content."""
    if chart.is_file():
        yield from _unpacked(chart, "")
        return
    for path in sorted(chart.rglob("*")):
        name = path.relative_to(chart).as_posix()
        if path.suffix == ".tgz" and path.parent.name == "charts" and path.is_file():
            yield from _unpacked(path, f"{name.removesuffix(path.name)}")
        elif _matters(name) and path.is_file() and path.stat().st_size < _TOO_BIG:
            yield name, content_of(path).decode(errors="replace")


def _unpacked(archive: Path, folder: str) -> Iterator[tuple[str, str]]:
    try:
        with opened_tar(archive) as tar:
            for member in tar:
                name = member.name if folder else member.name.partition("/")[2]
                if member.isfile() and _matters(name) and member.size < _TOO_BIG:
                    content = tar.extractfile(member)
                    if content is not None:
                        yield f"{folder}{name}", content.read().decode(errors="replace")
    except BROKEN:  # Helm will say so
        return


def _matters(name: str) -> bool:
    return "templates/" in name or name.rpartition("/")[2] in _READ
