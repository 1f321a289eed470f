"""The static table of all commands, so that one whose package is missing can still be named."""

from typing import NamedTuple


class CommandEntry(NamedTuple):
    """One line of ``evenhand --help``."""

    name: str
    distribution: str
    """The package that has the command."""
    summary: str


COMMANDS = (
    CommandEntry("schema", "evenhand-contract", "print the JSON Schema of a record"),
    CommandEntry("verify", "evenhand-contract", "check a dataset folder against its manifest"),
    CommandEntry("list", "evenhand-generator", "list the benchmarks and their configs"),
    CommandEntry("show", "evenhand-generator", "print a few rows of a benchmark"),
    CommandEntry("generate", "evenhand-generator", "render a benchmark into a dataset folder"),
    CommandEntry("import", "evenhand-generator", "convert an official release to a dataset"),
    CommandEntry("mine", "evenhand-generator", "find contexts in a corpus by rules"),
    CommandEntry("diff", "evenhand-generator", "show what changed between two dataset versions"),
    CommandEntry("publish", "evenhand-generator", "upload a dataset version to the Hub"),
    CommandEntry("pull", "evenhand-generator", "download a dataset version and verify it"),
    CommandEntry("export-task", "evenhand-generator", "write lm-evaluation-harness tasks"),
    CommandEntry("export", "evenhand-scorer", "export a model to ONNX and check it against torch"),
    CommandEntry("predict", "evenhand-scorer", "run an exported model over a dataset"),
    CommandEntry("template", "evenhand-scorer", "write a blank predictions file to fill in"),
    CommandEntry("check", "evenhand-scorer", "list all faults in a predictions file"),
    CommandEntry("score", "evenhand-scorer", "compute the metrics of a predictions file"),
    CommandEntry("compare", "evenhand-scorer", "tell differences between models from chance"),
    CommandEntry("report", "evenhand-scorer", "write a report, or another tool's format"),
)
