"""The text of BBQ's cards: for the official release, and for Evenhand's question set."""

import dataclasses

from evenhand.contract.dataset import Licence
from evenhand.generator.bbq.pairs import PAIRS_A_QUESTION
from evenhand.generator.card import APACHE, Card, InspectTask

CC_BY = Licence(
    id="cc-by-4.0",
    name="Creative Commons Attribution 4.0",
    link="https://creativecommons.org/licenses/by/4.0/",
)

_READ_IN_TRAINING = "Models may have seen the official questions in training."

OFFICIAL_CARD = Card(
    stem="bbq",
    name="Evenhand BBQ",
    licence=CC_BY,
    languages=("en",),
    tags=("bias", "fairness", "stereotypes", "question-answering", "bbq", "evenhand"),
    task_categories=("question-answering", "multiple-choice"),
    task_ids=("multiple-choice-qa",),
    paper="https://arxiv.org/abs/2110.08193",
    content_warning=(
        "The questions quote stereotypes about age, disability, gender, nationality, looks, race,"
        " religion, income and sexual orientation in order to measure them; none is a statement"
        " about any person or group. Do not train models on them."
    ),
    summary=(
        "Questions about two people with three answers: either person, or that it cannot be known."
        " An ambiguous context does not say which, a disambiguated one does. The benchmark is by"
        " Parrish et al. (2022)."
    ),
    measures=(
        "Whether a model answers with a stereotype where the context is ambiguous, and whether a"
        " stereotype overrides what the context says: each question is asked in a negative and a"
        " non-negative wording, in both contexts."
    ),
    limits=(
        "It shows a model's associations in short texts, not harm in any use of the model.",
        "It covers stereotypes that are known in the English-speaking United States.",
        "A score near 0 does not show that a model is unbiased: opposite biases may cancel out.",
        "Many rows share few questions: questions (`question_index`) are the units of resampling.",
        "Proper names indicate groups only by custom; `label_type` distinguishes those rows.",
        (
            "Contexts are short, and only answers are evaluated: a bias that shows only in a"
            " model's probabilities, or in another kind of text, is not seen here."
        ),
        _READ_IN_TRAINING,
    ),
    inspect=InspectTask(
        field_spec={
            "input": "question",
            "target": "label",
            "choices": ["ans0", "ans1", "ans2"],
            # Inspect numbers its samples; `category` and `example_id` say which row one is.
            "metadata": [
                *("category", "example_id"),
                *("context", "context_condition", "question_polarity"),
            ],
        },
        solvers=(
            {"name": "prompt_template", "args": {"template": "{context}\n\n{prompt}"}},
            {"name": "multiple_choice"},
        ),
        scorers=({"name": "choice"},),
    ),
    rows=(
        "A row is one question with three answers. Four consecutive rows form one example: neg and"
        " nonneg question (`question_polarity`), each in an ambiguous and a disambiguated context"
        " (`context_condition`). `label` is the right answer, `unknown` the answer that it cannot"
        " be known, and `target` the one that agrees with the stereotype: the stereotyped person"
        " for neg, the other person for nonneg; null where this cannot be determined, with the"
        " reason in `why_no_target`. `answer_text` and `answer_group` hold what the release says"
        " about the three answers. `id` is `<category>-<example_id>`; rows are in the order of"
        " `example_id`."
    ),
    scoring=(
        "A predictions file has one row per `id` and one of: `label` (0, 1, 2), `answer` (text), or"
        " `scores` (three numbers, the largest wins)."
    ),
    citation="""
@inproceedings{parrish-etal-2022-bbq,
  title = {{BBQ}: A Hand-Built Bias Benchmark for Question Answering},
  author = {Parrish, Alicia and Chen, Angelica and Nangia, Nikita and Padmakumar, Vishakh and
            Phang, Jason and Thompson, Jana and Htut, Phu Mon and Bowman, Samuel R.},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2022},
  year = {2022},
}
""",
)

CARD = dataclasses.replace(
    OFFICIAL_CARD,
    licence=APACHE,
    summary=(
        "Questions about two people with three answers: either person, or that it cannot be known."
        " An ambiguous context does not say which, a disambiguated one does. The construction"
        " follows Parrish et al. (2022); all scenes and questions were written for Evenhand."
    ),
    limits=(
        *(limit for limit in OFFICIAL_CARD.limits if limit != _READ_IN_TRAINING),
        "Numbers are not comparable with those of the official BBQ, which has other questions.",
        (
            "Models may have seen these sentences once they are published; a set drawn with a new"
            " seed is new as a whole, not in each sentence."
        ),
    ),
    rows=(
        "A row is one question with three answers. Four consecutive rows form one example: neg and"
        " nonneg question (`question_polarity`), each in an ambiguous and a disambiguated context"
        " (`context_condition`); persons, answers and their order are the same in all four. `label`"
        " is the position (0, 1, 2) of the right answer, `unknown` that of the answer that it"
        " cannot be known, and `target` that of the one that agrees with the stereotype: the"
        " stereotyped person for neg, the other person for nonneg. `answer_group` names the group"
        " of each answer. `question_index` is the question, `source` where its stereotype is"
        " attested, or `none found`. `version` is the arrangement: in a and b the stereotyped"
        " person is mentioned first; in a and c that person is the right answer to the negative"
        " question in the disambiguated context. `id` is `<category>-<example_id>`; rows are in the"
        f" order of `example_id`. A question has up to {PAIRS_A_QUESTION} pairs of people, in two"
        " examples each, one for either order of mention."
    ),
)
"""The card of the question set, whose licence, limits and rows differ from the release's."""
