"""A lean player of Sirenen: knows its hand and the room on the ships from events alone, and plays a card it holds.

It costs a few microseconds an entry, so that clients do not eat the cores that are measured.
"""

from argosy.games.sirenen.v1 import sirenen_pb2 as pb
from argosy.v1 import entry_pb2

SIDE_LIMIT = 5
END_TURN = pb.Action(end_turn=pb.EndTurn()).SerializeToString()


class Sailor:
    """One seat of one match."""

    def __init__(self, seat: int) -> None:
        self.is_over = False
        self._seat, self._hand = seat, list[int]()
        self._room: dict[int, list[int]] = {}
        self._turn = -1
        self._is_main_done = False
        self._crew: tuple[int, int] | None = None  # who must say where the crew goes, and one place to go

    def hear(self, part: bytes) -> None:
        """Takes in an entry's part as this seat sees it."""
        read = entry_pb2.EntryPart.FromString(part)
        for data in read.game_events:
            self._take(pb.Event.FromString(data))
        self.is_over = self.is_over or read.HasField("end")

    def choose(self) -> bytes | None:
        """The action to play now; None where it is not this seat's turn, or nothing simple can be played."""
        if self.is_over:
            return None
        if self._crew is not None:
            seat, ship = self._crew
            return pb.Action(move_crew=pb.MoveCrew(ship=ship)).SerializeToString() if seat == self._seat else None
        if self._turn != self._seat:
            return None
        if self._is_main_done:
            return END_TURN
        return self._card()

    @property
    def is_stuck(self) -> bool:
        """Whether only an octopus could be played: this player gives up."""
        return not self.is_over and self._crew is None and self._turn == self._seat and self.choose() is None

    def _card(self) -> bytes | None:
        places = ((ship, side) for ship, sides in self._room.items() for side in (0, 1) if sides[side])
        place = next(places, None)
        if place is None or not self._hand:
            return None
        card = pb.PlayCard(card=self._hand[0], ship=place[0], side=place[1])
        return pb.Action(play_card=card).SerializeToString()

    def _take(self, event: pb.Event) -> None:
        kind = event.WhichOneof("kind")
        if kind is not None and (take := getattr(self, f"_{kind}", None)):
            take(getattr(event, kind))

    def _game_created(self, event: pb.GameCreated) -> None:
        self._room = {ship: [SIDE_LIMIT, SIDE_LIMIT] for ship in event.ships}

    def _hand_dealt(self, event: pb.HandDealt) -> None:
        if event.seat == self._seat:
            self._hand = list(event.cards.cards)

    def _turn_started(self, event: pb.TurnStarted) -> None:
        self._turn, self._is_main_done = event.seat, False

    def _turn_ended(self, _: pb.TurnEnded) -> None:
        self._turn = -1

    def _card_played(self, event: pb.CardPlayed) -> None:
        self._room[event.ship][event.side] -= 1
        self._is_main_done = True
        if event.seat == self._seat:
            self._hand.remove(event.card)

    def _crew_move_requested(self, event: pb.CrewMoveRequested) -> None:
        self._crew = (event.seat, event.options[0])

    def _crew_moved(self, _: pb.CrewMoved) -> None:
        self._crew = None

    def _ship_scored(self, event: pb.ShipScored) -> None:
        self._room.pop(event.ship, None)

    def _ship_tied(self, event: pb.ShipTied) -> None:
        self._room.pop(event.ship, None)

    def _card_drawn(self, event: pb.CardDrawn) -> None:
        if event.seat == self._seat:
            self._hand.append(event.card)
