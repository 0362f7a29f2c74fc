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
    from collections.abc import Iterable, Iterator, Mapping

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
    customizations: dict[str, dict[str, dict[str, _Customization]]] = {}
    tracked: dict[str, Tracking] = {}
    for kube_object in objects:
        id_ = kube_object.id
        where = f"{kube_object.file}: {id_}" if kube_object.file else str(id_)
        if (id_.group, id_.kind, id_.name) == ("", "ConfigMap", CONFIG_MAP):
            data = _mapping(kube_object.content.get("data"), where)
            given, names = _in_config_map(data, where), _IN_CONFIG_MAP
        elif (id_.group, id_.kind) == ("argoproj.io", "ArgoCD"):
            data = _mapping(kube_object.content.get("spec"), where)
            given, names = _in_argocd(data, where), _IN_ARGOCD
        else:
            continue
        by_key = customizations.setdefault(id_.namespace, {})
        for customization in given:
            _check_key(customization.key, customization.where)
            by_key.setdefault(customization.key, {})[customization.field] = customization
        tracked[id_.namespace] = _tracking(
            tracked.get(id_.namespace, Tracking()), data, names, where
        )
    return tuple(
        Settings(namespace, *_parsed(by_key), tracked[namespace])
        for namespace, by_key in sorted(customizations.items())
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


class _Customization(NamedTuple):
    """A setting about a kind, as it is given."""

    key: str
    field: str
    value: object
    where: str


def _in_config_map(data: Mapping[str, object], where: str) -> Iterator[_Customization]:
    text = data.get(CUSTOMIZATIONS)
    if text is not None:
        location = f"{where}, {CUSTOMIZATIONS}"
        every = _mapping(_loaded(_text(text, location), location), location)
        for key, fields in every.items():
            place = f"{location}, {key}"
            _check_key(key, place)
            given = _mapping(fields, place)
            for field in _TYPES.values():
                if field in given:
                    yield _Customization(key, field, given[field], place)
    for name, value in data.items():
        kind, _, key = name.removeprefix(_PREFIX).partition(".")
        if name.startswith(_PREFIX) and kind in _TYPES:
            pattern = ANY if key == _ALL else key.replace("_", "/", 1)
            location = f"{where}, {name}"
            yield _Customization(pattern, _TYPES[kind], _text(value, location), location)


def _in_argocd(spec: Mapping[str, object], where: str) -> Iterator[_Customization]:
    for at, entry in enumerate(_list(spec.get("resourceHealthChecks"), where)):
        location = f"{where}, spec.resourceHealthChecks[{at}]"
        check = _mapping(entry, location)
        yield _Customization(_kind(check, location), _HEALTH, check.get("check", ""), location)
    location = f"{where}, spec.resourceIgnoreDifferences"
    ignored = _mapping(spec.get("resourceIgnoreDifferences"), location)
    if every := _mapping(ignored.get(_ALL), location):
        yield _Customization(ANY, _IGNORE, every, location)
    for entry in _list(ignored.get("resourceIdentifiers"), location):
        named = _mapping(entry, location)
        customization = _mapping(named.get("customization"), location)
        yield _Customization(_kind(named, location), _IGNORE, customization, location)
    extra = _mapping(spec.get("extraConfig"), where)
    yield from _in_config_map(extra, f"{where}, spec.extraConfig")


ANY = "*/*"
_LISTS = ("jsonPointers", "jqPathExpressions", "managedFieldsManagers")


def _parsed(
    customizations: Mapping[str, Mapping[str, _Customization]],
) -> tuple[tuple[Script, ...], tuple[Ignored, ...]]:
    """The scripts and the ignored differences by kind."""
    scripts, ignored = [], []
    for key, fields in customizations.items():
        given = fields.get(_LIBRARIES)
        libraries = given is not None and _boolean(given.value, f"{given.where}, {_LIBRARIES}")
        if given := fields.get(_HEALTH):
            source = _text(given.value, f"{given.where}, {_HEALTH}")
            scripts += [Script(key, source, libraries, given.where)] if source else []
        if given := fields.get(_IGNORE):
            where = f"{given.where}, {_IGNORE}"
            value = _loaded(given.value, where) if isinstance(given.value, str) else given.value
            lists = _mapping(value, where)
            pointers, jq, managers = (_texts(lists, name, where) for name in _LISTS)
            ignored.append(Ignored(key, pointers, jq, managers))
    return tuple(scripts), tuple(ignored)


def _texts(lists: Mapping[str, object], name: str, where: str) -> tuple[str, ...]:
    items = _list(lists.get(name), f"{where}, {name}")
    return tuple(_text(item, f"{where}, {name}") for item in items)


def _kind(named: Mapping[str, object], where: str) -> str:
    return key_of(_text(named.get("group", ""), where), _text(named.get("kind", ""), where))


def _check_key(key: str, where: str) -> None:
    if not _KEY.fullmatch(key):
        raise CommodoreError(
            f"{key!r} is not a key of a kind", where=where, hint="write Kind, or group/Kind"
        )


def _loaded(text: str, where: str) -> object:
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
