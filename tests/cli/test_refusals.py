"""What the commands refuse: nothing is printed or written, and the message has these words."""

from pathlib import Path

import pytest

from pt_cumgain.measures import MEASURES
from tests.support.helpers import QRELS, RUN, refuse, run_files

VALUES = "map 1 0.5\nmap 2 0.25\nmap all 0.375\n"
FILES = {"qrels": QRELS, "run": RUN, "a/run": RUN, "x.eval": VALUES, "a/x.eval": VALUES}
KNOWN = f"this package adds {', '.join(MEASURES)}"
#: Two runs of `pydocs` under short names.
TWO = "pydocs bm25.res.gz dph.res.gz"
REPORT = "report pydocs bm25.res.gz -o a.html"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all files be in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("a").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)
    for path in map(Path, run_files("bm25", "dph")):
        Path(path.name).symlink_to(path)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        # files
        ("eval qrels no/run CG", "no such run file: 'no/run'"),
        ("compare pydocs x=nothing", "no such run file: 'x=nothing'"),
        ("eval no-qrels run CG", "no qrels 'no-qrels': neither a file nor an ir_datasets id"),
        ("eval clueweb09/en run CG", "the ir_datasets id 'clueweb09/en' has no qrels"),
        (f"{REPORT} -t x", "no topics 'x': neither a file nor an ir_datasets id"),
        ("eval qrels run run", "give the qrels, the runs, then the measures"),
        ("eval qrels run no/run CG", "no such run file: 'no/run'; measures follow the runs"),
        ("eval qrels run ./run CG", "two runs are called 'run'; rename a file, or give NAME=path"),
        (f"compare {TWO} -o t.doc", "--output t.doc must end in one of .txt, .md, .tex"),
        (f"dominance {TWO} -o map.txt", "map.txt must end in one of .pdf, .png, .svg"),
        (f"{REPORT} -o a.pdf", "--output a.pdf must end in one of .html, .htm"),
        (f"curves {TWO} -m CG -o no/a.pdf", "no/a.pdf cannot be written: there is no such folder"),
        (f"curves {TWO} -m CG --csv .", "it is a folder"),
        (f"curves {TWO} -m CG", "--csv"),
        (f"dominance {TWO} -o a.png --csv ./a.png", "are the same file, a.png"),
        # measures
        ("eval qrels run XG@5", f"unknown measure 'XG@5'; {KNOWN}"),
        ("eval qrels run nDGC@10", "unknown measure 'nDGC@10'; did you mean nDCG@10?"),
        ("eval qrels run ndcg(gains='exp')", "did you mean nDCG(gains='exp')?"),
        ("eval qrels run sdcg", "did you mean sDCG?"),  # not SDCG of ir-measures, which is another
        ("eval qrels run ndcg_cut.10", "'ndcg_cut.10' is not a measure; write nDCG@10"),
        ("eval qrels run nDCG@5,10", "its cutoff '5,10' is not a whole number"),
        ("eval qrels run nDCG@5,CG@5", "several measures, list them one by one: 'nDCG@5', 'CG@5'"),
        ("eval qrels run nDCG(gains=[0,1])@5", "write it like \"nDCG(gains='0-1')@5\""),
        ("eval qrels run nDCG(at=5)", "did you mean cutoff?"),
        ("eval qrels run ndcg_exp@5", "did you mean nDCG(gains='exp')@5?"),
        ("eval qrels run exp_ndcg@5", "did you mean nDCG(gains='exp')@5?"),
        ("eval qrels run SDCG@5", "SDCG@5 of ir-measures needs max_rel=; this package adds CG"),
        ("eval qrels run CG(foo=1)", "CG(foo=1): CG: unknown parameter 'foo'; it accepts"),
        ("eval qrels run P@0", "P@0: cutoff=0 must be at least 1"),
        ("eval qrels run P(foo=1)@5", "P(foo=1)@5: P: unsupported params found: ['foo']"),
        ("eval qrels run CG(gains='0-1')", "gains='0-1' has no weight for the relevance level 2"),
        ("eval qrels run nCG CG@0", "CG@0: CG: cutoff=0 must be a whole number"),
        ("eval qrels run CG --provider pytrec_eval", "unsupported measure CG"),
        # gdeval wants topics that are numbers, and fails with an error of its own otherwise
        ("eval qrels run nDCG(dcg='exp-log2')@2 --provider gdeval", "unexpected "),
        (f"compare {TWO} -m sDCG", "query_position"),
        (f"{REPORT} -m CG@5 -m CG@3", "--measure CG@5 CG@3: a page shows one measure"),
        ("reconcile qrels run nDCG@10", "nDCG@10=0.5371"),
        ("reconcile qrels run nDCG@10=0.5 nDCG@10=0.6", "'nDCG@10=0.6'"),
        ("reconcile qrels run DCG@5=40.84%", "percentage; write 0.4084"),
        # options
        ("eval qrels run CG -n", "without --by_query"),
        (f"compare {TWO} --baseline x", "baseline='x' is not one of the systems"),
        (f"{REPORT} -b bm25 -b x", "--baseline bm25 x: give it only once"),
        (f"compare {TWO} --width 300 -o a.tex", "width=300.0 must be inches"),
        (f"curves {TWO} -m sDCG -d 5 -o a.pdf", "--depth"),
        (f"dominance {TWO} -o a.pdf --over both", "omit --over both"),
        # what is compared
        ("compare pydocs bm25.res.gz -m CG@5", "there is only one system, 'bm25'"),
        ("compare pydocs", "give the qrels and the runs or, instead of them, --values FILE..."),
        ("compare q r --values x.eval", "give the qrels and the runs or, instead"),
        ("compare --values x.eval -o x.eval", "is an input; writing to it would destroy it"),
        ("compare --values x.eval a/x.eval a=x.eval a=a/x.eval", "two runs are called 'a'"),
        ("compare --values x.eval y=x.eval -m P", "do not have 'P'"),
    ],
)
def test_what_is_refused(command: str, message: str, capsys) -> None:
    before = sorted(Path().rglob("*"))
    assert message in refuse(capsys, *command.split())
    assert sorted(Path().rglob("*")) == before


def test_a_blank_measure(capsys) -> None:
    assert f"no measure given; {KNOWN}" in refuse(capsys, "eval", "qrels", "run", " ")
