"""`argosy play` at a terminal."""

import re
import shlex
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from argosy.client import Client

from gateway.cli.play.naming import read_naming
from tests.e2e.terminal import Terminal, argosy
from tests.platform import Platform, run_platform

PROMPT = r"seat \d \([^)]*\) >|\[y/n\] >"
GERMAN_PROMPT = r"Platz \d \([^)]*\) >|\[j/n\] >"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def platform() -> AsyncIterator[Platform]:
    async with run_platform(["sirenen", "ruhe"], matchmaking=1) as running:
        bots = await running.start_bots()
        yield running
        await bots.end()


pytestmark = pytest.mark.asyncio(loop_scope="module")


def name(terminal: Terminal) -> str:
    """The match that is played there."""
    found = re.search(r"match ([0-9a-z]{26})", terminal.text)
    assert found
    return found[1]


def width(terminal: Terminal) -> int:
    widest = max(terminal.text.splitlines(), key=len)
    assert len(widest) <= 80, widest
    return len(widest)


async def decide(terminal: Terminal, prompt: str = PROMPT) -> None:
    """Takes the first option until the decision is made."""
    while True:
        terminal.type("1")
        told = await terminal.expect(rf"{prompt}|\n→ [^\n]*\n")
        if told.endswith("/n] >"):
            terminal.type("n")
            await terminal.expect(r"\n→ [^\n]*\n")
            return
        if told.rstrip().splitlines()[-1].lstrip().startswith("→"):
            return


async def test_a_person_plays_leaves_comes_back_and_resigns(platform: Platform, tmp_path: Path) -> None:
    words = ["--server", platform.address, "--guest", "Ann", "--pace", "0"]
    async with argosy(tmp_path, "play", "sirenen", *words) as terminal:
        begun = await terminal.expect(PROMPT)
        assert "bot (sensible)" in begun
        assert "Draw pile" in begun
        for _ in range(3):
            await decide(terminal)
            await terminal.expect(PROMPT)
        assert await terminal.end(signal.SIGINT) == 130
        assert f"argosy play --match {name(terminal)} --server" in terminal.text
        assert "Traceback" not in terminal.text
        assert width(terminal) <= 80
    async with argosy(tmp_path, "play", "--match", name(terminal), *words) as terminal:
        await terminal.expect(PROMPT)
        terminal.type("resign")
        over = await terminal.expect(r"The match is over, RESIGNED: RESIGNATION\.\n(.*\n){2}")
        assert "0  seat 0: you" in over
        assert await terminal.end() == 0


async def test_a_refusal_is_explained_with_its_ruling(platform: Platform, tmp_path: Path) -> None:
    async with argosy(tmp_path, "play", "sirenen", "--server", platform.address, "--pace", "0") as terminal:
        await terminal.expect(PROMPT)
        terminal.type('try {"keepStartCard": {"card": 0}}')
        await terminal.expect("Refused: SELECTION_CLOSED")
        terminal.type("?")
        assert "R-SIR-" in await terminal.expect(r"SELECTION_CLOSED: .*\n.*\n")
        terminal.type("nothing is called so")
        await terminal.expect("Nothing that is possible now")
        terminal.type("q")
        assert await terminal.end() == 0


async def test_an_end_of_turn_is_asked_about_once(platform: Platform, tmp_path: Path) -> None:
    async with argosy(tmp_path, "play", "sirenen", "--server", platform.address, "--pace", "0") as terminal:
        told = await terminal.expect(PROMPT)
        while "end the turn" not in told:
            terminal.type("1")
            told = await terminal.expect(PROMPT)
        terminal.type("end the turn")
        await terminal.expect(r"Do that by itself, .* \[y/n\] >")
        terminal.type("y")
        await terminal.expect("→ end the turn")
        await terminal.expect(PROMPT)
        told = ""
        while not told.endswith("\n"):  # until a card is played; the turn ends by itself, with the rum still there
            terminal.type("1")
            told = await terminal.expect(rf"\n→ [^\n]*\n|{PROMPT}")
        await terminal.expect("→ end the turn")
        terminal.type("ask")
        await terminal.expect("You are asked again")
        terminal.type("q")
        assert await terminal.end() == 0


async def test_two_people_at_one_terminal_do_not_see_each_others_hands(platform: Platform, tmp_path: Path) -> None:
    words = ["--server", platform.address, "--own", "2", "--pace", "0"]
    async with argosy(tmp_path, "play", "sirenen", *words) as terminal:
        first = await terminal.expect("Press Enter when only its player looks >")
        assert "hand:" not in first
        assert "starfish" not in first
        terminal.type("")
        shown = await terminal.expect(PROMPT)
        assert shown.count("hand:") == 1
        while "Press Enter" not in terminal.text[len(first) + len(shown) :]:
            terminal.type("1")
            told = await terminal.expect(rf"{PROMPT}|Press Enter when only its player looks >")
            if told.endswith("[y/n] >"):
                terminal.type("n")
        terminal.type("")
        await terminal.expect(PROMPT)
        terminal.type("q")
        assert await terminal.end() == 0


async def test_somebody_joins_by_the_code(platform: Platform, tmp_path: Path) -> None:
    words = ["--server", platform.address, "--pace", "0"]
    async with argosy(tmp_path / "a", "play", "sirenen", "--invite", *words, environ={"NO_COLOR": "1"}) as host:
        code = re.search(r"--join ([0-9A-Z]{4}-[0-9A-Z]{4})", await host.expect(r"--join \S+"))
        assert code
        assert f"--server {platform.address}" in await host.expect(r"--server \S+")
        async with argosy(tmp_path / "a", "play", "--match", name(host), *words) as again:
            assert code[1] in await again.expect(r"--join \S+")  # who comes back is told it again
            await again.expect("Waiting for others to join")
            again.type("q")
            assert await again.end() == 0
        async with argosy(tmp_path / "b", "play", "--join", code[1].lower(), "--guest", "Bob", *words) as guest:
            await guest.expect(rf"Waiting for|{PROMPT}")
            await host.expect(rf"Waiting for seat 1|{PROMPT}")
            assert "\x1b[" not in host._text
            assert await host.end(signal.SIGINT) == 130
            guest.type("resign")
            await guest.expect("The match is over")


async def test_a_family_evening(platform: Platform, tmp_path: Path) -> None:
    """Four seats, one of them a bot's, three terminals; the creator's is closed in the middle and opened again."""
    words = ["--server", platform.address, "--pace", "0"]
    evening = ["play", "ruhe", "--invite", "--seats", "4", "--bots", "1", *words]
    kept = ["--credentials", str(tmp_path / "creator's file")]
    async with argosy(tmp_path / "a", *evening, *kept) as creator:
        told = await creator.expect(r"--join \S+")
        assert "seat 2: open" in told
        assert "seat 3: bot (sensible)" in told
        code = told.split()[-1]
        async with (
            argosy(tmp_path / "b", "play", "--join", code, "--guest", "Uncle", *words) as uncle,
            argosy(tmp_path / "c", "play", "--join", code, "--guest", "Aunt", *words) as aunt,
        ):
            for terminal in (creator, uncle, aunt):
                await terminal.expect(rf"Waiting for seat|{PROMPT}")
            assert await creator.end(signal.SIGINT) == 130
            again_by = shlex.split(creator.text.splitlines()[-1])
            assert again_by[0] == "argosy"
            async with argosy(tmp_path / "a", *again_by[1:], "--pace", "0") as again:
                assert "Your hand (seat 0)" in await again.expect(rf"Waiting for seat|{PROMPT}")
                again.type("d")
                assert "Your hand (seat 0)" in await again.expect(r"Seat \d owes")
                again.type("resign")
                for terminal in (again, uncle, aunt):
                    await terminal.expect("The match is over, RESIGNED")
                    assert await terminal.end() == 0


async def test_the_program_speaks_german_too(platform: Platform, tmp_path: Path) -> None:
    words = ["--server", platform.address, "--pace", "0", "--language", "de-AT"]
    async with argosy(tmp_path, "play", "sirenen", *words) as terminal:
        begun = await terminal.expect(GERMAN_PROMPT)
        assert "Sirenen in Sicht, Partie " in begun
        assert "Platz 0: du" in begun
        terminal.type('try {"keepStartCard": {"card": 0}}')
        await terminal.expect(r"Abgelehnt: SELECTION_CLOSED\. \? erklärt es\.")
        await terminal.expect(GERMAN_PROMPT)
        terminal.type("nichts heißt so")
        await terminal.expect("Nichts, was jetzt geht, heißt 'nichts heißt so'")
        await terminal.expect(GERMAN_PROMPT)
        for _ in range(2):
            await decide(terminal, GERMAN_PROMPT)
            await terminal.expect(GERMAN_PROMPT)
        terminal.type("resign")
        assert "Platz 0: du" in await terminal.expect(r"Die Partie ist zu Ende, aufgegeben: RESIGNATION\.\n(.*\n){2}")
        assert await terminal.end() == 0
        assert width(terminal) <= 80
    async with argosy(tmp_path, "play", "ruhe", *words) as terminal:
        await terminal.expect(GERMAN_PROMPT)
        terminal.type("?")
        assert "Eine Zahl wählt" in await terminal.expect(GERMAN_PROMPT)
        terminal.type("q")
        assert await terminal.end() == 0
        assert "Weiter geht es mit:\n  argosy play --match" in terminal.text
        assert width(terminal) <= 80


async def test_groups_of_actions_have_the_games_names(platform: Platform, tmp_path: Path) -> None:
    async with Client.connect(platform.address, credentials=tmp_path / "me.json") as client:
        game = await client.game("ruhe")
        assert (await read_naming(client, game, "de-AT")).kind("place") == "Insel legen"
        assert (await read_naming(client, game, "en")).kind("end_turn") == "end turn"
        assert (await read_naming(client, game, "fr")).kind("place") == "place"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["play"], 2, "name a game"),
        (["play", "sirenen", "--server", "127.0.0.1:9", "--no-start"], 2, "no platform answers"),
        (["play", "chess"], 1, "there is no game 'chess'"),
        (["play", "sirenen", "--seats", "7"], 1, "is for 2 to 2 seats"),
        (["play", "ruhe", "--settings", '{"difficulty": 99}'], 1, "these settings cannot be read: difficulty"),
        (["play", "ruhe", "--settings", '{"monsters": 2}'], 1, "BAD_OPTIONS: Monsters are 0, 3, 4 or 5"),
        (["play", "sirenen", "--bots", "1"], 1, "--bots goes with --invite"),
        (["play", "sirenen", "--invite", "--bots", "2"], 1, "more than 2 seats"),
        (["play", "sirenen", "--invite", "--bots", "1", "--bot", "none"], 1, "--bots needs a policy"),
        (["play", "--match", "0" * 26], 1, "NOT_FOUND"),
        (["play", "--join", "2345-6789"], 1, "no match waits for players under the code"),
        (["play", "--join", "what?"], 1, "no match waits for players under the code"),
    ],
)
async def test_what_cannot_be_is_one_line(
    platform: Platform, tmp_path: Path, words: list[str], code: int, told: str
) -> None:
    server = [] if "--server" in words else ["--server", platform.address]
    async with argosy(tmp_path, *words, *server) as terminal:
        assert await terminal.end() == code
        assert told in terminal.text
        assert "Traceback" not in terminal.text


async def test_a_platform_is_started_where_none_answers(tmp_path: Path) -> None:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{trial.getsockname()[1]}"
    words = ["--server", address, "--data", str(tmp_path / "data"), "--pace", "0"]
    async with argosy(tmp_path, "play", "sirenen", *words) as terminal:
        await terminal.expect(r"Start one here while you play\? \[Y/n\] >")
        terminal.type("")
        assert "bot (sensible)" in await terminal.expect(PROMPT)
        await decide(terminal)
        await terminal.expect(PROMPT)
        assert await terminal.end(signal.SIGINT) == 130
        assert "Go on with" in terminal.text
        assert "Traceback" not in terminal.text
        assert not (tmp_path / "data" / "addresses.json").exists()
