"""Options of single benchmarks: declared by them, added, explained and refused by the commands."""

import pytest

from evenhand.contract import WrongUse
from evenhand.contract.options import CommandParser, Option, add_options, options_of

DECLARED = {
    "bbq": [
        Option(command="predict", flag="--style", metavar="S", help="words of a prompt"),
        Option(command="score", flag="--seed-of-ties", type=int, help="random seed"),
    ],
    "bvf": [
        Option(command="predict", flag="--style", metavar="S", help="100 % other words"),
        Option(
            command="predict", flag="--pieces", choices=("single", "chain"), default="single",
            help="how words are read",
        ),
        Option(command="predict", flag="--fast", is_switch=True, default=False, help="hurry"),
        Option(command="predict", flag="--order", is_repeatable=True, default=(), help="orders"),
        Option(command="predict", flag="--facts", is_list=True, type=int, help="tables"),
    ],
}  # fmt: skip


def parser(*words: str) -> CommandParser:
    """Return a parser of predict, narrowed to what the words name."""
    made = CommandParser(prog="evenhand predict")
    made.add_argument("dataset")
    add_options(made, "predict", DECLARED)
    made.narrow(words)
    return made


def test_a_benchmark_gets_its_options_with_its_defaults() -> None:
    """Every declared option of the command is there, given or not, and no other one."""
    arguments = parser().parse_args(
        ["bvf", "--fast", "--order", "last", "--order", "inside", "--facts", "1", "2"]
    )

    assert options_of(arguments, "predict", "bvf", DECLARED) == {
        "style": None,
        "pieces": "single",
        "fast": True,
        "order": ["last", "inside"],
        "facts": [1, 2],
    }


def test_an_option_of_another_benchmark_is_refused() -> None:
    """The sentence names the option, the benchmark that has it, and the one at hand."""
    arguments = parser().parse_args(["bbq", "--pieces", "chain"])

    with pytest.raises(WrongUse, match=r"--pieces .* bvf.* bbq"):
        options_of(arguments, "predict", "bbq", DECLARED)


def test_a_value_that_is_no_choice_is_refused() -> None:
    """The sentence names the choices."""
    arguments = parser().parse_args(["bvf", "--pieces", "many"])

    with pytest.raises(WrongUse, match=r"--pieces many .* single, chain"):
        options_of(arguments, "predict", "bvf", DECLARED)


def test_help_names_the_benchmarks_of_each_option() -> None:
    """Options stand in groups by benchmark; a shared one says what it means in each."""
    text = " ".join(parser().format_help().split())

    assert "options of bbq, bvf: --style S bbq: words of a prompt; bvf: 100 % other words" in text
    assert "options of bvf: --pieces {single,chain} how words are read" in text


def test_help_of_a_benchmark_shows_its_own_options_alone() -> None:
    """`evenhand predict bbq --help` leaves out what bbq does not have."""
    text = " ".join(parser("--help", "bbq").format_help().split())

    assert "--style S words of a prompt" in text
    assert "--pieces" not in text


def test_two_shapes_of_one_flag_are_a_fault_of_the_program() -> None:
    """A flag takes values in one way, whatever it means to a benchmark."""
    declared = {**DECLARED, "bbq": [Option(command="predict", flag="--fast", help="a number")]}

    with pytest.raises(ValueError, match="--fast"):
        add_options(CommandParser(), "predict", declared)
