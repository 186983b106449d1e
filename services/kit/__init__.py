"""What every process shares: host, errors, codec, redaction, draws, event log, settings, logging."""
