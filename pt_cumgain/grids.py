"""Grids of parameters: the same measures under many weightings, discounts, bases and cutoffs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import pandas as pd
from ir_measures import Measure

from pt_cumgain.core import DISCOUNTS
from pt_cumgain.environment.terminal import show
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.measures import CumulatedGain, split_cutoff
from pt_cumgain.options import checked


class Grid(list[Measure]):
    """A list of measures, each with a short label; ``pt.Experiment`` takes it as it is.

    Attributes
    ----------
    labels
        The label of each measure, by the measure's text.
    """

    def __init__(self, labelled: Mapping[Measure, str]) -> None:
        super().__init__(labelled)
        self.labels = {str(measure): label for measure, label in labelled.items()}

    def rename(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return results with the labels in place of the measures' texts.

        Rows and columns keep their order. What is not a measure of the grid keeps its name.

        Parameters
        ----------
        results
            A frame with a column ``measure``, and perhaps ``other_measure``:
            results by topic, intervals, comparisons, parts by level. Or a frame
            with a column for each measure, such as means and their tests, and
            perhaps a row for each, as in rank correlations.

            A curve's measure has no cutoff. To rename curves, use a grid
            without cutoffs.

        Raises
        ------
        TypeError
            If ``results`` is not a data frame.

        Examples
        --------
        >>> from pt_cumgain import CG
        >>> schemes = grid(CG, gains={"w1": "0-1-1-1", "w100": "0-1-10-100"}, cutoffs=5)
        >>> means = {"measure": ["CG(gains='0-1-1-1')@5", "AP"], "mean": [0.5, 0.3]}
        >>> schemes.rename(pd.DataFrame(means))
          measure  mean
        0   CG w1   0.5
        1      AP   0.3
        """
        require_columns(results, [], "results", "; pt.Experiment returns such a table")
        columns = [name for name in ("measure", "other_measure") if name in results]
        if columns:
            return results.assign(**{name: results[name].map(self._rename) for name in columns})
        return results.rename(columns=self._rename, index=self._rename)

    def _rename(self, name: object) -> object:
        """Return the label of a measure, or of a measure with the name of its test after it."""
        text, space, test = str(name).partition(" ")
        if text not in self.labels:
            return name
        return f"{self.labels[text]}{space}{test}"


@checked
def grid(
    measures: Measures,
    *,
    gains: Mapping[str, object] | Iterable[object] | None = None,
    discounts: Iterable[str] | str | None = None,
    bases: Iterable[float] | float | None = None,
    cutoffs: Iterable[int] | int | None = None,
) -> Grid:
    """Combine measures with weightings, discounts, bases and cutoffs.

    Parameters
    ----------
    measures
        Measures of this package, with any other parameters, as objects or text,
        one or several.
    gains
        Weightings, by name or in a list; ``pt_cumgain.papers`` has those of the
        papers.
    discounts, bases
        For measures with a discount. Bases are combined only with the discounts
        that have a base; the other discounts appear once.
    cutoffs
        Last ranks.

    Returns
    -------
    Grid
        A list of measures, each once. Its labels show the parameters that
        differ: ``"nDCG w100 b10 @100"``.

    Raises
    ------
    ValueError, TypeError
        If a parameter or a combination is not allowed, or a measure is not of
        this package.

    Examples
    --------
    >>> from pt_cumgain import CG, nDCG
    >>> schemes = {"w1": "0-1-1-1", "w100": "0-1-10-100"}
    >>> discounted = {"discounts": ["original"], "bases": [2, 10]}
    >>> measures = grid([CG, nDCG], gains=schemes, cutoffs=[100], **discounted)
    >>> len(measures), measures[-1]
    (6, nDCG(gains='0-1-10-100',discount='original',base=10)@100)
    >>> list(measures.labels.values())
    ['CG w1', 'CG w100', 'nDCG w1 b2', 'nDCG w1 b10', 'nDCG w100 b2', 'nDCG w100 b10']
    """
    kinds, logarithms = _list_values("discounts", discounts), _list_values("bases", bases)
    axes: dict[str, list[tuple[str | None, object]]] = {
        "gains": _name_gains(gains),
        "discount": [(kind, kind) for kind in kinds],
        "base": [(f"b{base}", base) for base in logarithms],
        "cutoff": [(f"@{depth}", depth) for depth in _list_values("cutoffs", cutoffs)],
    }
    lacks = "is not a measure of this package, and does not have the parameters of a grid"
    chosen = read_measures(measures, lambda measure: lacks if measure is None else "")
    if logarithms and not any(_takes_base(m, kind) for m in chosen for kind in kinds or [None]):
        having = ", ".join(name for name, d in DISCOUNTS.items() if d.takes_base)
        raise ValueError(
            f"bases={logarithms}: none of the discounts has a base; these have one: {having}"
        )
    labelled: dict[Measure, str] = {}
    choices = product(*(values or [(None, None)] for values in axes.values()))
    for measure, chosen_values in product(chosen, list(choices)):
        params: dict[str, object] = {}
        label = [_label(measure, chosen, cut=bool(axes["cutoff"]))]
        for (param, values), (name, value) in zip(axes.items(), chosen_values):
            applies = param != "discount" or "discount" in measure.SUPPORTED_PARAMS
            if param == "base":
                applies = _takes_base(measure, params.get("discount"))
            if name is not None and applies:
                params[param] = value
                label += [name] if len(values) > 1 else []
        labelled.setdefault(measure(**params), " ".join(label))
    return Grid(labelled)


def _name_gains(gains: object) -> list[tuple[str | None, object]]:
    if not isinstance(gains, Mapping):
        return [(str(weighting), weighting) for weighting in _list_values("gains", gains)]
    if any(not isinstance(name, str) for name in gains):
        raise TypeError(
            f"gains={show(gains)}: give weightings by name, or a list of them; a single mapping of "
            "levels goes into a list"
        )
    return _list_values("gains", gains.items())


def _list_values(name: str, values: object) -> list[Any]:
    """Return a parameter's values, or its single value, as a list."""
    if values is None:
        return []
    listed = as_list(values)
    if not listed:
        raise ValueError(f"{name} is empty; omit it")
    return listed


def _takes_base(measure: CumulatedGain, kind: object) -> bool:
    """Return whether the discount, by default the measure's own, has a base."""
    if "discount" not in measure.SUPPORTED_PARAMS:
        return False
    used = measure["discount"] if kind is None else kind
    return isinstance(used, str) and used in DISCOUNTS and DISCOUNTS[used].takes_base


def _label(measure: CumulatedGain, all_measures: list[CumulatedGain], *, cut: bool) -> str:
    """Return the measure's name, or its whole text if another one has the same name.

    With ``cut`` the grid sets the cutoffs, so the measure's own is left out of its text.
    """

    def text(m: CumulatedGain) -> str:
        return split_cutoff(str(m))[0] if cut else str(m)

    same = {text(other) for other in all_measures if other.__name__ == measure.__name__}
    return text(measure) if len(same) > 1 else str(measure.__name__)
