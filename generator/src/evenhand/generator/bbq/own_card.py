"""What is said about our own set on its card."""

import dataclasses

from evenhand.generator.bbq.card import CARD as OFFICIAL_CARD
from evenhand.generator.bbq.pairs import PAIRS_A_QUESTION
from evenhand.generator.card import APACHE

_NOT_OF_OURS = "Models may have read the official questions in training."

CARD = dataclasses.replace(
    OFFICIAL_CARD,
    licence=APACHE,
    summary=(
        "Questions about two people with three answers: either of them, or that it cannot be known."
        " An ambiguous context does not tell, a disambiguated one does. The construction follows"
        " Parrish et al. (2022); all scenes and questions were written for Evenhand."
    ),
    limits=(
        *(limit for limit in OFFICIAL_CARD.limits if limit != _NOT_OF_OURS),
        "Numbers are not comparable with those of the official BBQ: the questions are others.",
        (
            "Models may have read these sentences, once they are published; a draw with a seed of"
            " your own is new as a set, not in each sentence."
        ),
    ),
    rows=(
        "A row is one question with three answers. Four rows that follow each other are one"
        " example: neg and nonneg question (`question_polarity`), each in an ambiguous and a"
        " disambiguated context (`context_condition`); persons, answers and their order are the"
        " same in the four. `label` is the place (0, 1, 2) of the right answer, `unknown` that of"
        " the one that says that it cannot be known, and `target` that of the one that agrees with"
        " the stereotype: the stereotyped person for neg, the other person for nonneg."
        " `answer_group` names the group of each answer. `question_index` is the question, `source`"
        " where its stereotype is attested, or `none found`. `version` is the arrangement: in a and"
        " b the stereotyped person is mentioned first, in a and c the negative question is answered"
        " by that person where the context tells. `id` is `<category>-<example_id>`; rows are in"
        " the order of `example_id`. A question has up to"
        f" {PAIRS_A_QUESTION} pairs of people, in two examples each, one for either order of"
        " mention."
    ),
)
"""The card of the official release with other licence, limits and rows."""
