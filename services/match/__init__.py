"""The match: loaded from its history, decided, appended. The one writer of histories."""
