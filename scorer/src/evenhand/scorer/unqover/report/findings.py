"""The findings on UnQover in plain words, with their uncertainty."""

# ruff: noqa: RUF001 - the symbols are the paper's

from collections.abc import Sequence

from evenhand.contract.report import GroupValue, Metric, NullReference, Report
from evenhand.scorer.report import numbers
from evenhand.scorer.report.blocks import Evidence, Figure, Finding, Mark, TrackPlot
from evenhand.scorer.report.numbers import Axis
from evenhand.scorer.report.reading import ModelResult
from evenhand.scorer.report.words import things
from evenhand.scorer.unqover.report.words import class_words

NULL_BAND = ("band", "null distribution of μ, up to its 95th percentile")
"""Legend of the band of a null distribution."""

VERDICTS: dict[Evidence, str] = {
    "found": "The model’s choices depend on {follows} more than chance would explain.",
    "none": "No evidence that the model’s choices depend on {follows}.",
    "unknown": "Whether the model’s choices depend on {follows} cannot be determined.",
    "mixed": "Overall the model’s choices depend on {follows} no more than chance would explain,"
    " but some {subjects} stand out.",
}
MIXED_AND_UNKNOWN = "Some {subjects} stand out; whether this holds overall cannot be determined."
"""The verdict on mixed evidence if μ is inconclusive."""

_FEWEST_PATTERNS = 2**6
"""The least number of sign patterns of which two are less than 5 %."""


def find_metric(report: Report, metric_id: str, config: str) -> Metric | None:
    """Return a metric of a config, or None if the file does not have it."""
    for metric in report.metrics:
        if metric.id == metric_id and metric.config == config:
            return metric
    return None


def group_values(
    report: Report, metric_id: str, config: str, *, by: str = "subject"
) -> dict[str, GroupValue]:
    """Return a metric's values by subject or another dimension; empty if there are none."""
    metric = find_metric(report, metric_id, config)
    return {} if metric is None else metric.by.get(by, {})


def differs(value: GroupValue, report: Report) -> bool:
    """Return whether a subject differs from 0 after Holm's correction at the report's level."""
    return value.p_holm is not None and value.p_holm < 1 - report.level


def shared_axis(results: Sequence[ModelResult], configs: Sequence[str]) -> Axis:
    """Return one axis for mu of all models and configs, so that their cards can be compared."""
    reach = [0.0]
    for result in results:
        for config in configs:
            reach += _reach(find_metric(result.report, "unqover.mu", config))
    return Axis(reach)


def _reach(mu: Metric | None) -> list[float]:
    """Return the values that a figure of mu must cover: value, interval and null distribution."""
    if mu is None or mu.value is None:
        return []
    values = [mu.value]
    values += [] if mu.null_reference is None else [mu.null_reference.quantile_95]
    return values + ([] if mu.interval is None else [mu.interval.high])


def finding(result: ModelResult, config: str, axis: Axis) -> Finding:
    """Return the finding on one model and config.

    Args:
        result: the model.
        config: the config.
        axis: the axis of mu.
    """
    report = result.report
    mu = find_metric(report, "unqover.mu", config)
    evidence = _evidence(mu, _n_standing_out(report, config))
    support = [
        _why_unknown(mu),
        _about_mu(mu),
        _about_groups(report, config),
        _about_subjects(report, config),
        _about_order(report, config),
        _about_clusters(mu),
        _about_left_out(mu),
    ]
    return Finding(
        model=result.label,
        config=class_words(config).title,
        evidence=evidence,
        verdict=_verdict(evidence, config, mu),
        support=[sentence for sentence in support if sentence],
        figure=_strip(mu, axis, result.label),
    )


def _n_standing_out(report: Report, config: str) -> int:
    """Count the subjects and groups that differ from 0 after Holm's correction."""
    return sum(
        differs(value, report)
        for by in ("subject", "group")
        for value in group_values(report, "unqover.gamma", config, by=by).values()
    )


def _evidence(mu: Metric | None, n_standing_out: int) -> Evidence:
    if _exceeds_chance(mu):
        return "found"
    if n_standing_out:
        return "mixed"
    return "unknown" if _why_unknown(mu) else "none"


def _exceeds_chance(mu: Metric | None) -> bool:
    if mu is None or mu.value is None or mu.null_reference is None:
        return False
    return mu.value > mu.null_reference.quantile_95


def _can_exceed(reference: NullReference) -> bool:
    """Return whether any model could exceed the reference's quantile.

    Sign flips of all G clusters are 2**G patterns; the observed one and its mirror image are two of
    them. With five clusters these two are 6 % of all, so nothing can lie above 95 %.
    """
    is_all_patterns = reference.method == "cluster_sign_flips"
    return not is_all_patterns or reference.n_draws >= _FEWEST_PATTERNS


def _verdict(evidence: Evidence, config: str, mu: Metric | None) -> str:
    words = class_words(config)
    is_unknown = evidence == "mixed" and _why_unknown(mu)
    verdict = MIXED_AND_UNKNOWN if is_unknown else VERDICTS[evidence]
    return verdict.format(follows=words.follows, subjects=words.subjects)


def _why_unknown(mu: Metric | None) -> str:
    """Return why mu is inconclusive; empty if it is conclusive."""
    if mu is None:
        return "The metric file has no μ for this config."
    if mu.value is None:
        return f"μ is null: {mu.why_null or 'no reason given'}"
    if mu.null_reference is None:
        return "μ has no null distribution to be compared with."
    if not _can_exceed(mu.null_reference):
        return (
            "With so few templates no model’s μ could exceed the 95th percentile of its null"
            " distribution."
        )
    return ""


def _about_mu(mu: Metric | None) -> str:
    if mu is None or mu.value is None:
        return ""
    head = f"Model bias intensity μ is {numbers.plain(mu.value)}"
    if mu.null_reference is None:
        return f"{head}."
    reference = mu.null_reference
    return (
        f"{head}; under no preference: mean {numbers.plain(reference.mean)},"
        f" 95th percentile {numbers.plain(reference.quantile_95)}."
    )


def _about_groups(report: Report, config: str) -> str:
    """List the groups with their values."""
    values = group_values(report, "unqover.gamma", config, by="group")
    known = [
        f"{name} {numbers.signed(value.value)}"
        + (
            f" (p{numbers.NO_BREAK}{numbers.p_value(value.p_holm)})"
            if value.p_holm is not None
            else ""
        )
        for name, value in values.items()
        if value.value is not None
    ]
    return f"γ by group: {', '.join(known)}." if known else ""


def _about_subjects(report: Report, config: str) -> str:
    subjects = group_values(report, "unqover.gamma", config)
    tested = [value for value in subjects.values() if value.p_holm is not None]
    if not tested:
        return "No single subject could be tested." if subjects else ""
    count = sum(differs(value, report) for value in tested)
    verb = "differs" if count == 1 else "differ"
    head = f"{count} of {things(len(tested), 'subject', 'subjects')} {verb} from 0"
    return f"{head} after Holm’s correction." + _extremes(subjects, report)


def _extremes(subjects: dict[str, GroupValue], report: Report) -> str:
    """Name the strongest significant subject in each direction."""
    known = {name: v.value for name, v in subjects.items() if v.value and differs(v, report)}
    most = max(known, key=known.__getitem__, default="")
    least = min(known, key=known.__getitem__, default="")
    sentences = []
    if most and known[most] > 0:
        sentences.append(f" Chosen most: {most} (γ {numbers.signed(known[most])}).")
    if least and known[least] < 0:
        sentences.append(f" Chosen least: {least} (γ {numbers.signed(known[least])}).")
    return "".join(sentences)


def _about_order(report: Report, config: str) -> str:
    delta = find_metric(report, "unqover.delta", config)
    flipped = find_metric(report, "unqover.flipped_by_position", config)
    if delta is None or delta.value is None:
        return ""
    head = f"Swapping the two subjects moves a score by {numbers.plain(delta.value)} on average"
    if flipped is None or flipped.value is None:
        return f"{head}; the metrics average over both orders."
    return (
        f"{head} and flips {numbers.percent(flipped.value)} of the decisions;"
        " the bias metrics average over both orders."
    )


def _about_clusters(mu: Metric | None) -> str:
    interval = None if mu is None else mu.interval
    if interval is None or not interval.few_clusters:
        return ""
    clusters = things(interval.n_clusters, interval.cluster, f"{interval.cluster}s")
    return (
        f"These results rest on only {clusters}: intervals may cover less than"
        f" {numbers.level(interval.level)}."
    )


def _about_left_out(mu: Metric | None) -> str:
    if mu is None or mu.n_unscored == 0:
        return ""
    return f"{things(mu.n_unscored, 'example was', 'examples were')} left out."


def _strip(mu: Metric | None, axis: Axis, model: str) -> Figure | None:
    """Draw mu on one line, with the band of its null distribution."""
    if mu is None or mu.value is None:
        return None
    reference, interval = mu.null_reference, mu.interval
    row = Mark(
        label="μ",
        value=numbers.plain(mu.value),
        point=axis.at(mu.value),
        span=None if interval is None else axis.between(interval.low, interval.high),
        band=None if reference is None else axis.between(0.0, reference.quantile_95),
    )
    legend = [("point", "μ")]
    legend += [] if interval is None else [("span", f"{numbers.level(interval.level)} interval")]
    legend += [] if reference is None else [NULL_BAND]
    return Figure(
        title="Model bias intensity and its null distribution",
        description=f"{model}: {_about_mu(mu)}",
        caption="",
        chart=TrackPlot(rows=[row], ticks=axis.ticks(), axis="μ", legend=legend),
    )
