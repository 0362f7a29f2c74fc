"""Scalars of YAML 1.2 as reclass-rs reads them, and numbers as it writes them."""

from __future__ import annotations

import math

import pytest

from commodore_py.inventory.engine import numbers, texts
from tests.support.tables import each

INF, NAN = math.inf, math.nan


@each(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("nUll", "nUll"),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("off", "off"),
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("0x1F", 31),
        ("-0x1f", -31),
        ("0X1F", "0X1F"),
        ("0o17", 15),
        ("0b101", 5),
        ("0b2", "0b2"),
        ("017", "017"),
        ("-017", "-017"),
        ("00", "00"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-02", "2026-01-02"),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e400", "1e400"),
        (".inf", INF),
        ("-.INF", -INF),
        ("inf", "inf"),
        ("18446744073709551615", 18446744073709551615),
        ("-9223372036854775808", -9223372036854775808),
        ("340282366920938463463374607431768211456", 3.402823669209385e38),
        ("--1", "--1"),
        ("0x-1", "0x-1"),
    ],
)
def test_a_plain_scalar_means(text: str, value: object) -> None:
    read = numbers.scalar(text)

    assert (type(read), read) == (type(value), value)


def test_all_nan_values_are_one_object() -> None:
    assert numbers.scalar(".nan") is numbers.scalar(".NaN")


@each(
    "text", ["18446744073709551616", "-9223372036854775809", "0x10000000000000000", "1" + "0" * 38]
)
def test_integers_between_64_and_128_bits_are_refused(text: str) -> None:
    with pytest.raises(numbers.TooLarge):
        numbers.scalar(text)


@each(
    ("value", "in_text", "in_json"),
    [
        (1, "1", "1.0"),
        (1.0, "1.0", "1.0"),
        (-0.0, "-0.0", "-0.0"),
        (0.1, "0.1", "0.1"),
        (1e15, "1000000000000000.0", "1000000000000000.0"),
        (1e16, "1e16", "1e+16"),
        (1.5e300, "1.5e300", "1.5e+300"),
        (1e-5, "0.00001", "0.00001"),
        (-1.25e-5, "-0.0000125", "-0.0000125"),
        (1e-7, "1e-7", "1e-7"),
        (5e-324, "5e-324", "5e-324"),
        (2**64 - 1, "18446744073709551615", "1.8446744073709552e+19"),
    ],
)
def test_a_number_is_written(value: float, in_text: str, in_json: str) -> None:
    assert texts.number_text(value) == in_text
    assert texts.json_number(value) == in_json


@each(("value", "text"), [(INF, ".inf"), (-INF, "-.inf"), (NAN, ".nan")])
def test_what_is_not_a_finite_number_has_its_yaml_name(value: float, text: str) -> None:
    assert texts.number_text(value) == text
