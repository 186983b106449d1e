"""What must hold of a game before it is hosted; what does not is told in one line."""

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from services.kit.codec import Malformed
from services.kit.draws import SeededDraws
from services.kit.startup import CannotStart
from services.rules.catalogue import load_named
from services.rules.game import Illegal
from services.rules.loading import Loaded
from services.rules.views import redactor_of, see

_NAMES = (
    *("DESCRIPTION", "DEFAULTS", "SAMPLES", "TELLS", "Settings", "State", "Action", "Event", "Position"),
    *("initial", "start", "decide", "evolve", "status", "actions", "position", "draw", "label", "tell", "worlds"),
)
_VERSION = re.compile(r"\d+\.\d+\.\d+")


def load_checked(name: str) -> Loaded:
    """The game that `NAME` or `NAME=package.NAME` stands for. Raises CannotStart for one that is broken."""
    try:
        game = load_named(name)
    except (ImportError, AttributeError, TypeError, ValueError, OSError) as error:
        raise CannotStart(f"game {name}: {error}") from error
    for problem in _problems(game):
        raise CannotStart(f"game {game.id}: {problem}")
    return game


def _problems(game: Loaded) -> Iterator[str]:
    yield from (f"its module lacks {name}" for name in _NAMES if not hasattr(game.module, name))
    yield from _audience_problems(game)
    yield from _description_problems(game)
    yield from _sample_problems(game)


def _audience_problems(game: Loaded) -> Iterator[str]:
    """Fields of Event and Position that nobody would see, or that cannot be redacted."""
    try:
        redactors = [redactor_of(game.event.message), redactor_of(game.position.message)]
    except TypeError as error:
        yield str(error)
        return
    yield from (f"{field} states no audience" for redactor in redactors for field in redactor.unstated)
    has_seats = any(redactor.has_seats for redactor in redactors)
    if has_seats != game.module.DESCRIPTION.has_hidden_information:
        yield f"it says has_hidden_information={not has_seats}, its messages say otherwise"


def _description_problems(game: Loaded) -> Iterator[str]:
    said = game.module.DESCRIPTION
    if said.id != game.id:
        yield f"it calls itself {said.id!r}"
    if not _VERSION.fullmatch(said.rules_version):
        yield f"rules version {said.rules_version!r} is not of the form 1.2.3"
    if not 1 <= said.min_seats <= said.default_seats <= said.max_seats:
        yield f"seats {said.min_seats}, {said.default_seats}, {said.max_seats} are not in order"
    if not said.title.get("en"):
        yield "it has no English title"
    data = resources.files(f"{game.package}.{game.id}") / "data"
    yield from (f"asset {name} is not in its data folder" for name in said.assets if not (data / name).is_file())


def _sample_problems(game: Loaded) -> Iterator[str]:
    if not game.module.SAMPLES or game.module.SAMPLES[0][0] != game.module.DEFAULTS:
        yield "the first of its samples is not its default"
    for number, (settings, seats) in enumerate(game.module.SAMPLES):
        try:
            _show_start(game, game.settings.from_bytes(game.settings.to_bytes(settings)), seats)
        except Illegal as illegal:
            yield f"sample {number} is refused: {illegal.code}"
        except Malformed as malformed:
            yield f"the settings of sample {number} cannot be read back: {malformed}"
        except ValueError as problem:  # of a data file: a board, names
            yield str(problem)
            return


def _show_start(game: Loaded, settings: Any, seats: int) -> None:
    """Sets a match up and draws it, so that a game reads its data files now and not at somebody's first match."""
    rules = game.module
    state = rules.initial(settings, seats)
    for event in rules.start(state, SeededDraws(bytes(32))):
        state = rules.evolve(state, event)
    seen = see(game, rules.position(state), None)
    for language in rules.DESCRIPTION.title:
        rules.draw(seen, None, language)
