"""The gateway: the only public address."""
