"""BVF's part of the report: findings, figures, tables, examples and methods."""

from evenhand.scorer.report.bvf.story import story

__all__ = ["story"]
