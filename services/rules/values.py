"""Frozen dataclasses changed by copying, which is what games do all day."""

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

Value = TypeVar("Value")


def replace(value: Value, /, **changes: Any) -> Value:
    """The dataclass with other values in these fields: `dataclasses.replace` in less than half the time.

    For classes whose fields are all given to the constructor. Raises KeyError for a field that there is not.
    """
    cls = type(value)
    read, places = _plan(cls)  # type: ignore[arg-type]  # a class is hashable; mypy says otherwise of a generic one
    values = list(read(value))
    for name, changed in changes.items():
        values[places[name]] = changed
    return cls(*values)


@cache
def _plan(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, int]]:
    """How the fields of a class are read in their order, and where each stands."""
    names = [field.name for field in fields(cls)]
    if len(names) == 1:  # attrgetter would give the bare value
        name = names[0]
        return lambda value: (getattr(value, name),), {name: 0}
    return attrgetter(*names), {name: place for place, name in enumerate(names)}
