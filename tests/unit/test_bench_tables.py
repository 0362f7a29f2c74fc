"""The benchmark's tables: ratios, marks of borrowed figures, aims, growth."""

from __future__ import annotations

from typing import Any

from tests.bench.tables import Figures, as_text, growth, markdown


def figures(**changes: Any) -> Figures:  # noqa: ANN401 - figures are data
    defaults: Figures = {
        "cluster": "M",
        "size": True,
        "instances": 50,
        "scenario": "warm",
        "about": "again",
        "ours": [run(0.1)],
        "peer": [run(30.0)],
        "peer_as_in": "",
        "compared": 1,
        "commit": "c",
    }
    return defaults | changes


def run(seconds: float) -> dict[str, float]:
    return {"cpu": seconds, "wall": seconds, "peak_mib": 60.0, "tree_mib": 90.0}


def test_a_ratio_is_that_of_the_medians() -> None:
    lines = list(as_text(figures(ours=[run(0.1), run(0.5), run(0.2)], peer=[run(30.0), run(10.0)])))

    assert lines[1].split()[-5:] == ["ratio", "100.0", "aim", "100:", "reached"]
    assert "0.20 (0.10 to 0.50)" in lines[1]


def test_below_an_aim_the_distance_is_shown() -> None:
    lines = list(as_text(figures(peer=[run(5.0)])))

    assert lines[1].endswith("aim 100: 0.50 of it")
    assert lines[3].endswith("aim 6: 0.17 of it")


def test_borrowed_figures_are_marked() -> None:
    table = "\n".join(markdown([figures(scenario="local", peer_as_in="warm")], {"date": "today"}))

    assert "30.00 †" in table
    assert "(M: local as warm)" in table


def test_own_figures_are_not() -> None:
    assert "†" not in "\n".join(markdown([figures()], {"date": "today"}))


def test_growth_is_what_one_more_instance_costs() -> None:
    small = figures(cluster="S", instances=5, ours=[run(0.1)], peer=[run(3.0)])
    medium = figures(ours=[run(0.55)], peer=[run(30.0)], peer_as_in="cold")

    rows = [[cell.strip() for cell in line.split("|")] for line in growth([small, medium])]

    assert rows[0][3:6] == ["S", "M", "one more, S to M"]
    assert rows[2][2:6] == ["ours", "20.0", "11.0", "10.0"]
    assert rows[3][2:6] == ["Commodore", "600.0", "", ""], "borrowed figures show no growth"


def test_one_size_has_not_grown() -> None:
    assert list(growth([figures()])) == []
