"""Starts the `argosy` command."""


def main() -> None:
    """Runs the command line."""


if __name__ == "__main__":
    main()
