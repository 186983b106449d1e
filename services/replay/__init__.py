"""Replay: the library of all matches, the archive of those that have ended, and everything that shows them again."""
