"""Compare two memories of an agent on ten questions: LongMemEval's nDCG, and graded evidence.

A memory retrieves chunks, here single turns of past sessions: ``s02_3`` is turn 3 of session s02.
With a log of your own, replace ``read_log`` by ``pd.read_json(path, lines=True, dtype=False)``.
"""

import pandas as pd
import pyterrier as pt

from pt_cumgain import CG, evaluate, nDCG, pairwise, topics_of

#: The turns with evidence; sessions that only give context; what each memory retrieves, best first.
#: Question q10_abs has no answer, and no user wrote the evidence of q09.
QUESTIONS = """
question | evidence    | context | memory A                      | memory B
q01      | s02_3       | s05     | s02_3 s05_1 s02_4 s07_2       | s05_1 s02_3 s01_2 s07_2
q02      | s04_1 s04_5 |         | s01_2 s04_1 s03_3 s04_5       | s04_1 s04_5 s01_2 s03_3
q03      | s06_2 s09_1 | s01     | s06_2 s06_3 s09_1 s02_1       | s02_1 s01_4 s06_2 s08_5
q04      | s03_1       |         | s08_2 s03_1 s08_3 s05_5       | s08_2 s08_3 s03_1 s05_5
q05      | s07_4       | s08 s02 | s07_4 s02_2 s08_1 s01_1       | s02_2 s07_4 s03_1 s08_1
q06      | s10_1 s02_6 |         | s10_1 s10_2 s10_3 s02_6 s04_2 | s02_6 s04_2 s10_1 s01_3
q07      | s05_3       |         | s09_2 s01_5 s04_4 s02_8       | s09_2 s05_3 s04_4 s01_5
q08      | s01_7       | s03     | s01_7 s03_2 s06_6 s10_4       | s03_2 s06_6 s01_7 s10_4
q09      |             | s04     | s04_3 s02_5 s06_1 s08_8       | s02_5 s04_3 s08_8 s06_1
q10_abs  |             |         | s02_2 s05_4 s01_6 s07_1       | s09_9 s02_2 s05_4 s03_5
"""


def read_questions() -> dict[str, dict[str, list[str]]]:
    """Return the rows of the table by question."""
    lines = QUESTIONS.strip().split("\n")
    head, *rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {row[0]: dict(zip(head[1:], map(str.split, row[1:]), strict=True)) for row in rows}


def read_log(questions: dict[str, dict[str, list[str]]]) -> pd.DataFrame:
    """Return one row for each chunk that a memory retrieved."""
    rows = [
        {"memory": memory, "question": question, "chunk": chunk, "score": -float(rank)}
        for question, row in questions.items()
        for memory in ("memory A", "memory B")
        for rank, chunk in enumerate(row[memory])
    ]
    return pd.DataFrame(rows).assign(session=lambda log: log["chunk"].map(session_of))


def session_of(chunk: str) -> str:
    """Return the session of a turn."""
    return chunk.rpartition("_")[0]


def read_until(log: pd.DataFrame, turns: set[tuple[str, str]], k: int) -> pd.DataFrame:
    """Return what LongMemEval reads for a session figure from turns: until k sessions were seen.

    There, turns without evidence have a session id of their own, so that a session can count twice.
    """
    log = log.sort_values("score", ascending=False, kind="stable")
    log["evidence"] = [turn in turns for turn in zip(log["qid"], log["chunk"], strict=True)]
    new = ~log.duplicated(["memory", "qid", "session", "evidence"])
    seen_before = new.groupby([log["memory"], log["qid"]]).cumsum() - new
    return log[seen_before < k]


def evaluate_turns(read: pd.DataFrame, judged: pd.DataFrame) -> pd.Series:
    """Return LongMemEval's value of each question; the cutoff is the number of turns read for it.

    A question for which nothing was retrieved counts as 0.
    """
    turns = read.groupby("qid").size()
    measures = [nDCG(discount="original") @ int(count) for count in turns.unique()]
    values = evaluate(measures, judged, read)
    cutoffs = values["measure"].str.rpartition("@")[2].astype(int)
    return values["value"][cutoffs == values["qid"].map(turns).fillna(turns.max())]


def by_memory(log: pd.DataFrame, document: str) -> dict[str, pd.DataFrame]:
    """Return the run of each memory, with chunks or sessions as documents."""
    return dict(iter(log.rename(columns={document: "docno"}).groupby("memory")))


def main() -> None:
    questions = {name: row for name, row in read_questions().items() if not name.endswith("_abs")}
    log = read_log(questions).rename(columns={"question": "qid"})
    best = log.groupby(["memory", "qid", "session"], as_index=False)["score"].max()
    judged = [
        *((q, session, 1) for q, row in questions.items() for session in row["context"]),
        *((q, session_of(turn), 2) for q, row in questions.items() for turn in row["evidence"]),
    ]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"]).drop_duplicates()

    # label 2 is evidence, label 1 context
    longmemeval = nDCG(discount="original", gains="0-0-1") @ 3
    graded = "0-1-3"
    measures = [longmemeval, nDCG(gains="0-0-1") @ 3, nDCG(gains=graded) @ 3, CG(gains=graded) @ 3]
    runs, topics = by_memory(best, "session"), topics_of(qrels)
    results = pt.Experiment(runs, topics, qrels, measures, perquery=True)
    print("sessions by their best chunks")
    print(results.pivot_table("value", "measure", "name").round(3).to_string())
    answered = results[results["qid"] != "q09"]
    print("\nwithout q09, whose evidence no user wrote")
    print(answered.pivot_table("value", "measure", "name").round(3).to_string())

    turns = [(q, turn) for q, row in questions.items() for turn in row["evidence"]]
    judged_turns = pd.DataFrame(turns, columns=["qid", "docno"]).assign(label=1)
    print("\nLongMemEval's ndcg_any@3 of sessions, from turns (without q09)")
    for memory, read in by_memory(read_until(log, set(turns), 3), "chunk").items():
        print(f"{memory}: {evaluate_turns(read, judged_turns).mean():.3f}")

    print("\ndifferences from memory A")
    pairs = pairwise(results, baseline="memory A")
    print(pairs[["measure", "difference", "low", "high"]].round(3).to_string(index=False))


if __name__ == "__main__":
    main()
