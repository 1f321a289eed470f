"""UnQover's part of the report: findings, figures, tables, examples and methods."""

from evenhand.scorer.unqover.report.story import story

__all__ = ["story"]
