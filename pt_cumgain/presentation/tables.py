"""Tables that go into a paper: measures by systems, like table 2 of TOIS 2002."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from pt_cumgain.analysis.comparison import friedman
from pt_cumgain.analysis.results import RESULTS
from pt_cumgain.inputs.frames import require_columns

_LATEX = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    ">": "$>$",
    "<": "$<$",
}

_BOLD, _MARKED = "Best of a row in bold", "Best of a row: *"


@dataclass(frozen=True)
class PaperTable:
    """A table of measures by systems; made by :func:`paper_table`.

    Attributes
    ----------
    means
        The means, a row for each measure, a column for each system.
    tests
        What :func:`pt_cumgain.friedman` returned, by measure. None without a test.
    places
        Decimal places.
    note
        What the marks mean.
    """

    means: pd.DataFrame
    tests: pd.DataFrame | None
    places: int
    note: str

    @property
    def significance(self) -> pd.Series | None:
        """What the test says, by measure: ``"D,E > A**"``. None without a test."""
        return None if self.tests is None else self.tests["reading"]

    def to_frame(self) -> pd.DataFrame:
        """Return the table as text: rounded means, the best of each row marked ``*``."""
        return self._texts(lambda text, best: f"{text}*" if best else text)

    def to_markdown(self) -> str:
        """Return the table in Markdown, the best of each row in bold."""
        table = self._texts(lambda text, best: f"**{text}**" if best else text, _markdown)
        rows = [["", *map(_markdown, table.columns)], ["---", *["---:"] * len(self.means.columns)]]
        if self.significance is not None:
            rows[1].append("---")
        rows += [[_markdown(label), *cells] for label, *cells in table.itertuples()]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows) + f"\n\n{_markdown(self.note)}\n"

    def to_latex(self) -> str:
        """Return the table in LaTeX (package booktabs), the best of each row in bold."""
        table = self._texts(lambda text, best: rf"\textbf{{{text}}}" if best else text, _latex)
        kinds = "l" + "r" * len(self.means.columns) + "l" * (self.significance is not None)
        lines = [
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            " & ".join(["", *map(_latex, table.columns)]) + r" \\",
            r"\midrule",
            *(" & ".join([_latex(label), *cells]) + r" \\" for label, *cells in table.itertuples()),
            r"\bottomrule",
            r"\end{tabular}",
            f"% {self.note}",
        ]
        return "\n".join(lines) + "\n"

    def to_text(self) -> str:
        """Return the table as plain text, the best of each row marked ``*``."""
        return f"{self.to_frame().to_string()}\n{self.note.replace(_BOLD, _MARKED)}\n"

    __str__ = to_text

    def _texts(
        self, mark: Callable[[str, bool], str], escape: Callable[[object], str] = str
    ) -> pd.DataFrame:
        texts = self.means.map(lambda mean: f"{mean:.{self.places}f}")
        numbers = texts.astype(float)  # the best of the printed numbers are marked
        best = numbers.eq(numbers.max(axis=1), axis=0)
        columns = {
            name: [
                mark(text.lstrip("-") if not number else text, top)
                for text, number, top in zip(texts[name], numbers[name], best[name])
            ]
            for name in self.means
        }
        table = pd.DataFrame(columns, index=self.means.index)
        if self.significance is not None:
            table["significance"] = [escape(text) for text in self.significance]
        return table


def _markdown(text: object) -> str:
    return re.sub(r"([*_|`\\])", r"\\\1", str(text))


def _latex(text: object) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in str(text))


def paper_table(
    results: pd.DataFrame,
    *,
    labels: Mapping[str, str] | None = None,
    places: int = 3,
    test: bool = True,
    correction: str | None = "holm",
) -> PaperTable:
    r"""Return a table of measures by systems, with Friedman's test in the papers' notation.

    With measures that have ``avg_pos=True`` it is table 2 of TOIS 2002: averages of n(D)CG vectors,
    and which runs are significantly better than which.

    Parameters
    ----------
    results
        ``name, qid, measure, value``: what ``pt.Experiment(..., perquery=True)`` returns.
    labels
        Names of the rows, by the measures' texts, such as ``grid(...).labels``; other rows
        keep their text.
    places
        Decimal places. Systems that are equal to this many places share the mark of the best.
    test
        Whether to test; see :func:`pt_cumgain.friedman`. Without a test, the extra ``stats`` is not
        needed.
    correction
        How the p-values of the pairs are corrected; see :func:`pt_cumgain.friedman`.

    Returns
    -------
    PaperTable
        With ``to_frame()``, ``to_markdown()``, ``to_latex()`` (booktabs).

    Raises
    ------
    ValueError
        If a column is missing, the results are empty, or a test cannot be made.

    Examples
    --------
    >>> rows = [(s, str(q), "CG", v + q % 3) for s, v in zip("ABC", (1, 2, 4)) for q in range(9)]
    >>> results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(paper_table(results, labels={"CG": "gain"}, places=1).to_markdown(), end="")
    |  | A | B | C | significance |
    | --- | ---: | ---: | ---: | --- |
    | gain | 2.0 | 3.0 | **5.0** | C,B > A\*\*; C > B\*\* |
    <BLANKLINE>
    Best of a row in bold; \*\* p < 0.01, \* p < 0.05 (Friedman, pairs after Conover, holm).
    """
    require_columns(results, RESULTS, "results")
    if not len(results):
        raise ValueError("there are no results to make a table of")
    if places < 0:
        raise ValueError(f"places={places} must be 0 or more")
    results = results.assign(measure=results["measure"].map(str))
    if "significance" in set(results["name"]):
        raise ValueError(
            "a system is called 'significance', as the table's last column is; rename it"
        )
    tests, note = None, f"{_BOLD}."
    if test:
        tests = friedman(results, correction=correction).set_index("measure")
        which = (
            "Wilcoxon" if (tests["test"] == "Wilcoxon").any() else "Friedman, pairs after Conover"
        )
        if which.startswith("Friedman") and correction is not None:
            which += f", {correction}"
        note = f"{_BOLD}; ** p < 0.01, * p < 0.05 ({which})."
    means = results.groupby(["measure", "name"])["value"].mean().unstack()
    means = means.loc[results["measure"].unique(), results["name"].unique()]
    means = means.rename_axis(index=None, columns=None)
    if tests is not None:
        tests = tests.loc[means.index]
    if labels is not None:
        means = means.rename(index=dict(labels))
        if not means.index.is_unique:
            twice = means.index[means.index.duplicated()][0]
            raise ValueError(f"labels: two measures are called {twice!r}")
        if tests is not None:
            tests.index = means.index
    return PaperTable(means, tests, places, note)
