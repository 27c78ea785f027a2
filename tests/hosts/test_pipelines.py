"""`per_session`: pipelines of queries as systems of sessions, in all that PyTerrier offers."""

import operator

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from pyterrier.validate import InputValidationError

from pt_cumgain import CG, nDCG, nsDCG, per_session, pydocs, sDCG
from pt_cumgain.hosts.ir_measures import provider
from pt_cumgain.sessions import read_session_run, write_session_run


class Lookup(pt.Transformer):
    """Finds the documents of `pydocs` whose name holds a word of the query."""

    def __init__(self, depth: int = 20, earlier: bool = False) -> None:
        self.depth, self.earlier = depth, earlier

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(queries, extra_columns=["query"])
        rows = []
        for query in queries.itertuples():
            texts = [*query.previous_queries, query.query] if self.earlier else [query.query]
            words = set(" ".join(texts).split())
            found = [doc for doc in pydocs.documents() if words & set(doc.title.lower().split())]
            rows += [
                (query.qid, doc.doc_id, -float(i)) for i, doc in enumerate(found[: self.depth])
            ]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "docno", "score"]))

    def transform_outputs(self, _: list[str]) -> list[str]:
        return ["qid", "docno", "score", "rank"]


@pytest.fixture(scope="module")
def systems() -> dict[str, pt.Transformer]:
    return {"words": per_session(Lookup()), "all words": per_session(Lookup(earlier=True))}


MEASURES = [sDCG @ 10, nsDCG(gains="0-1-10-100") @ 5, CG @ 10, nDCG @ 10, ir_measures.AP]


def experiment(systems, measures=MEASURES, **options) -> pd.DataFrame:
    sessions, qrels = pydocs.sessions(), pydocs.session_qrels()
    options = {"validate": "error", **options}
    return pt.Experiment(systems, sessions, qrels, measures, **options)


def test_per_session(systems) -> None:
    run = systems["words"](pydocs.sessions())
    assert run.columns.tolist() == [
        "qid", "docno", "score", "rank", "query_position", "session_length",
    ]  # fmt: skip
    first = run[(run["qid"] == "s2") & (run["query_position"] == 2)]
    alone = Lookup()(pd.DataFrame({"qid": ["q"], "query": ["replace nan with zero"]}))
    assert first["docno"].tolist() == alone["docno"].tolist()
    length = pydocs.sessions().set_index("qid")["queries"].map(len)
    assert (run["session_length"] == run["qid"].map(length)).all()
    earlier = systems["all words"](pydocs.sessions())
    assert len(earlier) > len(run)


def test_in_an_experiment(systems) -> None:
    result = experiment(systems).set_index("name")
    assert set(result.columns) == {str(measure) for measure in MEASURES}
    qrels = pt.model.to_ir_measures(pydocs.session_qrels())
    for name, system in systems.items():
        run = pt.model.to_ir_measures(system(pydocs.sessions()))
        for measure, mean in provider.calc_aggregate(MEASURES[:3], qrels, run).items():
            assert result.loc[name, str(measure)] == pytest.approx(mean)
    for part in (MEASURES[:2], MEASURES[2:]):
        alone = experiment(systems, part).set_index("name")
        pd.testing.assert_frame_equal(result[alone.columns], alone)


@pytest.mark.slow
def test_options_of_experiments(systems, tmp_path) -> None:
    plain = experiment(systems)
    each = experiment(systems, perquery=True)
    assert each.groupby("measure").size().tolist() == [2 * 30] * len(MEASURES)
    means = each.pivot_table("value", "name", "measure").loc[plain["name"], list(plain)[1:]]
    assert means.to_numpy() == pytest.approx(plain.iloc[:, 1:].to_numpy())
    saved = {"save_dir": str(tmp_path), "save_format": (read_session_run, write_session_run)}
    for options in (
        {"plan": "tree", "batch_size": 4, "verbose": False},
        {"baseline": 0, "correction": "holm"},
        saved,
        {"save_mode": "reuse", **saved},
    ):
        pd.testing.assert_frame_equal(experiment(systems, **options)[plain.columns], plain)
    assert {path.stem for path in tmp_path.glob("*.custom")} == set(systems)


def test_a_pipeline_that_gives_no_ranks_and_changes_its_results() -> None:
    """Ranks are made per query; the inner pipeline's frame is left alone; ids become text."""
    seen = []
    given = pd.DataFrame({"docno": [5, 6], "score": [1, 2]})

    def answer(queries: pd.DataFrame) -> pd.DataFrame:
        results = queries[["qid"]].merge(given, how="cross")
        seen.extend([queries, results])
        return results

    sessions = pd.DataFrame({"qid": ["s"], "queries": [["a", "b"]], "user": ["u"]})
    run = per_session(pt.apply.generic(answer))(sessions)
    assert run["docno"].tolist() == ["5", "6", "5", "6"]
    assert run["rank"].tolist() == [1, 0, 1, 0]
    assert run["score"].dtype == np.float64
    assert set(seen[0].columns) == {"qid", "query", "previous_queries", "user"}
    assert seen[1]["docno"].tolist() == [5, 6, 5, 6]


def test_operators_are_refused() -> None:
    """PyTerrier's own combine by qid and docno, which are not unique within a session."""
    one, two = per_session(Lookup()), per_session(Lookup(3))
    for combine in (operator.add, operator.or_, operator.and_, operator.pow, operator.xor):
        with pytest.raises(TypeError, match=r"combine inside: per_session\(a \+ b\)"):
            combine(one, two)


def test_scanned_is_kept() -> None:
    """The user looks at the first document only; then every query counts one position."""
    inner = Lookup() >> pt.apply.scanned(lambda _: 1)
    system, every = per_session(inner), per_session(Lookup())
    sessions = pydocs.sessions()
    run = system(sessions)
    assert run.columns[-1] == "scanned"
    outputs = pt.inspect.transformer_outputs(system, ["qid", "queries"])
    assert outputs == run.columns.tolist()
    got, expected = experiment({"one": system}, [sDCG @ 10]), experiment({"one": every}, [sDCG @ 1])
    assert got["sDCG@10"].tolist() == pytest.approx(expected["sDCG@1"].tolist())


def test_inspection(systems) -> None:
    words = systems["words"]
    assert pt.inspect.transformer_inputs(words) == [["qid", "queries"]]
    assert pt.inspect.transformer_outputs(words, ["qid", "queries"])[-2:] == [
        "query_position", "session_length",
    ]  # fmt: skip
    unknown = per_session(pt.apply.generic(lambda _: 1 / 0))  # not to be inspected
    assert unknown.transform_outputs(["qid", "queries"])[:3] == ["qid", "docno", "score"]
    inside: list[list[str]] = []
    asked = pt.apply.generic(len, transform_outputs=lambda names: inside.append(names) or [])
    assert per_session(asked).transform_outputs(["qid", "query", "queries", "user"])
    assert inside[-1] == ["qid", "user", "query", "previous_queries"]
    assert list(pt.inspect.subtransformers(words)) == ["pipeline"]
    assert repr(words) == f"per_session({words.pipeline!r})"
    kept = {a.name: a.value for a in pt.inspect.transformer_attributes(words)}
    assert kept == {"pipeline": words.pipeline, "queries": "queries", "session_length": None}
    longer = pt.inspect.transformer_apply_attributes(words, session_length=9)
    assert repr(longer) == f"per_session({words.pipeline!r}, queries='queries', session_length=9)"
    empty = words(pydocs.sessions().head(0))
    assert len(empty) == 0
    assert "query_position" in empty


def test_what_is_refused() -> None:
    sessions, identity = pydocs.sessions(), pt.Transformer.identity()
    # of two ids that are wrong, the first is named
    renames = pt.apply.generic(
        lambda q: Lookup()(q).assign(qid=lambda r: [*r["qid"][:-2], "last", "later"])
    )
    other = pydocs.runs()["BM25"].assign(qid="s1").drop(columns="rank")
    for call, words in (
        (lambda: per_session("bm25"), "accepts a PyTerrier transformer, not a str"),
        (lambda: per_session(renames)(sessions), "for the qid 'last', which is not a query"),
        (lambda: per_session(identity)(sessions), r"\['docno', 'score'\]"),
        (lambda: experiment([Lookup()]), "do not produce the required outputs"),
        (lambda: experiment([other], validate="ignore"), r"query_position.*found \['query_id'"),
        (lambda: per_session(identity)(sessions[["qid"]]), "queries"),
    ):
        with pytest.raises((TypeError, ValueError, InputValidationError), match=words):
            call()
