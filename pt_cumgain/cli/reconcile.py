"""Find the variants of a measure that reproduce a number from a paper or program.

For each variant, print how it differs, the programs known to compute it, and how to declare it
here.
"""

from __future__ import annotations

import argparse

from ir_measures import Measure

from pt_cumgain.cli import arguments, inputs, outputs
from pt_cumgain.cli.outputs import UsageError
from pt_cumgain.environment.terminal import escape_controls

#: The most variants that are printed.
MOST = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.epilog = "example: pt-cumgain reconcile qrels.txt bm25.res.gz nDCG@10=0.5660"
    files = arguments.add_qrels(parser)
    files.add_argument("run", help="run file (TREC, Parquet, JSON; also .gz), or - for a TREC run")
    text = (
        "the measure, and the number that the paper or program reports, with all its digits; "
        "numbers at several cutoffs narrow the search"
    )
    files.add_argument("numbers", nargs="+", metavar="measure=number", help=text)


def run(args: argparse.Namespace) -> int:
    """Print the variants; return 1 if none gives the number."""
    from pt_cumgain.trust._reconcile import OR, find_variants

    numbers: dict[Measure, str] = {}
    for argument in args.numbers:
        text, _, number = argument.rpartition("=")
        measures = inputs.parse_measures([text]) if text else []
        if len(measures) != 1 or measures[0] in numbers:
            hint = "give each measure once, with its number: nDCG@10=0.5371"
            raise UsageError(f"{argument!r}: {hint}")
        numbers[measures[0]] = number
    qrels, runs = inputs.load_runs(args, {"": args.run}, ranks=True)
    frame, verdict = find_variants(numbers, qrels, runs[""])
    print(outputs.wrap_line(verdict))
    known = ["differs", "programs", "declaration", "distance", "matches"]
    frame["distance"] = frame["distance"].round(6)
    for row in frame.head(MOST).to_dict("records"):
        values = [f"{name} {row[name]:.6g}" for name in frame.columns.drop(known)]
        print(outputs.wrap_line(", ".join(values)))
        distance = "" if row["matches"] else f"{row['distance']:.2g}"
        row |= {"differs": row["differs"] or "nothing", "distance": distance}
        for name in known[:4]:
            for number, text in enumerate(row[name].split(OR) if row[name] else []):
                head = "or" if number else name
                print(outputs.wrap_line(f"  {head}: {escape_controls(text)}"))
    if len(frame) > MOST:
        more = f"{len(frame) - MOST} more match; pt_cumgain.trust.reconcile returns all of them"
        print(outputs.wrap_line(more))
    return int(not frame["matches"].any())
