"""Settings that are allowed, and the deal (SPEC, sections 3 and 4)."""

from services.rules.game import Draws, Illegal, Unreadable
from services.rules.games.ruhe import cards
from services.rules.games.ruhe.decisions import run
from services.rules.games.ruhe.events import Cards, Event, GameStarted
from services.rules.games.ruhe.model import HAND, HAND_UNDER_YELLOW, REMOVED, ROWS, Settings, State

Pile = tuple[str, ...]


def initial(settings: Settings | Unreadable, seats: int) -> State:
    """The state before the deal. Illegal BAD_OPTIONS for monsters other than 0, 3, 4, 5 or seats beyond 1 to 5."""
    if isinstance(settings, Unreadable):
        raise Illegal(settings.code)
    if settings.monsters not in (0, 3, 4, 5) or not 1 <= seats <= 5:
        raise Illegal("BAD_OPTIONS")
    return State(settings, seats)


def start(state: State, draws: Draws) -> tuple[Event, ...]:
    """The deal and the opening draws; draws `removed` (if any), `deck`, `start_seat`, `start_pos`, `rock_row`."""
    settings, seats = state.settings, state.seats
    count = REMOVED[settings.difficulty]
    removed = draws.sample("removed", cards.ISLANDS, count) if count else ()
    deck = draws.shuffle("deck", cards.main_deck(removed, settings.monsters, storms=settings.storms))
    start_seat = draws.below("start_seat", seats)
    piles = []
    for seat, pile in enumerate(dealt(deck, seats, start_seat)):
        above = opening(pile)
        depth = above + draws.below("start_pos", len(pile) - above + 1)
        piles.append(Cards((*pile[:depth], cards.STARTS[seat], *pile[depth:])))
    rock = draws.below("rock_row", ROWS) if settings.rocks else None
    begun = GameStarted(settings, seats, start_seat, rock, tuple(piles), Cards(cards.sort(removed)))
    return run(state, (begun,))


def dealt(deck: Pile, seats: int, start_seat: int) -> tuple[Pile, ...]:
    """The piles, top first; the first card goes to the seat after the start seat (R-RUH-02)."""
    return tuple(deck[(seat - start_seat - 1) % seats :: seats] for seat in range(seats))


def opening(pile: Pile, hand: int = 0, monsters: int = 0, limit: int = HAND) -> int:
    """How many cards of the pile an opening draw takes, storms included (SPEC, section 4, step 3; R-RUH-03)."""
    taken = 0
    while hand < limit and taken < len(pile):
        card = pile[taken]
        taken += 1
        if not cards.is_storm(card):
            hand, monsters = hand + 1, monsters + (card[0] == "M")
        elif card[0] == "Y":
            limit = HAND_UNDER_YELLOW
            hand -= min(max(0, hand - HAND_UNDER_YELLOW), hand - monsters)
    return taken
