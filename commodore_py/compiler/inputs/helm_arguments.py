"""A helm entry as the argument list of `helm template`, in Kapitan's order (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from posixpath import normpath
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OTHER_FIELDS = {
    "set": "helm_values",
    "set-file": "helm_values",
    "set-string": "helm_values",
    "values": "helm_values_files",
}
_DENIED = ("dry-run", "generate-name", "help", "output-dir", "show-only")
_LONG_NUMBER = 6
DEPENDENCY_UPDATE = "helm_params.dependency_update"
# Helm has these for a name, though not for a chart.
_ASKS_MACHINE = re.compile(r"\b(?:env|expandenv|getHostByName)\b")
# These read nothing but the chart and the values, and start nothing.
_CONFINED = """
api_versions atomic create_namespace debug dependency_update description devel
disable_openapi_validation force hide_notes include_crds is_upgrade kube_version labels name
namespace no_hooks output_file release_name render_subchart_notes replace set_json
set_literal skip_crds skip_schema_validation skip_tests timeout version wait wait_for_jobs
"""


@dataclass(frozen=True, slots=True)
class Release:
    """The settings of an entry for a chart."""

    name: str = ""
    output_file: str = ""
    flags: tuple[tuple[str, Any], ...] = ()

    @property
    def is_named(self) -> bool:
        """True unless Helm makes up the name, or it comes from a template."""
        template = str(dict(self.flags).get("--name-template") or "")
        return "{{" not in template if template else bool(self.name)

    def arguments(self, chart: str, *, output: str, values_files: Iterable[str]) -> list[str]:
        """The arguments of helm."""
        arguments = ["template"]
        for flag, value in self.flags:
            if value is True:
                arguments.append(flag)
            elif value is not False:
                # A switch takes no value: the next word would be an option of its own.
                given = [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]
                arguments += given
        for file in values_files:
            arguments += ["--values", file]
        if not self.output_file:
            arguments += ["--output-dir", output]
        return [*arguments, self.name or "--generate-name", chart]


def releases_of(fields: Mapping[str, Any], *, where: str) -> tuple[Release, Release]:
    """The settings for the first chart, and for each of the others: `name` is for the first."""
    params = dict(fields["helm_params"])
    name, output_file = params.pop("name", None), str(params.pop("output_file", None) or "")
    if (output_file and normpath(f"/x/{output_file}")[:3] != "/x/") or output_file.startswith("/"):
        raise CommodoreError(
            f"helm_params.output_file: {output_file} is outside of the output",
            where=where,
            hint="name a file below output_path",
        )
    flags: dict[str, Any] = {"--include-crds": True, "--skip-tests": True}
    if fields["kube_version"]:
        flags["--api-versions"] = fields["kube_version"]
    flags |= {_flag(key, where): value for key, value in params.items()}
    old_name = flags.get("--release-name")
    if old_name is not None and not isinstance(old_name, bool):
        # How `name` was called once, before Helm had a flag like that.
        del flags["--release-name"]
    else:
        old_name = None
    pairs = tuple(flags.items())
    for given in (str(name or ""), str(old_name or "")):
        if given.startswith("-"):
            raise CommodoreError(
                f"helm_params.name: {given} is not the name of a release", where=where
            )
    first = Release(str(name or old_name or ""), output_file, pairs)
    return first, Release(str(old_name or ""), "", pairs)


def reaching(params: Mapping[str, Any]) -> list[str]:
    """The keys of helm_params that let Helm run programs, or reach more than the chart."""
    template = str(params.get("name_template") or "")
    harmless = set(_CONFINED.split())
    if not _ASKS_MACHINE.search(template):
        harmless.add("name_template")
    return sorted(key for key in map(str, params) if key not in harmless and params.get(key))


def fetched(fields: Mapping[str, Any], *, lacks_charts: bool) -> list[str]:
    """The downloads of Helm for an entry."""
    names = [str(file) for file in fields["helm_values_files"] or () if "://" in str(file)]
    params = fields["helm_params"]
    # Helm updates nothing where all sub-charts are there.
    if params.get("dependency_update") and lacks_charts:
        names.append(DEPENDENCY_UPDATE)
    return [*names, "helm_params.repo"] if params.get("repo") else names


def values_text(values: Mapping[str, Any]) -> str:
    """Values as Helm reads them: texts of digits are quoted, or it takes them for numbers."""
    return str(yaml.dump(values, Dumper=_Dumper))


def _flag(key: str, where: str) -> str:
    name = str(key).replace("_", "-")
    if len(name) == 1:
        raise CommodoreError(f"helm_params.{key}: only long flags can be given", where=where)
    if "-" in str(key):
        raise CommodoreError(f"helm_params.{key}: write _ in place of -", where=where)
    if name in _OTHER_FIELDS:
        raise CommodoreError(
            f"helm_params.{key} cannot be given", where=where, hint=f"use {_OTHER_FIELDS[name]}"
        )
    if name in _DENIED:
        raise CommodoreError(f"helm_params.{key} cannot be given: it is decided here", where=where)
    return f"--{name}"


class _Dumper(yaml.SafeDumper):
    """PyYAML's own, but for texts of digits."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    is_number = len(text) > 1 and text.isdigit() and (text[0] == "0" or len(text) > _LONG_NUMBER)
    style = "'" if is_number else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)
