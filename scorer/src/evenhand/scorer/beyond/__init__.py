"""The shelf for metrics that are in no paper.

Evenhand's own metrics live here and nowhere else. They have ``shelf: beyond`` in the metric JSON,
so that the report can set them apart from the measures of a published system. The only one so far
is BVF's knowledge.
"""
