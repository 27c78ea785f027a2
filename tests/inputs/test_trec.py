"""TREC files: what trec_eval 10 reads, and what is refused, with the line and the words for it."""

import io

import pytest

from tests.support import trec

RUN = "q1 Q0 a 0 2 t\nq2 Q0 b 1 1.5 t\n"
QRELS = "q1 0 a 1\nq2 0 b 2.5\n"


def read(text: str, reader=trec.read_run) -> list[tuple]:
    file = io.BytesIO(text.encode())
    file.name = "file"
    return list(reader(file).iloc[:, :3].itertuples(index=False, name=None))


def refusal(text: str, reader=trec.read_run) -> str:
    with pytest.raises(ValueError, match=r"^file, line ") as refused:
        read(text, reader)
    return str(refused.value).removeprefix("file, ")


@pytest.mark.parametrize(
    "changed",
    [
        "# a comment\n" + RUN,
        "# q1 Q0 x 0 9\n" + RUN,  # of six fields, like a row
        RUN.replace("\nq2", "\n#\n  #\t comment\nq2"),
        RUN + "# at the end",
        RUN.replace("\n", "\r\n").replace("q2", "# comment\r\nq2"),
        RUN.replace(" t\n", " t of 3 systems, Q1 2024 # best\n"),
        RUN.replace(" t\n", " t\tmore \n"),
        RUN.replace("t\n", "t" + " word" * 94 + "\n", 1),
        "\ufeff" + RUN,
        "\ufeff# comment\n" + RUN,
        "\ufeff#q1 Q0 x 0 t\n" + RUN,
        "#q1 of three topics in words here\n" + RUN,
    ],
)
@pytest.mark.filterwarnings("error")
def test_comments_and_text_after_the_tag_are_ignored(changed: str) -> None:
    """As trec_eval 10 reads them (get_trec_results.c); the byte-order mark is Windows'."""
    assert read(changed) == [("q1", "a", 2), ("q2", "b", 1.5)]


def test_comments_in_qrels() -> None:
    for text in ("# topics 1 2\n" + QRELS, QRELS.replace("q2", "#q x 3\n#\n#\nq2") + "#"):
        assert read(text, trec.read_qrels) == [("q1", "a", 1), ("q2", "b", 2.5)]
    assert read("# nothing\n", trec.read_qrels) == read("# nothing\n") == []


def test_topics_may_begin_with_the_sign_of_comments() -> None:
    """ir_measures counts them: a line with the fields of a row is one, malformed or not."""
    run = "#1 Q0 a 0 2 t\n#2  Q0 b 1 1 my tag\n# topic 2\n"
    assert read(run) == [("#1", "a", 2), ("#2", "b", 1)]
    qrels = "#1 0 a 1\n# topics 1 2\n3 0 a 1\n"
    assert read(qrels, trec.read_qrels) == [("#1", "a", 1), ("3", "a", 1)]
    assert refusal("#1 0 a high", trec.read_qrels) == "line 1: the relevance 'high' is not a number"


@pytest.mark.parametrize(("label", "kind"), [(2**53 - 1, "int64"), (2**53, "float64")])
def test_labels_are_whole_numbers_as_far_as_doubles_count_them(label: int, kind: str) -> None:
    for sign in (1, -1):
        text = f"q 0 a {sign * label}\nq 0 b 2.0\n"
        labels = trec.read_qrels(io.BytesIO(text.encode()))["relevance"]
        assert (labels.dtype, labels.tolist()) == (kind, [sign * label, 2])


def test_other_white_space_than_blanks_and_tabs_is_part_of_an_id() -> None:
    odd = "d\xa0\u3000\x0be"
    for blank in (" ", "  ", "\t", " \t "):
        assert read(f"q Q0 {odd} 0 1 t\n".replace(" ", blank)) == [("q", odd, 1)]
        message = refusal(f"q Q0 {odd} 0\n".replace(" ", blank))
        assert message.startswith("line 1: 4 fields, expected 6")


@pytest.mark.parametrize("wrong", ["1_0", "１０", "1\xa0", "\x0b1", "0x1", "nan", "1,5"])
@pytest.mark.parametrize("end", ["\n", " \n"])
def test_what_is_not_a_number(wrong: str, end: str) -> None:
    """Python's float() takes the first four."""
    message = f"line 3: the %s {wrong!r} is not a number"
    assert refusal(f"{RUN}q3 Q0 a 0 {wrong} t{end}") == message % "score"
    assert refusal(f"{QRELS}q3 0 a {wrong}{end}", trec.read_qrels) == message % "relevance"


FIELDS = "expected 6 (topic, Q0, document, rank, score and tag)"


def test_a_table_without_a_head() -> None:
    told = "line 1: this is a table without a head; name the columns in the first line"
    assert refusal("1,a,2\n2,b,1\n") == refusal("red shoes;a;2\n", trec.read_qrels) == told


@pytest.mark.parametrize(
    ("text", "line", "fields"),
    [
        (RUN[:-1] + RUN, 2, 11),  # as `cat` joins a file without a last line end and another
        (RUN.replace("\nq2", "  q2"), 1, 12),
        (RUN.replace("\n", " ") + "of A", 1, 14),
        ("# comment\n\n" + RUN.replace("\n", "\tend\n") + RUN[:-1] + RUN, 6, 11),
        ("s Q1/2 a 0 1 ts Q2/2 a 0 1 t\n", 1, 11),
        (RUN * 99 + "a Q0 a 1 1 " * 32_000 + "\n" + RUN * 999, 199, 160_000),
        (RUN * 99 + "a Q0 a 1 1 " * 32_000 + "t\n" + RUN * 999, 199, 160_001),
    ],
)
def test_a_line_of_two_rows_is_refused(text: str, line: int, fields: int) -> None:
    """trec_eval ignores the second row."""
    missing = "; the end of a line is missing"
    assert refusal(text) == f"line {line}: {fields} fields, {FIELDS}{missing}"


@pytest.mark.filterwarnings("ignore:the rows of a topic may be of several runs:UserWarning")
def test_words_after_a_tag_may_repeat_the_second_field() -> None:
    """As trec_eval reads them; another row would have a rank and a score."""
    run = "1 Q0 d1 1 2.0 run of Q0\n1 Q0 d2 2 1.0 t Q0 and its 4 more\n"
    assert read(run) == [("1", "d1", 2), ("1", "d2", 1)]


def test_a_line_of_more_fields_needs_a_rank_and_a_score() -> None:
    """A blank in the document, and a query as the topic; trec_eval reads both, shifted."""
    for text, words in (
        ("1 Q0 my doc 1 2.5 t", "topic '1', document 'my', rank doc, score 1"),
        ("what is 1 Q0 d 1 2.5 t", "topic 'what', document '1', rank Q0, score d"),
        ("1 Q0 d 1 x 2.5 t", "topic '1', document 'd', rank 1, score x"),
    ):
        count = len(text.split())
        assert refusal(RUN + text) == f"line 3: {count} fields, {FIELDS}: it was read as {words}"


@pytest.mark.filterwarnings("ignore:.*column rank orders:UserWarning")
def test_ranks_that_are_no_whole_numbers() -> None:
    """Another format of six fields: topic, Q0, document, score, rank, tag."""
    told = (
        r"^a rank is not a whole number: line 3 was read as topic 'q', document 'b', rank {}, "
        r"score 2; is this a run of TREC's format\? \(file 'file'\)$"
    )
    for rank in ("0.25", "x"):
        text = f"# q\nq Q0 a 1 3 t\nq Q0 b {rank} 2 t\nq Q0 c 3 1 t\n"
        with pytest.warns(UserWarning, match=told.format(rank)):
            assert len(read(text)) == 3
    with pytest.warns(UserWarning, match=r"^in 1 of 1 topics .*: line \d was read as"):
        read("q Q0 a 1 1 t\nq Q0 b 2 2 t\n")


def test_byte_order_marks_inside_a_file_are_refused() -> None:
    """As ``cat`` joins two files of Windows, wherever a block begins."""
    for text, reader in ((RUN, trec.read_run), (QRELS, trec.read_qrels)):
        assert refusal(f"\ufeff{text}\ufeff{text}", reader).startswith(
            "line 3: the topic '\\ufeffq1' begins with a byte-order mark"
        )


def test_lines_with_other_fields_are_refused() -> None:
    assert refusal(QRELS) == f"line 1: 4 fields, {FIELDS}: is this qrels?"
    assert refusal(RUN, trec.read_qrels) == (
        "line 1: 6 fields, expected 4 (topic, iteration, document and relevance): is this a run?"
    )
    assert refusal("q1 Q0 a 0 2 t\nq1 Q0 b 1 1.5 ") == f"line 2: 5 fields, {FIELDS}"  # cut
    assert refusal(QRELS[:-1] + " x\n", trec.read_qrels).startswith("line 2: 5 fields, expected 4")
    assert refusal("q1 XX 1\n").endswith("MS MARCO with three fields the third is a rank")
    assert refusal("q1 a 1\n", trec.read_qrels).endswith("document and relevance)")


def test_columns_of_texts_are_strings() -> None:
    """Not categories, as which they are read."""
    qrels = trec.read_qrels(io.BytesIO(QRELS.encode()))
    run = trec.read_run(io.BytesIO(RUN.encode()))
    texts = [qrels["query_id"], qrels["doc_id"], run["query_id"], run["doc_id"]]
    assert {str(column.dtype) for column in texts} <= {"str", "object"}
