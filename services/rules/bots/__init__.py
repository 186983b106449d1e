"""Bots: ordinary clients that play seats through the public API, by what their seat sees alone."""
