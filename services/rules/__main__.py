"""Serves the rules of games.

    python -m services.rules --game NAME [--game NAME=package.NAME] [--listen HOST:PORT]

A game that is broken keeps the process from starting: one line, exit code 2.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import argparse
import os
import sys
from dataclasses import replace

from argosy.rules.v1 import rules_service_pb2 as pb
from argosy.rules.v1 import rules_service_pb2_grpc as rules_grpc

from services.kit import settings as kit_settings
from services.kit import startup
from services.kit.host import Service, run, serve
from services.kit.logs import configure, log_settings
from services.kit.startup import CannotStart
from services.rules.catalogue import Catalogue
from services.rules.checks import load_checked
from services.rules.service import Rules
from services.rules.settings import RulesSettings


def read_settings(arguments: list[str]) -> RulesSettings:
    """The settings from variables and the command line. Raises CannotStart."""
    parser = argparse.ArgumentParser(prog="python -m services.rules", description="Serves the rules of games.")
    parser.add_argument("--game", action="append", metavar="NAME[=package.NAME]", help="a game to host; repeatable")
    parser.add_argument("--listen", metavar="HOST:PORT", help="address to serve at")
    given = parser.parse_args(arguments)
    settings = kit_settings.load(RulesSettings, os.environ)
    if given.game:
        settings = replace(settings, rules_games=tuple(given.game))
    if given.listen:
        settings = replace(settings, rules_listen=given.listen)
    if not settings.rules_games:
        raise CannotStart("no game to host: name one with --game or ARGOSY_RULES_GAMES")
    return settings


async def main() -> None:
    """Loads and checks the games, then serves until told to stop."""
    settings = read_settings(sys.argv[1:])
    configure(settings.log, "rules")
    log_settings(settings)
    games = Catalogue([load_checked(name) for name in settings.rules_games])
    rules = Rules(games)
    await serve(
        settings.rules_listen,
        Service(
            register=[lambda server: rules_grpc.add_RulesServiceServicer_to_server(rules, server)],
            tasks=[rules.end_streams],
            reflected=[pb.DESCRIPTOR.services_by_name["RulesService"].full_name],
            grace_s=settings.rules_grace_s,
        ),
    )


if __name__ == "__main__":
    startup.run(lambda: run(main))
