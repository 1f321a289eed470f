"""What UnQover's intervals, tests and null references are; formulas stand in ``specs``."""

# ruff: noqa: RUF001 - the symbols are the paper's

INTERVALS = (
    "Intervals are over templates, not over rows that share a template. Under 30 templates they are"
    " studentised (estimate ± t × jackknife standard error) and marked †, because the bootstrap"
    " then covers too little; from 30 templates on they are percentiles of a bootstrap. Where all"
    " templates agree neither can vary: a mean then has a bound from their number, marked ‡, and μ"
    " and η have none. Values of single subjects are tested by t over templates, and their p-values"
    " are corrected by Holm’s method within one family."
)
NULLS = (
    "μ and η cannot be negative, so an interval that leaves out 0 says nothing. Their null"
    " reference is where they would lie if the preferences of each template could as well be"
    " reversed (random sign flips of whole templates). That of δ and ε is where they would lie if"
    " the compared scores were paired at random within a template."
)
