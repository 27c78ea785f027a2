"""The tables of labels as heat maps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import plots
from pt_cumgain.judges import judge_agreement
from tests.support.helpers import slow
from tests.support.presentation.drawn import no_overlap

pytestmark = pytest.mark.usefixtures("figures")


def qrels(labels: list[float]) -> pd.DataFrame:
    frame = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(len(labels))]})
    return frame.assign(label=labels).dropna()


def test_panels_show_the_shares_of_each_row_and_the_numbers() -> None:
    """Counted by hand; all panels have all labels, so that the diagonal is straight."""
    given = {
        "people": qrels([0, 0, 0, 1, 2]),
        "model": qrels([0, 0, 1, 5, 2]),
        "other": qrels([0, 1, 0, 1, np.nan]),
    }
    figure = plots.plot_agreement(judge_agreement(given))
    labels = ["0", "1", "2", "5", "unjudged"]
    for axes, judge in zip(figure.axes, ("model", "other"), strict=True):
        assert axes.get_title() == judge
        assert [text.get_text() for text in axes.get_xticklabels()] == labels
        assert [text.get_text() for text in axes.get_yticklabels()] == labels
        assert axes.images[0].get_clim() == (0, 1)
    shares = figure.axes[0].images[0].get_array()
    assert shares[:3, :4].tolist() == [[2 / 3, 1 / 3, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    assert [text.get_text() for text in figure.axes[0].texts] == ["2", "1", "1", "1"]
    assert figure.axes[1].texts[-1].get_position() == (4, 2)  # the document without a judgment
    assert figure.axes[0].get_ylabel() == "label by people"
    no_overlap(figure)


@pytest.mark.parametrize("count", [1, 5, *slow(33)])
def test_many_judges_with_long_names_do_not_overlap(count: int) -> None:
    draws = np.random.default_rng(1)
    given = {"people": qrels(draws.integers(0, 4, 5000).tolist())}
    for i in range(count):
        given[f"a-language-model-{i} with a prompt"] = qrels(draws.integers(0, 4, 5000).tolist())
    no_overlap(plots.plot_agreement(judge_agreement(given)))


def test_other_things_are_refused_in_words() -> None:
    with pytest.raises(TypeError, match="agreement must be a result of judge_agreement, not dict"):
        plots.plot_agreement({})
