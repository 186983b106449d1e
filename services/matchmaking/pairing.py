"""Who is seated together: pure functions over those who wait in one queue, in order of arrival."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """One who waits, as the queue keeps it: ids as text, seats wished for, times in ms. `bots_at` is 0 for never."""

    ticket: str
    player: str
    min_seats: int
    max_seats: int
    policy: str
    create_ms: int
    bots_at_ms: int
    expire_ms: int

    def takes(self, seats: int) -> bool:
        """Whether a match with so many seats is wished for."""
        return self.min_seats <= seats <= self.max_seats


@dataclass(frozen=True, slots=True)
class Group:
    """Those who shall be seated together, and how many bots beside them."""

    people: tuple[Waiting, ...]
    bots: int = 0


def parse(member: str) -> Waiting:
    """A member of a queue, as the server-side `create` writes it."""
    ticket, player, least, most, policy, created, bots_at, expires = member.split("|")
    return Waiting(ticket, player, int(least), int(most), policy, int(created), int(bots_at), int(expires))


def groups(queue: Sequence[Waiting], now_ms: int, gather_ms: int) -> Iterator[Group]:
    """The matches that can be made now; nobody is in two of them.

    The one who waits longest chooses first: the largest table that can be filled, by those who came first. A table
    that could still grow is filled once its first player has waited `gather_ms`. Where nobody else is there after the
    time for bots, the smallest number of them is taken, and only with people who asked for the same policy.
    """
    left = {waiting.ticket: waiting for waiting in queue if waiting.expire_ms > now_ms}
    for first in tuple(left.values()):
        if first.ticket not in left:
            continue
        others = [waiting for waiting in left.values() if waiting.player != first.player]
        group = _of_people(first, others, now_ms, gather_ms) or _with_bots(first, others, now_ms)
        if group is not None:
            for waiting in group.people:
                del left[waiting.ticket]
            yield group


def next_due_ms(queue: Iterable[Waiting], now_ms: int, gather_ms: int) -> int | None:
    """When something can change in a queue without another ticket; None for never."""
    due = [at for w in queue for at in (w.create_ms + gather_ms, w.bots_at_ms, w.expire_ms) if at > now_ms]
    return min(due, default=None)


def _of_people(first: Waiting, others: Sequence[Waiting], now_ms: int, gather_ms: int) -> Group | None:
    for seats in range(first.max_seats, first.min_seats - 1, -1):
        people = _distinct(first, (w for w in others if w.takes(seats)), seats)
        if len(people) < seats:
            continue
        is_final = any(w.max_seats == seats for w in people)
        if is_final or min(w.create_ms for w in people) + gather_ms <= now_ms:
            return Group(people)
    return None


def _with_bots(first: Waiting, others: Sequence[Waiting], now_ms: int) -> Group | None:
    if not first.policy or first.bots_at_ms > now_ms:
        return None
    alike, full = [w for w in others if w.policy == first.policy], None
    for seats in range(first.min_seats, first.max_seats + 1):
        people = _distinct(first, (w for w in alike if w.takes(seats)), seats)
        if len(people) < seats:
            return full or Group(people, seats - len(people))
        full = Group(people)
    return full


def _distinct(first: Waiting, others: Iterable[Waiting], most: int) -> tuple[Waiting, ...]:
    """The first and those after it, each player once, at most so many."""
    people = {first.player: first}
    for waiting in others:
        if len(people) == most:
            break
        people.setdefault(waiting.player, waiting)
    return tuple(people.values())
