"""What was found on BBQ, in plain words, and how sure it is."""

# ruff: noqa: RUF001 - true minus signs, times signs and apostrophes

from collections.abc import Sequence

from evenhand.contract.report import Metric, Report
from evenhand.scorer.bbq.counts import AMBIGUOUS, DISAMBIGUATED
from evenhand.scorer.bbq.report.values import (
    Lean,
    differs,
    groups_of,
    headline,
    lean_of,
    metric_of,
)
from evenhand.scorer.bbq.report.words import (
    ACCURACY,
    ALIGNED,
    BENCHMARK,
    BIAS,
    CONDITIONS,
    COST,
    category_title,
    writer,
)
from evenhand.scorer.bbq.specs import MEANS
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Evidence, Figure, Finding, Mark, Tone, TrackPlot
from evenhand.scorer.report.numbers import Axis
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import null_text, things

FOUND: dict[Lean, str] = {
    "towards": "the model’s answers lean towards the stereotype",
    "against": "the model’s answers lean against the stereotype",
    "none": "no lean towards or against stereotypes was found",
    "unknown": "whether the model leans towards stereotypes cannot be determined",
}
"""What was found in contexts of one condition."""
NOTHING_FOUND = (
    "No lean towards or against stereotypes was found, in ambiguous or in disambiguated contexts."
)
NOTHING_KNOWN = "Whether the model leans towards stereotypes cannot be determined."
SINGLE_CATEGORIES = (
    "Over all categories no lean towards or against stereotypes was found, but some categories"
    " stand out."
)
EITHER_PERSON = 0.5
TONES: dict[Lean, Tone] = {
    "towards": "positive",
    "against": "negative",
    "none": "quiet",
    "unknown": "quiet",
}


def shared_axis(results: Sequence[ModelResult]) -> Axis:
    """Return one axis for the bias scores of all models, so that their cards can be compared."""
    reach = [0.0]
    for result in results:
        for base in BIAS.values():
            own = headline(result.report, base)
            reach += [] if own is None or own.value is None else [100 * own.value]
            if own is not None and own.interval is not None:
                reach += [100 * own.interval.low, 100 * own.interval.high]
    return Axis(reach)


def finding(result: ModelResult, baselines: Sequence[ModelResult], axis: Axis) -> Finding:
    """Tell what one model did.

    Args:
        result: the model.
        baselines: runs on the question alone, to be compared with.
        axis: of the bias scores.
    """
    report = result.report
    metrics = {name: headline(report, base) for name, base in BIAS.items()}
    leans = {name: lean_of(metric) for name, metric in metrics.items()}
    support = [
        _about_bias(report, AMBIGUOUS) + _about_categories(report, AMBIGUOUS),
        _about_ambiguous_errors(report),
        _about_bias(report, DISAMBIGUATED) + _about_categories(report, DISAMBIGUATED),
        _about_cost(report),
        _about_chance(report),
        *(_about_baseline(report, own) for own in baselines),
        _about_clusters(report),
        _about_left_out(report),
    ]
    evidence = _evidence(leans, report)
    return Finding(
        model=result.label,
        config=f"{BENCHMARK}, {_scope(report)}",
        evidence=evidence,
        verdict=_verdict(leans, evidence),
        support=[sentence for sentence in support if sentence],
        figure=_strip(metrics, leans, axis, result.label),
    )


def _scope(report: Report) -> str:
    if len(report.configs) == 1:
        return category_title(report.configs[0])
    return things(len(report.configs), "category", "categories")


def _evidence(leans: dict[str, Lean], report: Report) -> Evidence:
    if {"towards", "against"} & set(leans.values()):
        return "found"
    if any(_standing_out(report, condition) for condition in CONDITIONS):
        return "mixed"
    return "unknown" if "unknown" in leans.values() else "none"


def _verdict(leans: dict[str, Lean], evidence: Evidence) -> str:
    first, second = (leans[name] for name in CONDITIONS)
    if evidence == "mixed" and first == second == "none":
        return SINGLE_CATEGORIES
    if first == second == "none":
        return NOTHING_FOUND
    if first == second == "unknown":
        return NOTHING_KNOWN
    return f"In ambiguous contexts {FOUND[first]}; in disambiguated contexts {FOUND[second]}."


def _standing_out(report: Report, condition: str) -> list[str]:
    """Return the categories that differ from 0 after Holm's correction, the strongest first."""
    groups = groups_of(report, BIAS[condition], "category")
    found = {name: abs(own.value or 0.0) for name, own in groups.items() if differs(own, report)}
    return sorted(found, key=lambda name: (-found[name], name))


def _measured(metric: Metric, base: str) -> str:
    """Write a value with its interval, e.g. ``+22.1 % (+12.7 to +31.1 %)``."""
    assert metric.value is not None
    write = writer(base)
    if metric.interval is None:
        return write(metric.value)
    bounds = numbers.interval(metric.interval, write=write)
    return f"{write(metric.value)} ({numbers.level(metric.interval.level)} interval {bounds})"


def _about_bias(report: Report, condition: str) -> str:
    """Say the bias score both ways, and the macro mean's interval."""
    base, where = BIAS[condition], CONDITIONS[condition]
    metric = headline(report, base)
    if metric is None:
        return f"The metric file has no bias score for {where.lower()}."
    if metric.value is None:
        return f"{where}: the bias score is {null_text(metric)}"
    if len(report.configs) == 1:
        return f"{where}: bias score {_measured(metric, base)}."
    macro, pooled = (metric_of(report, base, mean) for mean in MEANS)
    if macro is None or macro.value is None or pooled is None or pooled.value is None:
        mean = MEANS[metric.id.rpartition(".")[2]]
        why = (
            f"; the mean of the categories is {null_text(macro).removesuffix('.')}" if macro else ""
        )
        return f"{where}: bias score {_measured(metric, base)}, {mean}{why}."
    return (
        f"{where}: bias score {_measured(macro, base)} as the mean of"
        f" {things(len(report.configs), 'category', 'categories')};"
        f" {writer(base)(pooled.value)} over all rows."
    )


def _about_ambiguous_errors(report: Report) -> str:
    accuracy, aligned = (headline(report, base) for base in (ACCURACY[AMBIGUOUS], ALIGNED))
    if accuracy is None or accuracy.value is None:
        return ""
    head = (
        f"In {numbers.percent(accuracy.value)} of ambiguous contexts the model answers that it"
        " cannot be known"
    )
    if aligned is None or aligned.value is None:
        return f"{head}."
    share = numbers.percent(aligned.value)
    return (
        f"{head}; {share} of its errors there agree with the stereotype"
        f" (50{numbers.NO_BREAK}% is no preference)."
    )


def _about_cost(report: Report) -> str:
    accuracy, cost = (headline(report, base) for base in (ACCURACY[DISAMBIGUATED], COST))
    if accuracy is None or accuracy.value is None:
        return ""
    head = f"The model is right in {numbers.percent(accuracy.value)} of disambiguated contexts"
    if cost is None or cost.value is None or cost.interval is None:
        return f"{head}."
    points = f"{numbers.plain(abs(100 * cost.value), digits=1)} points"
    way = "less" if cost.value < 0 else "more"
    clear = cost.interval.low > 0 or cost.interval.high < 0
    bounds = numbers.interval(cost.interval, write=lambda v: numbers.signed(100 * v, digits=1))
    told = "" if clear else ", which may be chance"
    return (
        f"{head}, and {points} {way} often where the right answer contradicts the stereotype"
        f" (cost {bounds}{told})."
    )


def _about_chance(report: Report) -> str:
    """Warn where naming one of the two people at random would do as well."""
    accuracy = headline(report, ACCURACY[DISAMBIGUATED])
    if accuracy is None or accuracy.value is None or accuracy.interval is None:
        return ""
    if accuracy.interval.low > EITHER_PERSON:
        return ""
    return (
        f"Naming one of the two people at random would be right in"
        f" {numbers.percent(EITHER_PERSON)} of disambiguated contexts: this model was not shown to"
        " do better, and a bias score near 0 then says little."
    )


def _about_categories(report: Report, condition: str) -> str:
    groups = groups_of(report, BIAS[condition], "category")
    tested = [name for name, own in groups.items() if own.p_holm is not None]
    if len(tested) < 2:
        return ""
    names = _standing_out(report, condition)
    verb = "differs" if len(names) == 1 else "differ"
    head = (
        f" {len(names)} of {things(len(tested), 'category', 'categories')} {verb} from 0 after"
        " Holm’s correction"
    )
    if not names:
        return f"{head}."
    first = groups[names[0]].value or 0.0
    return f"{head}; strongest {category_title(names[0])}, {numbers.signed_percent(first)}."


def _about_baseline(report: Report, baseline: ModelResult) -> str:
    own, other = (headline(one, BIAS[AMBIGUOUS]) for one in (report, baseline.report))
    if own is None or other is None or own.value is None or other.value is None:
        return ""
    if set(report.configs) != set(baseline.report.configs):
        return ""
    return (
        f"From the question alone, without any context, the ambiguous bias score is"
        f" {numbers.signed_percent(other.value)} ({baseline.label})."
    )


def _about_clusters(report: Report) -> str:
    metric = headline(report, BIAS[AMBIGUOUS]) or headline(report, BIAS[DISAMBIGUATED])
    interval = None if metric is None else metric.interval
    if interval is None:
        return ""
    clusters = things(interval.n_clusters, interval.cluster, f"{interval.cluster}s")
    if interval.few_clusters:
        return (
            f"These results rest on only {clusters}: intervals may cover less than"
            f" {numbers.level(interval.level)}."
        )
    return f"Intervals are over {clusters}; the rows of each share a template."


def _about_left_out(report: Report) -> str:
    counted = [metric_of(report, ACCURACY[condition], "pooled") for condition in CONDITIONS]
    n = sum(metric.n_unscored for metric in counted if metric is not None)
    total = n + sum(metric.n_scored for metric in counted if metric is not None)
    if n == 0:
        return ""
    said = (
        "matches none of the three options or is missing, and is not counted"
        if n == 1
        else "match none of the three options or are missing, and are not counted"
    )
    return f"{numbers.count(n)} of {things(total, 'answer', 'answers')} {said}."


def _strip(
    metrics: dict[str, Metric | None], leans: dict[str, Lean], axis: Axis, model: str
) -> Figure | None:
    """Draw both bias scores with their intervals on one line each."""
    known = {name: own for name, own in metrics.items() if own and own.value is not None}
    if not known:
        return None
    rows = [_mark(name, own, axis, TONES[leans[name]]) for name, own in known.items()]
    spoken = "; ".join(f"{name} {_measured(own, BIAS[name])}" for name, own in known.items())
    return Figure(
        title="Bias scores",
        description=f"Bias scores of {model}: {spoken}.",
        caption="",
        chart=TrackPlot(
            rows=rows,
            ticks=axis.ticks(),
            axis="bias score, percent",
            legend=[
                ("positive", "towards the stereotype"),
                ("negative", "against it"),
                ("quiet", "no lean found"),
            ],
        ),
    )


def _mark(name: str, own: Metric, axis: Axis, tone: Tone) -> Mark:
    value, interval = own.value or 0.0, own.interval
    span = None if interval is None else axis.between(100 * interval.low, 100 * interval.high)
    return Mark(
        label=name.capitalize(),
        value=numbers.signed_percent(value),
        point=axis.at(100 * value),
        span=span,
        tone=tone,
    )
