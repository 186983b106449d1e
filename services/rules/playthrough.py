"""Renders playthroughs of a game as text: the goldens in services/rules/games/<game>/goldens/.

    python -m services.rules.playthrough GAME           prints the playthroughs
    python -m services.rules.playthrough GAME --check   compares them with the files; exit code 1, and which differ
    python -m services.rules.playthrough GAME --write   rewrites the files
    python -m services.rules.playthrough GAME --case NAME [--check|--write]

The cases stand in goldens/cases.json, a list of objects; each gives one file goldens/<name>.txt:

    {"name": "four_points", "about": "What happens in it.", "options": {…}, "seed": 5, "policy": "bot"}
    {"name": "nobody_can_act", "about": "…", "setup": {…}, "script": [{"seat": 1, "action": {…}, "random": …}]}

- `options` (the SPEC's; the game's defaults if left out) or `setup` (a constructed position: the game's
  `notation.construct(setup)` makes the state of it; `seats` if not the default number) say where it begins;
- `script` (the SPEC's notation; "random" where the step draws) or `policy` ("uniform", "bot") with `seed` say how it
  goes on, to the end or for `max_steps`. A start draws from `seed`, or what `random` says;
- `language` is "en" if left out.

An entry shows the acting seat and the action's label, the events, who is to act, then for each viewer what it heard
where that differs, and its view: whole at the beginning and the end, between them the new lines, marked "+".
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from services.rules.game import Draws
from services.rules.loading import Loaded, load
from services.rules.narration import Narrator
from services.rules.policies import POLICIES, list_legal
from services.rules.scripted_draws import ScriptedDraws
from services.rules.seeds import Chance


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One action of a script."""

    seat: Any
    action: Any
    random: Any = None


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One playthrough of cases.json; the module says what its fields mean."""

    name: str
    about: str
    options: Any = None
    random: Any = None
    setup: Any = None
    seats: int | None = None
    seed: int = 0
    policy: str = "uniform"
    script: list[Step] | None = None
    max_steps: int = 5000
    language: str = "en"


def render(game: Loaded, case: Case) -> str:
    """The playthrough. Raises Illegal when a scripted action is refused."""
    return "\n".join(line for lines in _tell(game, case) for line in lines) + "\n"


def read_cases(game: Loaded) -> list[Case]:
    """The cases of the game; none where it has no file of them. Raises ValueError for a malformed one."""
    path = _folder(game) / "cases.json"
    return msgspec.json.decode(path.read_bytes(), type=list[Case]) if path.exists() else []


def list_stale(game: Loaded, cases: Sequence[Case] | None = None) -> list[str]:
    """The names of the cases whose file is not what they give now; also of files without a case."""
    asked = read_cases(game) if cases is None else cases
    stale = [c.name for c in asked if _read(_path(game, c)) != render(game, c)]
    if cases is None:
        stale += sorted({p.stem for p in _folder(game).glob("*.txt")} - {c.name for c in asked})
    return stale


def write(game: Loaded, cases: Sequence[Case]) -> None:
    """Rewrites the files of the cases."""
    for case in cases:
        _path(game, case).write_text(render(game, case), encoding="utf-8")


def _tell(game: Loaded, case: Case) -> Iterator[Iterator[str]]:
    chance, rules = Chance(case.seed), game.module
    before, events, seats = _begin(game, case, chance)
    narrator = Narrator(game, seats, case.language)
    yield _head(game, case)
    state = _fold(game, before, events)
    yield narrator.tell_entry("start", events, state)
    for number in range(case.max_steps):
        move = _choose(game, case, state, number, chance)
        if move is None:
            return
        seat, action, draws = move
        title = f"{number + 1}. seat {seat}: {narrator.label(state, seat, action)}"
        events = rules.decide(state, seat, action, draws)
        state = _fold(game, state, events)
        yield narrator.tell_entry(title, events, state)


def _head(game: Loaded, case: Case) -> Iterator[str]:
    title = game.module.DESCRIPTION.title
    source = f"constructed: {json.dumps(case.setup)}" if case.setup is not None else f"options: {_options(game, case)}"
    yield f"{title.get(case.language, title['en'])}: {case.about}"
    yield f"rules {game.module.DESCRIPTION.rules_version}; {source}"
    yield f"played by {f'the {case.policy} policy, seed {case.seed}' if case.script is None else 'a script'}"
    yield ""


def _options(game: Loaded, case: Case) -> str:
    return json.dumps(game.notation.options(*_settings(game, case)))


def _settings(game: Loaded, case: Case) -> tuple[Any, int]:
    if case.options is None:
        return game.module.DEFAULTS, case.seats or game.module.DESCRIPTION.default_seats
    return game.notation.settings(case.options)


def _begin(game: Loaded, case: Case, chance: Chance) -> tuple[Any, Sequence[Any], int]:
    """The state before the first entry, that entry's events, the number of seats."""
    if case.setup is not None:
        construct = getattr(game.notation, "construct", None)
        if construct is None:
            raise ValueError(f"{game.id}: notation.py has no construct(setup)")
        return construct(case.setup), (), case.seats or game.module.DESCRIPTION.default_seats
    settings, seats = _settings(game, case)
    state = game.module.initial(settings, seats)
    draws: Draws = chance.start()
    if case.random is not None:
        draws = ScriptedDraws(lambda: game.notation.script(state, case.random))
    return state, game.module.start(state, draws), seats


def _choose(game: Loaded, case: Case, state: Any, number: int, chance: Chance) -> tuple[int, Any, Draws] | None:
    """Seat, action and draws of the move with this number; None when there is none."""
    draws: Draws = chance.decide(number)
    if case.script is None:
        legal = list_legal(game, state)
        return (*POLICIES[case.policy](game, state, legal, chance.policy), draws) if legal else None
    if number >= len(case.script):
        return None
    step = case.script[number]
    if step.random is not None:
        draws = ScriptedDraws(lambda: game.notation.script(state, step.random))
    return game.notation.seat(step.seat), game.notation.action(step.action), draws


def _fold(game: Loaded, state: Any, events: Sequence[Any]) -> Any:
    for event in events:
        state = game.module.evolve(state, event)
    return state


def _folder(game: Loaded) -> Path:
    return Path(str(resources.files(f"{game.package}.{game.id}"))) / "goldens"


def _path(game: Loaded, case: Case) -> Path:
    return _folder(game) / f"{case.name}.txt"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m services.rules.playthrough", description="Goldens of a game.")
    parser.add_argument("game", help="the game's id")
    parser.add_argument("--case", help="this one only")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="compare with the files")
    how.add_argument("--write", action="store_true", help="rewrite the files")
    asked = parser.parse_args(arguments)
    game = load(asked.game)
    cases = [c for c in read_cases(game) if asked.case in (None, c.name)]
    if asked.write:
        write(game, cases)
    elif asked.check:
        stale = list_stale(game, None if asked.case is None else cases)
        sys.stdout.writelines(f"goldens/{name}.txt is not what its case gives: run with --write\n" for name in stale)
        return 1 if stale else 0
    else:
        _print(render(game, case) for case in cases)
    return 0


def _print(texts: Iterable[str]) -> None:
    try:
        sys.stdout.writelines(texts)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # who reads has read enough; the interpreter would complain at exit


if __name__ == "__main__":
    sys.exit(main())
