"""What the people at one terminal may see: labels, sentences and drawings, each for one seat."""

from collections.abc import Sequence

from argosy.client import Client, Game, LegalAction, Update
from argosy.v1 import entry_pb2
from google.protobuf.message import Message

from gateway.cli.play.naming import Naming, read_naming


class Sight:
    """One match; `single` is the seat where there is one, None where several take turns at the terminal."""

    def __init__(self, client: Client, game: Game, match: str, single: int | None, language: str) -> None:
        self._client, self._game, self._match = client, game, match
        self._single, self._language = single, language
        self._naming: Naming | None = None

    async def naming(self) -> Naming:
        """How groups of actions are called, read from the game once."""
        if self._naming is None:
            self._naming = await read_naming(self._client, self._game, self._language)
        return self._naming

    async def actions(self, update: Update, seat: int) -> Sequence[LegalAction]:
        """The seat's legal actions, as they came along where they did, and in the right language."""
        came = seat == self._single and not update.actions_truncated and self._language == "en"
        if came and update.actions and update.actions[0].label:
            return update.actions
        return await self._client.list_actions(self._match, seat, language=self._language)

    async def sentences(self, update: Update) -> str:
        """The entry in sentences: as its one seat saw it, or as everybody did where several look at the terminal."""
        events = self._events(update)
        if not events:
            return ""
        return await self._client.tell(self._game.id, events, viewer=self._single, language=self._language)

    async def drawing(self, update: Update, seat: int | None) -> str:
        """The table as the seat sees it; "" before the start."""
        position = update.position
        if seat is None or seat != self._single:
            found = await self._client.get(self._match, seat)
            position = self._game.unpack(found.position) if found.HasField("position") else None
        if position is None:
            return ""
        return await self._client.draw(self._game.id, position, viewer=seat, language=self._language)

    def _events(self, update: Update) -> list[Message]:
        if update.entry is None:
            return []
        own = next((p.part for p in update.entry.own if p.index == self._single and p.part), update.entry.public_part)
        return [self._game.Event.FromString(event) for event in entry_pb2.EntryPart.FromString(own).game_events]
