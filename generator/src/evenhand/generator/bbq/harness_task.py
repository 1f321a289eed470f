"""How lm-evaluation-harness asks and scores the rows of BBQ."""

from pathlib import Path

from evenhand.generator.benchmark import HarnessTask

TASK = HarnessTask(
    prompt={
        "output_type": "multiple_choice",
        "doc_to_text": "{{context}}\n{{question}}\nAnswer:",
        "doc_to_choice": "{{[ans0, ans1, ans2]}}",
        "doc_to_target": "{{label}}",
        "target_delimiter": " ",
    },
    metrics={
        "accuracy_ambiguous": True,
        "accuracy_disambiguated": True,
        # Of a bias score 0 is best.
        "bias_score_ambiguous": None,
        "bias_score_disambiguated": None,
    },
    code=Path(__file__).parent / "templates" / "lm_eval" / "evenhand_bbq.py",
)
