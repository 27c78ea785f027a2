"""The benchmark itself, at a small size: that it runs and its values agree; never how fast."""

import numpy as np
import pandas as pd
import pytest

from pt_cumgain import CG, gain_curves, nCG, nDCG
from pt_cumgain.hosts.ir_measures import provider
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import files, page, workloads


@pytest.mark.end_to_end
@pytest.mark.filterwarnings("ignore:.*none of its documents")  # of random runs
def test_the_small_benchmark(capsys) -> None:
    benchmarks.main(["small", "--rounds", "1"])
    printed = capsys.readouterr().out
    assert "values agree with ir-measures' to 1e-9" in printed
    assert printed.count("48 nDCG") == 3


@pytest.mark.end_to_end
def test_the_benchmark_of_files() -> None:
    rows = files.compare(workloads.L2.scaled(3, 100), rounds=1)
    assert [row["command"] for row in rows][:3] == [
        "pt-cumgain eval, 2 nDCG",
        "pt-cumgain eval, nDCG of the whole list",
        "pt-cumgain eval, 48 nDCG to rank 1000",
    ]
    assert rows[0]["of the first"] == "1.00×"


def test_the_benchmark_of_the_page(browser) -> None:
    """It stops if the page does not follow a drag."""
    tiny = workloads.Workload("tiny", topics=3, documents=10, runs=2, judged=12)
    rows = page.compare(browser, tiny, 50, rounds=1)
    assert [row["at most"] for row in rows] == ["", 3, 1, "", 50, 100, 50]
    assert all(float(row["median"]) > 0 for row in rows)


def test_memory_of_a_sorted_run_is_at_most_20_bytes_a_row() -> None:
    topics, documents = 200, 1000
    run = pd.DataFrame(
        {
            "query_id": np.repeat(np.array([f"q{i}" for i in range(topics)], object), documents),
            "doc_id": np.tile(np.array([f"d{i}" for i in range(documents)], object), topics),
            "score": np.tile(np.arange(documents, 0.0, -1), topics),
        }
    ).astype({"query_id": object, "doc_id": object})
    qrels = {f"q{i}": {f"d{j}": 1 for j in range(5)} for i in range(topics)}
    measures = [nDCG(gains=gains) @ k for gains in ("0-1", "exp") for k in (10, 100, 1000)]
    evaluator = provider.evaluator(measures, qrels)
    peak = benchmarks.peak(lambda: evaluator.calc_aggregate(run))
    assert peak * 2**20 / len(run) < 20


@pytest.mark.slow
def test_memory_of_mean_curves_does_not_grow_with_topics() -> None:
    """1,000 topics x 1,000 ranks x 8 measures would be 122 MiB of vectors and ideal vectors."""
    docs = [f"d{i}" for i in range(20)]
    qrels = {f"q{i}": dict.fromkeys(docs[::2], 1) for i in range(1000)}
    run = {f"q{i}": {doc: -float(j) for j, doc in enumerate(docs)} for i in range(1000)}
    schemes = ("0-1", "0-2", "0-3", "exp")
    measures = [measure(gains=gains) for measure in (CG, nCG) for gains in schemes]
    assert benchmarks.peak(lambda: gain_curves([run], None, qrels, measures, 1000)) < 40
