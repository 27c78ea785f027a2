"""Test whether systems differ: Friedman's and Conover's tests, two-way ANOVA.

scipy and scikit-posthocs compute the tests; this module prepares their input, the results of
``pt.Experiment(..., perquery=True)``, and arranges their output.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_cumgain.analysis.comparing.correlation import has_topics, ranking
from pt_cumgain.analysis.results import Results, TopicResults
from pt_cumgain.analysis.rounding import ROUNDING, equate
from pt_cumgain.core import Floats
from pt_cumgain.environment.extras import scikit_posthocs
from pt_cumgain.options import CLUSTER, checked

#: The papers' stars, each with the limit below which p must be.
STARS = ((0.01, "**"), (0.05, "*"))
#: Below this p a difference counts as significant.
LIMIT = 0.05


@checked
def friedman(results: Results, *, correction: str | None = "holm") -> pd.DataFrame:
    r"""Test for each measure whether any systems differ, by Friedman's test.

    Topics are blocks; systems are ranked within each, and ties share a mean
    rank. Values that differ by at most 1e-12 of the measure's largest value are
    ties. With k systems and n topics, Kendall's :math:`W = \chi^2 / (n (k -
    1))`. Two systems, too few for Friedman's test, are compared by Wilcoxon's
    signed-rank test instead.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: a value of every system for every topic,
        as ``pt.Experiment(..., perquery=True)`` returns them; or the path of
        the ``perquery.csv`` that ``pt.Experiment(..., save_dir=...)`` writes.
        Topics without judgments, which are NaN for every system, are left out,
        with a warning.
    correction
        The correction of the pairs' p-values, on which ``reading`` is based;
        see :func:`posthoc`.

    Returns
    -------
    pandas.DataFrame
        ``measure``; ``test`` (``"Friedman"`` or ``"Wilcoxon"``); ``systems``;
        ``topics``; ``statistic`` (chi-squared, or Wilcoxon's W), ``df``, ``p``;
        ``W`` (Kendall's); ``reading``: which systems are better than which, in
        the style of TOIS 2002, table 2: ``"D,E > A**"`` (two stars for p <
        0.01, one for p < 0.05, by :func:`posthoc`), empty if the test itself is
        not significant at 0.05. If all systems have the same values for every
        topic, nothing can be tested: ``statistic`` and ``p`` are NaN, and
        ``reading`` says so. Results of several collections have rows for each
        ``dataset`` and, called ``"mean"``, for the topics of all.

    Raises
    ------
    ValueError
        If a column is missing, a system has no value or two values for a topic,
        a value is NaN, or there are fewer than two systems or two topics.
    ImportError
        If scikit-posthocs, of the extra ``stats``, is needed and not installed.

    Notes
    -----
    Computed by scipy.stats.friedmanchisquare and scipy.stats.wilcoxon.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v + q % 3) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> friedman(results)[["statistic", "df", "W", "reading"]]
       statistic  df    W                   reading
    0       18.0   2  1.0  C,B > A**; C > B**
    """
    return TopicResults.read(results).label(lambda part: _friedman(part, correction))


def _friedman(results: TopicResults, correction: str | None) -> pd.DataFrame:
    """Return Friedman's test over the topics of one dataset, or of all."""
    from scipy import stats

    rows = []
    for measure, matrix in results.matrices().items():
        topics, systems = matrix.shape
        values = equate(matrix)
        test = "Friedman" if systems > 2 else "Wilcoxon"
        statistic = df = p = w = np.nan
        words = ""
        if _same(values):
            words = "not testable: the systems have the same values"
        elif test == "Wilcoxon":
            differences = _compare_two(values)
            statistic, p = stats.wilcoxon(differences)
            merit = np.array([1, -1]) * signed_ranks(differences)
        else:
            df = systems - 1
            statistic, p = stats.friedmanchisquare(*values.T)
            w = statistic / (topics * df)
            merit = stats.rankdata(values, axis=1).mean(axis=0)
        if p < LIMIT:
            better = pair_p_values(matrix, correction).where(np.greater.outer(merit, merit), 1.0)
            words = who_is_better(better, pd.Series(merit, index=matrix.columns))
        rows.append((measure, test, systems, topics, statistic, df, p, w, words))
    columns = ["measure", "test", "systems", "topics", "statistic", "df", "p", "W", "reading"]
    return pd.DataFrame(rows, columns=columns)


@checked
def posthoc(
    results: Results, measure: str | None = None, *, correction: str | None = "holm"
) -> pd.DataFrame:
    """Return the p-value for each pair of systems (Conover's test after Friedman's).

    Parameters
    ----------
    results
        As for :func:`friedman`.
    measure
        Which measure, if there are several.
    correction
        The correction for the number of pairs: one of scikit-posthocs'
        (``"holm"``, ``"bonferroni"``, ``"fdr_bh"``, ...), or None for no
        correction, as in Conover's own test.

    Returns
    -------
    pandas.DataFrame
        Square and symmetric, labelled by system, 1 on the diagonal. For two
        systems it holds the p-value of Wilcoxon's test, uncorrected. NaN off
        the diagonal if all systems have the same values for every topic.
        Results of several collections have such a table for each ``dataset``,
        which is the first level of the index, and, called ``"mean"``, for the
        topics of all: ``posthoc(results).loc["mean"]``.

    Raises
    ------
    ValueError, ImportError
        As :func:`friedman`; also if the measure or the correction is unknown.

    Notes
    -----
    Computed by scikit_posthocs.posthoc_conover_friedman. If the systems have
    the same order for every topic, which leaves no variance, it may return NaN;
    the p-values are then 1 for systems of the same rank and Friedman's p for
    others.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> posthoc(results).shape
    (3, 3)
    """
    results = TopicResults.read(results)
    chosen, _ = results.choose_measure(measure)
    return results.label(
        lambda part: pair_p_values(part.matrices()[chosen], correction), column=False
    )


def _compare_two(values: Floats) -> Floats:
    """Return the differences of two columns; those that differ by rounding alone are ties."""
    return equate(values[:, 0] - values[:, 1], float(np.abs(values).max()))


def signed_ranks(differences: Floats) -> Floats:
    """Return Wilcoxon's statistic by column: the ranks of values above 0 less those below."""
    from scipy.stats import rankdata

    apart = np.where(differences == 0, np.nan, np.abs(differences))
    ranks = rankdata(apart, axis=0, nan_policy="omit")
    return np.asarray(np.nansum(np.sign(differences) * ranks, axis=0))


def _same(values: Floats) -> bool:
    """Return whether the systems have the same values for every topic."""
    return bool((values == values[:, :1]).all())


def pair_p_values(matrix: pd.DataFrame, correction: str | None) -> pd.DataFrame:
    """Return the p-value of every pair of the columns; see :func:`posthoc`."""
    from scipy.stats import wilcoxon

    values = equate(matrix)
    systems = values.shape[1]
    if systems > 2 and not _same(values):
        p = conover(values, correction)
    else:
        of_two = np.nan if _same(values) else wilcoxon(_compare_two(values)).pvalue
        p = np.where(np.eye(systems, dtype=bool), 1.0, of_two)
    return pd.DataFrame(p, index=matrix.columns, columns=matrix.columns)


def conover(values: Floats, correction: str | None) -> Floats:
    """Return the p-value of every pair of columns of values from :func:`equate`."""
    from scipy import stats

    test = scikit_posthocs().posthoc_conover_friedman
    at_once = correction if correction == "single-step" else None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        p: Floats = test(values, p_adjust=at_once).to_numpy(copy=True)
    ranks = stats.rankdata(values, axis=1)
    if (ranks == ranks[:1]).all():  # no variance is left to compare a pair with
        p = np.where(np.equal.outer(ranks[0], ranks[0]), 1.0, stats.friedmanchisquare(*values.T)[1])
    if correction is not None and at_once is None:
        pairs = np.triu_indices(len(p), 1)
        p[pairs] = p.T[pairs] = correct(p[pairs], correction)
    return p


def correct(p: Floats, correction: str) -> Floats:
    """Return the p-values of a family of comparisons, corrected for their number."""
    if correction != "holm":
        from statsmodels.stats.multitest import multipletests

        corrected: Floats = multipletests(p, method=correction)[1]
        return corrected
    # Holm's correction is the default: statsmodels takes a second to import and then, collecting
    # garbage, 0.1 s a call
    order = np.argsort(p, kind="stable")
    out = np.empty(len(p))
    out[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(out, 1.0)


def who_is_better(p: pd.DataFrame, merit: pd.Series) -> str:
    """Write which systems are better than which: ``"D,E > A**"``.

    Parameters
    ----------
    p
        The p-values of the pairs, in the row of the better system and the column of the worse one;
        1 elsewhere.
    merit
        The merit of each system; systems are named in its order, the highest first.

    Returns
    -------
    str
        Phrases separated by semicolons: the better systems, the worse ones, and the stars of their
        difference.

    Examples
    --------
    >>> ranks = pd.Series({"A": 1.0, "D": 2.5, "E": 2.5})
    >>> p = [[1, 1, 1], [0.004, 1, 1], [0.001, 1, 1]]
    >>> who_is_better(pd.DataFrame(p, ranks.index, ranks.index), ranks)
    'D,E > A**'
    """
    order = merit.sort_values(ascending=False, kind="stable").index
    beaten: dict[tuple[str, str], list[str]] = {}
    for worse in reversed(order):
        for i, (limit, stars) in enumerate(STARS):
            low = STARS[i - 1][0] if i else -1.0
            better = [str(name) for name in order if low <= p.loc[name, worse] < limit]
            if better:
                beaten.setdefault((",".join(better), stars), []).append(str(worse))
    phrases = [f"{better} > {','.join(worse)}{stars}" for (better, stars), worse in beaten.items()]
    return "; ".join(phrases)


@checked(by=CLUSTER)
def anova(results: Results, by: Sequence[str] | Mapping[str, Any] | None = None) -> pd.DataFrame:
    r"""Test for each measure whether any systems differ, by two-way ANOVA.

    Systems and topics are the factors, with one value in each cell and no
    interaction. TOIS 2002, section 3.6, sets this test beside Friedman's,
    "provided that its assumptions on sampling and measurement distributions are
    met".

    With ``by``, each topic (session) belongs to one system, as in ECIR 2008
    (section 3.1), where each of two systems had 15 sessions of each of four
    scenarios. The factors are then systems and groups of sessions, with their
    interaction and type II sums of squares, so that cells may have different
    numbers of sessions. All sessions are taken as independent.

    Parameters
    ----------
    results
        As for :func:`friedman`; with ``by``, each topic has a value of one
        system.
    by
        What groups the topics: a column of the results, such as
        ``["scenario"]``, or a mapping from topics to groups.

    Returns
    -------
    pandas.DataFrame
        ``measure, F, df_systems, df_error, p``; NaN if there is no residual
        variance to compare with. With ``by``: ``measure, factor, F, df,
        df_error, p``; the factors are ``"system"``, the column (or
        ``"group"``), and their interaction, such as ``"system:scenario"``.
        Results of several collections have rows for each ``dataset`` and,
        called ``"mean"``, for the topics of all.

    Raises
    ------
    ValueError, ImportError
        As :func:`friedman`; with ``by``, also if a topic has values of several
        systems, or does not belong to exactly one group, or if there are not
        two groups with topics of all systems.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v * q % 7) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> anova(results).round(3)
      measure      F  df_systems  df_error      p
    0      CG  0.129           2        16  0.88

    The same values as those of sessions, each with one system, about two
    scenarios:

    >>> sessions = results.assign(qid=results["name"] + results["qid"])
    >>> sessions["scenario"] = ["first", "second", "second"] * 9
    >>> anova(sessions, by=["scenario"]).round(3)
      measure           factor      F  df  df_error      p
    0      CG           system  0.052   2        21  0.950
    1      CG         scenario  0.726   1        21  0.404
    2      CG  system:scenario  0.337   2        21  0.718
    """
    return TopicResults.read(results, by, "by").label(_anova)


def _anova(results: TopicResults) -> pd.DataFrame:
    """Return the ANOVA over the topics of one dataset, or of all."""
    if not results.grouping:
        rows = [(measure, *_by_topics(matrix)) for measure, matrix in results.matrices().items()]
        return pd.DataFrame(rows, columns=["measure", "F", "df_systems", "df_error", "p"])
    rows = [
        (measure, *row)
        for measure, matrix in results.matrices(paired=False).items()
        for row in _by_groups(measure, matrix, results)
    ]
    return pd.DataFrame(rows, columns=["measure", "factor", "F", "df", "df_error", "p"])


def _by_topics(matrix: pd.DataFrame) -> tuple[float, ...]:
    """Return F, its degrees of freedom and p of the factors system and topic."""
    from scipy.special import fdtrc

    values = matrix.to_numpy()
    values = np.ldexp(values, -np.frexp(np.abs(values).max())[1])  # F has no unit
    n, k = values.shape
    # sums of squares by hand: a model matrix of topics grows with their square
    between_systems = n * ((values.mean(axis=0) - values.mean()) ** 2).sum()
    error = residual_squares(values)
    between, within = k - 1, (n - 1) * (k - 1)
    ratio = (between_systems / between) / (error / within) if error else np.nan
    return ratio, between, within, fdtrc(between, within, ratio)


def _by_groups(
    measure: str, matrix: pd.DataFrame, results: TopicResults
) -> Iterator[tuple[Any, ...]]:
    """Yield the factors system, group and their interaction: F, its degrees of freedom and p."""
    from scipy.special import fdtrc

    row, system = np.nonzero(matrix.notna().to_numpy())
    values, qids = matrix.to_numpy()[row, system], matrix.index[row]
    if qids.has_duplicates:
        raise ValueError(
            f"{measure}: topic {qids[qids.duplicated()][0]!r} has values of several systems; by= "
            "is for systems with topics of their own"
        )
    factor = results.grouping
    group, named = pd.factorize(results.groups_of(qids, f"by={factor!r}"))
    system_columns, group_columns = np.eye(matrix.shape[1])[system], np.eye(len(named))[group]
    both = np.hstack([system_columns, group_columns])
    cells = (system_columns[:, :, None] * group_columns[:, None, :]).reshape(len(row), -1)
    squares, rank = _fit(cells, values)
    df_error = len(row) - rank
    varies = squares > ROUNDING**2 * (values**2).sum()
    if len(named) < 2 or _fit(both, values)[1] < both.shape[1] - 1:
        raise ValueError(f"{measure}: by={factor!r} needs two groups with sessions of all systems")
    names, without = ("system", factor, f"system:{factor}"), (group_columns, system_columns, both)
    for name, less, more in zip(names, without, (both, both, cells)):
        (left, few), (still_left, many) = _fit(less, values), _fit(more, values)
        df, gained = many - few, max(left - still_left, 0.0)
        ratio = (gained / df) / (squares / df_error) if df and varies else np.nan
        yield name, ratio, df, df_error, fdtrc(df, df_error, ratio)


def _fit(design: Floats, values: Floats) -> tuple[float, int]:
    """Return the sum of squares that a linear model leaves, and its rank."""
    weights, _, rank, _ = np.linalg.lstsq(design, values, rcond=None)
    return float(((values - design @ weights) ** 2).sum()), int(rank)


def residual_squares(values: Floats) -> float:
    """Return the sum of squares without the effects of systems (columns) and topics (rows)."""
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    squares = float((left**2).sum())
    rounding = ROUNDING**2 * float((values**2).sum())
    return 0.0 if squares <= rounding else squares


def average_ranks(results: Results) -> pd.DataFrame:
    """Return each system's average rank over topics, by measure; 1 is the best.

    Parameters
    ----------
    results
        As for :func:`friedman`. For means, which have no topics to average
        over, the ranks of the means are returned; average ranks over topics may
        order the systems differently.

    Returns
    -------
    pandas.DataFrame
        A row for each measure, a column for each system; ties share a mean
        rank. Results by topic of several collections have a row for each
        ``dataset`` and measure and, called ``"mean"``, for the topics of all.

    Raises
    ------
    ValueError
        As :func:`friedman`.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v) for s, v in zip("ABC", (1, 2, 2)) for q in range(3)]
    >>> average_ranks(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
          A    B    C
    CG  3.0  1.5  1.5
    """
    if not has_topics(results):
        return ranking(results).rank(ascending=False).T.rename_axis(columns=None)
    return TopicResults.read(results).label(_average_ranks, column=False)


def _average_ranks(results: TopicResults) -> pd.DataFrame:
    """Return the average ranks over the topics of one dataset, or of all."""
    from scipy.stats import rankdata

    matrices = results.matrices().items()
    ranks = {
        measure: rankdata(-equate(matrix), axis=1).mean(axis=0) for measure, matrix in matrices
    }
    return pd.DataFrame(ranks, index=results.names).T
