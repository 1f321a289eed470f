"""BVF's part of the report: findings, figures, tables, examples and methods."""

from evenhand.scorer.bvf.report.story import story

__all__ = ["story"]
