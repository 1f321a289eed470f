"""The scorer's sub-commands; each module's docstring is the text of its ``--help``."""
