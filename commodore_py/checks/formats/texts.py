"""Texts that the API server parses: which it accepts, and how they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.manifests import quantities

from .paths import PATH_SEGMENT

if TYPE_CHECKING:
    from collections.abc import Callable

_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_FIELDS = (
    ((0, 59), ""),
    ((0, 23), ""),
    ((1, 31), ""),
    ((1, 12), "jan feb mar apr may jun jul aug sep oct nov dec"),
    ((0, 6), "sun mon tue wed thu fri sat"),
)
_PART = re.compile(r"(?:(\*|\?)|(\w+)(?:-(\w+))?)(?:/(\d+))?")
_SHORT = {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}


def is_duration(text: str) -> bool:
    """Whether it is one of Go's, such as `1h30m`."""
    return _DURATION.fullmatch(text) is not None


def is_schedule(text: str) -> bool:
    """Whether it is a schedule of five fields, or the name of one."""
    if text.startswith("@"):
        every, _, time = text.partition(" ")
        return text in _SHORT or (every == "@every" and is_duration(time))
    fields = text.split()
    return len(fields) == len(_FIELDS) and all(
        _is_in(part, *limits)
        for field, limits in zip(fields, _FIELDS, strict=True)
        for part in field.split(",")
    )


def _is_in(part: str, limits: tuple[int, int], names: str) -> bool:
    """Whether a part of a schedule, as `*`, `3`, `1-5` or `*/10`, is within limits."""
    found = _PART.fullmatch(part)
    if found is None or found[4] == "0":
        return False
    words = names.split()
    numbers = [
        words.index(one.lower()) + limits[0]
        if one.lower() in words
        else int(one)
        if one.isdecimal()
        else -1
        for one in found.groups()[1:3]
        if one is not None
    ]
    return all(limits[0] <= one <= limits[1] for one in numbers) and numbers == sorted(numbers)


def is_time_zone(text: str) -> bool:
    """Whether it is the name of a time zone, as far as this machine knows them."""
    from zoneinfo import ZoneInfo

    if text.lower() == "local":
        return False
    try:
        ZoneInfo(text)
    except (OSError, ValueError):
        return False
    except KeyError:
        return not _has_time_zones()
    return True


def _has_time_zones() -> bool:
    """Whether this machine knows any."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo("Europe/Zurich")
    except ZoneInfoNotFoundError:
        return False
    return True


LONGEST_NAME, LONGEST_LABEL = 253, 63
SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_WORD = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_REFERENCE = "?{"
"""What begins a secret reference: it is replaced by its value before the API server sees it."""

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/\r\n]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?[\r\n]*")
_SECONDS = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt]\d\d:\d\d:\d\d"
_ZONE = r"(?:[Zz]|[+-]\d\d:\d\d)"
_TIME = re.compile(rf"{_SECONDS}(?:\.\d+)?{_ZONE}")
_MICRO_TIME = re.compile(rf"{_SECONDS}\.\d{{6}}{_ZONE}")
# One number with a unit is enough: `2 days`.
_LONG_DURATION = re.compile(
    r"\d\s*(?:(?:ns|us|µs|ms|s|m|hr?|d|wk?)(?![a-zµ])|nano|micro|milli|sec|min|hour|day|week)",
    re.IGNORECASE,
)
_ZEROS = re.compile(r"\b0+(?=\d)")
_PORT = re.compile(r"(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?")
_FIELD = re.compile(
    r"metadata\.(?:name|namespace|uid|(?:labels|annotations)(?:\['[^']+'\])?)"
    r"|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIPs?|podIPs?)"
)
_RESOURCES = {"cpu", "memory", "ephemeral-storage"}
_LIMITED = {"Container", "Pod", "PersistentVolumeClaim"}
COUNTED = {
    *("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
}
"""Objects of which a quota has a number."""


class Format(NamedTuple):
    """A kind of text."""

    accepts: Callable[[str], bool]
    words: str
    blank: bool = True
    """Whether the empty text is one: to most fields, it means that there is none."""


def is_word(text: str) -> bool:
    """Whether it is the name of a label without a prefix, or the value of one."""
    return len(text) <= LONGEST_LABEL and _WORD.fullmatch(text) is not None


def is_key(text: str) -> bool:
    """Whether it is the key of a label: a word, with a domain before it."""
    prefix, slash, name = text.rpartition("/")
    return is_word(name) and (not slash or _is_subdomain(prefix))


def _is_subdomain(text: str) -> bool:
    return len(text) <= LONGEST_NAME and SUBDOMAIN.fullmatch(text) is not None


def _is_host(text: str) -> bool:
    return _is_subdomain(text.removeprefix("*."))


def _is_label(text: str) -> bool:
    return len(text) <= LONGEST_LABEL and LABEL.fullmatch(text) is not None


def _is_old_label(text: str) -> bool:
    return _is_label(text) and text[0].isalpha()


def _is_address(text: str, versions: tuple[int, ...] = (4, 6)) -> bool:
    from ipaddress import ip_address

    try:
        # To servers, numbers may have leading zeros.
        found = ip_address(text if ":" in text else _ZEROS.sub("", text))
    except ValueError:
        return False
    return found.version in versions and "%" not in text


def _is_network(text: str) -> bool:
    address, _, length = text.partition("/")
    most = 128 if ":" in address else 32
    return _is_address(address) and length.isdecimal() and int(length) <= most


def _is_url(text: str) -> bool:
    from urllib.parse import urlsplit

    try:
        found = urlsplit(text)
    except ValueError:
        return False
    plain = not (found.query or found.fragment or "@" in found.netloc)
    return plain and found.scheme == "https" and bool(found.netloc)


def _is_resource(text: str) -> bool:
    return text in _RESOURCES or text.startswith("hugepages-") or ("/" in text and is_key(text))


def _is_counted(text: str) -> bool:
    name = text.removeprefix("requests.").removeprefix("limits.")
    return (
        text in COUNTED
        or ("/" in text and is_key(text))
        or _is_resource(name)
        or (name == "storage" and text.startswith("requests."))
    )


def _is_limited(text: str) -> bool:
    return text == "storage" or _is_resource(text)


def _fits(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_LOWER = "lower case letters, digits and dashes"
FORMATS: dict[str, Format] = {
    "quantity": Format(
        lambda text: quantities.parse(text) is not None,
        "a quantity such as 100m or 1Gi",
        blank=False,
    ),
    "byte": Format(_fits(_BASE64), "text in base64"),
    "time": Format(_fits(_TIME), "a time such as 2026-01-31T08:00:00Z", blank=False),
    "micro-time": Format(
        _fits(_MICRO_TIME), "a time such as 2026-01-31T08:00:00.000000Z", blank=False
    ),
    "duration": Format(
        lambda text: is_duration(text) or _LONG_DURATION.search(text) is not None,
        "a duration such as 5m or 1h30m",
        blank=False,
    ),
    "label": Format(_is_label, f"{LONGEST_LABEL} {_LOWER} at most"),
    "old-label": Format(_is_old_label, f"{LONGEST_LABEL} {_LOWER} at most, a letter first"),
    "kind": Format(lambda text: _is_old_label(text.lower()), "letters and digits, a letter first"),
    "hook": Format(
        lambda text: _is_subdomain(text) and text.count(".") > 1,
        "a domain of three parts at least, such as pods.example.com",
    ),
    "subdomain": Format(_is_subdomain, f"{_LOWER}, and dots between them"),
    "host": Format(_is_host, "a host name in lower case; *. may be the first part"),
    "key": Format(is_key, "name or prefix/name"),
    "lower-key": Format(lambda text: is_key(text.lower()), "name or prefix/name"),
    "domain-path": Format(
        lambda text: "/" in text.strip("/") and _is_subdomain(text.partition("/")[0]),
        "a domain and a path, such as example.com/name",
    ),
    "word": Format(
        is_word,
        "63 letters, digits, dashes, underscores and dots at most, a letter or digit at both ends",
    ),
    "path-segment": Format(_fits(re.compile(PATH_SEGMENT)), "no slash and no percent sign"),
    "absolute-path": Format(lambda text: text.startswith("/"), "an absolute path"),
    "file-key": Format(
        lambda text: (
            len(text) <= LONGEST_NAME
            and re.fullmatch(r"[-._a-zA-Z0-9]+", text) is not None
            and not re.fullmatch(r"\.\.?|\.\..+", text)
        ),
        "letters, digits, dashes, underscores and dots",
    ),
    "relative-path": Format(
        lambda text: not text.startswith("/") and ".." not in text.split("/"),
        "a path that is neither absolute nor above the folder",
    ),
    "address": Format(_is_address, "an IP address"),
    "ipv4-address": Format(lambda text: _is_address(text, (4,)), "an IPv4 address"),
    "ipv6-address": Format(lambda text: _is_address(text, (6,)), "an IPv6 address"),
    "fqdn-address": Format(
        lambda text: "." in text and _is_subdomain(text.removesuffix(".")),
        "a host name of two parts at least",
    ),
    "network": Format(_is_network, "a network such as 10.0.0.0/8"),
    "percent": Format(
        _fits(re.compile(r"\d+%")), "a number or a percentage such as 25%", blank=False
    ),
    "share": Format(
        _fits(re.compile(r"0*(?:\d{1,2}|100)%")),
        "a number or a percentage such as 25%, 100% at most",
        blank=False,
    ),
    "port": Format(_fits(_PORT), "a number, or 15 lower case letters, digits and dashes at most"),
    "resource": Format(_is_resource, "cpu, memory, ephemeral-storage, hugepages-*, domain/name"),
    "container-resource": Format(
        lambda text: (
            text.startswith(("limits.", "requests."))
            and (text.partition(".")[2] in _RESOURCES or ".hugepages-" in text)
        ),
        "as limits.cpu, requests.memory",
    ),
    "limited-resource": Format(_is_limited, "cpu, memory, storage, domain/name"),
    "counted-resource": Format(_is_counted, "as pods, requests.cpu, count/jobs.batch"),
    "header": Format(_fits(re.compile(r"[-A-Za-z0-9]+")), "letters, digits and dashes"),
    "driver": Format(
        lambda text: len(text) <= LONGEST_LABEL and _is_subdomain(text.lower()),
        f"{LONGEST_LABEL} letters, digits, dashes and dots at most",
    ),
    "search": Format(
        lambda text: text == "." or _is_subdomain(text.removesuffix(".").replace("_", "a")),
        "a domain",
    ),
    "external-name": Format(lambda text: _is_subdomain(text.removesuffix(".")), "a host name"),
    "namespaces": Format(lambda text: text == "*" or _is_label(text), "a namespace, or *"),
    "https-url": Format(_is_url, "https://host/path, without a query"),
    "time-zone": Format(is_time_zone, "a time zone such as Europe/Zurich"),
    "schedule": Format(is_schedule, "five fields such as 0 3 * * *, or @daily"),
    "field": Format(_fits(_FIELD), "a field of a pod such as metadata.name"),
    "limit": Format(
        lambda text: text in _LIMITED or ("/" in text and is_key(text)),
        "Container, Pod, PersistentVolumeClaim, domain/name",
    ),
    "json-path": Format(lambda text: text.startswith("."), "a JSON path such as .spec.size"),
}


def accepts(name: str) -> Callable[[object], bool]:
    """Whether a value is of a format; what is not a text, or a secret reference, is."""
    fits, _, blank = FORMATS[name]
    return lambda value: (
        not isinstance(value, str) or (blank and not value) or _REFERENCE in value or fits(value)
    )
