"""Grids of parameters: the same measures under many weightings, discounts, bases and cutoffs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import pandas as pd
from ir_measures import Measure

from pt_cumgain.core import DISCOUNTS
from pt_cumgain.hosts.ir_measures import ours
from pt_cumgain.inputs.arguments import parsed
from pt_cumgain.inputs.frames import require_columns

#: The weighting schemes of the papers, for relevance levels 0 to 3.
IPM2005 = {"w1": "0-1-1-1", "w3": "0-1-2-3", "w10": "0-1-5-10", "w100": "0-1-10-100"}
TOIS2002 = {"0-1-1-1": "0-1-1-1", "0-0-0-1": "0-0-0-1", "0-1-10-100": "0-1-10-100"}
SIGIR2000 = {"0-1-2-3": "0-1-2-3", "0-0-2-3": "0-0-2-3", "0-0-0-3": "0-0-0-3"}

#: The two users of TOIS 2002, section 4: ``DCG(**SCENARIOS["busy"])``.
SCENARIOS: dict[str, dict[str, Any]] = {
    "busy": {"cutoff": 30, "gains": "0-1-10-100", "discount": "original", "base": 2},
    "patient": {"cutoff": 200, "gains": "0-1-2-3", "discount": "original", "base": 10},
}


class Grid(list[Measure]):
    """Measures, with a short label for each; a list that ``pt.Experiment`` takes as it is.

    Attributes
    ----------
    labels
        The label of each measure, by the measure's text.
    """

    def __init__(self, labelled: Mapping[Measure, str]) -> None:
        super().__init__(labelled)
        self.labels = {str(measure): label for measure, label in labelled.items()}

    def rename(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return an Experiment's result with the labels in place of the measures' texts.

        Columns of means and of their tests are renamed, and so are the values of a column
        ``measure``. The columns of the measures come in the order of the grid.

        Parameters
        ----------
        results
            What ``pt.Experiment`` returned, means or ``perquery=True``.
        """
        require_columns(results, [], "results", "; pt.Experiment returns such a table")
        if "measure" in results:
            return results.assign(measure=results["measure"].replace(self.labels))
        names, order = {}, {}
        texts = list(self.labels)
        for column in results:
            text = next((t for t in texts if column == t or str(column).startswith(f"{t} ")), None)
            if text is not None:
                names[column] = self.labels[text] + str(column)[len(text) :]
                order[column] = texts.index(text)
        inside = iter(sorted(order, key=lambda column: (column not in texts, order[column])))
        columns = [next(inside) if column in order else column for column in results]
        return results[columns].rename(columns=names)


def grid(
    measures: Iterable[Measure | str] | Measure | str,
    *,
    gains: Mapping[str, Any] | Iterable[Any] | None = None,
    discounts: Iterable[str] | str | None = None,
    bases: Iterable[float] | float | None = None,
    cutoffs: Iterable[int] | int | None = None,
) -> Grid:
    """Return the measures under all combinations of weightings, discounts, bases and cutoffs.

    Parameters
    ----------
    measures
        Measures of this package, with any other parameters; also their text, or a single one.
    gains
        Weightings, by name or in a list; :data:`IPM2005`, :data:`TOIS2002` and :data:`SIGIR2000`
        are those of the papers.
    discounts, bases
        For measures that discount; a base is given to the discounts that have one, and makes no
        difference to the others, which are listed once.
    cutoffs
        Last ranks.

    Returns
    -------
    Grid
        A list of measures, each once. Its labels say what differs: ``"nDCG w100 b10 @100"``.

    Raises
    ------
    ValueError, TypeError
        If a parameter or a combination is not allowed, or a measure is not of this package.

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
    weightings = _named(gains)
    depths, kinds, logarithms = (_listed(given) for given in (cutoffs, discounts, bases))
    for name, given, values in (
        ("gains", gains, weightings),
        ("discounts", discounts, kinds),
        ("bases", bases, logarithms),
        ("cutoffs", cutoffs, depths),
    ):
        if given is not None and not values:
            raise ValueError(f"{name} is empty; leave it out")
    chosen = [_ours(measure) for measure in parsed(measures)]
    if not chosen:
        raise ValueError("there is no measure to make a grid of")
    if logarithms and not any(_takes_base(m, kind) for m in chosen for kind in kinds or [None]):
        having = ", ".join(name for name, d in DISCOUNTS.items() if d.takes_base)
        raise ValueError(
            f"bases={logarithms}: none of the discounts has a base; these have one: {having}"
        )
    labelled: dict[Measure, str] = {}
    none: list[Any] = [None]
    for measure, (name, weighting), kind, base, depth in product(
        chosen, weightings or [(None, None)], kinds or none, logarithms or none, depths or none
    ):
        params: dict[str, Any] = {}
        label = [_label(measure, chosen, cut=bool(depths))]
        if name is not None:
            params["gains"] = weighting
            label += [name] if len(weightings) > 1 else []
        if "discount" in measure.SUPPORTED_PARAMS:
            if kind is not None:
                params["discount"] = kind
                label += [kind] if len(kinds) > 1 else []
            if base is not None and _takes_base(measure, kind):
                params["base"] = base
                label += [f"b{base}"] if len(logarithms) > 1 else []
        if depth is not None:
            params["cutoff"] = depth
            label += [f"@{depth}"] if len(depths) > 1 else []
        labelled.setdefault(measure(**params), " ".join(label))
    return Grid(labelled)


def _named(gains: Mapping[str, Any] | Iterable[Any] | None) -> list[tuple[Any, Any]]:
    if gains is None:
        return []
    if isinstance(gains, str):
        gains = [gains]
    if isinstance(gains, Mapping):
        if any(not isinstance(name, str) for name in gains):
            raise TypeError(
                f"gains={gains!r}: give weightings by name, or a list of them; a single mapping of "
                "levels goes into a list"
            )
        return list(gains.items())
    return [(str(weighting), weighting) for weighting in gains]


def _ours(measure: Measure) -> Any:
    mine = ours(measure)
    if mine is None:
        raise ValueError(
            f"{measure} is not a measure of this package, and does not have the parameters of a "
            "grid"
        )
    return mine


def _listed(given: Any) -> list[Any]:
    """Return a parameter's values, or its single value, as a list."""
    if given is None:
        return []
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _takes_base(measure: Any, kind: str | None) -> bool:
    """Tell whether a measure's discount, or the one it is given, has a base."""
    if "discount" not in measure.SUPPORTED_PARAMS:
        return False
    used = kind or measure["discount"]
    return used in DISCOUNTS and DISCOUNTS[used].takes_base


def _label(measure: Any, all_measures: list[Any], *, cut: bool) -> str:
    """Return the measure's name, or its whole text if another one has the same name.

    With ``cut`` the grid gives the cutoffs, so the measure's own is left out of its text.
    """

    def text(m: Any) -> str:
        return str(m(cutoff=1)).rpartition("@")[0] if cut else str(m)

    same = {text(other) for other in all_measures if other.__name__ == measure.__name__}
    return text(measure) if len(same) > 1 else str(measure.__name__)
