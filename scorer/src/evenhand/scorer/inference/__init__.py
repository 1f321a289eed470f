"""Statistical inference over clusters: intervals, tests, families of tests, null distributions.

``clusters`` holds what is true of the clusters alone (strata, effective number), ``resampling`` the
weights and signs that are drawn, ``estimates`` values with each cluster's influence on them,
``convex`` indices whose plug-in value errs upwards, ``bounded`` shares and differences of shares,
``distances`` which of two signed values is nearer to the best one, ``families`` corrections for
many tests, ``nulls`` null distributions, ``spread`` the standard deviation over subjects, and
``power`` what a design can detect. ``docs/statistics.md`` derives and measures them.

Nothing here knows a benchmark. A metric is an *estimator*: a function of cluster weights [R, G]
that returns R values.
"""
