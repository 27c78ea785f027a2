"""``pt-cumgain judges``: whether judges agree, and what can be concluded from their judgments.

Print how far judges, such as language models, agree with the first judge, such as people, on labels
and, if runs are given, on which run is better. If a judge has judged more topics than the first,
print the differences on all topics, corrected with the topics that the first has judged.

Parameters
----------
qrels
    Qrels files or ir_datasets ids, the reference first; or NAME=path.
run
    Run files (TREC, Parquet, JSON; also .gz), or NAME=path.
measure
    Any measure of this package; repeat it for more (nDCG@10).
baseline
    Compare each run with this one.
correction
    Correction of the p-values for the number of pairs, as in compare (%(default)s).
sentences
    Print sentences instead of tables.
"""

from __future__ import annotations

import argparse
from typing import Any

from pt_cumgain.cli import inputs, outputs
from pt_cumgain.cli.outputs import UsageError

FUNCTIONS = ("analysis.judges.rectified.rectify", "analysis.evaluation.evaluate")
COMPARED = ("--run", "--measure", "--baseline", "--correction", "--missing", "--scores")
ARGUMENTS = ("qrels", *COMPARED, "--confidence", "--places", "--sentences")
DIFFERS: dict[str, dict[str, Any]] = {
    "qrels": {"nargs": "+"},
    "run": {"nargs": "+", "default": []},
}


def run(args: argparse.Namespace) -> None:
    """Print the agreement of labels and of conclusions, and the rectified differences."""
    from pt_cumgain.analysis.judges.agreement import judge_agreement
    from pt_cumgain.analysis.judges.conclusions import compare_judges
    from pt_cumgain.analysis.judges.rectified import rectify
    from pt_cumgain.presentation.judge_sentences import describe_judges, tabulate_judges

    if args.measure and not args.run:
        raise UsageError("--measure (-m) needs --run; without both, labels alone are compared")
    judges = inputs.name_runs(args.qrels, "judges", ".qrels")
    runs = inputs.name_runs(args.run)
    measures = inputs.parse_measures(args.measure)
    reference = next(iter(judges))
    with outputs.usage_errors():
        qrels = {name: inputs.load_qrels(path) for name, path in judges.items()}
        agreement = judge_agreement(qrels, confidence=args.confidence)
        sections: dict[str, Any] = {"Labels": agreement}
        if runs:
            judged = {judge: (path, runs) for judge, path in judges.items()}
            results = inputs.evaluate(measures, judged, args, "judge")
            options = inputs.take_options(args, compare_judges)
            sections["Conclusions"] = compare_judges(results, reference, **options)
            known = results["qid"][results["judge"] == reference]
            alone = results["judge"][~results["qid"].isin(known)].unique()
            if len(alone):
                chosen = results[results["judge"].isin([reference, *alone])]
                sections["Rectified differences"] = rectify(chosen, reference, **options)
    for heading, found in sections.items():
        print(f"{heading}:")
        if args.sentences:
            sentences = describe_judges(found, args.places)
            print(*(outputs.wrap_line(f"- {text}") for text in sentences), sep="\n")
        else:
            outputs.print_tables(tabulate_judges(found, args.places))
