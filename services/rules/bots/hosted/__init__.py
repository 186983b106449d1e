"""Hosted bots: a process that plays every seat which the platform plays, as an ordinary client."""
