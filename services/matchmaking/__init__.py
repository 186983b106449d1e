"""Matchmaking: tickets, queues, and the matches made of them."""
