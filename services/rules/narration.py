"""A match as text that a player can read: what happened, then what each viewer heard and saw of it."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from services.rules.loading import Loaded
from services.rules.views import view


class Narrator:
    """Describes the entries of one match, one after another, in `language`.

    A viewer's first and last view are given whole, those between by the lines that are new in them.
    """

    def __init__(self, game: Loaded, seats: int, language: str) -> None:
        self._game, self._language = game, language
        self._viewers: tuple[int | None, ...] = (*range(seats), None)
        self._seen: dict[int | None, list[str]] = {}

    def tell_entry(self, title: str, events: Sequence[Any], state: Any) -> Iterator[str]:
        """The lines of one entry: its title, its events, who is to act, and what each viewer makes of it."""
        whole = [self._tell(e) for e in events]
        yield f"== {title}"
        yield from (f"   {line}" for line in whole)
        yield f"   [{self._status(state)}]"
        for viewer in self._viewers:
            heard = [self._tell(view(self._game.event, e, viewer)) for e in events]
            yield f"-- {'spectator' if viewer is None else f'seat {viewer}'}"
            yield from (f"   hears: {own}" for own, full in zip(heard, whole, strict=True) if own != full)
            yield from (f"   {line}".rstrip() for line in self._look(state, viewer))
        yield ""

    def label(self, state: Any, seat: int, action: Any) -> str:
        """The action in words, by what the seat sees before it."""
        position = view(self._game.position, self._game.module.position(state), seat)
        return self._game.module.label(position, seat, action, self._language)

    def _tell(self, event: Any) -> str:
        return self._game.module.tell(event, self._language) or f"({type(event).__name__})"

    def _status(self, state: Any) -> str:
        status = self._game.module.status(state)
        if status.scores:
            return f"over: {status.reason}, scores {', '.join(f'{score:g}' for score in status.scores)}"
        return f"to act: {', '.join(map(str, status.turn))}"

    def _look(self, state: Any, viewer: int | None) -> Iterable[str]:
        position = view(self._game.position, self._game.module.position(state), viewer)
        now = self._game.module.draw(position, viewer, self._language).rstrip("\n").split("\n")
        before = self._seen.get(viewer)
        self._seen[viewer] = now
        if before is None or self._game.module.status(state).scores:
            return now
        return _list_new(before, now) or ["(nothing new)"]


def _list_new(before: list[str], now: list[str]) -> list[str]:
    """The lines of `now` that are not where they were, each marked; "-" says how many went without another."""
    lines = []
    for kind, i, k, j, m in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind in ("replace", "insert"):
            lines += [f"+ {line}" for line in now[j:m]]
        elif kind == "delete":
            lines.append(f"- {k - i} line{'s' if k - i > 1 else ''}")
    return lines
