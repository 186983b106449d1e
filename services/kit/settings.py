"""Settings of a process: one frozen dataclass, read from ARGOSY_* variables.

    @dataclass(frozen=True, slots=True)
    class Edge:
        listen: str = setting("127.0.0.1:7600", "Address of the public port.")
        drain_s: float = setting(10.0, "How long calls in progress may go on at the end.", unit="s")
        redis: RedisSettings = group(RedisSettings)

    edge = load(Edge, os.environ)          # ARGOSY_LISTEN, ARGOSY_DRAIN_S, and those of RedisSettings

Field `drain_s` is read from ARGOSY_DRAIN_S; the fields of a group stand beside the others, so that processes share
them. No field's variable may look like one of Kubernetes' service links (`*_SERVICE_HOST`, `*_PORT`, ...): those are
skipped, since a cluster sets them for every service of the namespace. Any other unknown ARGOSY_* variable is refused.
"""

import dataclasses
import difflib
import enum
import re
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from services.kit.startup import CannotStart

PREFIX = "ARGOSY_"
_SERVICE_LINK = re.compile(r"_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)?$")
_PASSWORD = re.compile(r"(?<=://)[^/@]*@")
_TRUTH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}

T = typing.TypeVar("T")


def setting(default: typing.Any, says: str, *, unit: str = "", secret: bool = False) -> typing.Any:
    """A field read from one variable. `says` is its description; a secret is shown as *** wherever settings are."""
    return dataclasses.field(default=default, metadata={"says": says, "unit": unit, "secret": secret})


def group(cls: type[T]) -> T:
    """A field that holds another dataclass of settings, whose variables stand beside this one's."""
    return dataclasses.field(default_factory=cls)


def load(cls: type[T], environ: Mapping[str, str]) -> T:
    """The settings that the variables give. Raises CannotStart, naming the variable that is wrong."""
    refuse_unknown(environ, {variable for variable, _, _ in _walk(cls)})
    return _read(cls, environ)


def refuse_unknown(environ: Mapping[str, str], known: Collection[str]) -> None:
    """Raises CannotStart for an ARGOSY_* variable that is none of the known ones, naming the nearest."""
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known and not _is_service_link(name, environ[name]):
            near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0)
            raise CannotStart(f"unknown setting {name}" + (f"; did you mean {near[0]}?" if near else ""))


def _is_service_link(name: str, value: str) -> bool:
    """A cluster gives *_PORT an address with its protocol; whoever writes a number there means a setting."""
    is_plain = name.endswith("_PORT") and not name.endswith(("_SERVICE_PORT", "_TCP_PORT", "_UDP_PORT", "_SCTP_PORT"))
    return bool(_SERVICE_LINK.search(name)) and (not is_plain or "://" in value)


def shown(settings: typing.Any) -> dict[str, str]:
    """Every variable with its effective value as text, for the log: secrets, and passwords in addresses, as ***."""
    return {
        variable: "***" if field.metadata["secret"] and value else _PASSWORD.sub("***@", _text(value))
        for variable, field, value in _walk(settings)
    }


def variables(settings: typing.Any) -> dict[str, str]:
    """The variables that make another process read these settings, secrets included; unset ones are left out."""
    return {variable: _text(value) for variable, _, value in _walk(settings) if value is not None}


def described(cls: type) -> list[tuple[str, str, str, str]]:
    """For a help text: of each variable its name, default, unit and description."""
    return [(v, _text(f.default), f.metadata["unit"], f.metadata["says"]) for v, f, _ in _walk(cls)]


def _walk(settings: typing.Any) -> Iterator[tuple[str, dataclasses.Field[typing.Any], typing.Any]]:
    """Variable, field and value (of a class: None) of every setting, groups unfolded."""
    for field in dataclasses.fields(settings):
        value = None if isinstance(settings, type) else getattr(settings, field.name)
        if "says" not in field.metadata:
            yield from _walk(field.default_factory if value is None else value)
            continue
        variable = PREFIX + field.name.upper()
        if _SERVICE_LINK.search(variable):
            raise TypeError(f"{variable} looks like a service link of Kubernetes; name it otherwise")
        yield variable, field, value


def _read(cls: type[T], environ: Mapping[str, str]) -> T:
    hints = typing.get_type_hints(cls)
    values = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]  # every settings class is a dataclass
        variable = PREFIX + field.name.upper()
        if "says" not in field.metadata:
            values[field.name] = _read(hints[field.name], environ)
        elif variable in environ:
            values[field.name] = _parsed(variable, hints[field.name], environ[variable], field.metadata["secret"])
    return cls(**values)


def _parsed(variable: str, kind: typing.Any, text: str, secret: bool) -> typing.Any:
    try:
        return _value(kind, text.strip())
    except (ValueError, KeyError):
        found = "" if secret else f", not {_PASSWORD.sub('***@', text)!r}"
        raise CannotStart(f"{variable} must be {_wanted(kind)}{found}") from None


def _value(kind: typing.Any, text: str) -> typing.Any:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return _value(_inner(kind), text) if text else None
    if typing.get_origin(kind) is tuple:
        return tuple(_value(typing.get_args(kind)[0], item.strip()) for item in text.split(",") if item.strip())
    if kind is bool:
        return _TRUTH[text.lower()]
    return kind(text)


def _inner(kind: typing.Any) -> typing.Any:
    return next(arg for arg in typing.get_args(kind) if arg is not types.NoneType)


def _wanted(kind: typing.Any) -> str:
    """The kind of value in an operator's words."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return _wanted(_inner(kind)) + " or empty"
    if typing.get_origin(kind) is tuple:
        return f"a list with commas, each {_wanted(typing.get_args(kind)[0])}"
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return "one of " + ", ".join(str(member.value) for member in kind)
    return {bool: "true or false", int: "a whole number", float: "a number", Path: "a path"}.get(kind, "text")


def _text(value: typing.Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(_text(item) for item in value)
    return "" if value is None else str(value.value if isinstance(value, enum.Enum) else value)
