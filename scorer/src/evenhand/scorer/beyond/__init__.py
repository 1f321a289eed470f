"""The shelf for metrics that stand in no paper.

A metric that is ours lives here and nowhere else, and says ``shelf: beyond`` in the metric JSON, so
that the report can set it apart from what a published system measures. It is empty today.
"""
