"""What an action causes (SPEC sections 3, 6 and 7): start, decide."""

from collections.abc import Iterator

from services.rules.game import Draws, Illegal, Unreadable
from services.rules.games.sirenen import events as e
from services.rules.games.sirenen.components import load_deck
from services.rules.games.sirenen.folding import evolve
from services.rules.games.sirenen.model import (
    CARDS,
    HAND_SIZE,
    SHIPS,
    SIDE_LIMIT,
    WINNING_POINTS,
    Action,
    Cards,
    Crew,
    EndReason,
    EndTurn,
    KeepStartCard,
    MainAction,
    MoveCrew,
    Phase,
    PlayCard,
    ScoringReason,
    Settings,
    ShipCard,
    State,
    Suit,
    UseOctopus,
    UseRum,
    Variant,
)
from services.rules.games.sirenen.table import actors, has_main_action, movable_cards, resistance, totals


def initial(settings: Settings | Unreadable, seats: int) -> State:
    """The empty table. Raises Illegal(BAD_OPTIONS) for settings that are none, or other than two seats."""
    if isinstance(settings, Unreadable):
        raise Illegal(settings.code)
    if seats != 2:
        raise Illegal("BAD_OPTIONS")
    phase = Phase.PLAY if settings.variant is Variant.BASE else Phase.SELECT
    return State(variant=settings.variant, phase=phase)


class _Story:
    """The events so far and the state they lead to."""

    def __init__(self, state: State) -> None:
        self.state, self.events = state, list[e.Event]()

    def tell(self, event: e.Event) -> None:
        self.events.append(event)
        self.state = evolve(self.state, event)


def start(state: State, draws: Draws) -> tuple[e.Event, ...]:
    """The deal (SPEC 3). Draws "order", a permutation of the cards, and "start_player"."""
    order, first = draws.shuffle("order", tuple(range(CARDS))), draws.below("start_player", 2)
    story = _Story(state)
    story.tell(e.GameCreated(state.variant, SHIPS, 30, 34, order, first))
    if state.variant is Variant.OWN_DECKS:
        for seat, suit in enumerate(Suit):
            story.tell(e.SetTaken(seat, suit))
        return tuple(story.events)
    for seat in (0, 1):
        hand = order[HAND_SIZE * seat : HAND_SIZE * (seat + 1)]
        story.tell(e.HandDealt(seat, HAND_SIZE, Cards(tuple(sorted(hand)))))
    _begin_play(story, first)
    return tuple(story.events)


def decide(state: State, seat: int, action: Action | Unreadable, _draws: Draws) -> tuple[e.Event, ...]:
    """The events of the seat's action. Raises Illegal in the order of SPEC 6.3; draws nothing."""
    if seat not in (0, 1):
        raise Illegal("UNKNOWN_SEAT")
    if isinstance(action, Unreadable):
        raise Illegal(action.code)
    _check_form(action)
    _check_time(state, seat, action)
    story = _Story(state)
    match action:
        case KeepStartCard(card):
            _keep(story, seat, card)
        case PlayCard(card, ship, side):
            _play(story, seat, card, ship, side)
        case UseOctopus(card, ship, side):
            _use_octopus(story, seat, card, ship, side)
        case UseRum(ship):
            _use_rum(story, seat, ship)
        case MoveCrew(ship):
            _move_crew(story, ship)
        case EndTurn():
            _end_turn(story, seat)
    return tuple(story.events)


def _check_form(action: Action) -> None:
    """Ranges of SPEC 6.1: a card 0 to 51, a ship of the five, a side 0 or 1."""
    is_fine = (
        0 <= getattr(action, "card", 0) < CARDS
        and getattr(action, "ship", SHIPS[0]) in SHIPS
        and getattr(action, "side", 0) in (0, 1)
    )
    if not is_fine:
        raise Illegal("MALFORMED_ACTION")


def _check_time(state: State, seat: int, action: Action) -> None:
    """Checks 3 to 10 of SPEC 6.3: may this seat do such a thing now."""
    if state.phase is Phase.OVER:
        raise Illegal("GAME_OVER")
    if seat not in actors(state):
        raise Illegal("NOT_YOUR_TURN")
    _expect(state.phase is Phase.SELECT, isinstance(action, KeepStartCard), "SELECTION_PENDING", "SELECTION_CLOSED")
    _expect(state.pending is not None, isinstance(action, MoveCrew), "CREW_MOVE_PENDING", "NO_CREW_MOVE_PENDING")
    if state.phase is Phase.SELECT or state.pending is not None:
        return
    if isinstance(action, EndTurn) and not state.main_done:
        raise Illegal("MAIN_ACTION_REQUIRED")
    if isinstance(action, PlayCard | UseOctopus) and state.main_done:
        raise Illegal("MAIN_ACTION_ALREADY_DONE")


def _expect(is_time: bool, is_kind: bool, pending: str, closed: str) -> None:
    """Refuses another kind while it is time for this one, and this kind at any other time."""
    if is_time and not is_kind:
        raise Illegal(pending)
    if is_kind and not is_time:
        raise Illegal(closed)


def _ship_in_play(state: State, ship: int) -> ShipCard:
    found = state.ship(ship)
    if found is None:
        raise Illegal("SHIP_NOT_IN_PLAY")
    return found


def _check_room(ship: ShipCard, side: int) -> None:
    if len(ship.sides[side]) >= SIDE_LIMIT:
        raise Illegal("SIDE_FULL")


def _keep(story: _Story, seat: int, card: int) -> None:
    """SPEC 7.9."""
    hand = story.state.players[seat].hand
    if load_deck().suits[card] is not tuple(Suit)[seat]:
        raise Illegal("CARD_NOT_IN_YOUR_SET")
    if card in hand:
        raise Illegal("CARD_ALREADY_KEPT")
    story.tell(e.StartCardKept(seat, card, len(hand) + 1))
    if len(hand) + 1 == HAND_SIZE:
        story.tell(e.HandCompleted(seat, len(story.state.piles[seat])))
        if not actors(story.state):
            assert story.state.start_player is not None
            _begin_play(story, story.state.start_player)


def _begin_play(story: _Story, first: int) -> None:
    story.tell(e.StartPlayer(first))
    _begin_turn(story, first)


def _play(story: _Story, seat: int, card: int, ship: int, side: int) -> None:
    """SPEC 7.1, PLAY_CARD."""
    if card not in story.state.players[seat].hand:
        raise Illegal("CARD_NOT_IN_HAND")
    _check_room(_ship_in_play(story.state, ship), side)
    story.tell(e.CardPlayed(seat, card, ship, side))
    _resolve_crew(story, card, ship, side)


def _use_octopus(story: _Story, seat: int, card: int, ship: int, side: int) -> None:
    """SPEC 7.1, USE_OCTOPUS."""
    state = story.state
    if state.players[seat].octopus_on is not None:
        raise Illegal("OCTOPUS_NOT_AVAILABLE")
    if not any(card in cards for s in state.ships for cards in s.sides):
        raise Illegal("CARD_NOT_IN_PLAY")
    place = {c: (at_ship, at_side) for c, at_ship, at_side in movable_cards(state, seat)}.get(card)
    if place is None:
        raise Illegal("CARD_HELD_BY_OCTOPUS")
    target = _ship_in_play(state, ship)
    if place == (ship, side):
        raise Illegal("SAME_LOCATION")
    _check_room(target, side)
    story.tell(e.OctopusUsed(seat, card, *place, ship, side))
    _resolve_crew(story, card, ship, side)


def _use_rum(story: _Story, seat: int, ship: int) -> None:
    """SPEC 7.7; it never causes scoring (R-SIR-26)."""
    if not story.state.players[seat].mug_held:
        raise Illegal("MUG_NOT_AVAILABLE")
    target = _ship_in_play(story.state, ship)
    story.tell(e.RumPlayed(seat, ship, resistance(target) + 3))
    if story.state.main_done:
        _end_turn(story, seat)


def _move_crew(story: _Story, ship: int) -> None:
    pending = story.state.pending
    assert pending is not None
    if ship not in pending.options:
        raise Illegal("NOT_A_DESTINATION")
    story.tell(e.CrewMoved(pending.seat, pending.crew, pending.from_ship, ship, forced=False))
    _finish_main_action(story)


def _resolve_crew(story: _Story, card: int, ship: int, decider: int) -> None:
    """The crew step (SPEC 7.2), and what comes after unless a decision is owed."""
    crew = story.state.crew_on(ship) if load_deck().icons[card] else None
    if crew is None:
        return _finish_main_action(story)
    if len(story.state.ships) == sum(place is not None for place in (story.state.captain, story.state.mate)):
        story.tell(e.CrewStayed(crew, ship))
        return _finish_main_action(story)
    options = destinations(story.state, crew, ship)
    if len(options) == 2:
        return story.tell(e.CrewMoveRequested(decider, crew, ship, options))
    story.tell(e.CrewMoved(decider, crew, ship, options[0], forced=True))
    return _finish_main_action(story)


def destinations(state: State, crew: Crew, ship: int) -> tuple[int, ...]:
    """Where the token may go from the ship: one or two ships, ascending (SPEC 7.2, R-SIR-11)."""
    ring = [s.ship for s in state.ships]
    other = state.mate if crew is Crew.CAPTAIN else state.captain
    found = set()
    for step in (1, -1):
        at = (ring.index(ship) + step) % len(ring)
        found.add(ring[(at + step) % len(ring)] if ring[at] == other else ring[at])
    return tuple(sorted(found))


def _finish_main_action(story: _Story) -> None:
    """SPEC 7.3 to 7.6: scoring, end check, draw, and the end of the turn once the mug is spent."""
    seat, is_play = story.state.turn, story.state.main_action is MainAction.PLAY_CARD
    assert seat is not None
    for ship in story.state.ships:
        _score(story, ship)
    if any(p.points >= WINNING_POINTS for p in story.state.players):
        return _end(story, EndReason.FOUR_POINTS)
    if not story.state.ships:
        return _end(story, EndReason.ALL_SHIPS)
    if is_play:
        _draw(story, seat)
    if not story.state.players[seat].mug_held:
        _end_turn(story, seat)
    return None


def _draw(story: _Story, seat: int) -> None:
    """SPEC 7.5: one card from the seat's pile, if there is one."""
    pile = story.state.piles[0 if story.state.variant is Variant.BASE else seat]
    story.tell(e.CardDrawn(seat, pile[0], len(pile) - 1) if pile else e.DrawSkipped(seat))


def _score(story: _Story, ship: ShipCard) -> None:
    """SPEC 7.3 for one ship: nothing where no condition is met."""
    sums, limit = totals(ship), resistance(ship)
    is_full = all(len(side) == SIDE_LIMIT for side in ship.sides)
    if max(sums) < limit and not is_full:
        return
    crew = story.state.crew_on(ship.ship)
    if max(sums) < limit and sums[0] == sums[1]:
        story.tell(e.ShipTied(ship.ship, sums))
        if crew:
            story.tell(e.CrewRemoved(crew, ship.ship))
    else:
        taker = int(sums[1] > sums[0])
        reason = ScoringReason.RESISTANCE if max(sums) >= limit else ScoringReason.FULL
        story.tell(e.ShipScored(ship.ship, taker, reason, sums, limit))
        if crew:
            story.tell(e.CrewScored(crew, ship.ship, taker))
    for event in _clear(story.state, ship):
        story.tell(event)


def _clear(state: State, ship: ShipCard) -> Iterator[e.Event]:
    """SPEC 7.3, steps 3 to 5."""
    yield from (e.MugRemoved(owner, ship.ship) for owner in ship.mugs)
    cards = tuple(sorted(ship.sides[0] + ship.sides[1]))
    yield e.CardsRemoved(ship.ship, cards)
    for owner, player in enumerate(state.players):
        if player.octopus_on is not None and player.octopus_on in cards:
            yield e.OctopusReturned(owner, player.octopus_on)


def _end_turn(story: _Story, seat: int) -> None:
    story.tell(e.TurnEnded(seat))
    _begin_turn(story, 1 - seat)


def _begin_turn(story: _Story, first: int) -> None:
    """SPEC 7.8, from step 2."""
    for seat in (first, 1 - first):
        if has_main_action(story.state, seat):
            return story.tell(e.TurnStarted(seat))
        story.tell(e.TurnSkipped(seat))
    return _end(story, EndReason.NO_ACTIONS)


def _end(story: _Story, reason: EndReason) -> None:
    """SPEC 9: the seat with more points wins; equal points, nobody."""
    points = (story.state.players[0].points, story.state.players[1].points)
    winner = None if points[0] == points[1] else int(points[1] > points[0])
    story.tell(e.GameEnded(reason, winner, points))
