"""Plays matches of a game step by step and writes every step as a JSON line (TRACE.md).

    python -m services.rules.trace GAME [--options JSON] [--seed N] [--count N] [--policy uniform|bot] [--max-steps N]
    python -m services.rules.trace GAME --script FILE

The output is a script again and gives the same lines. Where the options or the deal are refused, the first line ends
with "refused" and has neither state nor views; "random" stands on a refused line where the script gave some. Exit
code 2 for arguments or a script that cannot be read, the line's number named.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import msgspec

from services.rules.loading import Loaded, load
from services.rules.policies import POLICIES, Policy
from services.rules.scripted_draws import ScriptedDraws, ScriptError
from services.rules.seeds import Chance
from services.rules.tracing import Tracer

Line = dict[str, Any]

_LEFT_OUT: Any = object()  # no options were given, which is not the same as null


class Unplayable(Exception):
    """Arguments or a script that cannot be read; the text says where and why."""


def play(match: Tracer, options: Any, seed: int, policy: Policy, max_steps: int) -> Iterator[Line]:
    """The lines of one match; its chance and the policy's choices follow from the seed.

    It ends with the match, after `max_steps` accepted actions, or where its creation is refused: `options` then says
    what was asked for.
    """
    chance, game = Chance(seed), match.game
    yield match.start(chance.start(), options)
    while match.legal and match.decided < max_steps:
        seat, action = policy(game, match.state, match.legal, chance.policy)
        asked = game.notation.seat_name(seat), game.notation.action_json(action)
        yield match.act(*asked, chance.decide(match.decided))


def replay(game: Loaded, lines: Iterable[str]) -> Iterator[Line]:
    """The lines of the matches that a script holds. Raises Unplayable, naming the line, after those before it."""
    match: Tracer | None = None
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = _read(game, text)
            if "options" in line:
                match = Tracer(game, *game.notation.settings(line["options"]))
            yield _replay_line(match, line)
        except ScriptError as problem:
            raise Unplayable(f"line {number}: {problem}") from None


def _read(game: Loaded, text: str) -> Line:
    try:
        line = json.loads(text)
    except ValueError as problem:
        raise ScriptError(f"not JSON: {problem}") from None
    if not isinstance(line, dict) or not ("options" in line or {"seat", "action"} <= line.keys()):
        raise ScriptError('neither {"options": …, "random": …} nor {"seat": …, "action": …, "random": …}')
    if line.get("trace", 1) != 1 or line.get("game", game.id) != game.id:
        raise ScriptError(f"not a trace of {game.id}, version 1")
    return line


def _replay_line(match: Tracer | None, line: Line) -> Line:
    if match is None or (match.state is None and "options" not in line):
        raise ScriptError("an action, but no match has begun")
    chance = line.get("random")
    draws = ScriptedDraws(lambda: match.game.notation.script(match.before, chance))
    if "options" in line:
        told = match.start(draws, line["options"], chance)
    else:
        told = match.act(line["seat"], line["action"], draws, chance)
    if "refused" not in told:
        if chance and not draws.made:
            raise ScriptError("chance is given, but the game asked for none")
        draws.check_spent()
    return told


def main(arguments: list[str] | None = None, out: TextIO = sys.stdout) -> int:
    """Runs the command; returns the exit code."""
    asked = _parse(arguments)
    try:
        out.writelines(_write(line) + "\n" for line in _lines(asked))
        out.flush()
    except BrokenPipeError:
        sys.stderr.close()  # who reads has read enough; the interpreter would complain at exit
        return 0
    except Unplayable as problem:
        sys.stderr.write(f"trace: {problem}\n")
        return 2
    return 0


def _write(line: Line) -> str:
    """The line as JSON; what a script asked for may hold text that is no UTF-8, so refused lines are ASCII."""
    return json.dumps(line, separators=(",", ":")) if "refused" in line else msgspec.json.encode(line).decode()


def _lines(asked: argparse.Namespace) -> Iterator[Line]:
    game = _game(asked.game)
    if asked.script is not None:
        yield from _replay_file(game, asked.script)
        return
    if asked.options is _LEFT_OUT:
        settings, seats = game.module.DEFAULTS, game.module.DESCRIPTION.default_seats
    else:
        settings, seats = game.notation.settings(asked.options)
    for seed in range(asked.seed, asked.seed + asked.count):
        match = Tracer(game, settings, seats)
        yield from play(match, asked.options, seed, POLICIES[asked.policy], asked.max_steps)


def _game(game_id: str) -> Loaded:
    try:
        return load(game_id)
    except ValueError as problem:
        raise Unplayable(str(problem)) from None


def _replay_file(game: Loaded, name: str) -> Iterator[Line]:
    try:
        with sys.stdin if name == "-" else open(name, encoding="utf-8") as script:  # noqa: PTH123 - "-" is no path
            yield from replay(game, script)
    except (OSError, UnicodeDecodeError) as problem:
        raise Unplayable(f"{name}: {problem}") from None
    except Unplayable as problem:
        raise Unplayable(f"{name}, {problem}") from None


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.rules.trace", description="Plays matches step by step.")
    parser.add_argument("game", help="the game's id")
    parser.add_argument(
        "--options",
        type=json.loads,
        default=_LEFT_OUT,
        help="the SPEC's options object; the game's defaults if left out",
    )
    parser.add_argument("--seed", type=_count(0), default=0, help="number of the (first) match, 0")
    parser.add_argument("--count", type=_count(1), default=1, help="how many matches, with seeds one after another")
    parser.add_argument("--policy", choices=sorted(POLICIES), default="uniform")
    parser.add_argument("--max-steps", type=_count(0), default=5000, help="actions a match, 5000")
    parser.add_argument("--script", metavar="FILE", help="plays what FILE says; - for standard input")
    return parser.parse_args(arguments)


def _count(least: int) -> Any:
    def number(text: str) -> int:
        if not least <= int(text) < 2**63:
            raise ValueError(text)
        return int(text)

    return number


if __name__ == "__main__":
    sys.exit(main())
