"""UnQover's intervals, tests and null distributions in words; formulas are in ``specs``."""

# ruff: noqa: RUF001 - the symbols are the paper's

INTERVALS = (
    "Intervals are over templates, because rows that share a template are not independent. With"
    " fewer than 30 templates they are studentised (estimate ± t × jackknife standard error) and"
    " marked †, because the bootstrap undercovers there; from 30 templates on they are percentile"
    " bootstrap intervals. Where all templates agree, neither shows any variation: a mean then has"
    " a bound that follows from their number, marked ‡, and μ and η have none. The values of single"
    " subjects are tested with a t test over templates, and the p-values of all subjects are"
    " corrected together by Holm’s method."
)
NULLS = (
    "μ and η cannot be negative, so an interval that excludes 0 is no evidence of bias. They are"
    " compared with a null distribution: their values when the preferences of whole templates are"
    " reversed at random (sign flips). For δ and ε the null distribution comes from pairing the"
    " compared scores at random within a template."
)
