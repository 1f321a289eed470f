"""BBQ's part of the report: findings, figures, tables, examples and methods."""

from evenhand.scorer.bbq.report.story import story

__all__ = ["story"]
