"""The compile report, key by key."""

import json

from commodore_py.lieutenant.clusters import report_body
from tests.support.lieutenant import make_record

COMMIT = "0a1b2c3d" * 5


def version(name: str, **more: str) -> dict[str, str]:
    url = f"https://git.example.org/{name}.git"
    return {"gitSha": COMMIT, "url": url, "version": "main", **more}


def test_everything_that_went_in_is_reported_in_order() -> None:
    body = report_body(make_record())

    expected = {
        "commodoreBuildInfo": body["commodoreBuildInfo"],
        "global": version("global"),
        "instances": {
            "shop": version("shop", component="shop"),
            "shop-two": version("shop-two", path="comps/shop", component="shop"),
        },
        "lastCompile": "2026-05-04T03:02:01.123+02:00",
        "packages": {"tools": version("tools", path="pkg")},
        "tenant": version("t-1"),
    }
    assert json.dumps(body) == json.dumps(expected)


def test_the_report_has_the_compatible_version_and_our_own() -> None:
    info = report_body(make_record())["commodoreBuildInfo"]

    assert info["version"].startswith("1.35.1+commodore-py.")
    assert info["gitVersion"] == f"v{info['version']}"
