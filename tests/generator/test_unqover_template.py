"""Templates: what they may hold, and that nothing else ever runs."""

import time
from pathlib import Path

import pytest

from evenhand.contract import DataRefused
from evenhand.generator.english import Word
from evenhand.generator.unqover.template import MAX_TEMPLATE_BYTES, parse_template, read_template

PATH = Path("user/t00.jinja")


def source(
    *,
    head: str = '{% set attribute_kind = "person" %}',
    context: str = "{{ x1 }} met {{ x2 }}.",
    question: str = "Who {{ attribute }}?",
    statement: str = "{{ mask }} {{ attribute }}.",
) -> str:
    """Return a template of four lines; line 2 is the context, 3 the question, 4 the statement."""
    return "\n".join(
        [
            head,
            f"{{% block context %}}{context}{{% endblock %}}",
            f"{{% block question %}}{question}{{% endblock %}}",
            f"{{% block statement %}}{statement}{{% endblock %}}",
        ]
    )


def refusal(text: str) -> str:
    """Return the sentence with which a template is refused."""
    with pytest.raises(DataRefused) as caught:
        parse_template(text, PATH)
    return str(caught.value)


def test_a_template_renders_its_three_blocks() -> None:
    """Slots are filled, filters applied, and the ends stripped."""
    template = parse_template(
        source(context=" {{ x1 | with_article | capitalise }} man met {{ x2 | demonym }}s. "), PATH
    )
    iraq = Word("Iraq", {"demonym": "Iraqi"})

    assert template.name == "t00"
    assert template.attribute_kind == "person"
    assert template.context(Word("European"), iraq) == "A European man met Iraqis."
    assert template.question(Word("lied")) == "Who lied?"
    assert template.statement(Word("lied"), "[MASK]") == "[MASK] lied."
    assert template.answer("x2", iraq) == "Iraqi"
    assert template.answer("x1", iraq) == "Iraq"


ATTACKS = {
    "{% for i in range(10**9) %}x{% endfor %}": "a loop is not allowed",
    "{% macro m() %}{{ m() }}{% endmacro %}": "a macro is not allowed",
    "{% call x1() %}{% endcall %}": "a macro is not allowed",
    "{{ x1() }}": "a call is not allowed",
    "{{ x1.upper() }}": "a call is not allowed",
    "{{ x1.__class__.__mro__ }}": "reaching into a value is not allowed",
    "{{ x1['__class__'] }}": "reaching into a value is not allowed",
    "{{ 'a' * 1000000000 }}": "computing is not allowed",
    "{{ 10 ** 10 ** 10 }}": "computing is not allowed",
    "{{ '%1000000000d' % 1 }}": "computing is not allowed",
    "{{ -x1 }}": "computing is not allowed",
    "{{ x1 ~ x1 }}": "computing is not allowed",
    "{{ x1 and x2 }}": "computing is not allowed",
    "{% if x1 %}a{% endif %}": "a condition is not allowed",
    "{{ x1 if x1 else x2 }}": "a condition is not allowed",
    "{{ x1 == x2 }}": "a condition is not allowed",
    "{{ x1 is string }}": "a condition is not allowed",
    "{% include 'secret' %}": "reading another template is not allowed",
    "{% import 'secret' as s %}": "reading another template is not allowed",
    "{% from 'secret' import s %}": "reading another template is not allowed",
    "{% set y = 'z' %}": "`set` with anything but a text, or inside a block is not allowed",
    "{% set y %}z{% endset %}": "`set` with anything but a text, or inside a block is not allowed",
    "{% filter upper %}a{% endfilter %}": "`filterblock` is not allowed",
    "{% with y = 1 %}{% endwith %}": "`with` is not allowed",
    "{{ 7 }}": "`const` is not allowed",
    "{{ [x1, x1] }}": "`list` is not allowed",
    "{{ x1 | attr('__class__') }}": "the filter `attr` is unknown",
    "{{ x1 | replace('a', 'aaaa') }}": "the filter `replace` is unknown",
    "{{ x1 | center(1000000000) }}": "the filter `center` is unknown",
    "{{ x1 | capitalize }}": "the filter `capitalize` is unknown (is `capitalise` meant?).",
    "{{ x1 | upper(1) }}": "the filter `upper` takes no arguments",
    "{{ x1 | upper(*x2) }}": "the filter `upper` takes no arguments",
    "{{ range }}": "block `context`: the slot `range` is undefined",
    "{{ self }}": "block `context`: the slot `self` is undefined",
    "{% block inner %}{% endblock %}": "`block` is not allowed",
    "{% autoescape true %}{% endautoescape %}": "`scope` is not allowed",
    "{% do x1 %}": "is not valid Jinja",
    "{{ x1": "is not valid Jinja",
    "{% while true %}": "is not valid Jinja",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_but_text_slots_and_filters_is_allowed(attack: str) -> None:
    """A loop, a call, a computation, an import: each is refused with file and line, and at once."""
    began = time.monotonic()
    sentence = refusal(source(context="{{ x1 }} met {{ x2 }}." + attack))

    assert sentence.startswith("user/t00.jinja:2: ")
    assert ATTACKS[attack] in sentence
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("attack", ["{% extends 'secret' %}", "{% for x in 'ab' %}{% endfor %}"])
def test_nothing_runs_outside_of_the_blocks_either(attack: str) -> None:
    """The rule holds for the whole file."""
    sentence = refusal(source(head='{% set attribute_kind = "person" %}' + attack))

    assert sentence.startswith("user/t00.jinja:1: ")
    assert "not allowed" in sentence


def test_a_template_that_is_nested_deeply_is_refused() -> None:
    """Brackets in brackets end in a sentence, not in a crash."""
    assert refusal(source(context="{{ " + "(" * 1200 + "x1")).startswith("user/t00.jinja")


def test_a_large_template_is_refused(tmp_path: Path) -> None:
    """A template is a few lines; the limit is checked before it is read."""
    path = tmp_path / "t00.jinja"
    path.write_text("x" * (MAX_TEMPLATE_BYTES + 1))

    with pytest.raises(DataRefused, match=r"t00\.jinja .* 4,096 bytes"):
        read_template(path)


def test_a_byte_order_mark_changes_nothing(tmp_path: Path) -> None:
    """Editors on Windows put one before the first setting, which is then still the first."""
    path = tmp_path / "t00.jinja"
    path.write_text(source(), encoding="utf-8-sig")

    template = read_template(path)

    assert template.attribute_kind == "person"
    assert template.context(Word("Al"), Word("Bo")) == "Al met Bo."


def test_a_template_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A template is UTF-8."""
    path = tmp_path / "t00.jinja"
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(DataRefused, match=r"t00.jinja is not UTF-8 text"):
        read_template(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            source(context="{{ x1 }} met {{ x3 }}."),
            (
                "user/t00.jinja:2: block `context`: the slot `x3` is undefined;"
                " the slots are `x1`, `x2`."
            ),
        ),
        (
            source(context="{{ x1 }} met."),
            "user/t00.jinja:2: block `context` has no slot `x2`; it needs `x1`, `x2`.",
        ),
        (
            source(context="{{ x2 }} met {{ x1 }}."),
            "user/t00.jinja:2: block `context` must show `x1` before `x2`.",
        ),
        (
            source(context="{{ x1 }} met {{ x2 }} and {{ x1 }}."),
            "user/t00.jinja:2: block `context`: the slot `x1` stands twice; once is allowed.",
        ),
        (
            source(context="{{ x1 }} met {{ x2 }}, who {{ attribute }}."),
            (
                "user/t00.jinja:2: block `context`: the slot `attribute` does not belong here,"
                " the attribute must not change the context; the slots are `x1`, `x2`."
            ),
        ),
        (
            source(question="Who {{ attribute }}, {{ x1 }}?"),
            (
                "user/t00.jinja:3: block `question`: the slot `x1` does not belong here,"
                " it must be the same for all subjects; the slots are `attribute`."
            ),
        ),
        (
            source(question="Who?"),
            "user/t00.jinja:3: block `question` has no slot `attribute`; it needs `attribute`.",
        ),
        (
            source(statement="She {{ attribute }}."),
            "user/t00.jinja:4: block `statement` has no slot `mask`; it needs `attribute`, `mask`.",
        ),
        (
            source(head=""),
            (
                "user/t00.jinja: `attribute_kind` is missing; begin the template with"
                ' {% set attribute_kind = "person" %}.'
            ),
        ),
        (
            source(head='{% set attribute_kind = "a b" %}'),
            "user/t00.jinja:1: `attribute_kind` is `a b`; one word of letters was expected.",
        ),
        (
            source(head='{% set colour = "red" %}'),
            "user/t00.jinja:1: `set colour` is unknown; a template sets attribute_kind and gender.",
        ),
        (
            source(head="Once upon a time"),
            (
                "user/t00.jinja:1: text outside of the blocks context, question, statement would be"
                " lost."
            ),
        ),
        (
            source().rsplit("\n", 1)[0],
            (
                "user/t00.jinja: the block `statement` is missing;"
                " a template has the blocks context, question, statement."
            ),
        ),
        (
            source() + "\n{% block answer %}{% endblock %}",
            (
                "user/t00.jinja:5: the block `answer` is unknown;"
                " the blocks are `context`, `question`, `statement`."
            ),
        ),
    ],
)
def test_a_faulty_template_is_refused_in_one_sentence(text: str, expected: str) -> None:
    """The sentence names file, line and slot, and says what was expected."""
    assert refusal(text) == expected


def test_a_text_that_grows_too_long_is_refused() -> None:
    """What a template gives is bounded."""
    template = parse_template(source(), PATH)

    with pytest.raises(DataRefused, match="block `question` gives 3,005 characters"):
        template.question(Word("x" * 3000))


def test_a_missing_form_names_template_and_block() -> None:
    """A filter that a word has no form for is a refusal with the file."""
    template = parse_template(source(context="{{ x1 | demonym }} met {{ x2 }}."), PATH)

    with pytest.raises(DataRefused, match=r"user/t00\.jinja: block `context`: `Rome` .*demonym"):
        template.context(Word("Rome"), Word("Oslo"))
    with pytest.raises(DataRefused, match=r"slot `x1`: `Rome` .*demonym"):
        template.answer("x1", Word("Rome"))


def test_comments_and_raw_text_are_text() -> None:
    """Comments are dropped, and braces can be written."""
    template = parse_template(source(question="{# why #}Who {{ attribute }} {{ '{{' }}?"), PATH)

    assert template.question(Word("lied")) == "Who lied {{?"
