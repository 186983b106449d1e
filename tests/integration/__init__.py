"""Real processes together: a store, rules hosts, gateways, and clients that know only the public API."""
