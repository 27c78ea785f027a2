"""The sentences on judges say what the data are.

A program reads the sentences as a person would. It knows the data and the text, not the options,
and computes with scipy, statsmodels and scikit-learn what they say.
"""

from __future__ import annotations

import re
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.multitest import multipletests

from pt_cumgain import describe
from pt_cumgain.comparing import tau_ap
from pt_cumgain.judges import compare_judges, judge_agreement, rectify
from pt_cumgain.options import CORRECTIONS
from pt_cumgain.presentation.judge_sentences import describe_judges, tabulate_judges

NUMBER = r"(-?[\d.,]*\d(?:e-\d+)?|undefined)"
INTERVAL = rf"\[{NUMBER}, {NUMBER}\]"


def read(pattern: str, text: str) -> tuple[str, ...]:
    """Return the groups of a pattern that matches the whole text."""
    found = re.fullmatch(pattern, text)
    assert found is not None, text
    return found.groups()


def numbers(texts: Any) -> list[float]:
    return [np.nan if text == "undefined" else float(text.replace(",", "")) for text in texts]


def near(values: Any, places: int) -> Any:
    """Return what is equal to the values, printed with so many decimals."""
    return pytest.approx(list(values), abs=0.5001 * 10.0**-places, nan_ok=True)


def read_correction(words: str | None) -> str | None:
    """Return the correction that words such as "Holm-corrected" name; a single pair has none."""
    called = {f"{text}-corrected": name for name, text in CORRECTIONS.items()}
    return called[words] if words not in ("uncorrected", None) else None


def correct(p: list[float], correction: str | None) -> Any:
    return p if correction is None else multipletests(p, method=correction)[1]


def results(
    judges: int = 2, systems: str = "XYZ", n: int = 9, more: int = 40, seed: int = 4
) -> pd.DataFrame:
    """People's values of systems, and those of judges that favour X, the second the more."""
    draws = np.random.default_rng(seed)
    rows = []
    for system in systems:
        truth = draws.normal(ord(system) % 7, 1, n + more)
        for judge in range(judges + 1):
            values = truth + judge * (system == "X") + draws.normal(0, judge / 2, n + more)
            rows += [
                (f"model {judge}" if judge else "people", system, str(topic), "nDCG@10", value)
                for topic, value in enumerate(values[: None if judge else n])
            ]
    return pd.DataFrame(rows, columns=["judge", "name", "qid", "measure", "value"])


def table(results: pd.DataFrame, judge: str, topics: pd.Index | None = None) -> pd.DataFrame:
    """The values of a judge: a row for each topic, a column for each system."""
    rows = results[results["judge"] == judge]
    values = rows.pivot(index="qid", columns="name", values="value")[list(rows["name"].unique())]
    return values if topics is None else values.loc[topics]


def qrels(labels: dict[tuple[str, str], int]) -> pd.DataFrame:
    rows = [(*document, label) for document, label in labels.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@settings(max_examples=settings.default.max_examples // 3)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 4))
def test_sentences_on_labels(seed: int, topics: int, judges: int) -> None:
    """Every number of theirs but alpha, which is compared with other programs elsewhere."""
    draws = np.random.default_rng(seed)
    documents = [(f"q{q}", f"d{d}") for q in range(topics) for d in range(8)]
    judged = {
        name: dict(zip(documents[draws.integers(0, 5) :], draws.integers(0, 4, 40).tolist()))
        for name in ["people", "one", "two", "three"][:judges]
    }
    agreement = judge_agreement({name: qrels(x) for name, x in judged.items()}, resamples=50)
    *sentences, last = describe_judges(agreement)
    unlike = [text for text in sentences if text.startswith("Labels of")]
    sentences = sentences[: -len(unlike) or None]  # those on labels follow
    people, alone = judged.pop("people"), {}
    for name, labels in judged.items():
        both = sorted(set(people) & set(labels))
        first, second = np.array([(people[d], labels[d]) for d in both]).T
        said, *counts = read(
            r"(\w+) and people give the same label to (\S+) of the (\S+) documents? that both "
            rf"judged \(Cohen's kappa {NUMBER} {INTERVAL}, with quadratic weights {NUMBER} "
            rf"{INTERVAL}; (\d+) topics?\); the mean difference of the labels, {name} less people, "
            r"is ([+-]?\S+)\.",
            sentences.pop(0),
        )
        equal, count, *kappas, shared, mean = numbers(counts)
        assert said == name
        assert (equal, count, shared) == (
            (first == second).sum(),
            len(both),
            len({qid for qid, _ in both}),
        )
        with np.errstate(all="ignore"):
            expected = [cohen_kappa_score(first, second, weights=w) for w in (None, "quadratic")]
        assert [kappas[0], kappas[3]] == near(expected, 2)
        # the intervals are compared with scipy's elsewhere; here, that they are printed in order
        rows = agreement.judges.set_index("judge").loc[name]
        assert kappas[1:3] == near(rows[["kappa_low", "kappa_high"]], 2)
        assert kappas[4:] == near(rows[["weighted_kappa_low", "weighted_kappa_high"]], 2)
        assert [mean] == near([(second - first).mean()], 2)
        for one, other in [(name, "people"), ("people", name)]:
            own, others = (set({**judged, "people": people}[j].values()) for j in (one, other))
            if own - others:
                alone[one, other] = own - others
                judge, against, text = read(
                    r"Labels of (\w+) that (\w+) never gave: (.+)\.", unlike.pop(0)
                )
                assert (judge, against) == (one, other)
                assert {int(x) for x in re.findall(r"\d+", text)} == own - others
    assert not [*sentences, *unlike]
    names, level = read(
        rf"Krippendorff's alpha \(ordinal\) of (.+) is {NUMBER}\. \[low, high\]: 95% percentile "
        r"bootstrap over topics, too narrow for fewer than 15\.",
        last,
    )
    assert re.findall(r"people|one|two|three", names) == ["people", *judged]
    assert numbers([level]) == near([agreement.alpha], 2)


def test_labels_that_are_all_the_same() -> None:
    people = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    first, alpha = describe_judges(judge_agreement({"people": people, "model": people}))
    assert "(Cohen's kappa undefined [undefined, undefined], with quadratic weights" in first
    assert alpha.startswith("Krippendorff's alpha (ordinal) of people and model is undefined.")


def compute_slope(one: pd.DataFrame, two: pd.DataFrame) -> float:
    """The slope of least squares of the second on the first, each topic with a level of its own."""
    levels = np.repeat(np.eye(len(one)), one.shape[1], axis=0)
    regressors = np.column_stack([one.to_numpy().ravel(), levels])
    return float(sm.OLS(two.to_numpy().ravel(), regressors).fit().params[0])


def check_comparison(given: pd.DataFrame, sentences: list[str], prefix: str = "") -> list[str]:
    """Check the sentences on one dataset; return the others."""
    others = [text for text in sentences if not text.startswith(f"{prefix}nDCG@10")]
    own = [text.removeprefix(prefix) for text in sentences if text not in others]
    judges = [str(judge) for judge in given["judge"].unique()[1:]]
    people, orders, pairs = table(given, "people"), [], []
    for name, text in zip(judges, own):
        judged = table(given, name, people.index)
        (
            said,
            same,
            count,
            *taus,
            topics,
            alpha,
            against,
            correction,
            both,
            opposite,
            first,
            second,
        ) = read(
            r"nDCG@10: (.+) puts (\d+) of (\d+) pairs? of systems in the same order as people "
            rf"\(tau-b {NUMBER}, tau-AP {NUMBER}; (\d+) topics\)\. Significant differences "
            r"\(p < ([\d.]+), paired t-test(?: against (.+?))?(?:, ([^,]+))?\): (\d+) under both "
            r"in the same direction, (\d+) in opposite directions, (\d+) under people only, (\d+) "
            rf"under {name} only\.",
            text,
        )
        chosen = re.split(" and |, (?:and )?", against) if against else list(people)
        pairs = [pair for pair in combinations(people, 2) if set(pair) & set(chosen)]
        assert (correction is None) == (len(pairs) == 1)
        signs, marks = [], []
        for values in (people, judged):
            left = [values[a] - values[b] for a, b in pairs]
            p = correct([stats.ttest_1samp(x, 0).pvalue for x in left], read_correction(correction))
            signs.append([np.sign(x.mean()) for x in left])
            marks.append(np.array(p) < float(alpha))
        alike = np.equal(*signs)
        orders.append(alike)
        assert (said, int(topics), int(count)) == (name, len(people), len(pairs))
        assert int(same) == alike.sum()
        assert [int(x) for x in (both, opposite, first, second)] == [
            (marks[0] & marks[1] & alike).sum(),
            (marks[0] & marks[1] & ~alike).sum(),
            (marks[0] & ~marks[1]).sum(),
            (marks[1] & ~marks[0]).sum(),
        ]
        expected = [
            stats.kendalltau(people.mean(), judged.mean()).statistic,
            tau_ap(people.mean(), judged.mean()),
        ]
        assert numbers(taus) == near(expected, 2)
    rest = own[len(judges) :]
    if len(judges) > 1:
        held, count = read(
            r"nDCG@10: the order of (\d+) of (\d+) pairs? of systems is the same under every "
            r"judge\.",
            rest.pop(0),
        )
        assert (int(held), int(count)) == (np.all(orders, axis=0).sum(), len(pairs))
    level = float(
        read(
            r"Favour: ([\d.]+)% t intervals, one for each pair, uncorrected, which .*", others[-1]
        )[0]
    )
    for name, text in zip(judges, rest, strict=True):
        check_favour(people, table(given, name, people.index), pairs, level / 100, name, text)
    return others


def check_favour(
    people: pd.DataFrame, judged: pd.DataFrame, pairs: Any, level: float, name: str, text: str
) -> None:
    slope, apart, count, largest = read(
        rf"nDCG@10, {name} less people: beyond a common slope of {NUMBER}, the intervals of (\d+) "
        r"of (\d+) differences? exclude 0(?:; the largest: (.+))?\.",
        text,
    )
    b = compute_slope(people, judged)
    assert numbers([slope]) == near([b], 2)
    favours = {}
    for one, other in pairs:
        left = (judged[one] - judged[other]) - b * (people[one] - people[other])
        half = stats.t.ppf((1 + level) / 2, len(left) - 1) * stats.sem(left)
        if abs(left.mean()) > half:
            favours[frozenset([one, other])] = (one, left.mean(), half)
    assert (int(apart), int(count)) == (len(favours), len(pairs))
    named = re.findall(rf"(\w) - (\w) {NUMBER} {INTERVAL}(?:, |$)", largest or "")
    assert len(named) == min(len(favours), 3)
    sizes = sorted((abs(mean) for _, mean, _ in favours.values()), reverse=True)
    for (one, other, *said), size in zip(named, sizes):
        first, mean, half = favours[frozenset([one, other])]
        mean *= 1 if first == one else -1
        assert abs(mean) == pytest.approx(size)
        assert numbers(said) == near([mean, mean - half, mean + half], 3)


@settings(max_examples=settings.default.max_examples // 8)
@given(
    st.integers(0, 2**32),
    st.integers(1, 2),
    st.sampled_from(["XY", "XYZ", "UVWXYZ"]),
    st.sampled_from(["holm", "bonferroni", "fdr_bh", None]),
    st.sampled_from([None, "Y", ["X", "Y"]]),
)
def test_sentences_on_conclusions(
    seed: int, judges: int, systems: str, correction, baseline
) -> None:
    """Of judges that favour X; with three systems and more."""
    if len(systems) == 2:
        baseline = None
    made = results(judges, systems, n=12, more=3, seed=seed)
    comparison = compare_judges(
        made, "people", correction=correction, baseline=baseline, alpha=0.1, confidence=0.9
    )
    assert len(check_comparison(made, describe_judges(comparison))) == 1


def test_sentences_on_the_conclusions_in_datasets() -> None:
    """Each dataset's are as of that dataset alone; of the mean, the slope is their mean."""
    parts = {"a": results(seed=1), "b": results(seed=2, n=14)}
    made = pd.concat(part.assign(dataset=name) for name, part in parts.items())
    sentences = describe_judges(compare_judges(made, "people", baseline="Y"))
    rest = sentences
    for name, part in parts.items():
        rest = check_comparison(part, rest, f"{name} ")
    said = [
        read(
            rf"mean nDCG@10, {judge} less people: beyond the slope of each dataset \({NUMBER} in "
            r"the mean\), the intervals of \d+ of 2 differences exclude 0(?:; the largest: .+)?\.",
            text,
        )
        for judge, text in zip(["model 1", "model 2"], rest[3:5])
    ]
    people = {name: table(part, "people") for name, part in parts.items()}
    for judge, slope in zip(["model 1", "model 2"], said):
        slopes = [
            compute_slope(people[name], table(part, judge, people[name].index))
            for name, part in parts.items()
        ]
        assert numbers(slope) == near([np.mean(slopes)], 2)


def test_systems_that_are_equal_under_people_have_no_slope() -> None:
    made = results(judges=1)
    made.loc[made["judge"] == "people", "value"] = 0.3
    sentences = describe_judges(compare_judges(made, "people"))
    assert sentences[1].startswith(
        "nDCG@10, model 1 less people: where no systems differ under people, the intervals of "
    )


def check_rectified(values: dict[str, tuple[Any, Any, Any]], sentences: list[str]) -> None:
    """Check sentences on d, p and z, the people's, the judge's, and the judge's other values."""
    *lines, note = [text for text in sentences if " is not used where " not in text]
    rule = [text for text in sentences if " is not used where " in text]
    level, correction, n, more = read(
        r"(?:Rectified by prediction-powered inference \(Angelopoulos et al\., 2023\)|Nothing is "
        r"rectified): ([\d.]+)% t intervals, uncorrected(?:; p ([^;]+))?; (\d+) topics judged by "
        r"people(?:, taken as a large random sample, and (\d+) by model 1)? alone\.",
        note,
    )
    expected, unused = {}, 0
    for what, (d, p, z) in values.items():
        assert (len(d), len(z)) == (int(n), int(more or len(z)))
        weight = np.cov(d, p)[0, 1] / np.var(p, ddof=1) / (1 + len(d) / len(z))
        weight *= (d != p).sum() >= 5
        e, unused = d - weight * p, unused + (weight == 0)
        terms = e.var(ddof=1) / len(d), weight**2 * z.var(ddof=1) / len(z)
        frees = len(d) - 1, len(z) - 1
        if weight:
            terms = terms[0] * (len(d) - 1) / (len(d) - 2) * (1 + 1 / (len(d) - 3)), terms[1]
            frees = len(d) - 2, len(z) - 1
        free = sum(terms) ** 2 / sum(x**2 / f for x, f in zip(terms, frees))
        mean, error = e.mean() + weight * z.mean(), sum(terms) ** 0.5
        half = stats.t.ppf((1 + float(level) / 100) / 2, free) * error
        p_value = 2 * stats.t.sf(abs(mean) / error, free)
        expected[what] = (mean, mean - half, mean + half), p_value, weight != 0
    corrected = correct(
        [p for _, p, _ in expected.values()], read_correction(correction or "uncorrected")
    )
    for line, (what, (ends, _, used)), p in zip(lines, expected.items(), corrected, strict=True):
        said, mean, low, high, significance, basis = read(
            rf"nDCG@10: (.+?)(?: =)? {NUMBER} {INTERVAL}(, p [=<] [\d.]+)?; (.+)\.", line
        )
        assert said == what
        assert numbers([mean, low, high]) == near(ends, 3)
        assert (significance is not None) == (correction is not None)
        if significance and "<" in significance:
            assert p < 0.0001
        elif significance:
            assert numbers([significance.split()[-1]]) == near([p], 4)
        d, _, z = values[what]
        if not used:
            assert basis == "by people alone, without model 1"
            continue
        own, more, judged, worth = read(
            rf"by people alone {NUMBER}, by model 1 alone, on the (\d+) other topics, {NUMBER}; as "
            r"narrow as if people had judged (\d+) topics",
            basis,
        )
        assert int(more) == len(z)
        assert numbers([own, judged]) == near([d.mean(), z.mean()], 3)
        # as many topics have an interval of this width, or all have a wider one
        m, tail = np.array([int(worth) - 0.5, int(worth) + 0.5]), (1 + float(level) / 100) / 2
        wide, narrow = 2 * stats.t.ppf(tail, m - 1) * d.std(ddof=1) / m**0.5
        width = ends[2] - ends[1]
        assert width <= wide * 1.001
        assert width >= narrow * 0.999 or int(worth) == len(d) + len(z)
    assert len(rule) == (unused > 0)
    assert note.startswith("Nothing") == (unused == len(values))


@settings(max_examples=settings.default.max_examples // 8)
@given(
    st.integers(0, 2**32),
    st.integers(5, 20),
    st.integers(5, 60),
    st.sampled_from(["holm", "bonferroni", None]),
    st.sampled_from([None, "Y"]),
    st.integers(0, 9),
)
def test_sentences_on_rectified_values(seed, n, more, correction, baseline, errors) -> None:
    """The judge equals the people on Y and Z, and errs on the first topics of X."""
    made = results(1, n=n, more=more, seed=seed)
    right = (made["name"] != "X") | (made["qid"].astype(int) >= errors)
    people = made[made["judge"] == "people"].set_index(["name", "qid"])["value"]
    known = people.reindex(pd.MultiIndex.from_frame(made[["name", "qid"]])).to_numpy()
    made["value"] = np.where(right & ~np.isnan(known), known, made["value"])
    first = table(made, "people")
    model = table(made, "model 1")
    shared, rest = model.loc[first.index], model.drop(first.index)
    pairs = list(combinations("XYZ", 2)) if baseline is None else list(product("XZ", "Y"))
    values = {
        f"{one} - {other}": tuple(
            (part[one] - part[other]).to_numpy() for part in (first, shared, rest)
        )
        for one, other in pairs
    }
    frame = rectify(made, "people", correction=correction, baseline=baseline, confidence=0.9)
    check_rectified(values, describe_judges(frame))
    values = {
        name: tuple(part[name].to_numpy() for part in (first, shared, rest)) for name in "XYZ"
    }
    check_rectified(values, describe_judges(rectify(made, "people", of="means")))


def test_one_topic_and_one_pair_are_singular() -> None:
    """A single p-value is not corrected, and a single interval not uncorrected."""
    (table,) = tabulate_judges(rectify(results(judges=1, systems="XY", more=1), "people"))
    assert "; judge: on the 1 other topic of model 1;" in table.notes[0]
    assert "Nothing is rectified: 95% t intervals; 9 topics judged by people" in table.notes[1]
    (table,) = tabulate_judges(compare_judges(results(judges=1, systems="XY"), "people"))
    assert "(p < 0.05, paired t-test) under both" in table.notes[0]


def test_a_difference_prints_as_0_only_if_it_is_0() -> None:
    """Of labels, of favour with the ends of its interval, and of rectified values."""
    many = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(400)], "label": 1})
    for last, said in [(2, "+0.003"), (1, "0.00"), (0, "-0.003")]:
        model = many.assign(label=[1] * 399 + [last])
        first, *_ = describe_judges(judge_agreement({"people": many, "model": model}, resamples=9))
        assert first.endswith(f"model less people, is {said}.")
    made = results(judges=1, n=12, more=3)
    model = made["judge"] == "model 1"
    made["value"] = made["qid"].astype(int) * 0.1 + (made["name"] == "X") * 0.2
    made.loc[model & (made["name"] == "Y"), "value"] += 0.0004 + made["qid"].astype(int) * 1e-6
    *_, favour, _ = describe_judges(compare_judges(made, "people", baseline="Z"))
    largest = "Y - Z 0.0004 [0.0004, 0.0004], X - Z 0.0002 [0.0002, 0.0002]"
    assert favour.endswith(
        f"the intervals of 2 of 2 differences exclude 0; the largest: {largest}."
    )
    zero, *_ = describe_judges(rectify(made.assign(value=made["qid"].astype(int)), "people"))
    assert zero.startswith("nDCG@10: X - Y = 0.000 [0.000, 0.000], p = 1.0000; ")


def test_the_rule_of_datasets_is_by_dataset() -> None:
    """Three errors in each: six in all, of which each dataset shows too few."""
    made = results(1, n=9)
    people = made[made["judge"] == "people"].set_index(["name", "qid"])["value"]
    known = people.reindex(pd.MultiIndex.from_frame(made[["name", "qid"]])).to_numpy()
    right = ~np.isnan(known) & (made["qid"].astype(int) >= 3)
    made["value"] = np.where(right, known, made["value"])
    given = pd.concat([made.assign(dataset="a"), made.assign(dataset="b")])
    sentences = describe_judges(rectify(given, "people"))
    assert [text for text in sentences if "not used" in text] == [
        "model 1 is not used where it differs from people in fewer than 5 of the topics of a "
        "dataset, or has nothing to add."
    ] * 2
    assert sum("; by people alone, without model 1." in text for text in sentences) == 9


def test_describe_adds_the_measures_and_the_references() -> None:
    given = results(judges=1)
    frame = rectify(given, "people")
    described = describe(frame)
    assert described.text.startswith("nDCG (Järvelin and Kekäläinen, 2002) at rank 10")
    assert described.text.endswith(" ".join(describe_judges(frame)))
    assert "@article{angelopoulos2023," in described.bibtex
    assert described.formula
    assert r"inference~\cite{angelopoulos2023}:" in described.latex
    others = describe(compare_judges(given.assign(measure="AP"), "people"))
    assert others.text.startswith("AP: model 1 puts")
    assert str(others) == others.text
    people = pd.DataFrame({"qid": "1", "docno": list("ab"), "label": [0, 1]})
    labels = describe(judge_agreement({"people": people, "model": people}))
    assert str(labels) == labels.text
    assert "$$" not in labels._repr_html_()


def test_a_frame_that_was_read_from_a_file_does_not_say_who_judged() -> None:
    frame = rectify(results(judges=1), "people")
    with pytest.raises(ValueError, match="does not say who judged; give the frame that rectify"):
        describe(pd.DataFrame(frame.to_dict("list")))


def test_a_table_counts_the_topics_of_each_judge() -> None:
    """By hand: the reference has judged 9 topics, and the judges 9 and 5 of them."""
    rows = [
        (name, str(qid), "CG@1", float(place + qid % 3), judge)
        for judge, topics in (("human", 9), ("all", 9), ("few", 5))
        for place, name in enumerate("AB")
        for qid in range(topics)
    ]
    results = pd.DataFrame(rows, columns=["name", "qid", "measure", "value", "judge"])
    (table,) = tabulate_judges(compare_judges(results, "human"))
    assert [str(row) for row in table.rows] == ["CG@1, all", "CG@1, few"]
    assert str(table.columns[0]) == "topics"
    assert [row[0].text for row in table.cells] == ["9", "5"]
    assert table.notes[0].startswith("Over the topics that a judge shares with human: ")
