"""Piraten-Abenteuer: a co-operative race round Adventure Island for two to four players.

In reading order: `model`, `moves`, `events`, `board`, `fleet`, `setup`, `legality`, `rules`, `fold`, `table`.
"""
