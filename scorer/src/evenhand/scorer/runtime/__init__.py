"""Runs exported models: the one folder of the scorer that imports onnxruntime and tokenizers.

``export`` alone also needs torch and transformers.
"""
