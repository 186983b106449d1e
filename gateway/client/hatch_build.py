# ruff: noqa: INP001  # hatchling runs this file by its path
"""Puts the generated protos beside the client, in a wheel or sdist built from a clone of the platform."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PUBLIC = ("v1", "games")


class Protos(BuildHookInterface[Any]):
    """A wheel built from an sdist finds the protos in it already."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds argosy/v1 and argosy/games; an editable install finds them by itself."""
        generated = Path(self.root).parent.parent / "protos" / "python" / "argosy"
        if version == "editable" or not generated.is_dir():
            return
        for name in PUBLIC:
            if (generated / name).is_dir():
                build_data["force_include"][str(generated / name)] = f"argosy/{name}"
