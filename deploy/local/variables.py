"""Which ARGOSY_* variables each kind of process knows: those of its settings, which are loaded by name alone."""

import importlib
from collections.abc import Mapping
from typing import Any, Final

from services.kit import settings as kit_settings

SETTINGS: Final = {
    "rules": "services.rules.settings.RulesSettings",
    "gateway": "gateway.settings.GatewaySettings",
    "matchmaking": "services.matchmaking.settings.MatchmakingSettings",
    "bots": "services.rules.bots.hosted.settings.HostedSettings",
    "replay": "services.replay.settings.ReplaySettings",
}
"""The settings by which each kind of process is configured, by kind."""


def package_of(kind: str) -> str:
    """The package that is run as this kind of process."""
    return SETTINGS[kind].split(".settings.")[0]


def known_to(kind: str) -> set[str]:
    """The variables that a kind of process knows."""
    module, _, name = SETTINGS[kind].rpartition(".")
    settings: Any = getattr(importlib.import_module(module), name)
    return {variable for variable, *_ in kit_settings.described(settings)}


def refuse_unknown(environ: Mapping[str, str]) -> None:
    """Raises CannotStart for an ARGOSY_* variable that no process knows."""
    kit_settings.refuse_unknown(environ, set().union(*map(known_to, SETTINGS)))
