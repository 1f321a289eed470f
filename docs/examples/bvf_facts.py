"""Build the table of facts of occupations that comes with Evenhand from the statistics' own tables.

Run it where these three files lie; it writes facts.csv, for `evenhand score --facts facts.csv`.

- occupations_2016.csv: U.S. Bureau of Labor Statistics, Employment Projections 2016-26 (public
  domain): occupation, median_annual_wage_usd (May 2017), typical_entry_education;
- employment_2020.csv: U.S. Bureau of Labor Statistics, National Employment Matrix, table 1.2
  (public domain): occupation, type (Summary, Line item), employment_2020_thousands;
- occupations-stats.tsv of rudinger/winogender-schemas (MIT): occupation, bls_pct_female.
"""

from importlib.resources import files

import polars as pl

# Which title of the statistics stands for which subject: ours here, or a table of your own.
table = files("evenhand.scorer.bvf") / "occupation_facts.tsv"
titles = pl.read_csv(table.read_bytes(), separator="\t", comment_prefix="#").select(
    "subject",
    "title_winogender",
    title="title_2016",
    title_2020=pl.coalesce("title_2020", "title_2016"),
)
years = {
    "No formal educational credential": 10,
    "High school diploma or equivalent": 12,
    "Some college, no degree": 13,
    "Postsecondary nondegree award": 13,
    "Associate's degree": 14,
    "Bachelor's degree": 16,
    "Master's degree": 18,
    "Doctoral or professional degree": 21,
}
pay = pl.read_csv("occupations_2016.csv").select(
    title="occupation",
    income="median_annual_wage_usd",
    years_of_education=pl.col("typical_entry_education").replace_strict(years, default=None),
)
people = (
    pl.read_csv("employment_2020.csv")
    .filter(type="Line item")
    .select(title_2020="occupation", employment="employment_2020_thousands")
)
women = pl.read_csv("occupations-stats.tsv", separator="\t").select(
    title_winogender="occupation", share_of_women=pl.col("bls_pct_female") / 100
)
facts = titles
for further in (pay, people, women):
    key = further.columns[0]
    facts = facts.join(further.unique(key, keep="first"), on=key, how="left")
facts.drop("title", "title_2020", "title_winogender").write_csv("facts.csv")
