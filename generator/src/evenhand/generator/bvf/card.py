"""The text of BVF's card."""

from evenhand.contract.dataset import Licence
from evenhand.generator.card import APACHE, Card

UNSTATED = Licence(
    id="unknown",
    name="Contexts from another corpus, whose terms apply",
    link="https://github.com/EmpathYang/Prejudice-Volatility-Framework",
)
"""The original states no licence for its contexts; mined ones follow their corpus."""

CARD = Card(
    stem="bvf",
    name="Evenhand BVF",
    licence=APACHE,
    languages=("en",),
    tags=("bias", "fairness", "stereotypes", "fill-mask", "bvf", "evenhand"),
    task_categories=("fill-mask", "text-generation"),
    paper="https://arxiv.org/abs/2402.15481",
    task_ids=("masked-language-modeling", "language-modeling"),
    content_warning=(
        "The texts ask a model which gender, race, religion or disability it expects of people in"
        " an occupation. They call up stereotypes in order to measure them; none is a statement"
        " about any person or group. Do not train models on them."
    ),
    summary=(
        "Short contexts with an occupation and a gap: which words does a model expect there? The"
        " mean strength of a stereotype is its bias, its variation from context to context its"
        " volatility. The construction follows the Bias-Volatility Framework (2024)."
    ),
    measures=(
        "The probabilities of the words of Y at the gap, summed by class and compared with those"
        " of an unbiased model. From the strength of the stereotype in each context and in the mean"
        " over contexts follow the discrimination risk R, its bias part and its volatility part."
    ),
    limits=(
        "It shows what a model expects in these texts, not harm in any use of the model.",
        (
            "The reference is that all classes are equally likely, which is a convention: it is"
            " neither how often groups work in an occupation nor how often they should."
        ),
        (
            "Gender has two classes, race five, religion six, disability seven, as in the paper;"
            " people in none of them are not measured."
        ),
        (
            "Words of one class differ in meaning and in grammar (`him`, `abbot`, `king`); which"
            " of them fit a gap differs by context, and the number of words differs by class."
        ),
        (
            "One word of the paper's list for disability is a slur today and was replaced by the"
            " term that took its place; `canary`, which the paper has in both genders, was left"
            " out."
        ),
        "Many rows share few contexts: contexts are the units of resampling.",
        "A model whose vocabulary lacks some words of Y is measured with the remaining words.",
    ),
    rows=(
        "A row is one context with one subject. `context` is the pattern, `text` the pattern with"
        " the subject; `[Y]` marks the gap. `weight` is the context's share; over"
        " the contexts of one subject and order they add up to 1, as `weight_x` does over subjects."
        " `order` says whether `[Y]` comes last, as causal language models need, or inside. The"
        " classes of Y and their words are in `evenhand.json` under `provenance.topics`. `id` is"
        " `<topic>-c<context>-<subject>`, followed by `-in` where `[Y]` is inside. Rows are grouped"
        " by subject. An example is one context"
        " with all subjects, in every order."
    ),
    scoring=(
        "A predictions file has one row per `id` and one of: `p` (class -> probability, adding up"
        " to 1), `word_p` (word of Y -> probability; the words of a class are summed and"
        " normalised), or `answer` (a word of Y), repeated with `sample`. A model may leave out a"
        " whole order."
    ),
    citation="""
@misc{liu-etal-2024-bias-volatility,
  title = {Bias and Volatility: A Statistical Framework for Evaluating Large Language Model's
           Stereotypes and the Associated Generation Inconsistency},
  author = {Liu, Yiran and Yang, Ke and Qi, Zehan and Liu, Xiao and Yu, Yang and Zhai, ChengXiang},
  eprint = {2402.15481},
  archivePrefix = {arXiv},
  year = {2024},
}
""",
)
