"""Choosing one of many legal actions step by step, or by typing some of its label. Knows no game."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from argosy.client import LegalAction
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from gateway.cli import phrases
from gateway.cli.play.naming import Naming

SHORT: Final = 12
"""So many actions are listed one by one; more are divided."""
_TRAILING: Final = re.compile(r"[\s:;,→>(\[/-]+$")
Leaf = tuple[str, Any]
_ENGLISH: Final = Naming()


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose, and the actions that are left then."""

    text: str
    actions: tuple[LegalAction, ...]


def options_of(actions: Sequence[LegalAction], naming: Naming = _ENGLISH) -> list[Option]:
    """The next step: the actions themselves where they are few, else groups by the first thing in which they differ.

    What differs first is an action's kind, then its fields in their order: piece, place.
    """
    if len(actions) > SHORT:
        groups = _divide(actions)
        if len(groups) < len(actions):
            return _named(groups, naming)
    return [Option(action.label, (action,)) for action in actions]


def matching(actions: Sequence[LegalAction], typed: str) -> list[LegalAction]:
    """The actions whose label has every word typed in it; the one whose label it is, if there is one."""
    words = typed.casefold().split()
    exact = [action for action in actions if action.label.casefold() == typed.strip().casefold()]
    return exact or [action for action in actions if all(word in action.label.casefold() for word in words)]


def kind_of(action: Message) -> str:
    """The action's kind, as its message names it: `end_turn`."""
    leaf = next(_leaves(action), ("", ""))
    return str(leaf[1]) if leaf[0] == "kind" else ""


def columns(texts: Sequence[str], width: int = 80) -> list[str]:
    """Numbered lines; side by side where they are many and short enough."""
    numbered = [f"{number:>3} {text}" for number, text in enumerate(texts, 1)]
    widest = max(map(len, numbered), default=0) + 2
    across = max(1, min(width // widest, -(-len(numbered) // 6)))
    down = -(-len(numbered) // across)
    rows = ([numbered[i] for i in range(row, len(numbered), down)] for row in range(down))
    return ["".join(text.ljust(widest) for text in row).rstrip() for row in rows]


def _divide(actions: Sequence[LegalAction]) -> list[tuple[Leaf | None, list[LegalAction]]]:
    """The actions by their first leaf that is not the same in all of them, in the order of the first of each."""
    paths = [tuple(_leaves(action.action)) for action in actions]
    for depth in range(max(map(len, paths))):
        groups: dict[Leaf | None, list[LegalAction]] = {}
        for path, action in zip(paths, actions, strict=True):
            groups.setdefault(path[depth] if depth < len(path) else None, []).append(action)
        if len(groups) > 1:
            return list(groups.items())
    return [(None, list(actions))]


def _named(groups: list[tuple[Leaf | None, list[LegalAction]]], naming: Naming) -> list[Option]:
    """Each group by what its labels have in common, where that tells them apart; else by the kind or field's value.

    Fields have English names, so that in other languages things alike are rather called alike: "Muschel 8", twice.
    """
    common = [_common([action.label for action in actions]) for _, actions in groups]
    is_kind = any(leaf is not None and leaf[0] == "kind" for leaf, _ in groups)
    may_repeat = not (naming.is_english or is_kind)
    is_clear = all(common) and (may_repeat or len(set(common)) == len(common))
    texts = common if is_clear else [_value(leaf, actions, naming) for leaf, actions in groups]
    return [
        Option(text if len(actions) == 1 else f"{text} … ({len(actions)})", tuple(actions))
        for text, (_, actions) in zip(texts, groups, strict=True)
    ]


def _value(leaf: Leaf | None, actions: Sequence[LegalAction], naming: Naming) -> str:
    if len(actions) == 1:
        return actions[0].label
    if leaf is None:
        return phrases.NOTHING_MORE(naming.language)
    name, value = leaf
    return naming.kind(str(value)) if name == "kind" else f"{name.replace('_', ' ')} {value}"


def _common(labels: Sequence[str]) -> str:
    """The words with which all labels begin."""
    if len(labels) == 1:
        return labels[0]
    words = list[str]()
    for together in zip(*(label.split() for label in labels), strict=False):
        if len(set(together)) > 1:
            break
        words.append(together[0])
    return _TRAILING.sub("", " ".join(words))


def _leaves(message: Message) -> Iterator[Leaf]:
    """The message's set values in the order of its fields; which of several messages it holds comes before them."""
    for field, value in message.ListFields():
        oneof = field.containing_oneof
        if oneof is not None and len(oneof.fields) > 1:
            yield "kind", field.name
        for item in value if field.is_repeated else (value,):
            if field.message_type is not None:
                yield from _leaves(item)
            else:
                yield field.name, _shown(field, item)


def _shown(field: FieldDescriptor, value: Any) -> Any:
    if field.enum_type is None:
        return value
    found = field.enum_type.values_by_number.get(value)
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", field.enum_type.name).upper() + "_"
    return found.name.removeprefix(prefix).lower() if found else value
