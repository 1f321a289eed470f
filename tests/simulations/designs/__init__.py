"""Populations with a known truth, from which data sets are drawn as a benchmark would see them.

A stem's module has ``DESIGNS``: draw some clusters, return the interval of each metric. Further
metrics and stems are further entries.
"""
