"""In a process of its own, without an environment: the engine, which may crash or never end."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .negation import explicit, wildcards
from .rules import EXCEPTION, Module, Rule, module_of, policy_rules, refused_calls
from .sources import RESERVED, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from regorus import Engine

_PLACE = re.compile(r"^-->\s*(.*):(\d+):\d+$", re.MULTILINE)
_REASON = re.compile(r"^error: (.*)$", re.MULTILINE)
_TRY = "commodore_try"
_SYNTAX = "policies are in Rego v1: `opa fmt --write --v0-v1` rewrites older ones"


_UNSAFE = "a negated expression has a wildcard, which has no value there"


class Loaded(NamedTuple):
    """What there is to evaluate, and what is not."""

    rules: tuple[Rule, ...]
    refused: tuple[Refusal, ...] = ()


class Job(NamedTuple):
    """An input, and what `data.commodore` holds for it: both JSON."""

    input: str
    about: str


class Result(NamedTuple):
    """What one rule gives for one input."""

    rule: Rule
    values: str = "[]"
    """JSON."""
    exempt: bool = False
    """Whether an exception names the rule."""
    failed: str = ""
    """Why there are no values."""


class _State:
    base: Engine
    exceptions: frozenset[str] = frozenset()
    """Packages that have any."""
    engines: Mapping[str, Engine]


_STATE = _State()


def load(modules: Sequence[tuple[str, str]], data: str) -> Loaded:
    """Parse modules, and make the engine ready for those that are not refused."""
    parsed: list[Module] = []
    texts: dict[str, str] = {}
    refused: list[Refusal] = []
    for file, text in modules:
        try:
            tree = _tree(file, text)
            parsed.append(module_of(file, tree))
            refused += [Refusal(file, line, _UNSAFE) for line in wildcards(tree)]
            texts[file] = explicit(text, tree)
        except BaseException as error:  # noqa: BLE001 - a panic is not an Exception
            refused.append(_refusal(file, error))
    rules, no_sets = policy_rules([(one.file, one.package, one.heads) for one in parsed])
    refused += [*no_sets, *refused_calls(parsed)]
    files = {one.file for one in refused}
    used = [one for one in parsed if one.file not in files]
    engine, unusable = _prepared(data, {one.file: texts[one.file] for one in used})
    refused += unusable
    used = [one for one in used if one.file not in {one.file for one in unusable}]
    here = {(one.package, head.name) for one in used for head in one.heads}
    _STATE.base = engine
    _STATE.exceptions = frozenset(package for package, name in here if name == EXCEPTION)
    _STATE.engines = {}
    return Loaded(tuple(one for one in rules if (one.package, one.name) in here), tuple(refused))


def evaluate(jobs: Sequence[Job], rules: Sequence[Rule]) -> list[list[Result]]:
    """What rules give for each input; those that give nothing are left out."""
    return [_of_input(job, rules) for job in jobs]


def _of_input(job: Job, rules: Sequence[Rule]) -> list[Result]:
    engine = _engine_for(job.about)
    try:
        engine.set_input_json(job.input)
    except BaseException as error:  # noqa: BLE001 - as above
        return [Result(one, failed=_reason(error)) for one in rules]
    exempt: dict[str, frozenset[str]] = {}
    found: list[Result] = []
    for rule in rules:
        try:
            values = engine.eval_rule_as_json(f"data.{rule.package}.{rule.name}")
            if values in ("[]", "null", '"<undefined>"'):
                continue
            if rule.package not in exempt:
                exempt[rule.package] = _exempt(engine, rule.package)
            found.append(Result(rule, values, rule.key in exempt[rule.package]))
        except BaseException as error:  # noqa: BLE001 - as above
            found.append(Result(rule, failed=_reason(error)))
    return found


def _exempt(engine: Engine, package: str) -> frozenset[str]:
    if package not in _STATE.exceptions:
        return frozenset()
    lists = json.loads(engine.eval_rule_as_json(f"data.{package}.{EXCEPTION}"))
    return frozenset(str(name) for names in lists for name in names)


def _engine_for(about: str) -> Engine:
    known = _STATE.engines.get(about)
    if known is None:
        known = _STATE.base.clone()
        known.add_data_json(f'{{"{RESERVED}": {about}}}')
        _STATE.engines = {**_STATE.engines, about: known}
    return known


def _engine(data: str) -> Engine:
    import regorus

    engine = regorus.Engine()
    engine.add_data_json(data)
    return engine


def _prepared(data: str, texts: dict[str, str]) -> tuple[Engine, list[Refusal]]:
    """An engine with the modules, but for those that it can parse and not order."""
    refused: list[Refusal] = []
    while True:
        engine = _engine(data)
        engine.add_policy(_TRY, f"package {_TRY}\n\nx := 1\n")
        for file, text in texts.items():
            engine.add_policy(file, text)
        try:
            engine.clone().eval_rule_as_json(f"data.{_TRY}.x")
        except BaseException as error:
            place = _PLACE.search(str(error))
            if place is None or place[1] not in texts:
                raise
            refused.append(_refusal(place[1], error))
            del texts[place[1]]
        else:
            return engine, refused


def _tree(file: str, text: str) -> Mapping[str, Any]:
    engine = _engine("{}")
    engine.add_policy(file, text)
    (tree,) = json.loads(engine.get_ast_as_json())
    found: Mapping[str, Any] = tree
    return found


def _refusal(file: str, error: BaseException) -> Refusal:
    place = _PLACE.search(str(error))
    return Refusal(file, int(place[2]) if place else 0, _words(error), _SYNTAX)


def _reason(error: BaseException) -> str:
    place = _PLACE.search(str(error))
    return f"{place[1]}:{place[2]}: {_words(error)}" if place else _words(error)


def _words(error: BaseException) -> str:
    reason = _REASON.search(str(error))
    return reason[1] if reason else (str(error).strip().splitlines() or ["no reason"])[0]
