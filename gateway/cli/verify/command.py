"""The command: files in, checks out."""

import json as json_module
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from argosy.v1 import replay_service_pb2 as pb

from gateway.cli.options import Json
from gateway.cli.verify.comparing import compare, find_equivocation
from gateway.cli.verify.files import Given, read
from gateway.cli.verify.files import verify as verify_file
from gateway.cli.verify.keys import keys_of
from gateway.cli.verify.report import Mark, Report
from services.kit.log import ids

_USAGE = 2
_SEED_BYTES = 32
_COMPARISON = "the two files"


def verify(  # noqa: PLR0917  # typer reads the command line from the signature
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="An export, or one's own evidence.")],
    other: Annotated[
        Path | None, typer.Argument(exists=True, dir_okay=False, help="Another file of the same match, to compare.")
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option("--keys", exists=True, dir_okay=False, help="Keys of the platform that you trust, as JSON."),
    ] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", metavar="NAME=package.NAME", help="Where a game's rules lie, if not here; repeatable."),
    ] = None,
    seed: Annotated[
        str, typer.Option(metavar="HEX", help="The seed of the match, 64 hexadecimal digits: opens one's own file.")
    ] = "",
    json: Json = False,
) -> None:
    """Checks a match with nothing but a file and the rules installed here: no server, no network.

    Chain, dense versions, seed, every sealed part, every draw, every decision, the result, signatures, and that the
    result stands in the transparency log; rulings, receipts and refusals. ✓ holds, ✗ fails, - cannot be checked:
    closed, going on, rules not installed, key unknown. Without --keys every signer is unknown. With two files each is
    checked, an opened one opens what a player kept, and where they differ is told, or that the platform signed two
    stories. Exit code 1 where anything fails, 3 where something essential cannot be checked.
    """
    paths = [path for path in (file, other) if path is not None]
    try:
        checked = _checked(paths, Given(keys, tuple(rules or ()), _seed(seed)))
    except ValueError as error:
        typer.echo(f"argosy: {error}", err=True)
        raise typer.Exit(_USAGE) from None
    if json:
        typer.echo(json_module.dumps(checked.fields()))
    else:
        checked.show()
    raise typer.Exit(_code([*checked.reports, checked.both]))


@dataclass(frozen=True, slots=True)
class _Checked:
    """What was found of each file, and of two compared."""

    paths: Sequence[Path]
    exports: Sequence[pb.Export]
    reports: Sequence[Report]
    both: Report

    def fields(self) -> dict[str, Any]:
        """For scripts."""
        told = [
            {"file": str(path), "match": ids.to_text(export.match), **report.fields()}
            for path, export, report in zip(self.paths, self.exports, self.reports, strict=True)
        ]
        return {"files": told, "comparison": self.both.fields() if self.both.checks else None}

    def show(self) -> None:
        """For people."""
        for path, report in zip(self.paths, self.reports, strict=True):
            _print(str(path), report)
        for check in self.both.checks:
            typer.echo(str(check))


def _checked(paths: Sequence[Path], given: Given) -> _Checked:
    """All checks of one file or two. Raises ValueError for a file that cannot be read."""
    exports = [read(path) for path in paths]
    both = Report((_COMPARISON,) if len(exports) == 2 else ())
    openers = [*reversed(exports)] if len(exports) == 2 else [None]
    reports = [verify_file(export, given, opener) for export, opener in zip(exports, openers, strict=True)]
    known = [keys_of(export, given.keys) for export in exports]
    if len(exports) == 2:
        both.run(_COMPARISON, lambda: compare(*exports))
        both.run("equivocation", lambda: find_equivocation(exports, known))
    return _Checked(paths, exports, reports, both)


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b"?"
    if text and len(seed) != _SEED_BYTES:
        raise typer.BadParameter(f"must be {2 * _SEED_BYTES} hexadecimal digits", param_hint="--seed")
    return seed


def _print(name: str, report: Report) -> None:
    typer.echo(name)
    for check in report.checks:
        typer.echo(f"  {check}")
    failures = report.failures
    if failures:
        typer.echo(f"not as it happened: {failures[0].name}, {failures[0].text}")
    elif report.exit_code:
        open_ = [check.name for check in report.checks if check.mark is Mark.OPEN and check.name in report.essential]
        typer.echo(f"nothing fails; open: {', '.join(open_)}")
    else:
        typer.echo(f"verified; by a ruling the match {report.ruled}" if report.ruled else "verified")


def _code(reports: list[Report]) -> int:
    codes = {report.exit_code for report in reports}
    return 1 if 1 in codes else max(codes)
