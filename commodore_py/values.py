"""Dataclasses that are made in a tenth of the time: a short run spends much of it on making them.

They are what `dataclasses` describes, and its functions take them for its own; a type checker
sees nothing else. What is not used here is not offered. docs/adr/0031-quick-dataclasses.md
"""

from __future__ import annotations

from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import Field, dataclass, field, replace
    from types import CodeType
    from typing import Any, TypeAlias

    Class: TypeAlias = type[Any]

_FIELDS = "__quick_fields__"
_NOTHING = object()  # as a default: there is none
_MADE = object()  # as an argument: whatever the factory makes


class _Said:
    """What a class says of one attribute."""

    __slots__ = ("compare", "default", "factory", "init", "repr", "type")

    def __init__(
        self,
        default: object,
        factory: Callable[[], object] | None = None,
        *,
        init: bool = True,
        repr: bool = True,  # noqa: A002 - the name of the question
        compare: bool = True,
    ) -> None:
        self.type = ""
        self.default, self.factory = default, factory
        self.init, self.repr, self.compare = init, repr, compare


def _field(
    *,
    default: object = _NOTHING,
    default_factory: Callable[[], object] | None = None,
    init: bool = True,
    repr: bool = True,  # noqa: A002 - as above
    compare: bool = True,
) -> _Said:
    """Say more of an attribute than its default."""
    return _Said(default, default_factory, init=init, repr=repr, compare=compare)


def _dataclass(
    cls: Class | None = None, /, *, frozen: bool = False, slots: bool = False, order: bool = False
) -> Any:  # noqa: ANN401 - a class, or what makes one
    """Give a class with annotations its methods."""
    if cls is None:
        return lambda one: _made(one, frozen=frozen, slots=slots, order=order)
    return _made(cls, frozen=frozen, slots=slots, order=order)


def _replace(one: Any, /, **changes: Any) -> Any:  # noqa: ANN401 - of any class
    """Another one like it, but for the changes."""
    for name, said in getattr(one, _FIELDS).items():
        if not said.init:
            if name in changes:
                raise ValueError(f"field {name} is declared with init=False")
        elif name not in changes:
            changes[name] = getattr(one, name)
    return type(one)(**changes)


def by_name(one: object) -> dict[str, Any]:
    """What a value holds, by the names of its attributes; values inside stay what they are."""
    return {name: getattr(one, name) for name in getattr(one, _FIELDS)}


def names_of(one: object) -> tuple[str, ...]:
    """The attributes of a value, or of a class of values."""
    return tuple(getattr(one, _FIELDS))


def _made(cls: Class, *, frozen: bool, slots: bool, order: bool) -> Class:
    own = _own_fields(cls)
    fields: dict[str, _Said] = {}
    for base in reversed(cls.__mro__[1:]):
        fields |= base.__dict__.get(_FIELDS, {})
    fields |= own
    for name, said in own.items():
        if name in cls.__dict__:
            delattr(cls, name)
        if said.default is not _NOTHING and not slots:
            setattr(cls, name, said.default)
    if slots:
        cls = _with_slots(cls, fields)
    setattr(cls, _FIELDS, fields)
    cls.__dataclass_fields__ = _AS_OF_DATACLASSES
    methods: dict[str, object] = {
        "__init__": _init(cls, fields, frozen=frozen, slots=slots),
        "__match_args__": tuple(name for name, said in fields.items() if said.init),
        "__repr__": _repr_of([name for name, said in fields.items() if said.repr]),
        **_comparisons([name for name, said in fields.items() if said.compare], order=order),
    }
    if not frozen:
        methods["__hash__"] = None  # what can change is found nowhere
    else:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if slots:
            methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
    said_by_class = cls.__dict__
    for name, method in methods.items():
        # Python itself says of a class with an __eq__ of its own that it has no hash.
        if name not in said_by_class or (name == "__hash__" and said_by_class[name] is None):
            setattr(cls, name, method)
    return cls


def _own_fields(cls: Class) -> dict[str, _Said]:
    fields = {}
    for name, type_ in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063 - imports much
        if type_.startswith("ClassVar"):
            continue
        said = cls.__dict__.get(name, _NOTHING)
        if not isinstance(said, _Said):
            if isinstance(said, list | dict | set):
                raise TypeError(f"{cls.__name__}.{name}: one default for all; use a factory")
            said = _Said(said)
        said.type = type_
        fields[name] = said
    return fields


def _with_slots(cls: Class, fields: Mapping[str, _Said]) -> Class:
    """The same class once more: slots are given when a class is made."""
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    content = dict(cls.__dict__)
    content["__slots__"] = tuple(name for name in fields if name not in inherited)
    for name in ("__dict__", "__weakref__"):
        content.pop(name, None)
    metaclass: Any = type(cls)
    made: Class = metaclass(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    return made


_TEMPLATES: dict[tuple[int, int, bool], CodeType] = {}


def _init(
    cls: Class, fields: Mapping[str, _Said], *, frozen: bool, slots: bool
) -> Callable[..., None]:
    """Its `__init__`: compiled once for each number of attributes, and then renamed."""
    taken: dict[str, str] = {}
    defaults: list[object] = []
    calls: dict[str, Any] = {}
    for name, said in fields.items():
        put = getattr(cls, name).__set__ if slots else _setter(name, frozen=frozen)
        if said.init:
            if said.factory is not None:
                put = _making(put, said.factory)
                defaults.append(_MADE)
            elif said.default is not _NOTHING:
                defaults.append(said.default)
            elif defaults:
                raise TypeError(f"non-default argument {name!r} follows default argument")
            calls[f"_{len(taken)}"] = put
            taken[name] = said.type
        elif said.factory is not None or said.default is not _NOTHING:
            calls[f"__{len(calls) - len(taken)}"] = _by_itself(put, said)
    shape = len(taken), len(calls) - len(taken), hasattr(cls, "__post_init__")
    if shape not in _TEMPLATES:
        _TEMPLATES[shape] = _template(*shape)
    code = _TEMPLATES[shape].replace(
        co_varnames=("self", *taken), co_qualname=f"{cls.__qualname__}.__init__"
    )
    made = FunctionType(code, calls, "__init__", tuple(defaults))
    made.__module__ = cls.__module__
    made.__annotations__ = taken | {"return": "None"}
    return made


def _template(taken: int, alone: int, post: bool) -> CodeType:  # noqa: FBT001 - a part of a key
    names = "".join(f",a{number}" for number in range(taken))
    lines = [
        *(f" _{number}(self,a{number})" for number in range(taken)),
        *(f" __{number}(self)" for number in range(alone)),
        *([" self.__post_init__()"] if post else []),
    ]
    source = "\n".join((f"def __init__(self{names}):", *lines, " return"))
    scope: dict[str, Any] = {}
    exec(compile(source, "<values>", "exec"), scope)  # noqa: S102 - of numbers alone
    made: FunctionType = scope["__init__"]
    return made.__code__


def _setter(name: str, *, frozen: bool) -> Callable[[object, object], None]:
    put = object.__setattr__ if frozen else setattr
    return lambda self, value: put(self, name, value)


def _making(
    put: Callable[[object, object], None], factory: Callable[[], object]
) -> Callable[[object, object], None]:
    return lambda self, value: put(self, factory() if value is _MADE else value)


def _by_itself(put: Callable[[object, object], None], said: _Said) -> Callable[[object], None]:
    make = said.factory
    return lambda self: put(self, said.default if make is None else make())


def _repr_of(names: Sequence[str]) -> Callable[[object], str]:
    def __repr__(self: object) -> str:  # noqa: N807 - it is
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({said})"

    return __repr__


def _comparisons(names: Sequence[str], *, order: bool) -> dict[str, object]:
    values: Callable[[object], Any] = (
        attrgetter(*names)
        if len(names) > 1
        else lambda self: tuple(getattr(self, name) for name in names)
    )

    def __hash__(self: object) -> int:  # noqa: N807 - as above
        return hash(values(self))

    def compared(compare: Callable[[Any, Any], Any]) -> Callable[[object, object], Any]:
        def method(self: object, other: object) -> Any:  # noqa: ANN401 - or NotImplemented
            if other.__class__ is self.__class__:
                return compare(values(self), values(other))
            return NotImplemented

        return method

    asked = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__") if order else ("__eq__",)
    return {name: compared(getattr(tuple, name)) for name in asked} | {"__hash__": __hash__}


def _refuse_to_set(_: object, name: str, __: object) -> NoReturn:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - hardly ever

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - as above

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: object) -> list[object]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _setstate(self: object, state: Sequence[object]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        object.__setattr__(self, name, value)


class _AsOfDataclasses:
    """The attribute by which `dataclasses` knows its own, made when somebody looks."""

    def __get__(self, _: object, cls: Class) -> dict[str, Field[Any]]:
        import dataclasses  # noqa: PLC0415 - as above

        made = {}
        for name, said in getattr(cls, _FIELDS).items():
            told: Any = dataclasses.field(
                default=dataclasses.MISSING if said.default is _NOTHING else said.default,
                default_factory=said.factory or dataclasses.MISSING,
                init=said.init,
                repr=said.repr,
                compare=said.compare,
            )
            told.name, told.type = name, said.type
            told._field_type = vars(dataclasses)["_FIELD"]  # noqa: SLF001 - by which it tells them
            made[name] = told
        return made


_AS_OF_DATACLASSES = _AsOfDataclasses()

if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _field, _replace

__all__ = ["by_name", "dataclass", "field", "names_of", "replace"]
