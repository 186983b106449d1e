"""How a bot chooses one of the legal actions that the platform listed for its seat."""

import random
import secrets
from collections.abc import Callable, Mapping, Sequence

from argosy.client import LegalAction, Update

from services.kit.draws import SeededDraws
from services.rules.loading import PACKAGE, load

Choose = Callable[[Update, int, Sequence[LegalAction]], LegalAction]
"""Of the update that is decided on, the seat and its legal actions in canonical order: one of the actions."""
POLICIES = ("random", "sensible")


def chooser(game: str, policy: str, packages: Mapping[str, str] | None = None) -> Choose:
    """The policy for a game. Raises ValueError for one that there is not, or a game without a bot here.

    `packages` says where games stand that are not in the usual place.
    """
    if policy == "random":
        return choose_uniformly
    if policy != "sensible":
        raise ValueError(f"no policy {policy!r}; there are: {', '.join(POLICIES)}")
    loaded = load(game, (packages or {}).get(game, PACKAGE))

    def choose_sensibly(update: Update, seat: int, legal: Sequence[LegalAction]) -> LegalAction:
        if update.position is None:
            return choose_uniformly(update, seat, legal)
        position = loaded.position.from_bytes(update.position.SerializeToString())
        actions = [loaded.action.from_bytes(a.action.SerializeToString()) for a in legal]
        chosen = loaded.bot.choose(position, seat, actions, SeededDraws(secrets.token_bytes(32)))
        return legal[actions.index(chosen)]

    return choose_sensibly


def choose_uniformly(_update: Update, _seat: int, legal: Sequence[LegalAction]) -> LegalAction:
    """Any of them."""
    return random.choice(legal)  # noqa: S311  # a bot's whim, nobody's secret
