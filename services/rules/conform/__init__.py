r"""Conformance of rules services, in any language: laws that hold for every game.

report = await conform("127.0.0.1:7611")
print(*report.lines(), sep="\n")
"""

from services.rules.conform.examination import Effort, conform
from services.rules.conform.report import Findings, Report

__all__ = ["Effort", "Findings", "Report", "conform"]
