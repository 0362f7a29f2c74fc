"""When things happen: durations, time zones and schedules as servers read them."""

from __future__ import annotations

import re

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
