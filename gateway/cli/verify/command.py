"""The command: files in, checks out."""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.options import Json
from gateway.cli.verify.comparing import compare, find_equivocation
from gateway.cli.verify.files import Given, read
from gateway.cli.verify.files import verify as verify_file
from gateway.cli.verify.keys import keys_of
from gateway.cli.verify.report import Mark, Report
from services.kit.log import ids

_USAGE = 2
_SEED_BYTES = 32


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
    given = Given(keys, tuple(rules or ()), _seed(seed))
    try:
        exports = [read(path) for path in (file, other) if path is not None]
        openers = [*reversed(exports)] if len(exports) == 2 else [None]
        reports = [verify_file(export, given, opener) for export, opener in zip(exports, openers, strict=True)]
        known = [keys_of(export, keys) for export in exports]
    except ValueError as error:
        typer.echo(f"argosy: {error}", err=True)
        raise typer.Exit(_USAGE) from None
    both = Report(())
    if len(exports) == 2:
        both.run("the two files", lambda: compare(*exports))
        both.run("equivocation", lambda: find_equivocation(exports, known))
    paths = [path for path in (file, other) if path is not None]
    if json:
        told = [
            {"file": str(path), "match": ids.to_text(export.match), **report.fields()}
            for path, export, report in zip(paths, exports, reports, strict=True)
        ]
        typer.echo(json_module.dumps({"files": told, "comparison": both.fields() if both.checks else None}))
    else:
        for path, report in zip(paths, reports, strict=True):
            _print(str(path), report)
        for check in both.checks:
            typer.echo(str(check))
    raise typer.Exit(_code([*reports, both]))


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
