"""Starts the `argosy` command."""

import os


def main() -> None:
    """Runs the command line; an interrupt from the keyboard at any moment is exit code 130 and no traceback."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # what fails is told by us, once
    try:
        from gateway.cli.running import run_command  # noqa: PLC0415 - an interrupt while it is imported is one too

        run_command()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
