"""Every number of seats with every set of expansions of In aller Ruhe, with the difficulties in turn."""

import itertools
from collections.abc import Sequence

from argosy.rules.v1 import rules_service_pb2 as pb

from services.rules.games.ruhe.model import REMOVED, Settings
from services.rules.loading import load


def combinations() -> Sequence[pb.Game.Sample]:
    """Forty samples, numbered on from the game's own ones where `conform` tells of them."""
    game, difficulties, monsters = load("ruhe"), itertools.cycle(REMOVED), itertools.cycle((3, 4, 5))
    chosen = itertools.product(range(1, 6), (False, True), (False, True), (False, True))
    return [
        pb.Game.Sample(
            settings=game.settings.to_bytes(
                Settings(next(difficulties), has_rocks, next(monsters) if has_monsters else 0, has_storms)
            ),
            seats=seats,
        )
        for seats, has_rocks, has_monsters, has_storms in chosen
    ]
