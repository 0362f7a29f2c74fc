"""Figures as text, as data, and as the tables of docs/explanation/performance.md."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .measuring import Spread
from .scenarios import AIMS, COMPONENT_TEST, HELP, MEMORY_AIMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# A result as data: the fields of `rounds.Result`, as stored in a file.
Figures = dict[str, Any]

FIELDS = {"cpu": "CPU s", "wall": "wall s", "peak_mib": "MiB", "tree_mib": "MiB of all"}
_ANYWHERE = (HELP, COMPONENT_TEST)


def as_text(figures: Figures) -> Iterator[str]:
    """One result, for people."""
    yield f"\n{figures['cluster']}, {figures['scenario']}: {figures['about']}{_compared(figures)}"
    for field, label in FIELDS.items():
        ours, peer = (_spread(figures, who, field) for who in ("ours", "peer"))
        line = f"  {label:10} ours {ours!s:28}"
        if ours and peer:
            ratio = _ratio(ours, peer)
            line += f" peer {peer!s:28} ratio {ratio:8.1f}{_verdict(figures, field, ratio)}"
        yield line


def markdown(all_figures: Sequence[Figures], about: Mapping[str, str]) -> Iterator[str]:
    """All results, ready for the page."""
    commits = dict.fromkeys(one["commit"] for one in all_figures)
    yield ", ".join([*about.values(), *(f"commit `{commit}`" for commit in commits)]) + "."
    yield ""
    heads = (f"{label} | Commodore | ratio" for label in ("CPU s", "wall s", "MiB"))
    yield f"| | scenario | {' | '.join(heads)} | aim |"
    yield "|---|---|" + "---|" * 10
    for figures in all_figures:
        cells = [_place(figures), figures["about"]]
        for field in ("cpu", "wall", "peak_mib"):
            ours, peer = (_spread(figures, who, field) for who in ("ours", "peer"))
            digits = 0 if field == "peak_mib" else 2
            cells += [_cell(ours, digits), _cell(peer, digits, mark=bool(figures["peer_as_in"]))]
            cells.append(f"{_ratio(ours, peer):.1f}" if ours and peer else "")
        yield f"| {' | '.join(cells)} | {_aim(figures, 'cpu') or ''} |"
    yield ""
    yield (
        "Medians, the least and the most in brackets; memory is that of the largest process. Aims"
        " are for CPU and wall."
    )
    if any(figures["peer_as_in"] for figures in all_figures):
        yield (
            "† Commodore was not run in this scenario: it has no incremental mode, and its figures"
            " are those of the scenario that costs it the same ("
            + "; ".join(_borrowed(all_figures))
            + ")."
        )
    yield ""
    yield from growth(all_figures)


def growth(all_figures: Sequence[Figures]) -> Iterator[str]:
    """What an instance costs at each size: the same at all of them if cost grows with them."""
    sized = [one for one in all_figures if one["size"] and one["scenario"] not in _ANYWHERE]
    sizes = dict.fromkeys(one["cluster"] for one in sized)
    if len(sizes) < 2:
        return
    steps = [f"one more, {before} to {after}" for before, after in pairwise(sizes)]
    heads = [*sizes, *steps]
    yield f"| CPU ms per instance | | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(heads)
    for scenario in dict.fromkeys(one["scenario"] for one in sized):
        of_it = {one["cluster"]: one for one in sized if one["scenario"] == scenario}
        about = next(iter(of_it.values()))["about"]
        for who, name in (("ours", "ours"), ("peer", "Commodore")):
            costs = [_cost(of_it.get(size), who) for size in sizes]
            if any(count for count, _ in costs):
                cells = [f"{1000 * cpu / count:.1f}" if count else "" for count, cpu in costs]
                for (before, cpu_before), (count, cpu) in pairwise(costs):
                    more = 1000 * (cpu - cpu_before) / (count - before) if before and count else 0
                    cells.append(f"{more:.1f}" if more else "")
                yield f"| {about} | {name} | {' | '.join(cells)} |"


def _cost(figures: Figures | None, who: str) -> tuple[int, float]:
    """How many instances cost how much; nothing if it was not measured here."""
    if figures is None or (who == "peer" and figures["peer_as_in"]):
        return 0, 0.0
    spread = _spread(figures, who, "cpu")
    return (figures["instances"], spread.median) if spread else (0, 0.0)


def _spread(figures: Figures, who: str, field: str) -> Spread | None:
    runs = figures[who]
    return Spread.of(run[field] for run in runs) if runs else None


def _ratio(ours: Spread, peer: Spread) -> float:
    return peer.median / max(ours.median, 1e-9)


def _aim(figures: Figures, field: str) -> int | None:
    place, scenario = _place(figures), figures["scenario"]
    if field == "tree_mib":
        return None
    return MEMORY_AIMS.get(place) if field == "peak_mib" else AIMS.get((place, scenario))


def _verdict(figures: Figures, field: str, ratio: float) -> str:
    aim = _aim(figures, field)
    if aim is None:
        return ""
    return f"  aim {aim}: " + ("reached" if ratio >= aim else f"{ratio / aim:.2f} of it")


def _compared(figures: Figures) -> str:
    remarks = []
    if figures["compared"]:
        remarks.append(f"the same bytes {figures['compared']} times")
    if figures["peer_as_in"]:
        remarks.append(f"the peer as in {figures['peer_as_in']}")
    return f" ({', '.join(remarks)})" if remarks else ""


def _borrowed(all_figures: Iterable[Figures]) -> Iterator[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for one in all_figures:
        if one["peer_as_in"]:
            found.setdefault((one["cluster"], one["peer_as_in"]), []).append(one["scenario"])
    for (cluster, source), scenarios in found.items():
        yield f"{cluster}: {', '.join(scenarios)} as {source}"


def _place(figures: Figures) -> str:
    return "" if figures["scenario"] in _ANYWHERE else figures["cluster"]


def _cell(spread: Spread | None, digits: int, *, mark: bool = False) -> str:
    if spread is None:
        return ""
    text = f"{spread.median:.{digits}f}"
    ends = f"{spread.least:.{digits}f} to {spread.most:.{digits}f}"
    if ends != f"{text} to {text}":
        text += f" ({ends})"
    return f"{text} †" if mark else text
