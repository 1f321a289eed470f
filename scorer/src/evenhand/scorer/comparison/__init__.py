"""Which differences between models are real: paired, over the clusters that both were asked.

``comparable`` says what a benchmark hands over, ``guards`` which files may stand side by side,
``paired`` tests differences, ``ranks`` says how sure an order is.
"""
