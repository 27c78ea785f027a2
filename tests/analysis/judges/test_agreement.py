"""Agreement of labels against other programs, a slow reference, and a published example."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from pt_cumgain.analysis.judges import agreement as judges_agreement
from pt_cumgain.inputs.formats import trec
from pt_cumgain.judges import judge_agreement
from pt_cumgain.papers import recall_bases

X = float("nan")


def qrels(labels: list[float], topics: int = 1, **columns: object) -> pd.DataFrame:
    """Labels of documents 0, 1, ...; NaN is not judged."""
    rows = [
        (str(i % topics), f"d{i}", label) for i, label in enumerate(labels) if not np.isnan(label)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"]).assign(**columns)


def test_alpha_of_krippendorffs_example() -> None:
    """Krippendorff, Computing Krippendorff's alpha-reliability (2011), example D: ordinal .815."""
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, X, X, X],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, X, 3],
        [X, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, X],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, X],
    ]
    agreement = judge_agreement({f"observer {i}": qrels(row) for i, row in enumerate(observers)})
    assert round(agreement.alpha, 3) == 0.815


def alpha_slowly(labels: list[list[float]]) -> float:
    """1 - observed / expected disagreement, over pairs of labels, as Krippendorff defines it."""
    units = [[x for x in row if not np.isnan(x)] for row in labels]
    pairable = [x for unit in units if len(unit) > 1 for x in unit]
    sizes = {level: pairable.count(level) for level in set(pairable)}

    def distance(a: float, b: float) -> float:
        a, b = sorted([a, b])
        return (sum(n for x, n in sizes.items() if a <= x <= b) - (sizes[a] + sizes[b]) / 2) ** 2

    observed = expected = 0.0
    for unit in units:
        for i, a in enumerate(unit):
            for j, b in enumerate(unit):
                if i != j:
                    observed += distance(a, b) / (len(unit) - 1)
    for i, a in enumerate(pairable):
        for j, b in enumerate(pairable):
            if i != j:
                expected += distance(a, b) / (len(pairable) - 1)
    return 1 - observed / expected if expected else X


@given(
    st.lists(
        st.lists(st.sampled_from([X, -1, 0, 1, 2, 5]), min_size=3, max_size=3),
        min_size=2,
        max_size=12,
    )
)
def test_alpha_equals_its_definition(labels) -> None:
    expected = alpha_slowly(labels)
    found = judges_agreement._compute_alpha(np.array(labels, dtype=float))
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.slow
def test_all_judges_of_llmjudge_equal_other_programs(data: Path) -> None:
    """Expected: scikit-learn's kappas; alpha of krippendorff 0.9.0 (ordinal, all 34 judges)."""
    folder = data / "llmjudge"
    paths = {"human": folder / "human.qrels"}
    paths |= {path.name: path for path in sorted((folder / "judges").iterdir())}
    agreement = judge_agreement(paths)
    labels = {name: trec.read_qrels(path) for name, path in paths.items()}
    human = labels.pop("human")
    assert agreement.judges["judge"].tolist() == list(labels)
    assert agreement.alpha == pytest.approx(0.5268923016996268, abs=1e-12)
    for row in agreement.judges.to_dict("records"):
        both = human.merge(labels[row["judge"]], on=["query_id", "doc_id"])
        one, two = both["relevance_x"], both["relevance_y"]
        kappas = [cohen_kappa_score(one, two, weights=w) for w in (None, "quadratic")]
        assert [row["kappa"], row["weighted_kappa"]] == pytest.approx(kappas, abs=1e-12)
        assert (row["documents"], row["equal"]) == (len(both), pytest.approx((one == two).mean()))
        assert row["mean_difference"] == pytest.approx((two - one).mean(), abs=1e-12)
        assert row["only_judge"] == tuple(sorted(set(two) - set(one)))
        assert row["only_reference"] == tuple(sorted(set(one) - set(two)))
        levels = agreement.levels[agreement.levels["judge"] == row["judge"]].set_index("level")
        assert levels["documents"].to_dict() == one.value_counts().to_dict()
        means = (two - one).groupby(one).mean().to_dict()
        assert levels["mean_difference"].to_dict() == pytest.approx(means)
    off_scale = agreement.judges.loc[agreement.judges["only_judge"] != (), "only_judge"]
    assert sorted(off_scale) == [(5,), (10,)]


def test_documents_and_topics_that_one_judge_misses_do_not_count() -> None:
    one, two = qrels([0, 1, 2, 3, X, 1], topics=2), qrels([0, 2, X, 3, 1, X], topics=2)
    agreement = judge_agreement({"one": one, "two": two})
    row = agreement.judges.iloc[0]
    assert (row["documents"], row["equal"], row["mean_difference"]) == (3, 2 / 3, 1 / 3)
    pd.testing.assert_frame_equal(agreement.tables["two"], recall_bases(one, two))
    assert agreement.tables["two"].loc["unjudged", 1] == 1


def test_labels_of_one_judge_alone_are_those_of_all_its_judgments() -> None:
    """People gave 3, and the model 5, to documents that the other has not judged."""
    people, model = qrels([0, 1, 2, 3, X, 4]), qrels([0, 1, 3, X, 5, 2])
    row = judge_agreement({"people": people, "model": model}).judges.iloc[0]
    assert (row["only_reference"], row["only_judge"]) == ((4,), (5,))


@pytest.mark.slow
def test_intervals_of_kappa_on_llmjudge_equal_other_programs(data: Path) -> None:
    """Expected: scikit-learn's kappas of the topics that scipy's bootstrap draws."""
    folder = data / "llmjudge"
    paths = {
        "human": folder / "human.qrels",
        "umbrela": folder / "judges" / "willia-umbrela1.qrels.gz",
    }
    chosen = {"confidence": 0.9, "resamples": 40, "seed": 3}
    row = judge_agreement(paths, **chosen).judges.iloc[0]
    human, umbrela = (trec.read_qrels(path) for path in paths.values())
    both = human.merge(umbrela, on=["query_id", "doc_id"]).sort_values("query_id")
    topic, topics = pd.factorize(both["query_id"])
    assert row["topics"] == len(topics) == 25
    for name, weights in (("kappa", None), ("weighted_kappa", "quadratic")):

        def draw_kappa(drawn: np.ndarray, weights: str | None = weights) -> float:
            times = np.bincount(drawn.astype(int), minlength=len(topics))[topic]
            labels = both["relevance_x"], both["relevance_y"]
            return float(cohen_kappa_score(*labels, weights=weights, sample_weight=times))

        expected = stats.bootstrap(
            (np.arange(len(topics)),), draw_kappa, n_resamples=40, confidence_level=0.9,
            method="percentile", vectorized=False, random_state=np.random.default_rng(3),
        ).confidence_interval  # fmt: skip
        assert [row[f"{name}_low"], row[f"{name}_high"]] == pytest.approx(expected, abs=1e-12)
    row = judge_agreement(paths).judges.iloc[0]
    kappa = row[["kappa", "kappa_low", "kappa_high"]].tolist()
    # computed apart from this package: .29 [.16, .39]
    assert kappa == pytest.approx([0.29, 0.16, 0.39], abs=0.01)


def test_intervals_do_not_depend_on_the_order_of_the_rows() -> None:
    draws = np.random.default_rng(1)
    people, model = (qrels(list(draws.integers(0, 4, 120)), topics=20) for _ in range(2))
    rows = [
        judge_agreement({"people": one, "model": model}).judges for one in (people, people[::-1])
    ]
    pd.testing.assert_frame_equal(*rows)


def test_one_topic_has_no_interval() -> None:
    row = judge_agreement({"one": qrels([0, 1, 1]), "two": qrels([0, 1, 0])}).judges.iloc[0]
    assert row["kappa"] == pytest.approx(0.4)  # by hand: (2/3 - 4/9) / (1 - 4/9)
    ends = [f"{name}_{end}" for name in ("kappa", "weighted_kappa") for end in ("low", "high")]
    assert row[ends].isna().all()


def test_samples_without_a_kappa_are_left_out() -> None:
    """Topic 0 has one label alone: drawn twice it has no kappa. By hand: of "0, 1" it is 1/4."""
    one, two = qrels([0, 0, 0, 1, 0, 1], topics=2), qrels([0, 0, 0, 0, 0, 1], topics=2)
    row = judge_agreement({"one": one, "two": two}, resamples=500).judges.iloc[0]
    only_1 = cohen_kappa_score([0, 1, 1], [0, 0, 1])
    both = cohen_kappa_score([0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1])
    assert [row["kappa_low"], row["kappa_high"]] == pytest.approx(sorted([only_1, both]))


def test_one_label_everywhere_has_no_kappa() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement = judge_agreement({"one": qrels([1, 1]), "two": qrels([1, 1])})
    assert agreement.judges[["kappa", "weighted_kappa"]].isna().all(axis=None)
    assert np.isnan(agreement.alpha)
    assert agreement.judges["equal"].tolist() == [1]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            {"people": qrels([1]), 1: qrels([0]), "1": qrels([1])},
            ValueError,
            "two judges have the same name, as text: ['people', 1, '1']; rename one",
        ),
        ({"one": qrels([1]), None: qrels([1])}, ValueError, "a judge has no name: ['one', None]"),
        (
            {"one": qrels(list(range(60))), "two": qrels([i + 0.5 for i in range(41)])},
            ValueError,
            "the judges use 101 labels, and agreement is for at most 100; put the labels",
        ),
        ([qrels([1])], TypeError, "qrels must be a dict of qrels by judge, not list"),
        ({"one": qrels([1])}, ValueError, "needs two judges or more, not ['one']"),
        (
            {"one": qrels([1]), "two": qrels([1]).assign(label=np.inf)},
            ValueError,
            "the judge 'two': qrels: document 'd0' has the relevance inf",
        ),
        (
            {"one": qrels([1, X]), "two": qrels([X, 1])},
            ValueError,
            "'one' and 'two' have judged no document in common",
        ),
        (
            {"one": qrels([1]), "two": qrels([1]).assign(qid="9")},
            ValueError,
            "'one' and 'two' have judged no document in common",
        ),
    ],
)
def test_unusable_judges_are_refused_in_words(given, error, message) -> None:
    with pytest.raises(error, match=re.escape(message)):
        judge_agreement(given)


def test_a_hundred_labels_are_compared() -> None:
    """Expected: scikit-learn's kappas."""
    one, two = [*range(100)], [*range(50), *range(50)]
    row = judge_agreement({"one": qrels(one), "two": qrels(two)}).judges.iloc[0]
    expected = [cohen_kappa_score(one, two, weights=w) for w in (None, "quadratic")]
    assert row[["kappa", "weighted_kappa"]].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, "confidence=95 must be between 0 and 1"),
        ({"resamples": 0}, "resamples=0 must be a whole number"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
    ],
)
def test_unusable_options_are_refused_in_words(options, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        judge_agreement({"one": qrels([1]), "two": qrels([1])}, **options)
