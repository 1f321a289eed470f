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
    CommandEntry("verify", "evenhand-contract", "prove that a dataset folder is what it says"),
    CommandEntry("list", "evenhand-generator", "list the benchmarks and their configs"),
    CommandEntry("show", "evenhand-generator", "print a few rows of a benchmark"),
    CommandEntry("generate", "evenhand-generator", "render a benchmark into a dataset folder"),
    CommandEntry("import", "evenhand-generator", "turn an official release into a dataset folder"),
    CommandEntry("mine", "evenhand-generator", "find contexts in a corpus, by rules"),
    CommandEntry("diff", "evenhand-generator", "say what changed between two dataset versions"),
    CommandEntry("publish", "evenhand-generator", "put a dataset version on the Hub at a tag"),
    CommandEntry("pull", "evenhand-generator", "get a dataset version from the Hub, checked"),
    CommandEntry("export-task", "evenhand-generator", "write lm-evaluation-harness tasks"),
    CommandEntry("export", "evenhand-scorer", "turn a model into ONNX, checked against torch"),
    CommandEntry("predict", "evenhand-scorer", "run an exported model over a dataset"),
    CommandEntry("template", "evenhand-scorer", "write a blank predictions file to fill in"),
    CommandEntry("check", "evenhand-scorer", "list all faults of a predictions file"),
    CommandEntry("score", "evenhand-scorer", "compute the metrics of a predictions file"),
    CommandEntry("compare", "evenhand-scorer", "say which differences between models are real"),
    CommandEntry("report", "evenhand-scorer", "turn metrics into a page, or a tool's format"),
)
