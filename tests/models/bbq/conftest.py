"""Keeps pytest's doctest collector away from the training scripts, which need torch."""

collect_ignore_glob = ["planted.py", "scenes.py", "train.py"]
