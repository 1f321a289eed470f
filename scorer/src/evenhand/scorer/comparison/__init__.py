"""Which differences between models are real: paired, over the clusters that both were asked.

``comparable`` says what a benchmark hands over, ``guards`` which files may stand side by side,
``paired`` tests differences, ``verdicts`` says in words what they show,
``ranks`` how sure an order is.
"""
