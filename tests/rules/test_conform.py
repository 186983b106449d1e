"""The conformance suite finds what is wrong with a game: the toy game, and the toy game with one line changed."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from services.rules.conform import Effort, Findings, conform
from services.rules.loading import load
from tests.rules_host import Host, run_host
from tests.toy_game.building import GAME, vary


async def test_the_toy_game_conforms(host: Host) -> None:
    report = await conform(host.address, local=[load(GAME, "tests.toy_game")])
    assert report.is_ok, "\n".join(report.lines())
    (findings,) = report.games
    assert not findings.left_out


async def test_without_its_rules_at_hand_the_worlds_are_left_out(host: Host) -> None:
    (findings,) = (await conform(host.address, local=[])).games
    assert not findings.failures
    assert findings.left_out.keys() == {"worlds"}


async def test_the_command_tells_by_its_exit_code(host: Host) -> None:
    told, code = await _run(host.address, "--json")
    (game,) = json.loads(told)["games"]
    assert (code, game["is_ok"], game["left_out"].keys()) == (0, True, {"worlds"})
    told, code = await _run(host.address, "--game", "chess")
    assert code == 1
    assert "the service does not have it" in told
    assert await _run("127.0.0.1:1") == ("", 2)


async def _run(*arguments: str) -> tuple[str, int | None]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services.rules.conform", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    told, _ = await process.communicate()
    return told.decode(), process.returncode


async def test_a_game_that_is_not_there_is_a_failure(host: Host) -> None:
    report = await conform(host.address, games=["chess"], local=[])
    assert not report.is_ok
    assert [line for line in report.lines() if "chess" in line]


BREAKS = {
    "a public value tells a limit": (
        "return Position(state.heap, turn,",
        "return Position(state.heap * 8 + (state.players[0].limit or 0), turn,",
        "worlds",
    ),
    "a refusal tells another's limit": (
        'raise Illegal("NOT_YOUR_TURN")',
        'raise Illegal("NOT_YOUR_TURN" if state.players[state.turn].limit == 4 else "BAD_COUNT")',
        "worlds",
    ),
    "the number of events tells a limit": (
        "return (Swapped(seat, state.pile[place], place),)",
        "return (Swapped(seat, state.pile[place], place),) * (1 + (state.players[seat - 1].limit == 4))",
        "worlds",
    ),
    "an action too many is listed": ("state.heap) + 1)", "state.heap) + 2)", "listed"),
    "an action is accepted and not listed": (
        "yield from (Take(n) for n in range(1,",
        "yield from (Take(n) for n in range(2,",
        "listed",
    ),
    "scores beyond 1": ("float(p.seat == state.winner)", "2.0 * (p.seat == state.winner)", "status"),
    "nobody may act": ("may_act=(state.turn,)", "may_act=()", "status"),
    "a code that is not explained": ('raise Illegal("BAD_COUNT")', 'raise Illegal("BAD")', "refusals"),
    "a drawing too wide": ('lines = [f"', 'lines = ["-" * 81, f"', "drawn"),
    "a label that is empty": (
        "return f\"{'nimm' if language == 'de' else 'take'} {action.count}\"",
        'return ""',
        "drawn",
    ),
    "an answer that depends on what came before": (
        'place = draws.below("card", len(state.pile))',
        'place = (draws.below("card", len(state.pile)) + len(_SEEN)) % len(state.pile); _SEEN.append(1)',
        "repeatable",
    ),
    "a match without an end": (
        "return replace(state, winner=event.winner)",
        "return replace(state, heap=9)",
        "terminates",
    ),
    "a bug": (
        "if seat != state.turn:",
        "if state.heap < 9:\n        raise KeyError(state.players)\n    if seat != state.turn:",
        "answers",
    ),
}


@pytest.mark.parametrize(("old", "new", "law"), BREAKS.values(), ids=BREAKS.keys())
async def test_a_broken_game_is_found_out(old: str, new: str, law: str, toy_messages: Path, tmp_path: Path) -> None:
    broken = vary(tmp_path, (old, new), ("CARDS =", "_SEEN: list[int] = []\nCARDS ="))
    async with run_host([f"{GAME}={broken.package}.{GAME}"], path=[toy_messages, tmp_path]) as host:
        report = await conform(host.address, effort=Effort(most_entries=300), local=[broken])
    (findings,) = report.games
    assert findings.failures.get(law), "\n".join(report.lines())


def test_too_few_compared_worlds_are_a_failure() -> None:
    findings = Findings("game", skipped=11)
    for _ in range(89):
        findings.expect("worlds", holds=True, problem="")
    findings.close()
    assert findings.failures["worlds"] == ["only 89 of 100 pairs could be compared"]
