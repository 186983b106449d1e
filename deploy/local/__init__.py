"""Argosy on one machine: an embedded Valkey and every process under one supervisor."""
