"""Grids of parameters: the same measures under many weightings, discounts, bases and cutoffs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import pandas as pd
from ir_measures import Measure

from pt_cumgain.core import DISCOUNTS
from pt_cumgain.inputs.frames import require_columns
from pt_cumgain.inputs.lists import as_list
from pt_cumgain.inputs.measures import Measures, read_measures
from pt_cumgain.measures import split_cutoff


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

        Anything that is not a measure of the grid keeps its name.

        Parameters
        ----------
        results
            A frame with a column ``measure`` (and perhaps ``other_measure``): results by topic,
            curves, intervals, comparisons, parts by level, ... Rows keep their order, and
            Categoricals that of their categories. Or a frame with a column for each measure, such
            as means and their tests: the columns then come in the order of the grid, and so do rows
            that are labelled by measure, as in rank correlations and average ranks.

            A curve's measure has no cutoff, so measures of the grid that differ only in their
            cutoffs share its label, which has no cutoff either: ``"nDCG w100"`` for ``"nDCG w100
            @5"`` and ``"nDCG w100 @10"``.

        Raises
        ------
        ValueError
            If the frame has no measure of the grid, a label is the name of something else in it,
            or measures that share a curve have different labels.

        Examples
        --------
        >>> from pt_cumgain import CG
        >>> schemes = grid(CG, gains={"w1": "0-1-1-1", "w100": "0-1-10-100"}, cutoffs=[5])
        >>> curve = pd.DataFrame({"measure": ["CG(gains='0-1-1-1')"], "rank": 1, "value": 0.5})
        >>> schemes.rename(curve)
          measure  rank  value
        0   CG w1     1    0.5
        """
        require_columns(results, [], "results", "; pt.Experiment returns such a table")
        known = self._of_curves() if "rank" in results else {}
        known |= {text: [label] for text, label in self.labels.items()}
        columns = [name for name in ("measure", "other_measure") if name in results]
        axes: list[Any] = [pd.Categorical(results[name]).categories for name in columns]
        if not columns:
            rows = results.index
            axes = [() if isinstance(rows, pd.RangeIndex) else rows, results.columns]
        names = [_names(axis, known) for axis in axes]
        if not any(names):
            everything = [str(name) for axis in axes for name in axis]
            empty = columns and not everything
            if empty or not set(self.labels.values()).isdisjoint(everything):
                return results  # there is nothing to rename, or it is renamed already
            raise ValueError(
                f"results: no measure of the grid is among {everything}; a frame has a column "
                "'measure', or the measures as columns"
            )
        if columns:
            every = [{n: n for n in axis} | labels for axis, labels in zip(axes, names)]
            return results.assign(**{c: results[c].map(new) for c, new in zip(columns, every)})
        row_names, column_names = names
        texts = list(self.labels)
        in_order = results.iloc[:, _in_order(results.columns, column_names, texts)]
        if row_names:
            in_order = in_order.iloc[_in_order(results.index, row_names, texts)]
        return in_order.rename(index=row_names, columns=column_names)

    def _of_curves(self) -> dict[str, list[str]]:
        """Return the labels of curves, whose measures have no cutoffs."""
        by_text: dict[str, list[str]] = {}
        for measure, label in self.labels.items():
            text, cutoff = split_cutoff(measure)
            labels = by_text.setdefault(text, [])
            labels += {label.removesuffix(f" @{cutoff}")}.difference(labels)
        return by_text


def _names(axis: Iterable[Any], known: dict[str, list[str]]) -> dict[Any, str]:
    """Return the labels of the names that are known, or begin with one that is."""
    names: dict[Any, str] = {}
    distinct = list(dict.fromkeys(axis))
    for name in distinct:
        text, space, rest = str(name).partition(" ")
        if labels := known.get(text):
            if len(labels) > 1:
                raise ValueError(
                    f"results: the curve {text} has no cutoff, and the grid has several labels for "
                    f"it: {', '.join(labels)}"
                )
            names[name] = f"{labels[0]}{space}{rest}"
    new = [names.get(name, name) for name in distinct]
    if twice := [name for name in names.values() if new.count(name) > 1]:
        raise ValueError(
            f"results: {twice[0]!r} would be the name of two things; give the measures of the grid "
            "other labels"
        )
    return names


def _in_order(axis: pd.Index, names: dict[Any, str], texts: list[str]) -> list[int]:
    """Return the places of an axis with its measures in the grid's order, the rest unmoved.

    Other columns of a measure, such as its p-values, come after all measures.
    """
    place = {n: (" " in str(n), texts.index(str(n).partition(" ")[0])) for n in names}
    mine = [i for i, name in enumerate(axis) if name in names]
    inside = iter(sorted(mine, key=lambda i: place[axis[i]]))
    return [next(inside) if name in names else i for i, name in enumerate(axis)]


def grid(
    measures: Measures,
    *,
    gains: Mapping[str, Any] | Iterable[Any] | None = None,
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
    kinds, logarithms = _listed("discounts", discounts), _listed("bases", bases)
    axes: dict[str, list[tuple[str | None, Any]]] = {
        "gains": _named(gains),
        "discount": [(kind, kind) for kind in kinds],
        "base": [(f"b{base}", base) for base in logarithms],
        "cutoff": [(f"@{depth}", depth) for depth in _listed("cutoffs", cutoffs)],
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
        params: dict[str, Any] = {}
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


def _named(gains: Mapping[str, Any] | Iterable[Any] | None) -> list[tuple[Any, Any]]:
    if not isinstance(gains, Mapping):
        return [(str(weighting), weighting) for weighting in _listed("gains", gains)]
    if any(not isinstance(name, str) for name in gains):
        raise TypeError(
            f"gains={gains!r}: give weightings by name, or a list of them; a single mapping of "
            "levels goes into a list"
        )
    return _listed("gains", gains.items())


def _listed(name: str, values: Any) -> list[Any]:
    """Return a parameter's values, or its single value, as a list."""
    if values is None:
        return []
    listed = as_list(values)
    if not listed:
        raise ValueError(f"{name} is empty; leave it out")
    return listed


def _takes_base(measure: Any, kind: str | None) -> bool:
    """Return whether the discount, by default the measure's own, has a base."""
    if "discount" not in measure.SUPPORTED_PARAMS:
        return False
    used = measure["discount"] if kind is None else kind
    return isinstance(used, str) and used in DISCOUNTS and DISCOUNTS[used].takes_base


def _label(measure: Any, all_measures: list[Any], *, cut: bool) -> str:
    """Return the measure's name, or its whole text if another one has the same name.

    With ``cut`` the grid sets the cutoffs, so the measure's own is left out of its text.
    """

    def text(m: Any) -> str:
        return split_cutoff(str(m))[0] if cut else str(m)

    same = {text(other) for other in all_measures if other.__name__ == measure.__name__}
    return text(measure) if len(same) > 1 else str(measure.__name__)
