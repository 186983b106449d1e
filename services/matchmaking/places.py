"""Where matchmaking keeps things: the names of its keys, and the ids of tickets.

All keys of a game, its tickets among them, begin with the hash tag of one partition of the log, so that one
server-side function may touch them on a cluster. A ticket's id begins with that partition.
"""

import hashlib
from dataclasses import dataclass

from services.kit.log import ids, partitions


@dataclass(frozen=True, slots=True)
class Place:
    """The keys of one game. `news` is a channel: something has come into a queue."""

    game: str
    partition: int
    tag: str

    @property
    def queues(self) -> str:
        """The set of queues in which somebody waits."""
        return self._key("queues")

    @property
    def changed(self) -> str:
        """The same queues, each by the number of the last ticket that came into it."""
        return f"{self.queues}:changed"

    @property
    def expiry(self) -> str:
        """Those who wait, each with the name of the queue before it, by when their tickets expire."""
        return self._key("expiry")

    @property
    def arrivals(self) -> str:
        """The number of tickets so far: their order of arrival."""
        return self._key("arrivals")

    @property
    def intents(self) -> str:
        """Matches for which tickets are claimed and that may not exist yet, by id."""
        return self._key("intents")

    @property
    def made(self) -> str:
        """Matches made that have not started yet, by id."""
        return self._key("made")

    @property
    def lease(self) -> str:
        """Who makes the matches of this game now."""
        return self._key("lease")

    @property
    def fence(self) -> str:
        """How often the lease has changed hands."""
        return self._key("fence")

    @property
    def positions(self) -> str:
        """By partition, the position in its feed up to which this game's effects are stored."""
        return self._key("positions")

    @property
    def results(self) -> str:
        """How many matches ended how."""
        return self._key("results")

    @property
    def news(self) -> str:
        """The channel on which the holder hears of tickets."""
        return self._key("news")

    def queue(self, name: str) -> str:
        """Those who wait in a queue, by order of arrival."""
        return self._key(f"queue:{name}")

    def waiting(self, name: str) -> str:
        """The ticket by which a player waits in a queue, or is about to be seated from it."""
        return self._key(f"waiting:{name}")

    def ticket(self, ticket: str) -> str:
        """One ticket; also the channel of its news."""
        return f"{self.tag}:ticket:{ticket}"

    def _key(self, name: str) -> str:
        return f"{self.tag}:matchmaking:{self.game}:{name}"


def place_of(game: str) -> Place:
    """The keys of a game."""
    partition = hashlib.sha256(b"argosy.matchmaking.v1" + game.encode()).digest()[0]
    return Place(game, partition, f"{{{partitions.TAGS[partition]}}}")


def ticket_id(place: Place, player: bytes, request_id: bytes) -> bytes:
    """The id of the ticket of this player's request, so that a retried request finds its own."""
    digest = hashlib.sha256(b"argosy.ticket.v1" + player + request_id).digest()
    return bytes([place.partition]) + digest[: ids.SIZE - 1]


def ticket_key(ticket: str) -> tuple[int, str]:
    """Partition and key of a ticket, by its id as text. Raises ValueError for what is no id."""
    partition = ids.from_text(ticket)[0]
    return partition, f"{{{partitions.TAGS[partition]}}}:ticket:{ticket}"
