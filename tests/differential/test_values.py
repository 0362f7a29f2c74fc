"""Our dataclasses against Python's, over classes and uses that are made up."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from dataclasses import FrozenInstanceError
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAMES = ["one", "two", "three", "four", "a_0", "_0", "self_"]
_DEFAULTS = [
    "",
    " = 3",
    " = ()",
    " = 'text'",
    " = field(default=4)",
    " = field(default=None, compare=False)",
    " = field(default='secret', repr=False)",
    " = field(default_factory=list)",
    " = field(default_factory=dict, repr=False, compare=False)",
    " = field(init=False, default=7)",
    " = field(init=False, default_factory=list)",
    " = field(repr=False)",
    " = field(compare=False)",
]
_OTHERS = [
    "    kind: ClassVar[str] = 'class'\n",
    "    def told(self) -> str:\n        return 'told'\n",
    "    @property\n    def first(self) -> object:\n        return self.one\n",
    "    def __str__(self) -> str:\n        return 'as text'\n",
    "    def __repr__(self) -> str:\n        return 'own'\n",
    "    def __eq__(self, other: object) -> bool:\n        return True\n",
    "    def __hash__(self) -> int:\n        return 5\n",
    "    def __post_init__(self) -> None:\n        seen.append(type(self).__name__)\n",
]


class Source(NamedTuple):
    """A module with two classes; the second one has the first one's attributes, too."""

    text: str
    names: tuple[str, ...]


@st.composite
def _sources(draw: st.DrawFn) -> Source:
    settings = draw(
        st.sampled_from(
            ["frozen=True, slots=True", "slots=True", "frozen=True", "", "frozen=True, order=True"]
        )
    )
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, unique=True))
    parted = draw(st.integers(min_value=1, max_value=len(names)))
    lines = ["from __future__ import annotations", "from typing import ClassVar", "seen = []"]
    for name, base, own in (("Base", "", names[:parted]), ("Heir", "(Base)", names[parted:])):
        lines += [f"@dataclass({settings})", f"class {name}{base}:", "    '''Something.'''"]
        lines += [f"    {one}: object{draw(st.sampled_from(_DEFAULTS))}" for one in own]
        lines += draw(st.lists(st.sampled_from(_OTHERS), unique=True, max_size=3))
    return Source("\n".join(lines), tuple(names))


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    yield
    for name in ("values_theirs", "values_ours"):
        sys.modules.pop(name, None)


def _module(name: str, text: str, makers: Any) -> ModuleType | str:  # noqa: ANN401 - either of two
    """Made of the source; what kind of error it is if it cannot be."""
    made = ModuleType(name)
    vars(made).update(dataclass=makers.dataclass, field=makers.field)
    sys.modules[name] = made
    try:
        exec(compile(text, name, "exec"), vars(made))  # noqa: S102 - made above
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return made


def _told(call: Callable[[], object]) -> object:
    """What comes of it, told so that it can be compared between the two."""
    try:
        found = call()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__
    return repr(found).replace("values_theirs", "").replace("values_ours", "")


def _set(one: object, name: str) -> bool:
    """Whether it can be; Python's own stumble over how they refuse it to an heir."""
    try:
        setattr(one, name, 1)
    except (AttributeError, TypeError):
        return False
    return True


def _uses(module: Any, words: tuple[object, ...], named: dict[str, object]) -> Iterator[object]:  # noqa: ANN401
    """All that is done with such classes, each told."""
    for cls in (module.Base, module.Heir):
        yield cls.__match_args__, cls.__doc__, cls.__hash__ is None, hasattr(cls, "__slots__")
        yield [(one.name, one.type, one.init, one.repr) for one in dataclasses.fields(cls)]
        yield [one.default is dataclasses.MISSING for one in dataclasses.fields(cls)]
        for make in (
            partial(cls, *words),
            partial(cls, **named),
            partial(cls, *words, **named),
        ):
            yield _told(make)
            try:
                one, like = make(), make()
            except TypeError:
                continue
            yield from _uses_of_value(one, like, (*named, "unheard_of"))
    yield module.seen


def _uses_of_value(one: Any, like: Any, names: tuple[str, ...]) -> Iterator[object]:  # noqa: ANN401
    yield _told(lambda: (one, str(one)))
    yield one == like, one != like, one == 3, one.__eq__(3) is NotImplemented
    yield _told(lambda: hash(one) == hash(like))
    yield _told(lambda: (one < like, one <= like, one > like, one >= like))
    yield _told(lambda: one < 3)
    yield _told(lambda: dataclasses.asdict(one))
    yield _told(lambda: pickle.loads(pickle.dumps(one)))  # noqa: S301 - ours
    yield _told(lambda: copy.deepcopy(one))
    for name in names:
        yield _set(one, name)
        yield _told(partial(dataclasses.replace, one, **{name: 1}))
    yield _told(lambda: one)


@given(source=_sources(), words=st.lists(st.integers(0, 3), max_size=4), chosen=st.data())
def test_classes_do_what_pythons_do(
    source: Source, words: list[int], chosen: st.DataObject
) -> None:
    theirs = _module("values_theirs", source.text, dataclasses)
    ours = _module("values_ours", source.text, values)
    named = chosen.draw(st.dictionaries(st.sampled_from(source.names), st.integers(0, 3)))

    if isinstance(theirs, str) or isinstance(ours, str):
        assert ours == theirs, source.text
    else:
        for a, b in zip(
            _uses(theirs, tuple(words), dict(named)),
            _uses(ours, tuple(words), dict(named)),
            strict=True,
        ):
            assert b == a, source.text


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """Python's."""

    one: int
    more: list[int] = dataclasses.field(default_factory=list, repr=False)


@values.dataclass(frozen=True, slots=True)
class Ours:
    """The same, made by us."""

    one: int
    more: list[int] = values.field(default_factory=list, repr=False)


@pytest.mark.parametrize("changes", [{}, {"one": 3}, {"more": [1]}, {"other": 1}])
def test_a_copy_with_changes_is_pythons(changes: dict[str, Any]) -> None:
    def made(replace: Any, one: Any) -> object:  # noqa: ANN401 - either of the two
        try:
            return dataclasses.asdict(replace(one, **changes))
        except TypeError as error:
            return type(error)

    assert made(values.replace, Ours(1, [2])) == made(dataclasses.replace, Theirs(1, [2]))


def test_each_value_has_what_its_factory_makes() -> None:
    assert Ours(1).more is not Ours(1).more


def test_what_is_frozen_says_so() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'one'"):
        Ours(1).one = 2  # type: ignore[misc]  # that is the point


def test_a_missing_argument_is_named_with_its_class() -> None:
    with pytest.raises(TypeError, match=r"Ours.__init__\(\) missing 1 required .* 'one'"):
        Ours()  # type: ignore[call-arg]  # as above
