"""The two ways in which Evenhand says no. Each carries one sentence for a person."""


class DataRefused(Exception):
    """The input is faulty: the sentence names file, row, field, what was expected and what to do.

    The command line prints it and exits with 1.
    """


class WrongUse(Exception):
    """The command was called wrongly (an option, a name, a missing package); exit code 2."""
