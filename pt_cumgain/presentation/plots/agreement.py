"""How the labels of judges agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pt_cumgain.analysis.judges.agreement import JudgeAgreement
from pt_cumgain.options import checked
from pt_cumgain.presentation.plots.panels import PanelOptions, Panels

if TYPE_CHECKING:
    from typing_extensions import Unpack


@checked
def plot_agreement(agreement: JudgeAgreement, **options: Unpack[PanelOptions]) -> Any:
    """Draw which labels judges give to documents with each label of the reference.

    A panel for each judge: a row for each label of the reference, with the
    share of its documents that have each of the judge's labels in colours, and
    their number where it fits. A judge that agrees has a dark diagonal.

    Parameters
    ----------
    agreement
        The result of :func:`pt_cumgain.judges.judge_agreement`.
    columns, figsize, ax, titles, xlabel, ylabel
        As for :func:`pt_cumgain.plots.plot_curves`; titles are those of judges.

    Returns
    -------
    matplotlib.figure.Figure
        Or ``ax``, as :func:`pt_cumgain.plots.plot_curves`.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    TypeError
        If it is not such an agreement.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_cumgain.judges import judge_agreement
    >>> columns = ["qid", "docno", "label"]
    >>> people = pd.DataFrame([("1", d, i // 2) for i, d in enumerate("abcd")], columns=columns)
    >>> qrels = {"people": people, "model": people.assign(label=[0, 1, 1, 1])}
    >>> figure = plot_agreement(judge_agreement(qrels))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1', '1', '2']
    """
    if not isinstance(agreement, JudgeAgreement):
        kind = type(agreement).__name__
        raise TypeError(f"agreement must be a result of judge_agreement, not {kind}")
    panels = Panels(list(agreement.tables), size=(2.4, 2.3), **options)
    used = {label for table in agreement.tables.values() for label in (*table.index, *table)}
    labels = sorted(used, key=lambda label: (label == "unjudged", label))
    x = "label by the judge\n(shades: shares of rows)"
    for axes, (judge, table) in zip(panels.axes, agreement.tables.items()):
        counts = table.reindex(index=labels, columns=labels, fill_value=0).to_numpy()
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        panels.hide_frame(axes)
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(labels)), labels)
        axes.set_yticks(range(len(labels)), labels)
        panels.label(axes, judge, x, f"label by {agreement.reference}")
        letters = panels.letters(0.8 * panels.width / len(labels), panels.small - 1)
        for i, j in np.argwhere(counts):
            text = axes.text(j, i, f"{counts[i, j]}" * (len(f"{counts[i, j]}") <= letters))
            colour = "white" if shares[i, j] > 0.6 else "black"
            text.set(ha="center", va="center", fontsize=panels.small - 1, color=colour)
    return panels.finish()
