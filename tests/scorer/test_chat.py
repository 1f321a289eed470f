"""Chat templates: the bytes that transformers gives, and nothing that a template may not do."""

import re
import shutil
import time

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.chat import ChatTemplate, load_chat_template
from evenhand.scorer.runtime.export import export
from evenhand.scorer.runtime.session import open_model

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}

# Written here in the manner of each family.
CHATML = """{% for message in messages %}
    {%- if loop.first and message['role'] != 'system' %}
        {{- '<|im_start|>system\\nYou are of help.<|im_end|>\\n' }}
    {%- endif %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""
LLAMA = """{{- bos_token }}
{%- set ns = namespace(system="", n=0) %}
{%- if messages[0].role == "system" %}
    {%- set ns.system = messages[0].content | trim %}
    {%- set messages = messages[1:] %}
{%- endif %}
{{- "<|start|>system<|end|>\\n\\nToday: " }}{{ today if today is defined else "26 Jul 2024" }}
{{- "\\n\\n" ~ ns.system ~ "<|eot|>" }}
{%- macro turn(role, content) -%}
    <|start|>{{ role }}<|end|>{{ "\\n\\n" + content | trim }}<|eot|>
{%- endmacro %}
{%- for message in messages %}
    {%- set ns.n = ns.n + 1 %}
    {%- if message.content is not string %}{% continue %}{% endif %}
    {{- turn(message.role, message["content"]) }}
{%- endfor %}
{%- if tools is not none and tools %}{{- tools | tojson(indent=4) }}{%- endif %}
{%- if add_generation_prompt %}{{- turn("assistant", "") | replace("<|eot|>", "") }}{%- endif %}"""
MISTRAL = """{{ bos_token }}{% for message in messages %}
{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Roles must take turns.') }}
{% endif %}
{% if message.role == 'user' %}
{{- '[INST] ' ~ message.content.strip() ~ ' [/INST]' -}}
{% elif message.role == 'assistant' %}
{% generation %}{{ ' ' ~ message.content ~ eos_token }}{% endgeneration %}
{% else %}{{ raise_exception('Only user and assistant.') }}{% endif %}
{% endfor %}"""
ODDITIES = """{%- for role, rows in messages | groupby("role") -%}
{{ "%s:%d" % (role, rows | length) }}|{{ rows | map(attribute="content") | join(", ") }}
{{ rows | tojson }} {{ {"<b>": "é & ü"} | tojson }} {{ "%s" | format(role) }}
{{- "{}".format(role) }}
{%- endfor %}{% set text %}a{{ "b" * 3 }}{% endset %}{{ text | upper | indent(2) }}
{%- for i in range(5) if i is odd %}{{ i }}{% if loop.last %}.{% endif %}{% endfor %}
{{ missing }}{{ messages[-1]["content"].split(" ")[0].upper() }}{{ dict(a=1).items() | list }}"""
TEMPLATES = {"chatml": CHATML, "llama": LLAMA, "mistral": MISTRAL, "oddities": ODDITIES}
CONVERSATIONS = [
    [{"role": "user", "content": "Who sang?\n(a) Ann\n(b) “Bo” <é>"}],
    [
        {"role": "user", "content": " Hello  "},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "And {{ now }}?"},
    ],
    [{"role": "system", "content": "  Be brief.\n"}, {"role": "user", "content": "Hi"}],
]


def _template(source: str) -> ChatTemplate:
    return ChatTemplate(source, TOKENS, name="model/chat_template.jinja")


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of transformers with the special tokens of these tests."""
    words = Tokenizer(WordLevel({"x": 0}, unk_token="x"))  # noqa: S106
    return PreTrainedTokenizerFast(tokenizer_object=words, **TOKENS)


@pytest.mark.parametrize("add_generation_prompt", [True, False])
@pytest.mark.parametrize("name", TEMPLATES)
def test_conversation_has_the_bytes_that_transformers_gives(name, add_generation_prompt, tokenizer):
    """Every template gives the text of apply_chat_template, or refuses where that raises."""
    for messages in CONVERSATIONS:
        options = {"add_generation_prompt": add_generation_prompt}
        try:
            wanted = tokenizer.apply_chat_template(
                messages, chat_template=TEMPLATES[name], tokenize=False, **options
            )
        except Exception as error:  # noqa: BLE001 - whatever the other raises, we must refuse
            with pytest.raises(DataRefused, match=re.escape(str(error).rstrip("."))):
                _template(TEMPLATES[name]).render(messages, **options)
        else:
            assert _template(TEMPLATES[name]).render(messages, **options) == wanted


def test_prompt_is_one_users_turn():
    """A prompt is what the user says, with the model's turn begun."""
    assert _template(CHATML).prompt("Who?") == (
        "<|im_start|>system\nYou are of help.<|im_end|>\n"
        "<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n"
    )


def test_prompts_keep_their_order():
    """Texts come back in order, a repeated one as well."""
    assert _template(MISTRAL).prompts(["b", "a", "b"]) == [
        f"<s>[INST] {text} [/INST]" for text in "bab"
    ]


def test_day_is_fixed():
    """A template that shows today's date shows the same day at every run."""
    source = "{{ strftime_now('%d %b %Y') }}"

    assert _template(source).prompt("x") == "26 Jul 2024"


def test_templates_own_refusal_is_passed_on():
    """What a template says with raise_exception stands in the sentence, with the file."""
    with pytest.raises(DataRefused, match=r"model/chat_template\.jinja.*Only users speak; take"):
        _template("{{ raise_exception('Only users speak.') }}").prompt("x")


def test_large_template_is_refused():
    """A template of a book's length is not compiled."""
    with pytest.raises(DataRefused, match=r"has 200,001 characters; 200,000 are allowed"):
        _template("x" * 200_001)


def test_broken_template_names_its_line():
    """A syntax error says in which line it is."""
    with pytest.raises(DataRefused, match=r"line 2"):
        _template("one\n{% if %}")


@pytest.mark.parametrize(
    "source",
    ["{% for i in [1] %}" * 30 + "x" + "{% endfor %}" * 30, "{{ " + "9" * 5000 + " }}"],
    ids=["nested loops", "a long number"],
)
def test_template_that_python_cannot_compile_is_refused(source):
    """What Jinja takes and Python does not is refused in a sentence as well."""
    with pytest.raises(DataRefused, match="the chat template cannot be used"):
        _template(source)


@pytest.fixture
def with_chat(tiny_model, tmp_path):
    """Export a model whose tokenizer has a chat template, as transformers saves it."""

    def make(template):
        folder = shutil.copytree(tiny_model("bert", "multiple-choice"), tmp_path / "model")
        tokenizer = AutoTokenizer.from_pretrained(folder)
        tokenizer.chat_template = template
        tokenizer.save_pretrained(folder)
        out = tmp_path / "out"
        export(str(folder), task="multiple-choice", precision="fp32", out=out, overwrite=False)
        return open_model(out, device="cpu")

    return make


def test_template_goes_with_the_exported_model(with_chat):
    """The folder holds the template, the card its digest and the special tokens it may name."""
    model = with_chat("{{ cls_token }}{{ messages[0].content }}\né{{ pad_token }}")

    assert load_chat_template(model).prompt("Who?") == "[CLS]Who?\né[PAD]"
    assert (
        (model.folder / "chat_template.jinja").read_bytes().decode().endswith("\né{{ pad_token }}")
    )


def test_changed_template_is_refused(with_chat):
    """A template that is not the exported one is not run."""
    model = with_chat(CHATML)
    (model.folder / "chat_template.jinja").write_text("other")

    with pytest.raises(DataRefused, match=r"chat_template\.jinja .*model\.json"):
        load_chat_template(model)


def test_model_without_a_template_is_refused(exported):
    """Where the tokenizer came without one, the sentence says to take another style."""
    model = open_model(exported("bert", "multiple-choice"), device="cpu")

    with pytest.raises(DataRefused, match=r"no chat template.* style "):
        load_chat_template(model)


TOO_MUCH = {
    "nested loops": (
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    ),
    "a range without end": "{% for i in range(10**12) %}{% endfor %}",
    "a loop over a text": "{% for c in 'x' * 1000000 %}{% endfor %}",
    "a lazy loop": "{% for c in range(99999) | map('string') %}{% endfor %}",
    "calls without end": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "calls that branch": (
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}"
    ),
    "a long text": "{{ 'x' * 10 ** 9 }}",
    "a doubled text": (
        "{% set ns = namespace(t='x') %}{% for i in range(60) %}"
        "{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t | length }}"
    ),
    "a doubled list": (
        "{% set ns = namespace(t=[1]) %}{% for i in range(60) %}"
        "{% set ns.t = ns.t + ns.t %}{% endfor %}{{ ns.t | length }}"
    ),
    "a nested list": (
        "{% set ns = namespace(t=['x']) %}{% for i in range(60) %}"
        "{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.t }}"
    ),
    "equal nested lists": (
        "{% set ns = namespace(a=[], b=[]) %}{% for i in range(60) %}"
        "{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}"
    ),
    "a nested key": (
        "{% set ns = namespace(a=()) %}{% for i in range(60) %}"
        "{% set ns.a = (ns.a, ns.a) %}{% endfor %}{{ {ns.a: 1} | length }}"
    ),
    "nested dicts of a call": (
        "{% set ns = namespace(a=1) %}{% for i in range(60) %}"
        "{% set ns.a = dict(a=ns.a, b=ns.a) %}{% endfor %}{{ ns.a == dict(a=1) }}"
    ),
    "nested namespaces": (
        "{% set ns = namespace(a=1) %}{% for i in range(60) %}"
        "{% set ns.a = namespace(a=ns.a, b=ns.a) %}{% endfor %}{{ ns.a }}"
    ),
    "nested views": (
        "{% set ns = namespace(a={'a': 1}) %}{% for i in range(60) %}"
        "{% set ns.a = {'a': ns.a.values(), 'b': ns.a.values()} %}{% endfor %}{{ ns.a.values() }}"
    ),
    "nested arguments": (
        "{% macro m() %}{{ caller(varargs) }}{% endmacro %}"
        "{% set ns = namespace(a=[]) %}{% for i in range(60) %}"
        "{% call(v) m(ns.a, ns.a) %}{% set ns.a = v %}{% endcall %}{% endfor %}{{ ns.a }}"
    ),
    "doubled bytes": (
        "{% set ns = namespace(a='x'.encode()) %}{% for i in range(60) %}"
        "{% set ns.a = ns.a + ns.a %}{% endfor %}{{ ns.a | length }}"
    ),
    "a large number": "{{ 9 ** 9 ** 9 }}",
    "a squared number": (
        "{% set ns = namespace(t=9) %}{% for i in range(60) %}"
        "{% set ns.t = ns.t * ns.t %}{% endfor %}{{ ns.t }}"
    ),
    "a wide field": "{{ '%1000000000d' % 1 }}",
    "a wide field elsewhere": "{{ '%*d' % (1000000000, 1) }}",
    "a wide field of format": "{{ '{:>1000000000}'.format(1) }}",
    "a wide field within a field": "{{ '{:{w}}'.format(1, w='1000000000') }}",
    "a wide field of the filter": "{{ '%1000000000d' | format(1) }}",
    "a wide centre": "{{ 'x' | center(1000000000) }}",
    "a wide margin": "{{ 'x'.ljust(1000000000) }}",
    "a long replacement": "{% set t = 'x' * 9999 %}{{ t.replace('x', t) | length }}",
    "a long join": "{% set t = 'x' * 9999 %}{{ t.join(t) | length }}",
    "much output": "{% set t = 'x' * 99999 %}{% for i in range(999) %}{{ t }}{% endfor %}",
    "much plain output": "{% for i in range(9999) %}" + "x" * 9999 + "{% endfor %}",
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_template_that_does_too_much_is_stopped(name):
    """A template that would loop or grow without end is refused within a second or two."""
    started = time.monotonic()
    with pytest.raises(DataRefused, match="the chat template cannot be used"):
        _template(TOO_MUCH[name]).prompt("x")

    assert time.monotonic() - started < 5


FORBIDDEN = {
    "a class": "{{ ''.__class__ }}",
    "a class by subscript": "{{ ''['__class__'] }}",
    "a class by filter": "{{ (''|attr('__class__')).__mro__ }}",
    "globals": "{{ raise_exception.__globals__ }}",
    "a namespace's own": "{% set ns = namespace() %}{% set ns.__class__ = 1 %}",
    "a file": "{% include '/etc/hostname' %}",
    "a changed conversation": "{{ messages.append(1) }}",
    "chance": "{{ [1, 2] | random }}",
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_template_reaches_for_nothing_else(name):
    """Attributes of Python, files, what is not its own, and chance are refused in a sentence."""
    with pytest.raises(DataRefused, match=r"model/chat_template\.jinja: the chat template cannot"):
        _template(FORBIDDEN[name]).prompt("x")
