"""A value is the same to the last bit whatever else is asked.

Expected: the value that the measure has alone, in one batch. That it is right is tested elsewhere,
against the slow reference. Session measures are in test_session_values.py.
"""

from collections.abc import Sequence
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pt_cumgain import gain_curves
from pt_cumgain.engine import Engine
from pt_cumgain.inputs.reading import read_qrels, read_run
from pt_cumgain.measures import MEASURES, CumulatedGain
from tests.support.strategies import DOCS, ORDINARY, QRELS, SCORES, TOPICS, by_topic, parameters

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random data is the subject


def values(measures: Sequence[CumulatedGain], qrels: dict, *parts: dict) -> dict:
    """The values of each measure by topic; the run is judged part by part."""
    engine = Engine(list(dict.fromkeys(measures)), read_qrels(qrels), warn_for=[])
    rows = engine.join([engine.judge(read_run(part)) for part in parts]).values()
    return dict(zip(engine.measures, rows.tolist(), strict=True))


#: Of three gains or more, the sum depends on the order: the judged documents at ranks 1, 3, 4, ...
LABELS = {doc: 1 + i % 3 for i, doc in enumerate(sorted(DOCS, reverse=True)) if i != 1}
LEVEL_RUN = dict.fromkeys(DOCS, 1.0)


@given(
    qrels=QRELS,
    run=by_topic(SCORES),
    chosen=parameters(ORDINARY),
    others=st.lists(parameters(ORDINARY), max_size=3),
    cutoffs=st.lists(st.integers(1, 25), max_size=3),
    first=st.sets(TOPICS),
)
@example(
    qrels={"q1": LABELS, "9": LABELS},
    run={"q1": LEVEL_RUN, "9": LEVEL_RUN},
    chosen=("nDCG", {"cutoff": 14}),
    others=[("DCG", {"avg_pos": True, "cutoff": 3}), ("nDCG", {"at_r": True})],
    cutoffs=[2, 3, 7],
    first={"q1"},
)
def test_a_value_does_not_depend_on_what_else_is_asked(
    qrels, run, chosen, others, cutoffs, first
) -> None:
    name, params = chosen
    measure = MEASURES[name](**params)
    alone = values([measure], qrels, run)[measure]
    free = {key: value for key, value in params.items() if key not in ("cutoff", "at_r")}
    beside = [MEASURES[other](**theirs) for other, theirs in others]
    beside += [MEASURES[name](**{**free, "cutoff": k}) for k in cutoffs]
    assert values([*beside, measure], qrels, run)[measure] == alone
    parts = [{topic: run[topic] for topic in run if (topic in first) == here} for here in (0, 1)]
    assert values([measure], qrels, *parts)[measure] == alone
    with mock.patch("pt_cumgain.engine.vectors.BATCH", 1):
        assert values([measure, *beside], qrels, *parts)[measure] == alone
    if params.get("at_r") or not any(run.get(topic) for topic in qrels):
        return
    rank = params.get("cutoff", 30)
    curves = gain_curves([run], None, qrels, measure, max([rank, *cutoffs]), perquery=True)
    assert curves.loc[curves["rank"] == rank, "value"].tolist() == alone
