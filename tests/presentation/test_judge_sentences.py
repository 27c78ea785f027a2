"""The sentences on judges say what the frames hold, and are those of ``describe``."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import compare_judges, describe, judge_agreement, rectify
from pt_cumgain.presentation.judge_sentences import describe_judges


def results(judges: int = 2, systems: str = "XYZ", n: int = 9, more: int = 40) -> pd.DataFrame:
    draws = np.random.default_rng(4)
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


def test_labels() -> None:
    """Counted by hand: 3 of 4 documents have equal labels, a label is 1 - 7/4 = .25 higher."""
    people = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [0, 0, 1, 2]})
    model = people.assign(label=[0, 0, 1, 3])
    agreement = judge_agreement({"people": people, "model": model})
    kappa = (3 / 4 - 5 / 16) / (1 - 5 / 16)
    weighted = 1 - (1 / 4) / ((2 * 1 * 1 + 1 * 2 * 1 + 1 * 2 * 9 + 1 * 1 * 4 + 2 * 4 + 1) / 16)
    first, only, never, alpha = describe_judges(agreement)
    assert first == (
        "model and people give the same label to 3 of the 4 documents that both judged (Cohen's "
        f"kappa {kappa:.2f}, with quadratic weights {agreement.judges['weighted_kappa'][0]:.2f}); "
        "the mean difference of the labels, model less people, is +0.25."
    )
    assert weighted > kappa  # the labels differ by one place
    assert only == "Labels of model that people never gave: 3."
    assert never == "Labels of people that model never gave: 2."
    assert alpha == (
        f"Krippendorff's alpha (ordinal) of people and model is {agreement.alpha:.2f}."
    )
    reverse = judge_agreement({"model": model, "people": people, "again": model})
    sentences = describe_judges(reverse)
    assert "model less" not in sentences[0]
    assert "people less model, is -0.25." in sentences[0]
    assert sentences[1] == "Labels of people that model never gave: 2."
    assert sentences[2] == "Labels of model that people never gave: 3."
    assert "again less model, is +0.00." in sentences[3]
    assert "of model, people, and again is" in sentences[-1]


def test_labels_that_are_all_the_same() -> None:
    people = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    first, alpha = describe_judges(judge_agreement({"people": people, "model": people}))
    assert "(Cohen's kappa undefined, with quadratic weights undefined)" in first
    assert alpha == "Krippendorff's alpha (ordinal) of people and model is undefined."


@pytest.mark.parametrize("dataset", [False, True])
@pytest.mark.parametrize("correction", ["holm", None])
def test_conclusions(dataset: bool, correction: str | None) -> None:
    given = results()
    if dataset:
        given = pd.concat([given.assign(dataset="a"), given.assign(dataset="b")])
    options = {"correction": correction, "alpha": 0.1, "baseline": "Y"}
    comparison = compare_judges(given, "people", confidence=0.9, **options)
    sentences = describe_judges(comparison, 2)
    words = "Holm-corrected" if correction else "uncorrected"
    found = []
    for row in comparison.judges.to_dict("records"):
        measure = f"{row['dataset']} nDCG@10" if dataset else "nDCG@10"
        found.append(
            f"{measure}: {row['judge']} puts {row['same_order']} of {row['pairs']} pairs of "
            f"systems in the same order as people (tau-b {row['tau_b']:.2f}, "
            f"tau-AP {row['tau_ap']:.2f}; {row['topics']} topics). "
            f"Significant differences (p < 0.1, paired t-test against Y, {words}): "
            f"{row['both']} under both in the same direction, {row['opposite']} in opposite "
            f"directions, {row['reference_only']} under people only, {row['judge_only']} under "
            f"{row['judge']} only."
        )
    assert sentences[: len(found)] == found
    held = [text for text in sentences if "is the same under every judge" in text]
    assert len(held) == (3 if dataset else 1)
    holds = comparison.pairs[comparison.pairs["judge"] == "model 1"]["holds"]
    numbers = [int(re.search(r"order of (\d+) of", text)[1]) for text in held]
    assert sum(numbers) == holds.sum()
    pattern = (
        r"(?:(\S+) )?nDCG@10: under (.+) (.) gains (\S+) \[(\S+), (\S+)\] more over (.) than under "
        r"people \((.+)\)\."
    )
    favoured = [found.groups() for text in sentences if (found := re.fullmatch(pattern, text))]
    assert favoured
    for part, judge, name, *numbers, other, p in favoured:
        pairs = comparison.pairs[comparison.pairs["judge"] == judge]
        pairs = pairs[pairs["dataset"] == part] if dataset else pairs
        sign = 1 if other == "Y" else -1
        row = pairs[pairs["name"] == (name if other == "Y" else other)]
        favour, *ends = row[["favour", "favour_low", "favour_high"]].to_numpy()[0] * sign
        assert float(numbers[0]) > 0
        expected = [favour, *sorted(ends)]
        assert [float(x) for x in numbers] == pytest.approx(expected, abs=0.0051)
        assert p == "p < 0.0001" or float(p[4:]) == pytest.approx(row["favour_p"].iloc[0], abs=1e-4)
    assert sentences[-1] == f"Favour: 90% t intervals; paired t-test, {words}."


def test_a_judge_that_favours_nobody() -> None:
    given = results(judges=1)
    given = pd.concat([given[given["judge"] == "people"], given[given["judge"] == "people"]])
    given["judge"] = ["people"] * (len(given) // 2) + ["twin"] * (len(given) // 2)
    sentences = describe_judges(compare_judges(given, "people"))
    assert sentences[-1] == (
        "nDCG@10: no system gains significantly more over another under twin than under people."
    )


def test_rectified_differences_and_means() -> None:
    frame = rectify(results(judges=1), "people", baseline="Y", correction=None)
    *lines, note = describe_judges(frame, 2)
    for line, row in zip(lines, frame.to_dict("records"), strict=True):
        p = "p < 0.0001" if row["p"] < 1e-4 else f"p = {row['p']:.4f}"
        assert line == (
            f"nDCG@10: {row['name']} - Y = {row['rectified']:.2f} [{row['low']:.2f}, "
            f"{row['high']:.2f}], {p}; by people alone {row['difference']:.2f}, by model 1 alone "
            f"{row['judge_difference']:.2f}; as narrow as if people had judged {row['worth']:.0f} "
            "topics."
        )
    assert note == (
        "Rectified by prediction-powered inference (Angelopoulos et al., 2023): 95% t intervals, "
        "uncorrected; 9 topics judged by people, taken as a random sample, and 40 by model 1 alone."
    )
    frame = rectify(results(judges=1), "people", of="means", confidence=0.8)
    *lines, note = describe_judges(frame)
    row = frame.iloc[0]
    assert lines[0] == (
        f"nDCG@10: X {row['rectified']:.3f} [{row['low']:.3f}, {row['high']:.3f}]; by people alone "
        f"{row['mean']:.3f}, by model 1 alone {row['judge_mean']:.3f}; as narrow as if people had "
        f"judged {row['worth']:.0f} topics."
    )
    assert ": 80% t intervals; 9 topics" in note


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


def test_the_largest_of_many_favoured_systems_are_named_and_the_others_counted() -> None:
    given = results(systems="UVWXYZ", n=30)
    given.loc[(given["judge"] != "people") & given["name"].isin(["U", "V"]), "value"] += 3
    comparison = compare_judges(given, "people")
    sentences = describe_judges(comparison)
    for judge, pairs in comparison.pairs.groupby("judge"):
        count = (pairs["favour_p"] < 0.05).sum()
        assert count > 3
        assert (
            f"nDCG@10: {count - 3} other differences are significantly larger or smaller under "
            f"{judge} than under people."
        ) in sentences
