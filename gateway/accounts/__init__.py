"""Accounts: players, the API keys of bots and hosts, and the platform's own signing keys.

They are the gateway's alone. Names stand here and nowhere else.
"""
