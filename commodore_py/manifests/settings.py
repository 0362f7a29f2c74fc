"""The settings of Argo CD that a catalog or a cluster holds (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.errors import CommodoreError
from commodore_py.model.names import kind_of

from .health.scripts import Script, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .objects import KubeObject

CUSTOMIZATIONS = "resource.customizations"
CONFIG_MAP = "argocd-cm"
_PREFIX = f"{CUSTOMIZATIONS}."
_KEY = re.compile(r"[^/\s]+(?:/[^/\s]+)?")
_HEALTH, _LIBRARIES, _IGNORE = "health.lua", "health.lua.useOpenLibs", "ignoreDifferences"
# The second part of a key of its own, and the field it stands for.
_TYPES = {"health": _HEALTH, "useOpenLibs": _LIBRARIES, "ignoreDifferences": _IGNORE}
_ALL = "all"
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignored differences, in objects of some kinds."""

    pattern: str
    """`group/Kind`; may have wildcards."""
    pointers: tuple[str, ...] = ()
    jq: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    name: str = ""
    namespace: str = ""


class Tracking(NamedTuple):
    """How applications mark their objects."""

    method: str = ""
    """`label`, `annotation` or `annotation+label`; empty if it is not set."""
    label: str = "app.kubernetes.io/instance"
    installation: str = ""

    @property
    def by_annotation(self) -> bool:
        """True if an annotation is the mark."""
        return self.method != "label"

    @property
    def has_label(self) -> bool:
        """True if objects have a label, alone or beside the annotation."""
        return self.method in ("label", "annotation+label")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings about health, differences and marks."""

    namespace: str = ""
    scripts: tuple[Script, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    tracking: Tracking = Tracking()


def settings_of(objects: Iterable[KubeObject]) -> tuple[Settings, ...]:
    """The settings of every Argo CD instance among some objects, by namespace."""
    fields_by_namespace: dict[str, dict[str, Mapping[str, Any]]] = {}
    tracked: dict[str, Tracking] = {}
    for kube_object in objects:
        place = f"{kube_object.file}: {kube_object.id}" if kube_object.file else str(kube_object.id)
        if (
            kube_object.id.kind == "ConfigMap"
            and not kube_object.id.group
            and kube_object.id.name == CONFIG_MAP
        ):
            data = _mapping(kube_object.content.get("data"), place)
            fields, names = _config_map(data, place), _IN_CONFIG_MAP
        elif (kube_object.id.group, kube_object.id.kind) == ("argoproj.io", "ArgoCD"):
            data = _mapping(kube_object.content.get("spec"), place)
            fields, names = _operated(data, place), _IN_ARGOCD
        else:
            continue
        merged = fields_by_namespace.setdefault(kube_object.id.namespace, {})
        for key, more in fields.items():
            merged[key] = {**merged.get(key, {}), **more}
        tracked[kube_object.id.namespace] = _tracking(
            tracked.get(kube_object.id.namespace, Tracking()), data, names, place
        )
    return tuple(
        _settings(namespace, fields, tracked[namespace])
        for namespace, fields in sorted(fields_by_namespace.items())
    )


_IN_CONFIG_MAP = (
    "application.resourceTrackingMethod",
    "application.instanceLabelKey",
    "installationID",
)
_IN_ARGOCD = ("resourceTrackingMethod", "applicationInstanceLabelKey", "installationID")


def _tracking(
    tracking: Tracking, data: Mapping[str, object], names: tuple[str, ...], where: str
) -> Tracking:
    extra = _mapping(data.get("extraConfig"), where) if names is _IN_ARGOCD else {}
    given = (
        _text(extra.get(late, data.get(name)) or "", where)
        for name, late in zip(names, _IN_CONFIG_MAP, strict=True)
    )
    return Tracking(*(new or old for new, old in zip(given, tracking, strict=True)))


def _settings(
    namespace: str, fields: Mapping[str, Mapping[str, Any]], tracking: Tracking
) -> Settings:
    scripts = tuple(
        Script(
            key,
            customization[_HEALTH],
            customization.get(_LIBRARIES, False),
            customization["where"],
        )
        for key, customization in fields.items()
        if customization.get(_HEALTH)
    )
    ignored = tuple(
        Ignored(key, *(lists[name] for name in _LISTS))
        for key, customization in fields.items()
        if isinstance(lists := customization.get(_IGNORE), dict)
    )
    return Settings(namespace, scripts, ignored, tracking)


def _config_map(data: Mapping[str, object], where: str) -> dict[str, dict[str, Any]]:
    fields: dict[str, dict[str, Any]] = {}
    text = data.get(CUSTOMIZATIONS)
    if text is not None:
        location = f"{where}, {CUSTOMIZATIONS}"
        for key, customization in _mapping(
            _parsed(_text(text, location), location), location
        ).items():
            place = f"{location}, {key}"
            fields[_checked_key(key, place)] = _checked(_mapping(customization, place), place)
    for name, value in data.items():
        kind, _, key = name.removeprefix(_PREFIX).partition(".")
        if not name.startswith(_PREFIX) or kind not in _TYPES:
            continue
        location = f"{where}, {name}"
        pattern = ANY if key == _ALL else _checked_key(key.replace("_", "/", 1), location)
        field, content = _TYPES[kind], _text(value, location)
        fields.setdefault(pattern, {"where": location}).update(_checked({field: content}, location))
    return fields


ANY = "*/*"
_LISTS = ("jsonPointers", "jqPathExpressions", "managedFieldsManagers")


def _operated(spec: Mapping[str, object], where: str) -> dict[str, dict[str, Any]]:
    fields: dict[str, dict[str, Any]] = {}
    for at, entry in enumerate(_list(spec.get("resourceHealthChecks"), where)):
        location = f"{where}, spec.resourceHealthChecks[{at}]"
        check = _mapping(entry, location)
        key = key_of(
            _text(check.get("group", ""), location), _text(check.get("kind", ""), location)
        )
        fields[_checked_key(key, location)] = _checked({_HEALTH: check.get("check", "")}, location)
    location = f"{where}, spec.resourceIgnoreDifferences"
    ignored = _mapping(spec.get("resourceIgnoreDifferences"), location)
    every = _mapping(ignored.get(_ALL), location)
    if every:
        fields.setdefault(ANY, {"where": location})[_IGNORE] = _lists(every, location)
    for entry in _list(ignored.get("resourceIdentifiers"), location):
        named = _mapping(entry, location)
        key = key_of(
            _text(named.get("group", ""), location), _text(named.get("kind", ""), location)
        )
        lists = _lists(_mapping(named.get("customization"), location), location)
        fields.setdefault(_checked_key(key, location), {"where": location})[_IGNORE] = lists
    extra = _mapping(spec.get("extraConfig"), where)
    for key, more in _config_map(extra, f"{where}, spec.extraConfig").items():
        fields.setdefault(key, {}).update(more)
    return fields


def _checked(fields: Mapping[str, object], where: str) -> dict[str, Any]:
    checked: dict[str, Any] = {"where": where}
    if _HEALTH in fields:
        checked[_HEALTH] = _text(fields[_HEALTH], f"{where}, {_HEALTH}")
    if _LIBRARIES in fields:
        checked[_LIBRARIES] = _boolean(fields[_LIBRARIES], f"{where}, {_LIBRARIES}")
    if _IGNORE in fields:
        location = f"{where}, {_IGNORE}"
        lists = fields[_IGNORE]
        parsed = _parsed(lists, location) if isinstance(lists, str) else lists
        checked[_IGNORE] = _lists(_mapping(parsed, location), location)
    return checked


def _lists(fields: Mapping[str, object], where: str) -> dict[str, tuple[str, ...]]:
    lists = {}
    for name in _LISTS:
        items = _list(fields.get(name), f"{where}, {name}")
        lists[name] = tuple(_text(item, f"{where}, {name}") for item in items)
    return lists


def _checked_key(key: str, where: str) -> str:
    if not _KEY.fullmatch(key):
        raise CommodoreError(
            f"{key!r} is not a key of a kind", where=where, hint="write Kind, or group/Kind"
        )
    return key


def _parsed(text: str, where: str) -> object:
    try:
        return yaml.load(text, name=where)
    except YamlError as error:
        error.add_note("while reading settings of Argo CD")
        raise


def _boolean(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _BOOLEANS:
        return _BOOLEANS[value.strip().lower()]
    raise _wrong(value, "true or false", where)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a string", where)
    return value


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(value, "a mapping", where)
    return {str(key): item for key, item in value.items()}


def _list(value: object, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(value, "a list", where)
    return value


def _wrong(value: object, expected: str, where: str) -> CommodoreError:
    shown = f"{value!r} is" if isinstance(value, str) else f"it is {kind_of(value)},"
    return CommodoreError(f"a setting of Argo CD is not valid: {shown} not {expected}", where=where)
