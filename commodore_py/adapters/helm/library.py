"""`helm template` by Helm's library; only for a process of its own.

The library merges values, reads charts and runs templates. What the program does around that, for
files in a folder, is done here: manifests are split, sorted by kind, and hooks come last.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .manifests import NOTES, Manifest, in_order, manifests_of
from .program import HelmFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SWITCHES = frozenset(
    {
        "--create-namespace",
        "--debug",
        "--dependency-update",  # missing sub-charts are an error here; there are seldom any
        "--disable-openapi-validation",
        "--generate-name",
        "--include-crds",
        "--is-upgrade",
        "--no-hooks",
        "--release-name",
        "--skip-crds",
        "--skip-tests",
    }
)
_VALUES = frozenset({"--api-versions", "--kube-version", "--namespace", "--output-dir", "--values"})
_NAME = re.compile(r"[^a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class _Call:
    """A command line, understood."""

    on: frozenset[str]
    given: Mapping[str, list[str]]
    words: tuple[str, ...]

    def last(self, flag: str, default: str = "") -> str:
        """What a flag was given last."""
        return self.given.get(flag, [default])[-1]


def version() -> str:
    """The version of Helm inside."""
    import helm_python  # a quarter of a gigabyte, and only this process needs it

    return str(helm_python.helm_sdk_version())


def template(arguments: Sequence[str]) -> bytes:
    """Render a chart into a folder, or else return all of it as one text."""
    call = _understood(arguments[1:])
    folder = call.last("--output-dir")
    printed: list[str] = []
    placed: dict[Path, list[str]] = {}
    for manifest in _rendered(call):
        text = f"---\n# Source: {manifest.path}\n{manifest.content}\n"
        top = call.words[0] if "--release-name" in call.on and not manifest.is_crd else ""
        printed.append(text)
        place = os.path.normpath(os.path.join(folder, top, manifest.path))  # noqa: PTH118 - a text
        if folder and not place.startswith(f"{folder}/"):
            raise HelmFailed(f"template {manifest.path} is outside of the output")
        placed.setdefault(Path(place), []).append(text)
    if not folder:
        return "".join(printed).encode()
    for file, texts in placed.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(texts))
    return b""


def _understood(arguments: Sequence[str]) -> _Call:
    on: set[str] = set()
    given: dict[str, list[str]] = {}
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word in _SWITCHES:
            on.add(word)
        elif word in _VALUES:
            given.setdefault(word, []).append(next(rest, ""))
        elif word.startswith("--"):
            raise HelmFailed(
                f"Helm as a library does not know {word}",
                hint="use a helm program: `commodore tool install helm`",
            )
        else:
            words.append(word)
    if "--generate-name" in on and words:
        base = _NAME.sub("-", Path(words[-1]).name.lower())
        words.insert(0, f"{base}-{int(time.time())}")
    if len(words) != 2:  # noqa: PLR2004 - name and chart
        raise HelmFailed(f"a release and a chart are needed, not {' '.join(words) or 'nothing'}")
    return _Call(frozenset(on), given, tuple(words))


def _rendered(call: _Call) -> Iterator[Manifest]:
    import helm_python as helm
    from helm_python import _native  # versions of Kubernetes are not in the public part

    options = {
        "name": call.words[0],
        "namespace": call.last("--namespace", os.environ.get("HELM_NAMESPACE") or "default"),
        "revision": 1,
        "is_install": "--is-upgrade" not in call.on,
        "is_upgrade": "--is-upgrade" in call.on,
        "api_versions": [
            one for some in call.given.get("--api-versions", []) for one in some.split(",")
        ],
    }
    if call.last("--kube-version"):
        options["kube_version"] = call.last("--kube-version")
    try:
        helm.validate_release_name(call.words[0])
        with helm.Chart.load(call.words[1]) as chart:
            _check(chart)
            values = json.dumps(_merged(helm, call.given.get("--values", [])))
            made = _native.call_string("helm_render", chart._raw(), values, json.dumps(options))  # noqa: SLF001 - see above
            files: dict[str, str] = json.loads(made)
            if "--include-crds" in call.on:
                yield from _crds(chart)
    except helm.HelmError as error:
        raise HelmFailed(str(error).strip()) from error
    found = [
        one
        for path in sorted(files)
        if not path.endswith(NOTES)
        for one in manifests_of(path, files[path])
    ]
    for one in in_order(found):
        hidden = one.is_hook and "--no-hooks" in call.on
        if not hidden and not (one.is_test and "--skip-tests" in call.on):
            yield one


def _crds(chart: Any) -> Iterator[Manifest]:  # noqa: ANN401 - the library's own class
    for crd in chart.crds:
        yield Manifest(crd["filename"], crd["data"], "", is_crd=True)


def _check(chart: Any) -> None:  # noqa: ANN401 - the library's own class
    kind = chart.metadata.get("type") or "application"
    if kind != "application":
        raise HelmFailed(f"{kind} charts are not installable")
    there = {one.get("name") for one in chart.dependencies}
    wanted = [one["name"] for one in chart.metadata.get("dependencies") or []]
    missing = [name for name in wanted if name not in there]
    if missing:
        raise HelmFailed(
            "found in Chart.yaml, but missing in charts/ directory: " + ", ".join(missing)
        )


def _merged(helm: Any, files: Sequence[str]) -> dict[str, Any]:  # noqa: ANN401 - the library's module
    values: dict[str, Any] = {}
    for file in files:
        try:
            text = Path(file).read_text()
        except OSError as error:
            raise HelmFailed(f"cannot read values from {file}: {error.strerror}") from error
        values = _over(values, (helm.values_from_yaml(text) or {}) if text.strip() else {})
    return values


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            merged[key] = _over(old, value)
        else:
            merged[key] = value
    return merged
