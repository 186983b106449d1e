"""Rulings on matches: signed, kept as files beside the archive, and indexed in the library."""
