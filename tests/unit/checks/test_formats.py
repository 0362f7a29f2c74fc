"""Texts that servers accept and refuse, by format."""

from __future__ import annotations

import pytest

from commodore_py.checks.formats import texts
from commodore_py.checks.formats.texts import FORMATS, accepts

LONG = "x" * 64
TEXTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "quantity": (("100m", "1.5Gi", "1e3", "-1"), ("", "1Gb", "1 Gi", "a")),
    "byte": (("aGVsbG8=", ""), ("aGVsbG8", "@@@")),
    "time": (("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5+01:00"), ("2026-01-01", "")),
    "micro-time": (("2026-01-01T00:00:00.000000Z",), ("2026-01-01T00:00:00Z",)),
    "duration": (("1h30m", "2 days", "0"), ("soon", "1Gb", "")),
    "label": (("a", "9", "a-b"), ("A", "a.b", "-a", LONG)),
    "old-label": (("a1",), ("9", "a.b")),
    "kind": (("Widget",), ("9a", "A.b")),
    "hook": (("pods.example.com",), ("example.com", "pods")),
    "subdomain": (("a.b", "9"), ("a..b", "A", "a_b", "x" * 254)),
    "host": (("a.example.com", "*.example.com"), ("a.*.com", "A", "*")),
    "key": (("a", "example.com/A_b"), ("a b", "/a", "a/b/c", "A/b", LONG)),
    "lower-key": (("Example.com/a",), ("a b",)),
    "domain-path": (("example.com/a/b",), ("example.com", "A/b", "example.com/")),
    "word": (("A.b_c", "9"), ("-a", "a b", LONG)),
    "path-segment": (("a:b", "A b"), ("a/b", "50%", "..")),
    "absolute-path": (("/", "/a"), ("a",)),
    "file-key": (("A.b_c-d", ".a"), ("..", "a/b", "a b")),
    "relative-path": (("a/b", "..a"), ("/a", "a/../b")),
    "address": (("192.0.2.1", "2001:db8::1", "010.1.1.1"), ("192.0.2", "a", "fe80::1%eth0")),
    "ipv4-address": (("192.0.2.1",), ("2001:db8::1",)),
    "ipv6-address": (("2001:db8::1",), ("192.0.2.1",)),
    "fqdn-address": (("db.example.com",), ("A_b.c", "db")),
    "network": (
        ("10.0.0.0/8", "10.0.0.1/8", "2001:db8::/64"),
        ("10.0.0.0", "10.0.0.0/33", "10.0.0.0/255.0.0.0", "a/8"),
    ),
    "percent": (("25%", "200%"), ("25", "a%", "")),
    "share": (("0%", "100%"), ("101%", "25", "")),
    "port": (("http", "a-1"), ("80", "HTTP", "a--b", "a" * 16)),
    "resource": (("cpu", "hugepages-2Mi", "example.com/card"), ("pods", "a b/c")),
    "container-resource": (("limits.cpu", "requests.hugepages-2Mi"), ("cpu", "limits.pods")),
    "limited-resource": (("storage", "cpu"), ("pods",)),
    "counted-resource": (("pods", "limits.cpu", "count/jobs.batch"), ("storage", "a")),
    "header": (("X-A", "a1"), ("a b", "a_b")),
    "driver": (("Disk.example.com",), ("a_b", LONG)),
    "search": ((".", "_a.example.com."), ("a..b", "a b")),
    "external-name": (("db.example.com", "db."), ("50%", "A")),
    "namespaces": (("*", "a"), ("a.b",)),
    "https-url": (
        ("https://a.example.com:8443/b",),
        ("http://a", "https://", "https://u@a", "https://a?b", "https://a#b", "a", "https://["),
    ),
    "time-zone": (("Etc/UTC", "Europe/Zurich"), ("Europe/Zurch", "Local", "/a", "a\0b", "..")),
    "schedule": (
        ("0 3 * * *", "*/5,7 8-18/2 ? jan Mon-Fri", "@daily", "@every 1h"),
        ("0 3 * *", "60 * * * *", "* * 0 * *", "5-1 * * * *", "*/0 * * * *", "@never", "@every a"),
    ),
    "field": (("metadata.labels['a']", "status.podIPs"), ("spec.containers", "metadata.labels[a]")),
    "limit": (("Pod", "example.com/a"), ("Node",)),
    "json-path": ((".spec.size",), ("spec.size",)),
}


def test_every_format_has_texts() -> None:
    assert TEXTS.keys() == FORMATS.keys()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_texts_of_a_format(name: str) -> None:
    good, bad = TEXTS[name]

    assert [text for text in (*good, *bad) if accepts(name)(text)] == list(good)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_secret_references_and_other_types_are_accepted(name: str) -> None:
    values: list[object] = ["?{vaultkv:t/c/a/b}", None, 1, []]

    assert all(map(accepts(name), values))


def test_time_zones_are_accepted_where_none_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_has_time_zones", lambda: False)

    assert accepts("time-zone")("Europe/Zurch")
